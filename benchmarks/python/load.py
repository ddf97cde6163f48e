"""Common code of the Python programs: trust, a warm-up, a measured load, and one line of JSON."""

from __future__ import annotations

import asyncio
import json
import ssl
import time
import urllib.request
from collections.abc import Awaitable, Callable, Sized

_WARM_UP = 300


def trusting(*ca_file: str) -> ssl.SSLContext:
    """Returns a context that verifies servers by this authority, else by those of the system."""
    return ssl.create_default_context(cafile=ca_file[0] if ca_file else None)


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


def measure_reading(read: Callable[[bytes], Sized], url: str, objects: str) -> None:
    """Gets the body of `url`, and prints how long `read` takes, which makes so many objects."""
    with urllib.request.urlopen(url) as answer:
        body = answer.read()
    begun = time.perf_counter()
    made = read(body)
    seconds = time.perf_counter() - begun
    if len(made) != int(objects):
        raise SystemExit(f"{len(made)} objects instead of {objects}")
    print(json.dumps({"bytes": len(body), "seconds": seconds}))
