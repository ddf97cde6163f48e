"""The progress of a call, and the durations of its phases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _ffi as native
from ._boundary import check

if TYPE_CHECKING:
    from ._call import Call


@dataclass(frozen=True)
class Progress:
    """The progress of a call. A total of None is not known."""

    upload_done: int
    """How many bytes of the request's body were sent."""
    upload_total: int | None
    download_done: int
    """How many bytes of the response's body were received, before decoding."""
    download_total: int | None
    mapping_done: int
    """How many objects were mapped."""
    mapping_total: int | None
    fraction: float
    """The whole progress as one number between 0 and 1; it never decreases."""


OnProgress = Callable[["Call", Progress], object]
"""A function that receives the progress of a call; it may end the call with `call.cancel()`."""


def progress_of(read: Any) -> Progress:
    """Returns a copy of a progress of the library."""

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


@dataclass(frozen=True)
class Timings:
    """The durations of the phases of a call, in seconds; None is not known. After redirects, the
    times of the exchange belong to its last request.
    """

    queued: float | None
    """From sending until a connection was free."""
    name_lookup: float | None
    """Looking up the host's name; 0 on a connection that was open."""
    connect: float | None
    """Making the TCP connection; 0 on a connection that was open."""
    tls: float | None
    """The TLS handshake; 0 without TLS and on a connection that was open."""
    first_byte: float | None
    """From the start of the exchange to the first byte of the response."""
    exchange: float | None
    """From the start of the exchange to its last byte."""
    decode: float | None
    """Undoing the content coding."""
    map: float | None
    """Reading the body and storing its objects; 0 when nothing matched."""
    total: float | None
    """From sending to completion, including redirects."""
    store: float | None
    """The part of `map` for storing the objects; with a file, until they are in the file."""


def timings_of(response: native.ResponseHandle) -> Timings:
    """For this package: reads the timings of a response."""
    read = native.Timings()
    check(native.lib.restway_timings_init, native.ref(read), native.size_of(read))
    check(native.lib.restway_response_timings, response, native.ref(read))
    return Timings(
        queued=_seconds(read.queued_microseconds),
        name_lookup=_seconds(read.name_lookup_microseconds),
        connect=_seconds(read.connect_microseconds),
        tls=_seconds(read.tls_microseconds),
        first_byte=_seconds(read.first_byte_microseconds),
        exchange=_seconds(read.exchange_microseconds),
        decode=_seconds(read.decode_microseconds),
        map=_seconds(read.map_microseconds),
        total=_seconds(read.total_microseconds),
        store=_seconds(read.store_microseconds),
    )


def _seconds(microseconds: int) -> float | None:
    return None if microseconds < 0 else microseconds / 1e6
