"""Waits of a thread for what a callback brings."""

from __future__ import annotations

import math
import threading
import time
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ._boundary import milliseconds
from ._exceptions import TimedOutError, WouldBlockError
from ._ffi.callbacks import inside
from ._ffi.enums import Delivery, Domain, Status

if TYPE_CHECKING:
    import asyncio

    from ._client import Client

T = TypeVar("T")


class Result(Generic[T]):
    """What a thread waits for, and a callback brings."""

    def __init__(self) -> None:
        self._brought: list[T] = []
        self._is_there = threading.Event()

    def set(self, value: T) -> None:
        self._brought.append(value)
        self._is_there.set()

    def wait(self, client: Client, timeout: float | None, what: str) -> T:
        """Waits for the value; raises TimedOutError.

        A client whose callbacks run inside `process` runs them here.
        """
        limit = seconds_of(timeout)
        if client._delivery is Delivery.PROCESS:
            ends = None if limit is None else time.monotonic() + limit
            while not self._brought and (ends is None or time.monotonic() < ends):
                client.process(None if ends is None else max(0.0, ends - time.monotonic()))
        else:
            self._is_there.wait(limit)
        if not self._brought:
            raise not_in_time(what, timeout)
        return self._brought[0]


def seconds_of(timeout: float | None) -> float | None:
    """Returns a time limit of a wait, None for infinity; raises TypeError or ValueError."""
    milliseconds(timeout, unbounded=0)
    return None if timeout is None or math.isinf(timeout) else timeout


def not_in_time(what: str, timeout: float | None) -> TimedOutError:
    """Returns the error for what has not ended within its time limit."""
    return TimedOutError(
        f"{what} has not ended within {timeout} s",
        status=Status.TIMEOUT,
        domain=Domain.OUTBOX,
    )


def require_waiting(wait: object) -> None:
    """Raises TypeError or ValueError unless the keyword `wait` of a coroutine function is True."""
    if not isinstance(wait, bool):
        raise TypeError(f"wait is True, not {type(wait).__name__}")
    if not wait:
        raise ValueError("awaiting a flush waits for it; a task runs it beside: create_task(...)")


def leave(future: asyncio.Future[Any]) -> None:
    """Lets a future end without a record in the log, although nobody asks for its exception."""
    future.add_done_callback(lambda ended: ended.cancelled() or ended.exception())


def refuse_inside_callbacks() -> None:
    """Raises WouldBlockError inside a callback, which the callback that is waited for follows."""
    if inside.depth:
        raise WouldBlockError(
            "waiting for the outbox would block inside a callback",
            status=Status.WOULD_BLOCK,
            domain=Domain.USAGE,
        )
