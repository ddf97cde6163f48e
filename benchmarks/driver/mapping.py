"""Large lists of companies: how fast they are mapped, and the memory that they hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from .figure import Figure, Target, figure, in_turn
from .mappers import SIMDJSON
from .payload import LARGE_COUNT, LARGE_PATH, PAGE_COUNT, RELATED_PATH
from .programs import BENCHMARKS, BUILT, DOCUMENT, Result, run_c, run_python

_PAIRS = 9
_PLUGIN_PAIRS = 7
_PAGES_PAIRS = 7
_MEMORY_RUNS = 5
#: The first round warms up.
_ROUNDS = 6
_RELATIONS = str(BENCHMARKS / "relations.restway.json")

#: A route of the large list as pages. The document of the benchmarks does not have it, because some
#: figures depend on its size.
_PAGED = {
    "method": "GET",
    "path": "pages",
    "response": {"entity": "Company", "keyPath": "companies"},
    "pages": {
        "cursor": "meta.next",
        "parameter": "page",
        "more": "has_more",
        "total": "meta.total",
    },
}


def _map(base: str, rounds: int = 1, path: str = LARGE_PATH, document: str = DOCUMENT) -> Result:
    """Maps a large list, in a new process."""
    return run_c("restway_map", document, base, path, LARGE_COUNT, rounds)


def _map_with_plugin(base: str, rounds: int = 1) -> Result:
    return run_c(
        "restway_map", SIMDJSON.document(), base, LARGE_PATH, LARGE_COUNT, rounds,
        *SIMDJSON.plugins,
    )


def large_list(base: str) -> Iterator[Figure]:
    """Maps companies; each company is one object."""
    yield _against_jansson("map.jansson.time", base, LARGE_PATH, DOCUMENT)


def relations(base: str) -> Iterator[Figure]:
    """Maps companies that refer to owners, given as objects, and to tags, given by identity."""
    yield _against_jansson("map.jansson.relations.time", base, RELATED_PATH, _RELATIONS)


def _against_jansson(name: str, base: str, path: str, document: str) -> Figure:
    """Our value is the time of the mapping phase in the response."""
    runs = in_turn(
        _PAIRS,
        partial(_map, base, path=path, document=document),
        lambda: run_c("floor_map", f"{base}/{path}"),
    )
    return figure(
        name, "ms", "json_loadb, json_decref", Target(1.2),
        [(ours["map_seconds"] * 1e3, theirs["parse_seconds"] * 1e3) for ours, theirs in runs],
    )


def warm(base: str) -> Iterator[Figure]:
    """Compares with a program that uses simdjson alone; both are warmed up."""
    runs = in_turn(
        _PLUGIN_PAIRS,
        lambda: _map_with_plugin(base, _ROUNDS),
        lambda: run_c("floor_simdjson", f"{base}/{LARGE_PATH}", _ROUNDS),
    )
    yield figure(
        "map.simdjson.time", "ms", "C++: simdjson's DOM, objects, index", Target(1.6),
        [(ours["map_seconds"] * 1e3, theirs["map_seconds"] * 1e3) for ours, theirs in runs],
    )


def over_jansson(base: str) -> Iterator[Figure]:
    """Compares two of our mappers, each with the first list of a new process."""
    runs = in_turn(_PLUGIN_PAIRS, lambda: _map_with_plugin(base), lambda: _map(base))
    yield _speedup("map.simdjson.speedup_over_jansson", "Restway with Jansson", 6, runs)


def over_msgspec(base: str) -> Iterator[Figure]:
    """Compares with Python structs, from a body in memory, also with the first list of a new
    process.
    """
    runs = in_turn(
        _PLUGIN_PAIRS,
        lambda: _map_with_plugin(base),
        lambda: run_python("msgspec_decode", f"{base}/{LARGE_PATH}", LARGE_COUNT),
    )
    yield _speedup("map.simdjson.speedup_over_msgspec", "msgspec, structs", 2.5, runs)


def _speedup(
    name: str, reference: str, target: float, runs: list[tuple[Result, Result]]
) -> Figure:
    def speed(run: Result) -> float:
        seconds = run["map_seconds"] if "map_seconds" in run else run["seconds"]
        return run["bytes"] / seconds / 1e6

    pairs = [(speed(ours), speed(theirs)) for ours, theirs in runs]
    return figure(name, "MB/s", reference, Target(target, is_floor=True), pairs)


def pages(base: str) -> Iterator[Figure]:
    """Reads companies page by page, compared with the same requests made by hand."""
    document = json.loads(Path(DOCUMENT).read_text(encoding="utf-8"))
    document["routes"]["paged"] = _PAGED
    path = BUILT / "pages.restway.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    arguments = (path, base, PAGE_COUNT, LARGE_COUNT)
    runs = in_turn(
        _PAGES_PAIRS,
        lambda: run_c("restway_pages", *arguments, "pages"),
        lambda: run_c("restway_pages", *arguments, "gets"),
    )
    yield figure(
        "pages.over_gets", "ms", "the same GETs by hand", Target(1.3),
        [(ours["seconds"] * 1e3, theirs["seconds"] * 1e3) for ours, theirs in runs],
    )


def memory(base: str) -> Iterator[Figure]:
    """Compares the heap that a large list holds with 16 bytes for each value and the text, and the
    memory that stays resident with the heap.
    """
    runs = [
        run_c("restway_memory", DOCUMENT, base, "companies/1", LARGE_PATH)
        for _ in range(_MEMORY_RUNS)
    ]
    for name, reference, ours, theirs, target in (
        ("map.live_bytes", "values and text", "live_bytes", "content_bytes", 1.6),
        ("map.resident_after", "heap of the objects", "resident_bytes", "live_bytes", 1.2),
    ):
        pairs = [(run[ours] / 1e6, run[theirs] / 1e6) for run in runs]
        yield figure(name, "MB", reference, Target(target), pairs)
