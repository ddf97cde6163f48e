"""The programs: C programs are compiled for each run, and all print one line of JSON."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .figure import SkippedError

BENCHMARKS = Path(__file__).resolve().parents[1]
ROOT = BENCHMARKS.parent
DOCUMENT = str(BENCHMARKS / "companies.restway.json")
BUILT = ROOT / "build" / "bench"

_RUN_SECONDS_MAX = 60
_FLAGS = (
    *("-std=c99", "-D_POSIX_C_SOURCE=200809L", "-O2", "-g", "-pthread"),
    *("-Wall", "-Wextra", "-pedantic", "-Werror"),
)
#: The compiler flags, which are the flags of the plugins.
_CXX_FLAGS = ("-std=c++17", "-O3", "-g", "-Wall", "-Wextra", "-Werror")

#: The additional sources of each program beside its own file and measure.c, and its libraries.
_FLOOR = ("floor.c", "--cflags --libs libcurl jansson")
_OURS = ("ours.c", "--cflags --libs restway")
_SERVER = ("server.c", None)
_SQLITE = (None, "--cflags --libs sqlite3")
_OUTBOX_FLOOR = ("floor_outbox.c outbox_item.c", "--cflags --libs sqlite3 libcurl")
_OUTBOX_OURS = ("ours_outbox.c outbox_item.c", "--cflags --libs restway")
_PROGRAMS = {
    "batch_server": _SERVER,
    "transfer_server": _SERVER,
    "floor_outbox_enqueue": _OUTBOX_FLOOR,
    "floor_outbox_flush": _OUTBOX_FLOOR,
    "restway_outbox_enqueue": _OUTBOX_OURS,
    "restway_outbox_flush": _OUTBOX_OURS,
    "restway_outbox_open": _OUTBOX_OURS,
    "floor_multi": _FLOOR,
    "floor_easy": _FLOOR,
    "floor_map": _FLOOR,
    "floor_open": (None, None),
    "floor_store": _SQLITE,
    "restway_async": _OURS,
    "restway_blocking": _OURS,
    "restway_cached": _OURS,
    "restway_map": _OURS,
    "restway_idle": _OURS,
    "restway_memory": _OURS,
    "restway_overlay": _OURS,
    "restway_pages": _OURS,
    "restway_store": _OURS,
    "restway_store_open": _OURS,
    "restway_transfer": _OURS,
    "restway_open": (None, "--cflags restway"),
}

#: The C++ programs, each of one file, and their libraries.
_CXX_PROGRAMS = {"floor_simdjson": "--cflags --libs simdjson libcurl"}

Result = dict[str, float]


def build() -> None:
    """Compiles all C programs. pkg-config must find Restway."""
    BUILT.mkdir(parents=True, exist_ok=True)
    for name, (shared, packages) in _PROGRAMS.items():
        sources = [f"{name}.c", "measure.c", *(shared.split() if shared else [])]
        flags = _pkg_config(*packages.split()) if packages else []
        subprocess.run(
            [
                *("cc", *_FLAGS),
                *(str(BENCHMARKS / "c" / source) for source in sources),
                *("-o", str(BUILT / name)),
                *(*flags, "-ldl"),
            ],
            check=True,
        )
    for name, packages in _CXX_PROGRAMS.items():
        source, program = BENCHMARKS / "c" / f"{name}.cpp", BUILT / name
        flags = _pkg_config(*packages.split())
        subprocess.run(
            ["c++", *_CXX_FLAGS, str(source), "-o", str(program), *flags], check=True
        )


def run_built(variable: str, *arguments: object) -> Result:
    """Runs a program that the Makefile has built and whose path is in the environment."""
    program = os.environ.get(variable)
    if not program:
        raise SkippedError(f"{variable} names no program: make bench")
    return _run([program, *map(str, arguments)])


def library() -> Path:
    """Returns the shared library that pkg-config names."""
    folder = _pkg_config("--variable=libdir", "restway")[0]
    return (Path(folder) / "librestway.so").resolve()


def command(name: str, *arguments: object) -> list[str]:
    """Returns the command of a C program."""
    return [str(BUILT / name), *map(str, arguments)]


@contextmanager
def serving(name: str, *arguments: object) -> Iterator[str]:
    """Runs a C program that is a server; returns its URL."""
    server = subprocess.Popen(command(name, *arguments), stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        yield f"http://127.0.0.1:{json.loads(server.stdout.readline())['port']}"
    finally:
        server.kill()
        server.communicate()


def run_c(name: str, *arguments: object) -> Result:
    """Runs a C program and returns its result."""
    return _run(command(name, *arguments))


def run_python(name: str, *arguments: object) -> Result:
    """Runs a Python program with the packages of the source tree, and returns its result."""
    program = str(BENCHMARKS / "python" / f"{name}.py")
    packages = (ROOT / "bindings" / "python", ROOT / "tools" / "restway-tools")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, packages))}
    # Compiled modules are kept, as those of an installed package are.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PYTHONPYCACHEPREFIX"] = str(BUILT / "pycache")
    return _run([sys.executable, program, *map(str, arguments)], environment)


def _run(arguments: list[str], environment: dict[str, str] | None = None) -> Result:
    ended = subprocess.run(
        arguments, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environment,
        timeout=_RUN_SECONDS_MAX, check=True, text=True,
    )
    return {key: float(value) for key, value in json.loads(ended.stdout).items()}


def _pkg_config(*arguments: str) -> list[str]:
    answer = subprocess.run(
        ["pkg-config", *arguments], stdout=subprocess.PIPE, check=True, text=True
    )
    return shlex.split(answer.stdout)
