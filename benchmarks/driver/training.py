"""Counts how often each path of the library is taken, for a compiler that lays its code out.

The library must be built to count (`make/dist.mk`). Each process writes its counts when it ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from . import caches, graphs, mapping, outbox, programs, server, stores
from .mappers import JANSSON, SIMDJSON, Mapper
from .payload import LARGE_COUNT, LARGE_PATH, RELATED_PATH
from .programs import DOCUMENT, run_c, serving

#: The numbers of requests. A request takes thousands of times fewer instructions than a large list,
#: so that few of them would seem rare beside it.
_ALONE = 10_000
_IN_FLIGHT = 20_000
_HITS = 20_000
_STORED = 3_200
_FLUSHED = 10_000


def main(profile: Path) -> None:
    programs.build()
    with tempfile.TemporaryDirectory(prefix="restway-training-") as name:
        folder = Path(name)
        os.environ["LLVM_PROFILE_FILE"] = str(folder / "%p.profraw")
        with server.nginx() as base:
            for mapper in (JANSSON, SIMDJSON):
                _small_answers(base, mapper)
            caches.latency(base, _HITS, "memory")
            run_c("restway_lists", DOCUMENT, base, LARGE_PATH, LARGE_PATH)
            run_c("restway_map", mapping.RELATIONS, base, RELATED_PATH, LARGE_COUNT)
            graphs.ours(base)
            stores.ours(base)
        _stored_requests()
        _merge(folder, profile)
    print(f"{profile.name}: {profile.stat().st_size} bytes")


def _small_answers(base: str, mapper: Mapper) -> None:
    document = mapper.document()
    run_c("restway_blocking", document, base, _ALONE, *mapper.plugins)
    run_c("restway_async", document, base, 32, _IN_FLIGHT, *mapper.plugins)


def _stored_requests() -> None:
    outbox.ours("restway_outbox_enqueue", 32, _STORED, 1)
    with serving("batch_server") as url:
        outbox.ours("restway_outbox_flush", url, _FLUSHED)


def _merge(folder: Path, profile: Path) -> None:
    counts = sorted(map(str, folder.glob("*.profraw")))
    if not counts:
        raise SystemExit("training: no process has counted; the library is not built for it")
    profile.parent.mkdir(parents=True, exist_ok=True)
    command = [os.environ["PROFDATA"], "merge", "-o", str(profile), *counts]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
