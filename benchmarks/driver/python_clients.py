"""Small requests from Python, and interrupted waits."""

from __future__ import annotations

from collections.abc import Iterator

from .figure import Figure, Target, figure, in_turn
from .mappers import JANSSON, Mapper
from .programs import Result, run_python

_PAIRS = 7
_IN_FLIGHT = 32
_BLOCKING_REQUESTS = 5_000
_ASYNC_REQUESTS = 10_000
#: The number of requests with httpx, which takes several times as long for each.
_HTTPX_REQUESTS = 1_000
_INTERRUPT_PAIRS = 5
#: The number of signals for each kind of wait.
_INTERRUPTS = 100
_INTERRUPT_MILLISECONDS_MAX = 100.0


def blocking(base: str, mapper: Mapper = JANSSON) -> Iterator[Figure]:
    document = mapper.document()
    runs = in_turn(
        _PAIRS,
        lambda: run_python("restway_blocking", document, base, _BLOCKING_REQUESTS, *mapper.plugins),
        lambda: run_python("pycurl_blocking", base, _BLOCKING_REQUESTS),
    )
    yield figure(
        f"python.blocking{mapper.infix}.requests_per_second", "1/s", "pycurl, json.loads",
        Target(0.9, is_floor=True),
        [(_per_second(ours), _per_second(theirs)) for ours, theirs in runs],
    )


def over_httpx(base: str) -> Iterator[Figure]:
    document = JANSSON.document()
    runs = in_turn(
        _PAIRS,
        lambda: run_python("restway_blocking", document, base, _BLOCKING_REQUESTS),
        lambda: run_python("httpx_blocking", base, _HTTPX_REQUESTS),
    )
    yield figure(
        "python.blocking.over_httpx", "1/s", "httpx.Client, json.loads",
        Target(5.0, is_floor=True),
        [(_per_second(ours), _per_second(theirs)) for ours, theirs in runs],
    )


def in_event_loop(base: str, mapper: Mapper = JANSSON) -> Iterator[Figure]:
    document = mapper.document()
    runs = in_turn(
        _PAIRS,
        lambda: run_python(
            "restway_asyncio", document, base, _IN_FLIGHT, _ASYNC_REQUESTS, *mapper.plugins
        ),
        lambda: run_python("aiohttp_asyncio", base, _IN_FLIGHT, _ASYNC_REQUESTS),
    )
    yield figure(
        f"python.asyncio32{mapper.infix}.requests_per_second", "1/s", "aiohttp, json.loads",
        Target(3.0, is_floor=True),
        [(_per_second(ours), _per_second(theirs)) for ours, theirs in runs],
    )


def interrupted(_base: str) -> Iterator[Figure]:
    """Compares the longest time from a SIGINT to its exception with 100 ms."""
    runs = in_turn(
        _INTERRUPT_PAIRS,
        lambda: run_python("restway_interrupt", _INTERRUPTS)["longest_seconds"] * 1e3,
        lambda: _INTERRUPT_MILLISECONDS_MAX,
    )
    yield figure("python.interrupt.time", "ms", "100 ms", Target(1.0), runs)


def _per_second(run: Result) -> float:
    return run["requests"] / run["seconds"]
