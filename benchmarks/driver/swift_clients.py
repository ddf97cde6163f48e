"""Swift programs: Restway's module beside AsyncHTTPClient and JSONDecoder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from .figure import Figure, Target, figure, in_turn
from .payload import LARGE_COUNT, LARGE_PATH
from .programs import BUILT, DOCUMENT, Result, library, run_built

_PAIRS = 7
_TASKS = 32
_REQUESTS = 20_000
_SINGLE_REQUESTS = 5_000

_OTHER = "Swift: AsyncHTTPClient, JSONDecoder"
#: The executors of our tasks, by the part of a figure's name.
_EXECUTORS = {"": "workers", ".global_executor": "global"}


def _ours(*arguments: object) -> Result:
    return run_built("SWIFT_BENCH", *arguments)


def _others(*arguments: object) -> Result:
    return run_built("SWIFT_OTHER_BENCH", *arguments)


def awaited(base: str) -> Iterator[Figure]:
    """Sends one request after the other."""
    yield from _requests("c1", "latency", "us", _microseconds, base, 1, _SINGLE_REQUESTS)


def in_tasks(base: str) -> Iterator[Figure]:
    """Sends requests from several tasks."""
    yield from _requests(
        "tasks32", "requests_per_second", "1/s", _per_second, base, _TASKS, _REQUESTS
    )


def _requests(
    group: str, name: str, unit: str, value: Callable[[Result], float], *load: object
) -> Iterator[Figure]:
    for infix, executor in _EXECUTORS.items():
        yield _of(
            f"swift.{group}{infix}.{name}_over_async_http_client", unit, _OTHER, None, value,
            partial(_ours, "requests", DOCUMENT, *load, executor),
            partial(_others, "requests", *load),
        )


def structs(base: str) -> Iterator[Figure]:
    """Gets a large list as structs. All programs also measure the request itself."""
    mapped = _document("simdjson", plugins=[{"path": str(_plugin())}], dataMapper="simdjson")
    # Without routes the body is not mapped.
    unmapped = _document("unmapped", routes={})

    def ours() -> Result:
        return _ours("structs", mapped, base, LARGE_PATH, LARGE_COUNT)

    def decoded() -> Result:
        return _ours("json", unmapped, base, LARGE_PATH, LARGE_COUNT)

    def others() -> Result:
        return _others("structs", base, LARGE_PATH, LARGE_COUNT)

    name = "swift.structs.simdjson.speedup_over"
    yield _of(
        f"{name}_json_decoder", "1/s", "Swift: Restway's body, JSONDecoder",
        Target(2, is_floor=True), _reads_per_second, ours, decoded,
    )
    yield _of(f"{name}_async_http_client", "1/s", _OTHER, None, _reads_per_second, ours, others)


def _of(
    name: str,
    unit: str,
    reference: str,
    target: Target | None,
    value: Callable[[Result], float],
    ours: Callable[[], Result],
    theirs: Callable[[], Result],
) -> Figure:
    runs = in_turn(_PAIRS, ours, theirs)
    return figure(name, unit, reference, target, [(value(one), value(two)) for one, two in runs])


def _plugin() -> Path:
    return library().parent / "restway" / "plugins" / "simdjson.so"


def _document(name: str, **members: object) -> str:
    """Writes the document of the benchmarks with other members."""
    document = json.loads(Path(DOCUMENT).read_text(encoding="utf-8"))
    path = BUILT / f"swift-{name}.restway.json"
    path.write_text(json.dumps({**document, **members}), encoding="utf-8")
    return str(path)


def _microseconds(run: Result) -> float:
    return run["seconds"] / run["requests"] * 1e6


def _per_second(run: Result) -> float:
    return run["requests"] / run["seconds"]


def _reads_per_second(run: Result) -> float:
    return 1 / run["read_seconds"]
