"""Waits of a thread: those that a signal ends, and those for what a callback brings.

Python runs the handlers of signals in the main thread, between two steps of Python code, so not
while that thread waits inside the library. The main thread therefore uses an interrupt of the
library during its waits (`restway/interrupt.h`): each signal writes to the interrupt's descriptor,
the wait ends, Python runs the handlers, and the wait goes on unless a handler has raised.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from .. import _ffi as native
from .._base.lazy import signal
from .._enums import Delivery, Domain, Status
from .._exceptions import TimedOutError, WouldBlockError
from .._ffi.callbacks import inside, raised
from . import check, errors, make, milliseconds

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")


class _MainThread:
    """The interrupt of the main thread, made at its first wait in this process. The thread itself
    keeps it alive.
    """

    ident: int | None
    _descriptor: int

    def __init__(self) -> None:
        self.forget()

    def descriptor(self) -> int:
        """The descriptor that ends a wait of the main thread when a byte is written to it."""
        if self._descriptor < 0:
            handle = make(native.InterruptHandle, native.lib.restway_interrupt_create)
            check(native.lib.restway_interrupt_use, handle)
            self._descriptor = native.lib.restway_interrupt_descriptor(handle)
        return self._descriptor

    def forget(self) -> None:
        """A forked child has another main thread, which makes an interrupt of its own."""
        self._descriptor = -1
        self.ident = threading.main_thread().ident

    def interrupt(self) -> None:
        """Ends the present wait of the main thread, or its next one."""
        os.write(self.descriptor(), b"\0")


main_thread = _MainThread()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=main_thread.forget)


def may_be_interrupted() -> bool:
    """Whether this is the thread in which Python runs the handlers of signals."""
    return threading.get_ident() == main_thread.ident


_INTERRUPTED = int(Status.INTERRUPTED)


def waiting(
    wait: Callable[..., int],
    limit: int,
    *arguments: Any,
    give_up: Callable[..., object] = lambda *_: None,
) -> int:
    """Calls `wait(limit, *arguments)` until its status is not INTERRUPTED. The limit is a number of
    milliseconds.

    Each later call gets what is left of `limit`; 0 and less are no limit. If the handler of a
    signal raises, this calls `give_up(*arguments)` and raises the same exception. Returns the
    status of `wait`.
    """
    if not may_be_interrupted():
        return wait(limit, *arguments)
    try:
        before = signal.set_wakeup_fd(main_thread.descriptor(), warn_on_full_buffer=False)
    except ValueError:  # the main thread of another interpreter than the main one
        return wait(limit, *arguments)
    try:
        if before >= 0:  # it belongs to an event loop, which learns of signals by it
            signal.set_wakeup_fd(before)
        ends = time.monotonic() + limit / 1000
        left = limit
        while (status := wait(left, *arguments)) == _INTERRUPTED:
            errors.take()
            if limit > 0:
                left = max(1, round((ends - time.monotonic()) * 1000))
        return status
    except BaseException:
        give_up(*arguments)
        raise
    finally:
        signal.set_wakeup_fd(before)


def elsewhere(run: Callable[[], T], give_up: Callable[[], object]) -> T:
    """Runs a function of the library that no interrupt ends, on another thread; the main thread
    waits for it. If the handler of a signal raises, this calls `give_up` and raises the same
    exception at once; the other thread ends soon.
    """
    returned: list[T] = []
    raised_there: list[BaseException] = []
    is_over = threading.Event()

    def work() -> None:
        try:
            returned.append(run())
        except BaseException as error:
            raised_there.append(error)
        finally:
            is_over.set()

    thread = threading.Thread(target=work, name="restway elsewhere")
    try:
        thread.start()  # the handler of a signal may raise in here, too
        is_over.wait()
    except BaseException:
        give_up()
        raise
    if raised_there:
        raise raised_there[0]
    return returned[0]


def processing(run: Callable[[int], int], limit: int) -> int:
    """Runs callbacks on this thread as `waiting` does; raises the exception of a callback that
    must leave `process`.
    """
    if not may_be_interrupted():
        return run(limit)
    raised.stop = main_thread.interrupt
    try:
        status = waiting(run, limit)
    finally:
        raised.stop = None
        error, raised.error = raised.error, None
    if error is not None:
        raise error
    return status


class _Client(Protocol):
    """The part of a client that runs its callbacks."""

    _delivery: Delivery

    def process(self, timeout: float | None = 0) -> int: ...


class Result(Generic[T]):
    """A value that a thread waits for, and that a callback brings."""

    def __init__(self) -> None:
        self._brought: list[T] = []
        self._is_there = threading.Event()

    def set(self, value: T) -> None:
        self._brought.append(value)
        self._is_there.set()

    def wait(self, client: _Client, timeout: float | None, what: str) -> T:
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
