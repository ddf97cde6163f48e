"""A clock for tests."""

from __future__ import annotations

from . import _native as native
from ._boundary import Owner, check, make


class Clock(Owner[native.ClockHandle]):
    """Time that stands still until it is moved: clients that are made with it measure their
    time-outs, waits and expiries on it. What libcurl times itself stays on the machine's clock."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(make(native.ClockHandle, native.lib.restway_clock_create))

    def advance(self, seconds: float) -> None:
        """Moves time on, by 0 seconds or more; what becomes due happens on worker threads."""
        if not seconds >= 0:
            raise ValueError(f"time goes on, not back: {seconds}")
        check(native.lib.restway_clock_advance, self._handle, round(seconds * 1000))

    @property
    def next(self) -> float | None:
        """Seconds until the next thing becomes due; None when nothing waits."""
        milliseconds: int = native.lib.restway_clock_next_milliseconds(self._handle)
        return None if milliseconds < 0 else milliseconds / 1000
