"""The progress of the calls of a request, for its keyword `progress`."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Union

from . import Bar, new_bar

if TYPE_CHECKING:
    from .._call import Call, OnProgress
    from .._details import Progress

OnCallProgress = Callable[["Progress"], object]
"""A function that receives the progress of a call."""

CallWanted = Union[bool, OnCallProgress, None]
"""The values of `progress=` of a request: True shows bars, a function receives each `Progress`."""


_ENDED_MAX = 64
"""How many calls are remembered whose bars were closed."""


class _Shown:
    """The bar of one call: first for the bytes that are sent, then for those that come."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self._bar: Bar | None = None
        self._label = ""

    def update(self, progress: Progress) -> None:
        sends = bool(progress.upload_total) and not progress.download_done
        label = "upload" if sends else "download"
        if label != self._label:
            self.close()
            self._bar = new_bar(label, "bytes")
            self._label = label
        if self._bar is None:
            return
        if sends:
            self._bar.update(progress.upload_done, progress.upload_total)
        else:
            self._bar.update(progress.download_done, progress.download_total)

    def finish(self) -> None:
        """Shows the last numbers of a call that has ended, if it has sent or received anything."""
        progress = self.call.progress
        if (self._bar is not None or not self._label) and (
            progress.upload_done or progress.download_done
        ):
            self.update(progress)
        self.close()

    def close(self) -> None:
        bar, self._bar = self._bar, None
        if bar is not None:
            bar.close()


class CallBars:
    """Shows a bar for each call of a request; a function for `Request.watch`."""

    def __init__(self) -> None:
        self._shown: dict[int, _Shown] = {}
        self._ended: deque[int] = deque(maxlen=_ENDED_MAX)
        self._lock = threading.Lock()

    def __call__(self, call: Call, progress: Progress) -> None:
        with self._lock:
            if call.id in self._ended:
                return  # this was under way when the bar was closed
            shown = self._shown.setdefault(call.id, _Shown(call))
            shown.update(progress)
            if progress.fraction >= 1:
                shown.close()

    def begin(self, call: Call) -> None:
        """Knows a call from its beginning."""
        with self._lock:
            self._shown.setdefault(call.id, _Shown(call))

    def end(self, calls: Sequence[Call]) -> None:
        """Closes the bars of these calls, with their last numbers, and those of all that are done.
        """
        ended = {call.id for call in calls}
        with self._lock:
            for number, shown in list(self._shown.items()):
                if number in ended or shown.call.done:
                    shown.finish()
                    self._ended.append(number)
                    del self._shown[number]


def call_watcher(wanted: CallWanted) -> OnProgress | None:
    """Returns the function for `Request.watch`; None if nobody wants to know."""
    if wanted is None or wanted is False:
        return None
    if wanted is True:
        return CallBars()
    if not callable(wanted):
        raise TypeError(f"progress is True or a function, not {type(wanted).__name__}")
    told = wanted
    return lambda _, progress: told(progress)


@contextmanager
def showing(watcher: OnProgress | None) -> Iterator[Callable[[Call], Call]]:
    """Shows the bars of calls that end in this context. It yields a function that receives each
    call and returns it.
    """
    begun: list[Call] = []

    def show(call: Call) -> Call:
        if isinstance(watcher, CallBars):
            begun.append(call)
            watcher.begin(call)
        return call

    try:
        yield show
    finally:
        if isinstance(watcher, CallBars):
            watcher.end(begun)
