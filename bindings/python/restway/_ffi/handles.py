"""Handles, and giving their references back: at once, or later where the library must not be
called.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections import deque
from ctypes import c_void_p
from typing import Any, ClassVar

_AT_EXIT = 0
"""Among the idents of threads, of which none is 0: the interpreter ends."""


class Hindrances(dict[int, int]):
    """What stands in the way of releases; empty nearly always, so that to look costs nothing.

    The idents of threads that are inside a log callback, and how deep; from the exit on `_AT_EXIT`.
    Each thread writes only under its own ident. As a context it is a log callback.
    """

    def __enter__(self) -> None:
        thread = threading.get_ident()
        self[thread] = self.get(thread, 0) + 1

    def __exit__(self, *_: object) -> None:
        thread = threading.get_ident()
        self[thread] -= 1
        if not self[thread]:
            del self[thread]

    def here(self) -> bool:
        """Whether this thread may not call the library now."""
        return threading.get_ident() in self

    def forget_others(self) -> None:
        """In a forked child: the parent's other threads are not there."""
        depth = self.get(threading.get_ident(), 0)
        self.clear()
        if depth:
            self[threading.get_ident()] = depth

    def release(self, give_back: Any, handle: Any) -> None:
        """Releases the reference of a handle that ends, now or a little later."""
        if _AT_EXIT in self:
            return  # the system takes everything back; this could precede the last use
        if self.here():
            due.append((give_back, type(handle)(handle.value)))
        else:
            give_back(handle)


hindrances = Hindrances()

due: deque[tuple[Any, Any]] = deque()
"""What gives back, and the handles whose release had to wait."""


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=hindrances.forget_others)


@atexit.register
def _stop_releasing() -> None:
    hindrances[_AT_EXIT] = 1


def release_due() -> None:
    """Releases the handles whose release had to wait."""
    while due and not hindrances.here():
        try:
            give_back, handle = due.popleft()
        except IndexError:  # another thread was quicker
            return
        give_back(handle)


class Handle(c_void_p):
    """A reference to something of the library; falsy when it is NULL.

    A subclass of `c_void_p`, not `c_void_p` itself, so that ctypes hands out typed objects.
    """

    release: ClassVar[str]
    """The function that gives one reference back."""

    __slots__ = ("give_back",)

    give_back: Any
    """Set on a handle that owns its reference: called with it at the end of its life."""

    # The default is there also when this module is gone at the interpreter's end.
    def __del__(self, hindrances: Hindrances = hindrances) -> None:
        give_back = getattr(self, "give_back", None)
        if give_back is None:
            return  # a borrowed one
        if hindrances:
            hindrances.release(give_back, self)
        else:
            give_back(self)
