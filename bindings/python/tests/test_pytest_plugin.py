"""The plugin of pytest, used by test modules that run in processes of their own."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import restway

from .conftest import DOCUMENT
from .peer import Peer

pytest_plugins = ["pytester"]

PACKAGE = Path(restway.__file__).parent

COMMON = """
import asyncio
import pytest
import restway

@pytest.fixture
def restway_options():
    return {"base_url": "%s"}
"""


@pytest.fixture
def run(
    pytester: pytest.Pytester, peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> Run:
    monkeypatch.setenv("PYTHONPATH", str(PACKAGE.parent))
    # Other plugins take more time than the tests.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini(f"[pytest]\nrestway_document = {DOCUMENT}\n")
    peer.respond(json.dumps({"id": 12, "name": "recorded"}).encode())
    return Run(pytester, peer)


class Run:
    """Runs a test module with the plugin."""

    def __init__(self, pytester: pytest.Pytester, peer: Peer) -> None:
        self.pytester = pytester
        self.peer = peer
        self.url = f"{peer.url}/v2"

    def __call__(self, module: str, *options: str, **outcomes: int) -> pytest.RunResult:
        self.pytester.makepyfile(test_program=COMMON % self.url + module)
        # The tests of this package run without the installed package, so pytest is told of it.
        plugin = ("-p", "restway.testing.plugin", "-p", "no:cacheprovider")
        result = self.pytester.runpytest_subprocess(*plugin, "-q", *options)
        result.assert_outcomes(**outcomes)
        return result

    def cassettes(self) -> list[str]:
        folder = self.pytester.path / "cassettes"
        return sorted(os.listdir(folder)) if folder.exists() else []


PLAYS = """
def test_plays(restway_client):
    assert restway_client.get("enterprises/12").object.name == "recorded"
"""


def test_a_cassette_is_recorded_once_and_then_played(run: Run) -> None:
    run(PLAYS, "--restway-record", passed=1)
    assert run.cassettes() == ["test_program.test_plays.json"]
    assert len(run.peer.requests) == 1
    run(PLAYS, passed=1)
    assert len(run.peer.requests) == 1


def test_a_missing_cassette_is_named(run: Run) -> None:
    result = run(PLAYS, errors=1)
    result.stdout.fnmatch_lines(["*there is no cassette *test_program.test_plays.json: record*"])
    assert run.cassettes() == []


def test_the_mark_says_how_to_replay(run: Run) -> None:
    module = """
@pytest.mark.restway(record="auto", cassette="one.json", match="loose", redact=["name"])
@pytest.mark.parametrize("again", [1, 2])
def test_records_what_is_missing(restway_client, again):
    for _ in range(again):
        assert restway_client.get("enterprises/12").object.itemID == 12

@pytest.mark.restway(record=True, cassette="two.json")
def test_records_anew(restway_client):
    restway_client.get("enterprises/12")
"""
    run(module, passed=3)
    assert run.cassettes() == ["one.json", "two.json"]
    assert "recorded" not in (run.pytester.path / "cassettes" / "one.json").read_text("utf-8")
    before = len(run.peer.requests)
    run(module, passed=3)
    assert len(run.peer.requests) == before + 1


def test_a_wrong_mark_is_refused(run: Run) -> None:
    module = """
@pytest.mark.restway(record="always")
def test_it(restway_client):
    pass
"""
    result = run(module, errors=1)
    result.stdout.fnmatch_lines(["*record is True, False or 'auto', not 'always'*"])


def test_an_async_client_replays_too(run: Run) -> None:
    module = """
@pytest.mark.restway(record="auto")
def test_it(restway_make_client):
    async def main():
        async with restway_make_client(restway.AsyncClient) as client:
            return (await client.get("enterprises/12")).object.name
    assert asyncio.run(main()) == "recorded"
"""
    run(module, passed=1)
    run(module, passed=1)
    assert len(run.peer.requests) == 1


def test_the_clock_is_moved_by_the_test(run: Run) -> None:
    module = """
@pytest.mark.restway(record="auto")
def test_it(restway_client, restway_clock):
    assert restway_client.get("enterprises/12").object.itemID == 12
    restway_clock.advance(3600)

def test_a_clock_alone(restway_clock):
    with restway.Client({"restway": 1, "environments": {"e": {"baseURL": "http://h"}}},
                        clock=restway_clock) as client:
        restway_clock.advance(1)
"""
    run(module, passed=2)


def test_handles_that_stay_alive_fail_the_test(run: Run) -> None:
    module = """
kept = []

@pytest.mark.restway(record="auto")
def test_keeps_an_object(restway_client):
    kept.append(restway_client.get("enterprises/12").object)

@pytest.mark.restway
def test_keeps_an_api():
    kept.append(restway.API.empty())

@pytest.mark.restway
def test_keeps_nothing():
    restway.API.empty()

def test_is_not_checked():
    kept.append(restway.API.empty())
"""
    result = run(module, passed=4, errors=2)
    result.stdout.fnmatch_lines(["*the test has left 1 handles of restway alive; close its*"])


def test_an_api_is_needed(run: Run) -> None:
    run.pytester.makeini("[pytest]\n")
    result = run(PLAYS, errors=1)
    result.stdout.fnmatch_lines(["*restway_client needs an API document: set restway_document*"])


def test_the_mark_and_the_settings_are_documented(run: Run) -> None:
    plugin = ("-p", "restway.testing.plugin")
    shown = run.pytester.runpytest_subprocess(*plugin, "--markers")
    shown.stdout.fnmatch_lines(["@pytest.mark.restway(record=False, *"])
    shown = run.pytester.runpytest_subprocess(*plugin, "--help")
    shown.stdout.fnmatch_lines(["*--restway-record*", "*restway_document (string):*"])


def test_the_plugin_of_an_installed_package_is_registered_once(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`pip install` of the source folder leaves these files in it, which the path then leads to."""
    project = (PACKAGE.parent / "pyproject.toml").read_text("utf-8")
    section = project.partition("[project.entry-points.pytest11]\n")[2].partition("\n\n")[0]
    (entry,) = [line for line in section.splitlines() if not line.startswith("#")]
    described = run.pytester.path / "installed" / "restway.egg-info"
    described.mkdir(parents=True)
    (described / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: restway\nVersion: 0.1.0\n")
    points = "[pytest11]\n" + entry.replace('"', "") + "\n"
    (described / "entry_points.txt").write_text(points)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(PACKAGE.parent), str(described.parent)]))
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    shown = run.pytester.runpytest_subprocess("--markers")  # pytest finds it by itself
    shown.stdout.fnmatch_lines(["@pytest.mark.restway(record=False, *"])
    run("def test_nothing(): pass", passed=1)
