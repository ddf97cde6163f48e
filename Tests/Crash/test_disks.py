"""The disk is full, or fails at one write: the caller gets an error, or the request is durable."""

from __future__ import annotations

import errno
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from campaign import Campaign
from programs import Programs
from recording_server import Moods, RecordingServer

CALM = Moods(temporary=0, loses_answers=0, breaks=0)
# The server carries out each request as soon as it comes.
GOOD = Moods(temporary=0, loses_answers=0, breaks=0, works_on=0)


def _check_refusals(campaign: Campaign, *, may_be_kept: bool = False) -> None:
    """A refusal has a reason, and a refused request was not stored. The exception is a disk that
    fails during the final write of a process that then ends: the log may be complete.
    """
    applied = set() if may_be_kept else set(campaign.applied)
    for told in campaign.told:
        for refusal in told.refused:
            tag, _, why = refusal.partition(" ")
            assert tag not in applied, refusal
            assert "outbox.db" in why, refusal
        assert all("outbox.db" in why for why in told.stuck)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO], ids=["full", "broken"])
@pytest.mark.parametrize("kind", ["fail", "from"], ids=["once", "for_good"])
def test_a_failing_write_is_an_error_or_did_no_harm(
    code: int, kind: str, programs: Programs, folder: Path, kills: int
) -> None:
    steps = range(1, 400, max(1, 400 // max(4, kills // 4)))
    refusals = 0
    for step in steps:
        life = folder / str(step)
        life.mkdir()
        with RecordingServer(step, CALM) as server:
            campaign = Campaign(programs, server, life)
            campaign.run("work" if kind == "fail" else "enqueue", 10, f"{kind}:{step}:{code}")
            campaign.drain()
            campaign.check()
            _check_refusals(campaign, may_be_kept=kind == "from")
            refusals += len(campaign.told[0].refused) + len(campaign.told[0].stuck)
    assert refusals > 0


@pytest.mark.parametrize(("kibibytes", "count"), [(40, 200), (90, 200), (200, 800)])
def test_a_file_that_may_not_grow_keeps_what_it_took(
    kibibytes: int, count: int, programs: Programs, folder: Path
) -> None:
    with RecordingServer(kibibytes, CALM) as server:
        campaign = Campaign(programs, server, folder)
        told = campaign.run("enqueue", count, f"quota:{kibibytes << 10}")
        assert told.refused or told.stuck
        campaign.check_file()
        campaign.drain()
        campaign.check()
        _check_refusals(campaign)
        assert set(told.queued) == set(campaign.applied)


def _check_recovery(
    campaign: Campaign, server: RecordingServer, count: int, interrupt: str = ""
) -> None:
    """Fills the disk twice: each time the deliveries are recorded, and then there is room."""
    for _ in range(2):
        told = campaign.run("fill", count, interrupt)
        assert told.refused
        assert told.queued
        assert told.finished, "not all deliveries could be recorded"
    assert all("the disk is full" in why for each in campaign.told for why in each.refused)
    campaign.check()
    _check_refusals(campaign)
    kept = [tag for told in campaign.told for tag in told.queued]
    assert sorted(kept) == sorted(campaign.applied)
    assert len(server.record.arrivals) == len(campaign.applied), "a request was sent again"


def test_an_outbox_that_has_filled_the_disk_records_its_deliveries(
    programs: Programs, folder: Path
) -> None:
    with RecordingServer(1, GOOD) as server:
        campaign = Campaign(programs, server, folder, batch=32)
        _check_recovery(campaign, server, 900, f"quota:{250 << 10}")


@pytest.fixture
def small_disk(folder: Path) -> Iterator[Path]:
    """Mounts a file system of 384 KiB, if this process may do so."""
    disk = folder / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=384k", "tmpfs", str(disk)]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("no file system may be mounted here; a quota stands for it")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_small_disk_holds_any_number_of_requests_one_after_the_other(
    small_disk: Path, programs: Programs
) -> None:
    """The log of these requests does not fit on the disk: it is moved into the file when a write
    finds no space.
    """
    with RecordingServer(1, CALM) as server:
        campaign = Campaign(programs, server, small_disk)
        for _ in range(12):
            told = campaign.run("work", 20)
            assert not told.stuck
            assert told.refused == []
            campaign.drain()
        campaign.check()


def test_a_small_disk_that_the_outbox_has_filled_recovers(
    small_disk: Path, programs: Programs
) -> None:
    with RecordingServer(2, GOOD) as server:
        _check_recovery(Campaign(programs, server, small_disk), server, 700)


def test_a_full_disk_is_an_error_and_keeps_what_it_took(
    small_disk: Path, programs: Programs
) -> None:
    with RecordingServer(1, CALM) as server:
        campaign = Campaign(programs, server, small_disk)
        told = campaign.run("enqueue", 300)
        assert told.queued
        assert told.refused
        # Without space for the index of the log, the file cannot even be opened.
        subprocess.run(
            ["mount", "-o", "remount,size=2m", str(small_disk)], check=True, capture_output=True
        )
        campaign.check_file()
        campaign.drain()
        campaign.check()
        _check_refusals(campaign)
