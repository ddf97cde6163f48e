"""The cost of loading and opening the library."""

from __future__ import annotations

from collections.abc import Iterator

from .figure import Figure, Target, figure, in_turn
from .programs import DOCUMENT, library, run_c

_PAIRS = 5
#: The number of runs: each takes a few milliseconds and is easily disturbed.
_OPEN_PAIRS = 21
_LIBRARY_BYTES_MAX = 16 << 20
_IDLE_BYTES_MAX = 64 << 10


def size(base: str) -> Iterator[Figure]:
    runs = in_turn(_PAIRS, lambda: library().stat().st_size, lambda: _LIBRARY_BYTES_MAX)
    yield figure("library.bytes", "bytes", "16 MiB", Target(1.0), list(runs))


def load_and_open(base: str) -> Iterator[Figure]:
    path = library()
    runs = in_turn(
        _OPEN_PAIRS,
        lambda: run_c("restway_open", path, DOCUMENT)["open_seconds"] * 1e3,
        lambda: run_c("floor_open", "libcurl.so.4")["open_seconds"] * 1e3,
    )
    yield figure(
        "library.load_and_open", "ms", "libcurl: dlopen, global and easy init", Target(5), runs
    )


def idle(base: str) -> Iterator[Figure]:
    def bytes_held() -> float:
        held = run_c("restway_idle", DOCUMENT)
        return held["api_bytes"] + held["client_bytes"]

    runs = in_turn(_PAIRS, bytes_held, lambda: float(_IDLE_BYTES_MAX))
    yield figure("client.idle_bytes", "bytes", "64 KiB", Target(1.0), runs)
