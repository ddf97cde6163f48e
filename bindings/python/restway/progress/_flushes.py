"""The progress of a flush of the outbox."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from . import Wanted, reporting

AwaitItem = Callable[[int, Callable[[], object]], object]
"""Calls a function, on any thread, when the item of a number has come to its end."""


@contextmanager
def counting(
    wanted: Wanted, waiting: Callable[[], Sequence[int]], await_item: AwaitItem
) -> Iterator[None]:
    """Reports how many of the waiting items come to their end in this context."""
    with reporting(wanted, "flush", "items") as tell:
        if tell is None:
            yield
            return
        numbers = waiting()
        lock = threading.Lock()
        done, is_over = 0, False

        def ended() -> None:
            nonlocal done
            with lock:
                if is_over:
                    return  # a later flush has ended it
                done += 1
                tell(done, len(numbers))

        tell(0, len(numbers))
        for number in numbers:
            await_item(number, ended)
        try:
            yield
        finally:
            with lock:
                is_over = True
