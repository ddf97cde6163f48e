"""Functions of the whole library: its version, its log, its plugins, and clocks for tests.

The library writes its records into the loggers `restway.auth`, `restway.transport` and so on
(docs/OPERATING.md). Their levels and handlers are those that `logging` is configured with.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import NamedTuple

from .. import _ffi as native
from .._base.lazy import LazyModule, json
from .._enums import StatusClass
from .._handles import Owner, check, make, name, written_text

_log = LazyModule("restway._library.logging")


def follow_logging() -> None:
    """For this package: is called before the library may write a record. Without the module
    `logging` the program has no handlers that could receive it.
    """
    if "logging" in sys.modules:
        _log.follow()


def flush_log() -> None:
    """Waits until the handlers of the loggers `restway.*` have received all records that the
    library has written.

    The records come on a thread of their own, so that no call waits for a handler. The exit of the
    interpreter waits for them, too. Raises WouldBlockError inside a callback.
    """
    check(native.lib.restway_log_flush)


def version() -> str:
    """Returns the version of the loaded library, such as "0.1.0"; raises LibraryError."""
    return native.borrowed(native.lib.restway_version_string()) or ""


def debug_live_handles() -> int:
    """Returns how many handles of the library this process holds; 0 when all are released."""
    native.release_due()
    count: int = native.lib.restway_debug_live_handles()
    return count


def debug_handle_kinds() -> dict[str, int]:
    """Returns which kinds of handles `debug_live_handles` counts, and how many of each, to find
    what a program has not released.

        >>> client = restway.Client(api)
        >>> restway.debug_handle_kinds()
        {'api': 1, 'client': 1}
    """
    native.release_due()
    kinds: dict[str, int] = json.loads(written_text(native.lib.restway_debug_handle_kinds))
    return kinds


class Plugin(NamedTuple):
    """A loaded plugin, as it describes itself; missing texts are empty."""

    name: str
    """The name by which a document and `load_plugin` know it."""
    version: str
    """Its version."""
    licence: str
    """The name of its licence."""
    description: str
    """A description of its purpose."""
    path: str
    """The file from which it was loaded."""


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
    follow_logging()
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

        clock = restway.Clock()
        client = restway.Client(api, clock=clock)
        clock.advance(3600)
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(make(native.ClockHandle, native.lib.restway_clock_create))

    def __repr__(self) -> str:
        if self._owned is None:
            return "<Clock, closed>"
        return "<Clock>" if self.next is None else f"<Clock, next event in {self.next} s>"

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


def status_class(http_status: int) -> StatusClass:
    """Returns the class of an HTTP status.

        if restway.status_class(error.http_status) is restway.StatusClass.SERVER_ERROR:
            try_later()

    Raises OverflowError for a number of more than 32 bits.
    """
    if not isinstance(http_status, int):
        raise TypeError(f"a status is an int, not {type(http_status).__name__}")
    if not -(2**31) <= http_status < 2**31:
        raise OverflowError(f"a status has 32 bits, which {http_status} exceeds")
    return StatusClass(native.lib.restway_http_class_of(http_status))
