"""Counts how often each path of the library is taken, for the compiler that lays its code out.

The library, and the program over the transport, must be built to count
(`-ir-profile-generate`); both write what they counted when they end.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from . import graphs, mapping, outbox, programs, server, stores
from .mappers import JANSSON, SIMDJSON, Mapper
from .payload import LARGE_COUNT, LARGE_PATH, RELATED_PATH
from .programs import DOCUMENT, run_built, run_c, run_python

#: So many of each that no load seems rare beside another: a request takes thousands of times fewer
#: instructions than a large list.
_ALONE = 10_000
_IN_FLIGHT = 20_000
_PYTHON = 3_000
_ROUNDS = 2
_STORED_ALONE = 300
_STORED = 6_400
_FLUSHED = 10_000
_TRANSPORT_CALLS = 100_000

_HEADER = """\
# How often each path of the library was taken in the benchmarks: `make train` writes it, the build
# of the library reads it (docs/decisions/0021). LLVM's text format of instrumentation profiles.
"""


def main(file: Path) -> None:
    programs.build()
    with tempfile.TemporaryDirectory(prefix="restway-training-") as name:
        folder = Path(name)
        # Each process writes its own.
        os.environ["LLVM_PROFILE_FILE"] = str(folder / "%p.profraw")
        with server.nginx() as base:
            for mapper in (JANSSON, SIMDJSON):
                _small_answers(base, mapper)
            _large_answers(base)
        _stored_requests()
        run_built("TRANSPORT_BENCH", programs.plugin("at_once"), _TRANSPORT_CALLS)
        file.write_text(_HEADER + _taken(_merged(folder)), encoding="utf-8")
    print(f"{file.name}: {file.stat().st_size} bytes")


def _small_answers(base: str, mapper: Mapper) -> None:
    document = mapper.document()
    run_c("restway_blocking", document, base, _ALONE, *mapper.plugins)
    run_c("restway_async", document, base, 32, _IN_FLIGHT, *mapper.plugins)
    run_python("restway_blocking", document, base, _PYTHON, *mapper.plugins)
    run_python("restway_asyncio", document, base, 32, _PYTHON, *mapper.plugins)


def _large_answers(base: str) -> None:
    run_c("restway_lists", DOCUMENT, base, LARGE_PATH, LARGE_PATH)
    run_c("restway_map", mapping.RELATIONS, base, RELATED_PATH, LARGE_COUNT)
    run_c(
        "restway_map_warm", SIMDJSON.document(), base, LARGE_PATH, LARGE_COUNT, _ROUNDS,
        *SIMDJSON.plugins,
    )
    graphs.ours(base)
    stores.ours(base)


def _stored_requests() -> None:
    outbox.ours("restway_outbox_enqueue", 1, _STORED_ALONE, 1)
    for waits in (1, 0):
        outbox.ours("restway_outbox_enqueue", 32, _STORED, waits)
    with outbox.batch_server() as url:
        outbox.ours("restway_outbox_flush", url, _FLUSHED)


def _merged(folder: Path) -> str:
    """What all processes counted."""
    profiles = sorted(map(str, folder.glob("*.profraw")))
    if not profiles:
        raise SystemExit("training: nothing was counted; the library is not built for it")
    merged = folder / "merged.proftext"
    program = os.environ["PROFDATA"]
    subprocess.run([program, "merge", "-text", "-o", str(merged), *profiles], check=True)
    return merged.read_text(encoding="utf-8")


def _taken(text: str) -> str:
    """Without the functions that nobody called, and without comments."""
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    kind, _, functions = text.partition("\n")
    taken = filter(None, map(_counted, functions.strip().split("\n\n")))
    return "\n".join([kind, *taken]) + "\n"


def _counted(function: str) -> str | None:
    """A function if somebody called it: its name, its hash, how many counters, and these.

    Behind them may stand how many bytes of a bitmap follow, behind a `$`. It has to: llvm-profdata
    takes the next function for it, as names in Swift begin with that, too.
    """
    name, kind, number, *rest = function.split("\n")
    counters, values = rest[: int(number)], rest[int(number) :]
    if not any(map(int, counters)):
        return None
    return "\n".join([name, kind, number, *counters, "$0", *values])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
