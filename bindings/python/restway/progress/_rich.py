"""A bar of rich."""

from __future__ import annotations

import importlib
from typing import Any, TextIO

_console: Any = importlib.import_module("rich.console")
_progress: Any = importlib.import_module("rich.progress")


class TheBar:
    """A bar of rich with a display of its own."""

    def __init__(self, stream: TextIO, label: str, unit: str) -> None:
        columns = [_progress.TextColumn("{task.description}"), _progress.BarColumn()]
        if unit == "bytes":
            columns += [_progress.DownloadColumn(True), _progress.TransferSpeedColumn()]
        else:
            columns += [_progress.MofNCompleteColumn(), _progress.TextColumn(unit)]
        columns.append(_progress.TimeRemainingColumn())
        self._display: Any = _progress.Progress(*columns, console=_console.Console(file=stream))
        self._task: Any = self._display.add_task(label, total=None)

    def update(self, done: int, total: int | None) -> None:
        self._display.start()  # only the first call does anything
        self._display.update(self._task, completed=done, total=total)

    def close(self) -> None:
        self._display.stop()
