"""Small requests from C: many in flight, one at a time, and thousands that wait."""

from __future__ import annotations

from collections.abc import Iterator

from .figure import Figure, Target, figure, in_turn
from .mappers import JANSSON, Mapper
from .programs import DOCUMENT, Result, run_c

_PAIRS = 7
_IN_FLIGHT = 32
_QUEUED = 10_000
_REQUESTS = 20_000
_BLOCKING_REQUESTS = 5_000

_MULTI = "C: libcurl multi, 32 in flight, Jansson"
_EASY = "C: libcurl easy, reused, Jansson"


def in_flight(base: str, mapper: Mapper = JANSSON) -> Iterator[Figure]:
    document = mapper.document()
    runs = in_turn(
        _PAIRS,
        lambda: run_c("restway_async", document, base, _IN_FLIGHT, _REQUESTS, *mapper.plugins),
        lambda: run_c("floor_multi", base, _IN_FLIGHT, _REQUESTS),
    )
    yield figure(
        f"transport.c32{mapper.infix}.requests_per_second", "1/s", _MULTI,
        Target(0.85, is_floor=True),
        [(_per_second(ours), _per_second(theirs)) for ours, theirs in runs],
    )
    yield figure(
        f"transport.c32{mapper.infix}.cpu_per_request", "us", _MULTI, Target(1.6),
        [(_cpu(ours), _cpu(theirs)) for ours, theirs in runs],
    )


def one_at_a_time(base: str, mapper: Mapper = JANSSON) -> Iterator[Figure]:
    document = mapper.document()
    runs = in_turn(
        _PAIRS,
        lambda: run_c("restway_blocking", document, base, _BLOCKING_REQUESTS, *mapper.plugins),
        lambda: run_c("floor_easy", base, _BLOCKING_REQUESTS),
    )
    yield figure(
        f"transport.c1{mapper.infix}.latency", "us", _EASY, Target(1.25),
        [(_latency(ours), _latency(theirs)) for ours, theirs in runs],
    )
    yield figure(
        f"transport.c1{mapper.infix}.cpu_per_request", "us", _EASY, None,
        [(_cpu(ours), _cpu(theirs)) for ours, theirs in runs],
    )


def queued(base: str) -> Iterator[Figure]:
    runs = in_turn(
        _PAIRS,
        lambda: run_c("restway_async", DOCUMENT, base, _QUEUED, _REQUESTS),
        lambda: run_c("restway_async", DOCUMENT, base, _IN_FLIGHT, _REQUESTS),
    )
    yield figure(
        "transport.queued10000.cpu_per_request", "us", "Restway, 32 in flight", Target(1.3),
        [(_cpu(many), _cpu(few)) for many, few in runs],
    )


def _per_second(run: Result) -> float:
    return run["requests"] / run["seconds"]


def _cpu(run: Result) -> float:
    return run["cpu_seconds"] / run["requests"] * 1e6


def _latency(run: Result) -> float:
    return run["latency_seconds"] * 1e6
