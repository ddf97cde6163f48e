"""Progress: how far a call has come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import _native as native
from ._boundary import check


@dataclass(frozen=True)
class Progress:
    """How far a call has come; a total of None is not known."""

    upload_done: int
    """Bytes of the body sent."""
    upload_total: int | None
    download_done: int
    """Bytes of the response's body received, as they are on the wire."""
    download_total: int | None
    mapping_done: int
    """Objects mapped."""
    mapping_total: int | None
    fraction: float
    """All of it, between 0 and 1; it never goes back."""


OnProgress = Callable[[Progress], object]
"""Told how far a call has come."""


def progress_of(read: Any) -> Progress:
    """A copy of a native progress."""

    def known(total: int) -> int | None:
        return None if total < 0 else total

    return Progress(
        read.upload_done,
        known(read.upload_total),
        read.download_done,
        known(read.download_total),
        read.mapping_done,
        known(read.mapping_total),
        read.fraction,
    )


def call_progress(call: native.CallHandle) -> Progress:
    read = native.Progress()
    check(native.lib.restway_progress_init, native.ref(read), native.size_of(read))
    check(native.lib.restway_call_progress, call, native.ref(read))
    return progress_of(read)
