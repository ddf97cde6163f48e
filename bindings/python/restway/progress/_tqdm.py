"""A bar of tqdm."""

from __future__ import annotations

import importlib
from typing import Any, TextIO

_tqdm: Any = importlib.import_module("tqdm")


class TheBar:
    """A bar of tqdm, which is made with the first numbers."""

    def __init__(self, stream: TextIO, label: str, unit: str) -> None:
        self._options: dict[str, Any] = {"file": stream, "desc": label}
        if unit == "bytes":
            self._options |= {"unit": "B", "unit_scale": True, "unit_divisor": 1024}
        else:
            self._options["unit"] = f" {unit}"
        self._bar: Any = None

    def update(self, done: int, total: int | None) -> None:
        if self._bar is None:
            self._bar = _tqdm.tqdm(total=total, **self._options)
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
