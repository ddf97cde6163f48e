"""Waits of a thread for what a callback brings."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Generic, TypeVar

from ._exceptions import TimedOutError, WouldBlockError
from ._ffi.callbacks import inside
from ._ffi.enums import Delivery, Domain, Status

if TYPE_CHECKING:
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
        if client._delivery is Delivery.PROCESS:
            ends = None if timeout is None else time.monotonic() + timeout
            while not self._brought and (ends is None or time.monotonic() < ends):
                client.process(None if ends is None else max(0.0, ends - time.monotonic()))
        else:
            self._is_there.wait(timeout)
        if not self._brought:
            raise TimedOutError(
                f"{what} has not ended within {timeout} s",
                status=Status.TIMEOUT,
                domain=Domain.OUTBOX,
            )
        return self._brought[0]


def refuse_inside_callbacks() -> None:
    """Raises WouldBlockError inside a callback, which the callback that is waited for follows."""
    if inside.depth:
        raise WouldBlockError(
            "waiting for the outbox would block inside a callback",
            status=Status.WOULD_BLOCK,
            domain=Domain.USAGE,
        )
