"""The end of the process: clients are closed while there is an interpreter to run callbacks."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from abc import abstractmethod

from . import _native as native
from ._callbacks import inside, wait_at_exit
from ._enums import LogLevel


class Closing:
    """What is to be closed before the interpreter goes."""

    __slots__ = ()

    @abstractmethod
    def _close_at_exit(self) -> None:
        """Ends all calls; their callbacks run soon, if not at once."""


_open: weakref.WeakSet[Closing] = weakref.WeakSet()
_exiting = False


def close_at_exit(closing: Closing) -> None:
    """Remembers, weakly, what the exit has to close."""
    _open.add(closing)


def stop_daemon_thread() -> None:
    """Does not return in a daemon thread whose call was ended by the exit.

    Such a thread ends with the process, wherever it is: an error of its call, which it did not
    cause, is not for it to report. A callback goes on: the exit waits for it.
    """
    if _exiting and not inside.depth and threading.current_thread().daemon:
        threading.Event().wait()


@atexit.register
def _close_all() -> None:
    global _exiting
    _exiting = True
    closing = list(_open)
    for each in closing:
        each._close_at_exit()
    wait_at_exit()
    if closing:  # else nobody is there to log, and perhaps no library was ever loaded
        native.lib.restway_log_set(LogLevel.OFF, native.NULL_LOG, None, native.NULL_DESTROY, None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open.clear)
