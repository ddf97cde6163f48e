"""Large lists of companies, compared with Jansson alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from .figure import Figure, Target, figure, in_turn
from .payload import EVENTS_PATH, LARGE_COUNT, LARGE_PATH, PAGE_COUNT, RELATED_PATH
from .programs import BENCHMARKS, BUILT, DOCUMENT, run_c

_PAIRS = 9
_RESIDENT_RUNS = 5
_EVENT_PAIRS = 5
_PAGES_PAIRS = 7
RELATIONS = str(BENCHMARKS / "relations.restway.json")

#: Routes of the large list as events and as pages. The document of the benchmarks does not have
#: them, because some figures depend on its size.
_EVENTS_AND_PAGES = {
    "events": {
        "method": "GET",
        "path": EVENTS_PATH,
        "stream": "events",
        "response": {"entity": "Company"},
    },
    "paged": {
        "method": "GET",
        "path": "pages",
        "response": {"entity": "Company", "keyPath": "companies"},
        "pages": {
            "cursor": "meta.next",
            "parameter": "page",
            "more": "has_more",
            "total": "meta.total",
        },
    },
}


def large_list(base: str) -> Iterator[Figure]:
    """Maps companies; each company is one object."""
    yield _against_jansson("map.jansson.time", DOCUMENT, base, LARGE_PATH)


def relations(base: str) -> Iterator[Figure]:
    """Maps companies that refer to owners, given as objects, and to tags, given by identity."""
    yield _against_jansson("map.jansson.relations.time", RELATIONS, base, RELATED_PATH)


def _against_jansson(name: str, document: str, base: str, path: str) -> Figure:
    """Our value is the time of the mapping phase in the response."""
    runs = in_turn(
        _PAIRS,
        lambda: run_c("restway_map", document, base, path, LARGE_COUNT),
        lambda: run_c("floor_map", f"{base}/{path}"),
    )
    return figure(
        name, "ms", "json_loadb, json_decref", Target(1.2),
        [(ours["map_seconds"] * 1e3, theirs["parse_seconds"] * 1e3) for ours, theirs in runs],
    )


def events(base: str) -> Iterator[Figure]:
    """Maps companies that come as Server-Sent Events, compared with the same companies as one list.
    """
    document = _events_and_pages()
    runs = in_turn(
        _EVENT_PAIRS,
        lambda: run_c("restway_events", document, base, EVENTS_PATH, LARGE_COUNT, "events"),
        lambda: run_c("restway_events", document, base, LARGE_PATH, LARGE_COUNT, "list"),
    )
    yield figure(
        "events.mapped.time", "ms", "the same objects as one list", Target(2.0),
        [(ours["seconds"] * 1e3, theirs["seconds"] * 1e3) for ours, theirs in runs],
    )


def pages(base: str) -> Iterator[Figure]:
    """Reads companies page by page, compared with the same requests made by hand."""
    arguments = (_events_and_pages(), base, PAGE_COUNT, LARGE_COUNT)
    runs = in_turn(
        _PAGES_PAIRS,
        lambda: run_c("restway_pages", *arguments, "pages"),
        lambda: run_c("restway_pages", *arguments, "gets"),
    )
    yield figure(
        "pages.over_gets", "ms", "the same GETs by hand", Target(1.1),
        [(ours["seconds"] * 1e3, theirs["seconds"] * 1e3) for ours, theirs in runs],
    )


def _events_and_pages() -> str:
    """Writes the document of the benchmarks with routes for events and pages."""
    document = json.loads(Path(DOCUMENT).read_text(encoding="utf-8"))
    document["routes"].update(_EVENTS_AND_PAGES)
    path = BUILT / "events.restway.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def resident(base: str) -> Iterator[Figure]:
    """Compares the memory that stays resident after a large list came twice with the size of its
    objects.
    """
    runs = [
        run_c("restway_resident", DOCUMENT, base, "companies/1", LARGE_PATH)
        for _ in range(_RESIDENT_RUNS)
    ]
    yield figure(
        "map.resident_after", "MB", "heap of the objects", Target(1.2),
        [(run["resident_bytes"] / 1e6, run["held_bytes"] / 1e6) for run in runs],
    )
