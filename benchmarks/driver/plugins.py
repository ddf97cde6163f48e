"""Plugins: mapping large lists of companies, and performing exchanges."""

from __future__ import annotations

from collections.abc import Iterator

from .figure import Figure, Target, figure, in_turn
from .mappers import SIMDJSON
from .payload import LARGE_COUNT, LARGE_PATH
from .programs import DOCUMENT, Result, plugin, run_built, run_c, run_python

_PAIRS = 7
_ROUNDS = 6
_TRANSPORT_RUNS = 5
_TRANSPORT_CALLS = 100_000


def warm(base: str) -> Iterator[Figure]:
    """Compares with a program that uses simdjson alone; both are warmed up."""
    document = SIMDJSON.document()
    runs = in_turn(
        _PAIRS,
        lambda: run_c(
            "restway_map_warm", document, base, LARGE_PATH, LARGE_COUNT, _ROUNDS,
            *SIMDJSON.plugins,
        ),
        lambda: run_c("floor_simdjson", f"{base}/{LARGE_PATH}", _ROUNDS),
    )
    yield figure(
        "map.simdjson.time", "ms", "C++: simdjson's DOM, objects, index", Target(1.6),
        [(ours["map_seconds"] * 1e3, theirs["map_seconds"] * 1e3) for ours, theirs in runs],
    )


def over_jansson(base: str) -> Iterator[Figure]:
    """Compares two of our mappers, each with the first list of a new process."""
    document = SIMDJSON.document()
    runs = in_turn(
        _PAIRS,
        lambda: _with_simdjson(document, base),
        lambda: run_c("restway_map", DOCUMENT, base, LARGE_PATH, LARGE_COUNT),
    )
    yield _speedup("map.simdjson.speedup_over_jansson", "Restway with Jansson", 6, runs)


def over_msgspec(base: str) -> Iterator[Figure]:
    """Compares with Python structs, from a body in memory, also with the first list of a new
    process.
    """
    document = SIMDJSON.document()
    runs = in_turn(
        _PAIRS,
        lambda: _with_simdjson(document, base),
        lambda: run_python("msgspec_decode", f"{base}/{LARGE_PATH}", LARGE_COUNT),
    )
    yield _speedup("map.simdjson.speedup_over_msgspec", "msgspec, structs", 2.5, runs)


def _with_simdjson(document: str, base: str) -> Result:
    return run_c("restway_map", document, base, LARGE_PATH, LARGE_COUNT, *SIMDJSON.plugins)


def _speedup(
    name: str, reference: str, target: float, runs: list[tuple[Result, Result]]
) -> Figure:
    pairs = [(_megabytes_per_second(ours), _megabytes_per_second(theirs)) for ours, theirs in runs]
    return figure(name, "MB/s", reference, Target(target, is_floor=True), pairs)


def _megabytes_per_second(run: Result) -> float:
    return run["bytes"] / run["map_seconds"] / 1e6


def transport_overhead(_base: str) -> Iterator[Figure]:
    """Measures the extra cost of a call whose transport is a plugin; the goal is three
    microseconds.
    """
    runs = [
        run_built("TRANSPORT_BENCH", plugin("at_once"), _TRANSPORT_CALLS)
        for _ in range(_TRANSPORT_RUNS)
    ]
    yield figure(
        "plugin.transport.overhead", "us", "the bound: 3 us over the same built in", Target(1),
        [(run["plugin_microseconds"] - run["built_in_microseconds"], 3.0) for run in runs],
    )
