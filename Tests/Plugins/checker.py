"""restway-plugin-check, and plugins that are bad on purpose for it."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BAD = Path(__file__).with_name("bad")
TOOL = Path(os.environ.get("RESTWAY_PREFIX", ROOT / "build" / "stage"), "bin/restway-plugin-check")


@dataclass(frozen=True)
class Report:
    """What the tool found: check, subject, result and why."""

    status: int
    name: str
    results: list[tuple[str, str, str, str]]

    def failed(self) -> dict[str, str]:
        """Why, by check."""
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


def compile_bad(source: str, path: Path, *flags: str) -> Path:
    """Builds Tests/Plugins/bad/SOURCE as a plugin."""
    subprocess.run(
        ["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O0", "-fPIC", "-shared", "-pthread",
         f"-I{ROOT / 'Include'}", str(BAD / source), *flags, "-o", str(path)],
        check=True,
    )
    return path


def faults_of(source: str) -> set[str]:
    """The faults that a source can be compiled with."""
    text = (BAD / source).read_text()
    body = text[text.index("enum fault {") : text.index("};")]
    lines = [line for line in body.splitlines()[1:] if "/*" not in line]
    return {word.strip() for line in lines for word in line.split(",") if word.strip()}
