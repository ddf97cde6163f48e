"""Lists that are mapped again, lists with references, and the memory that they hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from .figure import Figure, Target, figure, in_turn
from .payload import LARGE_PATH
from .programs import BENCHMARKS, DOCUMENT, Result, run_c

_PAIRS = 5
_GRAPH = str(BENCHMARKS / "graph.restway.json")
_LARGE = 10_000
_SMALL = 1_000
_LARGE_GRAPH = "graph.json"
_SMALL_GRAPHS = [f"graphs/{part}.json" for part in range(_LARGE // _SMALL)]


def write(folder: Path) -> None:
    """Writes the graphs below `folder`: one large graph, and as many nodes in ten small ones."""
    (folder / "graphs").mkdir()
    (folder / _LARGE_GRAPH).write_text(_graph(0, _LARGE), encoding="utf-8")
    for part, path in enumerate(_SMALL_GRAPHS):
        (folder / path).write_text(_graph(part * _SMALL, _SMALL), encoding="utf-8")


def _graph(first: int, count: int) -> str:
    """Makes a ring of `count` nodes; each contains its next node as an object, and its peers by
    identity.
    """

    def identity(place: int) -> int:
        return first + place % count

    nodes = [
        {
            "id": identity(place),
            "name": f"node {place}",
            "weight": place / 8,
            "next": {"id": identity(place + 1), "name": f"node {place + 1}"},
            "peers": [identity(place * 7 + step) for step in (3, 5, 11)],
        }
        for place in range(count)
    ]
    return json.dumps({"nodes": nodes}, separators=(",", ":"))


def cycles(base: str) -> Iterator[Figure]:
    """Compares one response of 10,000 objects in cycles with ten responses of 1,000."""
    runs = in_turn(
        _PAIRS,
        lambda: ours(base),
        lambda: run_c("restway_lists", _GRAPH, base, *_SMALL_GRAPHS),
    )
    yield figure(
        "map.cycles.time", "ms", "1,000 objects, ten times", Target(1.3),
        [(ours["all_seconds"] * 1e3, theirs["all_seconds"] * 1e3) for ours, theirs in runs],
    )


def ours(base: str) -> Result:
    """Makes one response with all nodes."""
    return run_c("restway_lists", _GRAPH, base, _LARGE_GRAPH)


def again(base: str) -> Iterator[Figure]:
    """Maps the large list twice: the second time no object changes."""
    runs = [run_c("restway_lists", DOCUMENT, base, LARGE_PATH, LARGE_PATH) for _ in range(_PAIRS)]
    yield figure(
        "map.again.time", "ms", "the first mapping", Target(1.0),
        [(run["last_seconds"] * 1e3, run["first_seconds"] * 1e3) for run in runs],
    )


def live(base: str) -> Iterator[Figure]:
    """Compares the heap memory after a large list with 16 bytes a value and the text."""
    runs = [run_c("restway_live", DOCUMENT, base, "companies/1", LARGE_PATH) for _ in range(_PAIRS)]
    yield figure(
        "map.live_bytes", "MB", "values and text", Target(1.6),
        [(run["live_bytes"] / 1e6, run["content_bytes"] / 1e6) for run in runs],
    )
