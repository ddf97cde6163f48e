"""Tasks that wait for threads of the library, in the loop of trio or of asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

import anyio

from .._call import Call, OnDone
from .._response import Response

T = TypeVar("T")

Told = Callable[[], object]
"""A function that another thread calls to tell a task something."""


def call_soon() -> Callable[[Told], object]:
    """Returns the function with which another thread has the running loop call something. It raises
    RuntimeError when the loop has ended.
    """
    try:
        return asyncio.get_running_loop().call_soon_threadsafe
    except RuntimeError:
        import trio

        return trio.lowlevel.current_trio_token().run_sync_soon


class Signal:
    """Wakes the one task that waits for something, from any thread."""

    def __init__(self) -> None:
        self._event = anyio.Event()
        self._soon: Callable[[Told], object] | None = None

    def attach(self) -> None:
        """Chooses the running loop as the loop of the task."""
        self._soon = call_soon()

    def set(self) -> None:
        """Wakes the task, so that it looks again."""
        if self._soon is None:
            return
        try:
            self._soon(self._wake)
        except RuntimeError:  # the loop has ended: nobody waits any more
            return

    def _wake(self) -> None:
        self._event.set()

    async def wait_for(self, predicate: Callable[[], bool]) -> None:
        """Waits until `predicate` is true."""
        while True:
            # It is made before the look: what changes afterwards wakes this task.
            event = self._event = anyio.Event()
            if predicate():
                return
            await event.wait()


async def until_told(begin: Callable[[Told], Told]) -> None:
    """Waits until another thread calls the function that `begin` receives.

    `begin` returns a function that cancels what it has begun. It is called when the task is
    cancelled; the task then still waits for the end.
    """
    is_over = [False]
    signal = Signal()
    signal.attach()

    def told() -> None:
        is_over[0] = True
        signal.set()

    cancel = begin(told)
    try:
        await signal.wait_for(lambda: is_over[0])
    except BaseException:
        cancel()
        with anyio.CancelScope(shield=True):
            await signal.wait_for(lambda: is_over[0])
        raise


async def until_brought(begin: Callable[[Callable[[T], object]], object]) -> T:
    """Waits for what another thread passes to the function that `begin` receives. When the task is
    cancelled, it waits no longer, and what the other thread does goes on.
    """
    brought: list[T] = []
    signal = Signal()
    signal.attach()

    def bring(value: T) -> None:
        brought.append(value)
        signal.set()

    begin(bring)
    await signal.wait_for(lambda: bool(brought))
    return brought[0]


async def response_of(begin: Callable[[OnDone], Call]) -> Response:
    """Waits for the call that `begin` sends with the function that it receives. If the task is
    cancelled, the call is cancelled, too.
    """
    calls: list[Call] = []

    def send(told: Told) -> Told:
        calls.append(begin(lambda _: told()))
        return calls[0].cancel

    await until_told(send)
    return calls[0].wait()
