"""Gives the records of the library to `logging`. This module is loaded when the program uses
`logging`.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading

from .. import _ffi as native
from .._enums import LogLevel
from .._ffi.callbacks import logs
from .._ffi.trampolines import on_log_destroy, on_log_function
from .._handles import check

# A program that configures no handlers sees no records.
logging.getLogger("restway").addHandler(logging.NullHandler())

# An exit function of this package shuts logging down instead, after the last record has come.
atexit.unregister(logging.shutdown)

_TARGETS = (
    "auth", "cache", "client", "mapping", "outbox", "plugin", "retry", "routing", "store",
    "transport",
)

#: The levels of `logging`, and the library's names of them.
_NAMES = {
    logging.DEBUG: "debug",
    logging.INFO: "info",
    logging.WARNING: "warning",
    logging.ERROR: "error",
}
_LEVELS = {
    LogLevel.DEBUG: logging.DEBUG,
    LogLevel.INFO: logging.INFO,
    LogLevel.WARNING: logging.WARNING,
    LogLevel.ERROR: logging.ERROR,
}


class _Logging:
    """Connects the log of the library with the loggers `restway.*`."""

    def __init__(self) -> None:
        self._common = logging.getLogger("restway")
        self._loggers = {name: logging.getLogger(f"restway.{name}") for name in _TARGETS}
        #: The loggers whose levels decide which records are wanted.
        self._deciding = [logging.getLogger(), self._common, *self._loggers.values()]
        self._manager = self._common.manager
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Forgets what the library was told: it is not set up, or this is a forked child."""
        self._told: list[int] | None = None
        self._is_set_up = False
        self._lock = threading.Lock()

    def follow(self) -> None:
        """Tells the library which records are wanted, if the levels have changed."""
        now = [logger.level for logger in self._deciding]
        now.append(self._manager.disable)
        if now == self._told:
            return
        with self._lock:
            self._told = now
            if self._is_set_up:
                check(native.lib.restway_log_set_levels, self._levels())
                return
            self._is_set_up = True
            token = logs.add(self._receive, self._common)
            try:
                levels = self._levels()
                check(native.lib.restway_log_set, levels, on_log_function, token, on_log_destroy)
            except BaseException:
                logs.remove(token)
                raise

    def _levels(self) -> bytes:
        wanted = []
        for target, logger in self._loggers.items():
            for level, title in _NAMES.items():
                if logger.isEnabledFor(level):
                    wanted.append(f"{target}={title}")
                    break
        return ",".join(wanted).encode()

    def _receive(self, read: native.LogRecord) -> None:
        """Gives a record of the library to its logger. It runs on a thread of the library."""
        if read.dropped:
            self._common.warning(
                "%d log records were dropped, because the handlers were too slow", read.dropped
            )
        target = native.borrowed(read.target) or ""
        logger = self._loggers.get(target) or logging.getLogger(f"restway.{target}")
        level = _LEVELS.get(read.level, logging.DEBUG)
        if not logger.isEnabledFor(level):
            return
        message = native.borrowed(read.message) or ""
        fields = {"restway": _fields(read)}
        record = logger.makeRecord(
            logger.name, level, "(restway)", 0, message, (), None, extra=fields
        )
        created = read.time_microseconds / 1e6
        record.relativeCreated += (created - record.created) * 1000
        record.created = created
        record.msecs = read.time_microseconds // 1000 % 1000
        logger.handle(record)


def _fields(read: native.LogRecord) -> dict[str, int | str]:
    """Returns the fields of a record that say something."""
    fields: dict[str, int | str] = {}
    if read.call_id:
        fields["call"] = read.call_id
        fields["method"] = native.borrowed(read.method) or ""
        fields["url"] = native.borrowed(read.url) or ""
    if read.http_status:
        fields["status"] = read.http_status
    if read.attempt:
        fields["attempt"] = read.attempt
    if read.milliseconds >= 0:
        fields["milliseconds"] = read.milliseconds
    return fields


_logging = _Logging()
follow = _logging.follow
"""Is called before the library may write a record."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_logging.forget)
