"""A process that enqueues and flushes is killed repeatedly, at random times and at each write."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from campaign import Campaign
from programs import Programs
from recording_server import Moods, RecordingServer

#: The number of kills of one outbox before it is checked.
KILLS_EACH = 12

#: Most batches succeed as a whole.
MOSTLY_GOOD = Moods(temporary=0, loses_answers=1, breaks=1, works_on=1)


def campaigns(
    programs: Programs,
    folder: Path,
    chance: random.Random,
    kills: int,
    *,
    batch: int,
    moods: Moods | None = None,
    stores_first: bool = False,
) -> Iterator[Campaign]:
    """Runs campaigns until there were enough kills. Each campaign has a server and an outbox of its
    own, which is drained and checked at the end.
    """
    done = 0
    while done < kills:
        life = folder / str(done)
        life.mkdir()
        with RecordingServer(chance.randrange(1 << 30), moods or Moods()) as server:
            campaign = Campaign(programs, server, life, batch=batch)
            yield campaign
            campaign.drain()
            campaign.check(stores_first=stores_first)
            assert campaign.kills > 0
            done += campaign.kills


@pytest.mark.parametrize("mode", ["work", "online", "first"])
@pytest.mark.parametrize("batch", [0, 8], ids=["singly", "batches"])
def test_nothing_is_lost_or_done_twice_when_killed_at_random(
    mode: str, batch: int, programs: Programs, tmp_path: Path, kills: int, seed: int
) -> None:
    chance = random.Random(f"{seed} {mode} {batch}")
    left = -(-kills // 4)
    for campaign in campaigns(
        programs, tmp_path, chance, left, batch=batch, stores_first=mode == "first"
    ):
        for _ in range(4 * KILLS_EACH):
            if campaign.kills >= min(left, KILLS_EACH):
                break
            campaign.run_and_kill(mode, 40, chance.uniform(0.02, 0.2))
            campaign.check_file()
        left -= campaign.kills


@pytest.mark.parametrize("batch", [0, 8], ids=["singly", "batches"])
def test_a_key_that_comes_while_the_server_works_on_it_is_not_refused(
    batch: int, programs: Programs, folder: Path, seed: int
) -> None:
    """A process is killed in the middle, so that another process finds items that were sent before.
    """
    moods = Moods(temporary=0, loses_answers=0, breaks=0, works_on=50)
    with RecordingServer(seed, moods) as server:
        campaign = Campaign(programs, server, folder, batch=batch)
        campaign.run_and_kill("work", 40, 0.1)
        campaign.run("work", 10)
        campaign.drain()
        campaign.check()
        assert server.record.conflicts > 0


@pytest.mark.parametrize("kind", ["kill", "half"])
@pytest.mark.parametrize("batch", [0, 8], ids=["singly", "batches"])
def test_nothing_is_lost_or_done_twice_when_killed_at_each_write(
    kind: str, batch: int, programs: Programs, folder: Path, kills: int, seed: int
) -> None:
    """The kills are spread evenly over the steps of a whole run."""
    chance = random.Random(f"{seed} {kind} {batch}")
    wanted = -(-kills // 4)
    stride = max(1, 700 // wanted)
    steps = itertools.count(1 + chance.randrange(stride), stride)
    for campaign in campaigns(programs, folder, chance, wanted, batch=batch):
        for _ in range(KILLS_EACH):
            step = next(steps)
            told = campaign.run("work", 10, f"{kind}:{step}")
            campaign.check_file()
            if told.finished:  # The process never came this far: it begins again.
                steps = itertools.count(1 + chance.randrange(stride), stride)


@pytest.mark.parametrize("kind", ["kill", "half"])
def test_what_is_only_marked_as_done_is_not_sent_again(
    kind: str, programs: Programs, folder: Path, kills: int, seed: int
) -> None:
    """Batches take items from many lanes; most delivered items are still in the file at each kill.
    """
    chance = random.Random(f"{seed} {kind} marks")
    marked = 0
    wanted = -(-kills // 8)
    for campaign in campaigns(
        programs, folder, chance, wanted, batch=8, moods=MOSTLY_GOOD
    ):
        for _ in range(KILLS_EACH):
            campaign.run("lanes", 64)
            campaign.run("drain", 0, f"{kind}:{chance.randrange(20, 120)}")
            campaign.check_file()
        marked += campaign.deaths_with_marks
    assert marked > wanted / 2
