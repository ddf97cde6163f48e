"""The log of the process, and what the library says about itself."""

from __future__ import annotations

from collections.abc import Callable

from . import _native as native
from ._boundary import check
from ._callbacks import logs, on_log_destroy, on_log_function
from ._enums import LogLevel

LogCallback = Callable[[LogLevel, str, str], object]
"""Receives the level, the category ("transport", "mapping", ...) and one message."""


def set_log(callback: LogCallback | None, level: LogLevel = LogLevel.WARNING) -> None:
    """Sets the log of the process, in place of the one before; None turns it off.

    Args:
        callback: Runs on the thread that has something to say, several at a time. It must be quick
            and must not use this package. An exception in it goes to `sys.unraisablehook`.
        level: Messages up to this level are given to `callback`.

    When this returns, the log that was set before runs no more. Raises UsageError.
    """
    function = native.lib.restway_log_set
    if callback is None:
        check(function, LogLevel.OFF, native.NULL_LOG, None, native.NULL_DESTROY)
        return
    given = callback

    def run(number: int, category: str, message: str) -> None:
        given(LogLevel(min(number, LogLevel.DEBUG)), category, message)

    token = logs.add(run, callback)
    try:
        check(function, LogLevel(level), on_log_function, token, on_log_destroy)
    except BaseException:
        logs.remove(token)
        raise


def version() -> str:
    """The version of the loaded library, such as "0.1.0"; raises LibraryError."""
    return native.borrowed(native.lib.restway_version_string()) or ""


def debug_live_handles() -> int:
    """How many handles of the library this process holds; 0 when everything is gone."""
    native.release_due()
    count: int = native.lib.restway_debug_live_handles()
    return count
