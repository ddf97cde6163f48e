"""The replay transport: bad options, cassettes and disks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from replaying import JSON, ROOT, Open, Server, exchanges, restway, told

BAD_OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "missing": ({"cassette": None}, "cassette: must be the path of a file"),
    "empty": ({"cassette": ""}, "cassette: must be the path of a file"),
    "mode": ({"mode": "rewind"}, 'mode: must be "play", "record" or "auto"'),
    "match": ({"match": True}, 'match: must be "strict" or "loose"'),
    "redact": ({"redact": "a"}, "redact: must be an array of names"),
    "redact names": ({"redact": [1]}, "redact: must be an array of names"),
    "key": ({"casette": "x"}, 'unknown key "casette" (there are: cassette, mode, match, redact)'),
}


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_bad_options_are_refused_and_named(case: str, open_client: Open) -> None:
    options, message = BAD_OPTIONS[case]
    options = {"mode": "play", **options}
    with pytest.raises(restway.PluginError) as caught:
        open_client(**options)
    assert 'options.transport: plugin "replay": transport "replay": does not open: ' in str(
        caught.value)
    assert message in str(caught.value)


@pytest.mark.usefixtures("replay")
def test_a_cassette_must_be_named() -> None:
    document = {"restway": 1, "environments": {"here": {"baseURL": "http://127.0.0.1"}}}
    with pytest.raises(restway.PluginError, match="cassette: is missing"):
        restway.Client(restway.API.from_json(document), transport="replay")


BAD_CASSETTES: dict[str, tuple[str, str]] = {
    "empty": ("", "line 1 column 0"),
    "cut": ('{"restwayCassette": 1, "exchanges": [', "line 1 column 37"),
    "other": ('{"a": 1}', 'is no cassette: "restwayCassette" is missing'),
    "list": ("[]", 'is no cassette: "restwayCassette" is missing'),
    "version": (
        '{"restwayCassette": 2, "exchanges": []}', "is of version 2; this plugin reads version 1"),
    "exchanges": ('{"restwayCassette": 1}', '"exchanges" must be an array'),
}
_REQUEST = {"method": "GET", "url": "http://a/"}
BAD_EXCHANGES: dict[str, tuple[JSON, str]] = {
    "number": (1, "exchanges[0].request.method: must be a string"),
    "url": ({"request": {"method": "GET"}}, "exchanges[0].request.url: must be a string"),
    "body": (
        {"request": {**_REQUEST, "body": {"text": 1}}, "response": {"status": 200}},
        "exchanges[0].request.body: must be"),
    "nothing": ({"request": _REQUEST}, "exchanges[0].response: either this or an error"),
    "status": (
        {"request": _REQUEST, "response": {"status": 100}},
        "exchanges[0].response.status: must be a number from 200 to 999"),
    "base64": (
        {"request": _REQUEST, "response": {"status": 200, "body": {"base64": "a=bc"}}},
        "exchanges[0].response.body: must be"),
    "headers": (
        {"request": _REQUEST, "response": {"status": 200, "headers": [["a"]]}},
        "exchanges[0].response.headers: must hold pairs"),
    "error": (
        {"request": _REQUEST, "error": {"result": 0}}, "exchanges[0].error.result: must be"),
}
BAD_CASSETTES |= {
    f"exchange {name}": (json.dumps({"restwayCassette": 1, "exchanges": [exchange]}), message)
    for name, (exchange, message) in BAD_EXCHANGES.items()
}


@pytest.mark.parametrize("case", BAD_CASSETTES)
def test_a_corrupt_cassette_says_what_is_wrong(
    case: str, cassette: Path, open_client: Open
) -> None:
    text, message = BAD_CASSETTES[case]
    cassette.write_text(text)
    with pytest.raises(restway.PluginError) as caught:
        open_client()
    assert f"cassette: {cassette}: {message}" in str(caught.value)


def test_a_cassette_that_cannot_be_read_or_written(cassette: Path, open_client: Open) -> None:
    with pytest.raises(restway.PluginError, match=r"cassette: .*: No such file or directory"):
        open_client()
    missing = str(cassette / "there.json")
    with pytest.raises(restway.PluginError, match=r"cassette: .*: No such file or directory"):
        open_client("record", cassette=missing)
    with pytest.raises(restway.PluginError, match=r"cassette: .*: \w"):
        open_client("record", cassette="/proc/cassette.json")


def test_a_write_that_fails_fails_the_call_and_keeps_the_cassette(
    server: Server, cassette: Path, open_client: Open
) -> None:
    directory = cassette.parent / "inside"
    directory.mkdir()
    inside = directory / "cassette.json"
    with open_client("record", cassette=str(inside)) as client:
        told(client, "GET", "a")
        kept = inside.read_text()
        inside.rename(cassette)
        directory.rmdir()
        with pytest.raises(restway.PluginError) as caught:
            told(client, "GET", "b")
        assert f"cassette: {inside}: No such file or directory" in str(caught.value)
        directory.mkdir()
        told(client, "GET", "c")
    assert cassette.read_text() == kept
    assert [exchange["request"]["url"][-1] for exchange in exchanges(inside)] == ["a", "b", "c"]


def test_a_full_disk_fails_the_call(server: Server, cassette: Path) -> None:
    """A limit on the size of files simulates a full disk; the earlier cassette stays complete."""
    program = """
import resource, signal, sys, restway
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
restway.load_plugin("replay", {"cassette": sys.argv[1], "mode": "record"})
api = restway.API.from_json({"restway": 1, "environments": {"a": {"baseURL": sys.argv[2]}},
                             "transport": "replay"})
with restway.Client(api, timeout=30) as client:
    client.get("a")
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    try:
        client.get("x" * 3000)
    except restway.PluginError as error:
        print(error)
"""
    ended = subprocess.run(
        [sys.executable, "-c", program, str(cassette), f"http://127.0.0.1:{server.server_port}"],
        capture_output=True, text=True, check=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT / "bindings" / "python")},
    )
    assert f"cassette: {cassette}: File too large" in ended.stdout
    assert len(exchanges(cassette)) == 1
    assert list(cassette.parent.iterdir()) == [cassette]
