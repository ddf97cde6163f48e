"""Progress of long work: bars on a terminal, or numbers for a function of the program.

    client.get("films/7", save_to="film.mp4", progress=True)
    client.outbox.flush(wait=True, progress=lambda done, total: print(done, total))

`progress=True` shows a bar on the terminal of the standard error output: one of rich if it is
installed, otherwise one of tqdm if that is installed, otherwise a plain line. Without a terminal
nothing is shown. A function receives the numbers in place of a bar.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, Optional, Protocol, TextIO, Union

__all__ = ["Bar", "OnNumbers", "Reported", "Unit", "Wanted", "bar_on", "new_bar", "reporting"]

Unit = Literal["bytes", "objects", "items"]
"""The unit that a bar counts."""

OnNumbers = Callable[[int, Optional[int]], object]
"""A function that receives how much is done, and the total or None."""

Wanted = Union[bool, OnNumbers, None]
"""The values of `progress=`: True shows a bar, a function receives the numbers, and False and None
report nothing.
"""

Reported = Union[bool, Callable[..., object], None]
"""The values of `progress=` where both a request and its pages take it: `restway.progress` says
which numbers a function receives.
"""

_MODULES = ("_rich", "_tqdm", "_plain")
"""The modules of the bars, the best one first. Each makes its `TheBar`, and importing it raises
ImportError if the package that it needs is not installed.
"""


class Bar(Protocol):
    """A bar on a terminal."""

    def update(self, done: int, total: int | None) -> None:
        """Shows how much is done; any thread may call it."""

    def close(self) -> None:
        """Leaves the bar as it is, and ends its line."""


class MakeBar(Protocol):
    """Makes a bar that is shown on a stream."""

    def __call__(self, stream: TextIO, label: str, unit: Unit) -> Bar: ...


def bar_on(stream: TextIO | None, label: str, unit: Unit) -> Bar | None:
    """Makes the best bar that is installed; returns None if `stream` is not a terminal."""
    if stream is None or not stream.isatty():
        return None
    for module in _MODULES:
        try:
            found = importlib.import_module(f"{__name__}.{module}")
        except ImportError:
            continue
        make: MakeBar = found.TheBar
        return make(stream, label, unit)
    raise AssertionError("the plain bar needs no package")


def standard_error() -> TextIO | None:
    """Returns the stream on which bars are shown."""
    return sys.stderr


def new_bar(label: str, unit: Unit) -> Bar | None:
    """Makes a bar on the standard error output; returns None if that is not a terminal."""
    return bar_on(standard_error(), label, unit)


@contextmanager
def reporting(wanted: Wanted, label: str, unit: Unit) -> Iterator[OnNumbers | None]:
    """Yields the function that receives the numbers of the work that is done in this context; None
    if nobody wants them. A bar is closed at the end.
    """
    if not isinstance(wanted, bool):
        if wanted is not None and not callable(wanted):
            kind = type(wanted).__name__
            raise TypeError(f"progress is True or a function, not {kind}")
        yield wanted
        return
    bar = new_bar(label, unit) if wanted else None
    if bar is None:
        yield None
        return
    try:
        yield bar.update
    finally:
        bar.close()
