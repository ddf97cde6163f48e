"""Functions of the whole library: its version, its log, its plugins, and clocks for tests."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from . import _ffi as native
from ._boundary import Owner, check, make, name
from ._ffi.callbacks import logs
from ._ffi.enums import LogLevel
from ._ffi.trampolines import on_log_destroy, on_log_function

LogCallback = Callable[[LogLevel, str, str], object]
"""Receives the level, the category ("transport", "mapping", ...) and one message."""


def set_log(callback: LogCallback | None, level: LogLevel = LogLevel.WARNING) -> None:
    """Sets the log function of the process, in place of an earlier one; None turns the log off.

    Args:
        callback: Runs on the thread that logs the message, and on several threads at the same time.
            It must be quick and must not use this package. An exception in it goes to
            `sys.unraisablehook`.
        level: `callback` receives messages up to this level.

    Control characters of the texts that a message quotes are escaped (`\n`, `\u001b`), so that a
    text cannot add lines to the log. A message has more than one line only if header lines follow,
    each indented by four spaces.

    When this returns, the earlier function no longer runs. Raises UsageError.
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
    """Returns the version of the loaded library, such as "0.1.0"; raises LibraryError."""
    return native.borrowed(native.lib.restway_version_string()) or ""


def debug_live_handles() -> int:
    """Returns how many handles of the library this process holds; 0 when all are released."""
    native.release_due()
    count: int = native.lib.restway_debug_live_handles()
    return count


@dataclass(frozen=True)
class Plugin:
    """A loaded plugin, as it describes itself; missing texts are empty."""

    name: str
    version: str
    licence: str
    description: str
    path: str


def load_plugin(
    path_or_name: str | os.PathLike[str], options: Mapping[str, object] | None = None
) -> None:
    """Loads a plugin for the rest of the process's life; clients that are made later can use its
    mappers and transports.

    Args:
        path_or_name: An absolute path, or a name that is looked for in the directories of
            `RESTWAY_PLUGIN_PATH`, then beside the library. A plugin is a program: load only plugins
            that you would run.
        options: The options of the plugin.

    A plugin may be loaded again with the same options. Raises PluginError, UsageError.
    """
    text = None if options is None else json.dumps(dict(options)).encode()
    check(native.lib.restway_plugin_load, name(os.fspath(path_or_name)), text)


def plugins() -> list[Plugin]:
    """Returns the plugins of this process, in the order of loading."""
    lib = native.lib
    texts = (
        lib.restway_plugin_name,
        lib.restway_plugin_version,
        lib.restway_plugin_licence,
        lib.restway_plugin_description,
        lib.restway_plugin_path,
    )
    return [
        Plugin(*(native.borrowed(text(index)) or "" for text in texts))
        for index in range(lib.restway_plugin_count())
    ]


#: The largest time in milliseconds. No clock can show it; ctypes would cut off a larger number.
_SECONDS_MAX = 2**53


class Clock(Owner[native.ClockHandle]):
    """A clock for tests, which does not run but is moved by the program. Clients that are made with
    it use it for their time limits, waits and expiry times. Time limits of libcurl still use the
    machine's clock.
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(make(native.ClockHandle, native.lib.restway_clock_create))

    def advance(self, seconds: float) -> None:
        """Moves the clock forward by 0 seconds or more. Everything that becomes due runs on worker
        threads.

        Raises ValueError for a negative number, and UsageError if the new time is too far ahead for
        the clock (some 500 years): it is then not moved.
        """
        if not seconds >= 0:
            raise ValueError(f"time goes on, not back: {seconds}")
        milliseconds = round(min(seconds, _SECONDS_MAX) * 1000)
        check(native.lib.restway_clock_advance, self._handle, milliseconds)

    @property
    def next(self) -> float | None:
        """Returns the seconds until the next event becomes due; None if nothing is due later."""
        milliseconds: int = native.lib.restway_clock_next_milliseconds(self._handle)
        return None if milliseconds < 0 else milliseconds / 1000
