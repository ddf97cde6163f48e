"""Common code of the Python programs: a warm-up, a measured load, and one line of JSON."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable

_WARM_UP = 300


def measure(perform: Callable[[], None], requests: int) -> None:
    """Performs `requests` requests, one after the other, and prints how long they took."""
    for _ in range(_WARM_UP):
        perform()
    begun = time.perf_counter()
    for _ in range(requests):
        perform()
    _print(requests, time.perf_counter() - begun)


async def measure_async(
    perform: Callable[[], Awaitable[None]], in_flight: int, requests: int
) -> None:
    """Performs `requests` requests in `in_flight` tasks, and prints how long they took."""
    await _share(perform, in_flight, _WARM_UP)
    begun = time.perf_counter()
    await _share(perform, in_flight, requests)
    _print(requests, time.perf_counter() - begun)


async def _share(perform: Callable[[], Awaitable[None]], in_flight: int, requests: int) -> None:
    left = requests

    async def work() -> None:
        nonlocal left
        while left > 0:
            left -= 1
            await perform()

    await asyncio.gather(*(work() for _ in range(in_flight)))


def _print(requests: int, seconds: float) -> None:
    print(json.dumps({"requests": requests, "seconds": seconds}))
