"""Long recordings: additions to a large cassette are kept in a journal until it is written again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from replaying import ROOT, Open, Server, exchanges, restway, told

#: The size of an exchange is 64 KiB: sixteen of them make a cassette that is large.
BODY = "x" * (64 << 10)


def _journal(cassette: Path) -> Path:
    return cassette.with_name(cassette.name + ".journal")


def _lines(cassette: Path) -> int:
    journal = _journal(cassette)
    return len(journal.read_bytes().splitlines()) - 1 if journal.exists() else 0


def _record(cassette: Path, open_client: Open, count: int) -> list[tuple[int, int]]:
    """Returns, after each call, how many exchanges the cassette and its journal have."""
    found = []
    with open_client("record") as client:
        for number in range(count):
            told(client, "POST", f"n/{number}", body=BODY)
            found.append((len(exchanges(cassette)), _lines(cassette)))
    for _ in range(500):
        if not _journal(cassette).exists():
            break
        threading.Event().wait(0.01)
    return found


def _play(open_client: Open, count: int) -> None:
    with open_client("play") as client:
        for number in range(count):
            assert told(client, "POST", f"n/{number}", body=BODY)[0] == 200


def test_each_call_is_on_the_disk_and_the_cassette_is_rarely_written(
    cassette: Path, open_client: Open
) -> None:
    found = _record(cassette, open_client, 60)
    assert [whole + added for whole, added in found] == list(range(1, 61))
    written = {whole for whole, _ in found}
    assert max(written - {60}) < 60, "the last ones were in the journal"
    assert len([whole for whole in written if whole > 17]) <= 3, "it doubles from write to write"
    assert len(exchanges(cassette)) == 60, "at the end all of them are in the cassette"
    assert list(cassette.parent.iterdir()) == [cassette]
    _play(open_client, 60)


CRASH = """
import os, sys, restway
restway.load_plugin("replay", {"cassette": sys.argv[1], "mode": "record"})
api = restway.API.from_json({"restway": 1, "environments": {"a": {"baseURL": sys.argv[2]}},
                             "transport": "replay"})
client = restway.Client(api, timeout=30)
for number in range(25):
    request = restway.Request.path("POST", f"n/{number}", body="x" * (64 << 10))
    client.perform(request)
os._exit(1)
"""


@pytest.fixture(name="crashed")
def _crashed(server: Server, cassette: Path) -> Path:
    """Makes a cassette that a process left in the middle of a recording."""
    ended = subprocess.run(
        [sys.executable, "-c", CRASH, str(cassette), f"http://127.0.0.1:{server.server_port}"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "bindings" / "python")}, check=False,
        timeout=60,
    )
    assert ended.returncode == 1
    assert len(exchanges(cassette)) + _lines(cassette) == 25
    assert _lines(cassette) > 1
    return cassette


def test_after_a_crash_nothing_that_was_told_is_lost(crashed: Path, open_client: Open) -> None:
    _play(open_client, 25)


def test_a_line_that_was_being_written_is_left_out(crashed: Path, open_client: Open) -> None:
    journal = _journal(crashed)
    journal.write_bytes(journal.read_bytes()[:-100])
    _play(open_client, 24)
    with open_client("play", match="loose") as client, pytest.raises(restway.PluginError):
        client.perform(restway.Request.path("POST", "n/24", body=BODY))


def test_a_journal_of_another_cassette_is_left_aside(crashed: Path, open_client: Open) -> None:
    kept = exchanges(crashed)[:-1]
    crashed.write_text(json.dumps({"restwayCassette": 1, "exchanges": kept}))
    _play(open_client, len(kept))
    with open_client("play", match="loose") as client, pytest.raises(restway.PluginError):
        client.perform(restway.Request.path("POST", "n/24", body=BODY))


def test_a_journal_that_is_none_says_so(crashed: Path, open_client: Open) -> None:
    journal = _journal(crashed)
    lines = journal.read_bytes().splitlines(keepends=True)
    for broken, message in (
        ([b"[]\n"], "is no journal of a cassette"),
        ([lines[0], b"{nothing\n", *lines[1:]], f"{journal}: line 2 column"),
        ([lines[0], b'{"request": {}}\n'], "request.method: must be a string"),
    ):
        journal.write_bytes(b"".join(broken))
        with pytest.raises(restway.PluginError) as caught:
            open_client("play")
        assert message in str(caught.value)


def test_recording_anew_forgets_an_old_journal(
    server: Server, crashed: Path, open_client: Open
) -> None:
    with open_client("record") as client:
        told(client, "GET", "things")
        assert not _journal(crashed).exists()
    assert len(exchanges(crashed)) == 1


def test_a_journal_that_cannot_be_written_fails_the_call(
    server: Server, cassette: Path, open_client: Open
) -> None:
    with open_client("record") as client:
        for number in range(17):
            told(client, "POST", f"n/{number}", body=BODY)
        _journal(cassette).unlink(missing_ok=True)
        _journal(cassette).mkdir()
        with pytest.raises(restway.PluginError) as caught:
            client.perform(restway.Request.path("POST", "n/17", body=BODY))
        assert "cassette: " in str(caught.value)
        _journal(cassette).rmdir()
        told(client, "POST", "n/18", body=BODY)
        assert len(exchanges(cassette)) + _lines(cassette) == 19
