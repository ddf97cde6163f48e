"""Profiles the C programs, ours and the compared programs, under the loads of the benchmarks.

With perf where it may be used, else with callgrind, which counts instructions of smaller loads.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from . import programs, server
from .payload import LARGE_COUNT, LARGE_PATH
from .programs import DOCUMENT

_FOLDER = programs.ROOT / "build" / "profile"
_SECONDS_MAX = 120
_LINES_SHOWN = 12


def loads(base: str, requests: int) -> dict[str, list[str]]:
    """Returns the commands by program."""
    large = f"{base}/{LARGE_PATH}"
    command = programs.command
    return {
        "restway_async": command("restway_async", DOCUMENT, base, 32, requests),
        "floor_multi": command("floor_multi", base, 32, requests),
        "restway_blocking": command("restway_blocking", DOCUMENT, base, requests),
        "floor_easy": command("floor_easy", base, requests),
        "restway_map": command("restway_map", DOCUMENT, base, LARGE_PATH, LARGE_COUNT, 1),
        "floor_map": command("floor_map", large),
    }


def main(wanted: list[str]) -> None:
    programs.build()
    _FOLDER.mkdir(parents=True, exist_ok=True)
    environment = _environment()
    profile, requests = (_perf, 20_000) if _may_use_perf() else (_callgrind, 1_000)
    with server.nginx() as base:
        for name, command in loads(base, requests).items():
            if not wanted or name in wanted:
                profile(name, command, environment)


def _environment() -> dict[str, str]:
    """Uses the library with its symbols, if it exists, under the name by which it is loaded."""
    environment = dict(os.environ)
    symbols = environment.get("RESTWAY_SYMBOLS")
    if symbols:
        folder = _FOLDER / "lib"
        folder.mkdir(exist_ok=True)
        for name in ("librestway.so", "librestway.so.0"):
            shutil.copy(symbols, folder / name)
        environment["LD_LIBRARY_PATH"] = f"{folder}:{environment.get('LD_LIBRARY_PATH', '')}"
    return environment


def _may_use_perf() -> bool:
    if shutil.which("perf") is None:
        return False
    tried = subprocess.run(
        ["perf", "record", "-q", "-o", str(_FOLDER / "try.data"), "true"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
    )
    return tried.returncode == 0


def _perf(name: str, command: list[str], environment: dict[str, str]) -> None:
    data = str(_FOLDER / f"{name}.data")
    record = ["perf", "record", "-q", "-F", "999", "--call-graph", "dwarf,8192", "-o", data]
    _run([*record, *command], environment)
    report = ["perf", "report", "-i", data, "--stdio", "-g", "none"]
    by_library = _text([*report, "--no-children", "-s", "comm,dso"])
    alone = _text([*report, "--no-children", "-s", "dso,sym"])
    with_callees = _text([*report, "--children", "-s", "sym"])
    _save(name, [("By thread and library", by_library), ("By function", alone),
                 ("By function, with what it calls", with_callees)])


def _callgrind(name: str, command: list[str], environment: dict[str, str]) -> None:
    data = str(_FOLDER / f"{name}.callgrind")
    valgrind = ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={data}"]
    _run([*valgrind, *command], environment)
    alone = _text(["callgrind_annotate", data])
    with_callees = _text(["callgrind_annotate", "--inclusive=yes", data])
    _save(name, [("By function", alone), ("By function, with what it calls", with_callees)])


def _run(command: list[str], environment: dict[str, str]) -> None:
    subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, check=True, timeout=_SECONDS_MAX
    )


def _text(command: list[str]) -> str:
    answer = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True
    )
    lines = [line for line in answer.stdout.splitlines() if line.strip() and line[0] != "#"]
    return _demangler()("\n".join(lines))


def _demangler() -> Callable[[str], str]:
    program = shutil.which("swift-demangle")
    if program is None:
        return lambda text: text

    def demangled(text: str) -> str:
        return subprocess.run(
            [program, "--simplified"], input=text, stdout=subprocess.PIPE, check=True, text=True
        ).stdout

    return demangled


def _save(name: str, parts: list[tuple[str, str]]) -> None:
    path: Path = _FOLDER / f"{name}.txt"
    path.write_text(
        "\n\n".join(f"{title}\n\n{text}" for title, text in parts) + "\n", encoding="utf-8"
    )
    print(f"{name}: {path.relative_to(programs.ROOT)}")
    for title, text in parts:
        print(f"  {title}")
        for line in text.splitlines()[:_LINES_SHOWN]:
            print(f"    {line.strip()[:120]}")


if __name__ == "__main__":
    main(sys.argv[1:])
