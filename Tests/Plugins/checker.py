"""Runs restway-plugin-check on deliberately bad plugins."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BAD = Path(__file__).with_name("bad")
TOOL = Path(os.environ.get("RESTWAY_PREFIX", ROOT / "build" / "stage"), "bin/restway-plugin-check")


@dataclass(frozen=True)
class Report:
    """The result of the tool: check, subject, result and reason."""

    status: int
    name: str
    results: list[tuple[str, str, str, str]]

    def failed(self) -> dict[str, str]:
        """The reasons, by check."""
        return {check: why for check, _, result, why in self.results if result == "FAILED"}

    def result(self, check: str) -> str:
        (found,) = [result for name, _, result, _ in self.results if name == check]
        return found


def run_tool(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(TOOL), *map(str, words)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200, check=False,
    )


def check(plugin: Path, *words: str | Path) -> Report:
    ended = run_tool(plugin, "--json", *words)
    assert ended.returncode in (0, 1), ended.stderr
    said = json.loads(ended.stdout)
    results = [
        (item["check"], item["subject"], item["result"], item["why"]) for item in said["checks"]
    ]
    assert len(results) == said["ok"] + said["failed"] + said["skipped"]
    assert ended.returncode == (1 if said["failed"] else 0)
    return Report(ended.returncode, said["name"], results)


def check_all(plugin: Path, expected: set[str], is_slow: bool, *words: str | Path) -> list[Report]:
    """Runs all checks. Checks that are expected to time out run separately, so that the others may
    take longer on a busy machine.
    """
    if not is_slow:
        return [check(plugin, *words, "--time-out", "150")]
    listed = run_tool("--list").stdout.splitlines()
    others = [name for line in listed if (name := line.split()[0]) not in expected]
    return [
        check(plugin, *words, "--time-out", "3", "--only", ",".join(expected)),
        check(plugin, *words, "--time-out", "150", "--only", ",".join(others)),
    ]


class Ahead:
    """Runs the tool for the faults that tests of one function need, before each test asks for its
    own. A check spends most of its time waiting, so several checks at the same time take no longer
    than one.
    """

    SIDE_BY_SIDE = 6

    def __init__(self, find: Callable[[str], list[Report]], faults: Iterable[str]) -> None:
        self._pool = ThreadPoolExecutor(self.SIDE_BY_SIDE)
        self._found = {fault: self._pool.submit(find, fault) for fault in faults}

    def __call__(self, fault: str) -> list[Report]:
        return self._found[fault].result()

    def end(self) -> None:
        self._pool.shutdown(cancel_futures=True)


def selected(request: pytest.FixtureRequest, function: str) -> list[str]:
    """Returns the faults for which `function`, of the module of `request`, is going to run."""
    items = [item for item in request.session.items if isinstance(item, pytest.Function)]
    return [
        str(item.callspec.params["fault"]) for item in items
        if item.path == request.path and item.originalname == function
    ]


def failed_of(reports: list[Report]) -> dict[str, str]:
    return {name: why for report in reports for name, why in report.failed().items()}


def compile_bad(source: str, path: Path, *flags: str) -> Path:
    """Builds Tests/Plugins/bad/SOURCE as a plugin."""
    subprocess.run(
        ["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O0", "-fPIC", "-shared", "-pthread",
         f"-I{ROOT / 'Include'}", str(BAD / source), *flags, "-o", str(path)],
        check=True,
    )
    return path


def faults_of(source: str) -> set[str]:
    """Returns the faults that a source can be compiled with."""
    text = (BAD / source).read_text()
    body = text[text.index("enum fault {") : text.index("};")]
    lines = [line for line in body.splitlines()[1:] if "/*" not in line]
    return {word.strip() for line in lines for word in line.split(",") if word.strip()}
