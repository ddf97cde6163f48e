"""A bar that needs no package: one line with the numbers."""

from __future__ import annotations

import threading
from typing import TextIO

_WIDTH = 24
_SIZES = ("bytes", "KiB", "MiB", "GiB", "TiB")


def number_text(number: int, unit: str) -> str:
    """Returns a number with its unit; bytes in the largest unit of which there is at least one."""
    if unit != "bytes" or number < 1024:
        return f"{number:,} {unit}"
    size, value = 0, float(number)
    while value >= 1024 and size < len(_SIZES) - 1:
        size, value = size + 1, value / 1024
    return f"{value:.1f} {_SIZES[size]}"


class TheBar:
    """A line that is written again whenever its text changes."""

    def __init__(self, stream: TextIO, label: str, unit: str) -> None:
        self._stream = stream
        self._label = label
        self._unit: str = unit
        self._shown = ""
        self._lock = threading.Lock()

    def update(self, done: int, total: int | None) -> None:
        line = self._line(done, total)
        with self._lock:
            if line == self._shown:
                return
            padding = " " * (len(self._shown) - len(line))
            self._stream.write(f"\r{line}{padding}")
            self._stream.flush()
            self._shown = line

    def close(self) -> None:
        with self._lock:
            if self._shown:
                self._stream.write("\n")
                self._stream.flush()
                self._shown = ""

    def _line(self, done: int, total: int | None) -> str:
        so_far = number_text(done, self._unit)
        if not total:
            return f"{self._label}: {so_far}"
        share = min(done / total, 1.0)
        filled = "#" * round(share * _WIDTH)
        whole = number_text(total, self._unit)
        return f"{self._label}: [{filled:<{_WIDTH}}] {share:4.0%} {so_far} of {whole}"
