"""Handles of the library, and releasing them: at once, or later if the library must not be called.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections import deque
from ctypes import c_void_p
from typing import Any, ClassVar

_AT_EXIT = 0
"""A key beside the idents of threads, which are never 0: the interpreter is ending."""


class Hindrances(dict[int, int]):
    """The threads that must not release handles now. It is nearly always empty, so that looking at
    it is cheap.

    It maps the idents of threads that are inside a log callback to their depth; when the
    interpreter ends, it also contains `_AT_EXIT`. Each thread writes only its own ident. As a
    context manager it surrounds a log callback.
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
        """Removes the parent's other threads in a forked child, where they do not exist."""
        depth = self.get(threading.get_ident(), 0)
        self.clear()
        if depth:
            self[threading.get_ident()] = depth

    def release(self, give_back: Any, handle: Any) -> None:
        """Releases the reference of a handle that is freed, now or a little later."""
        if _AT_EXIT in self:
            return  # the system frees everything; a release could come before the last use
        if self.here():
            due.append((give_back, c_void_p(handle.value)))
        else:
            give_back(handle)
            release_due()


hindrances = Hindrances()

due: deque[tuple[Any, Any]] = deque()
"""Pairs of a release function and a handle whose release had to wait."""


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
    """A reference to an object of the library, which is only borrowed; it is false if it is NULL.

    It is a subclass of `c_void_p`, so that ctypes returns typed objects.
    """

    __slots__ = ()


class Owned:
    """The part of a handle that owns its reference: it is released when the handle is freed.

    The owner is the handle itself, not the object that holds it. So a thread that is inside the
    library keeps its handles alive even if other threads close them meanwhile.
    """

    __slots__ = ()

    release: ClassVar[str]
    """The name of the function that releases one reference."""

    @staticmethod
    def give_back(handle: Any) -> None:
        """Releases one reference. The loader replaces this by the function of the library; before
        it is loaded, every handle is NULL.
        """

    # The default arguments still exist when the interpreter has cleared this module at its end.
    def __del__(
        self, hindrances: Hindrances = hindrances, due: deque[tuple[Any, Any]] = due
    ) -> None:
        if hindrances or due:
            hindrances.release(self.give_back, self)
        else:
            self.give_back(self)
