"""Values that describe calls and answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._enums import AttemptReason, CacheState


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


@dataclass(frozen=True)
class CacheNote:
    """The response cache's description of an answer."""

    state: CacheState
    """The part of the cache in the answer."""
    age: int
    """The age of the answer in seconds; 0 for an answer that is not kept."""
    lifetime: int
    """For how many seconds the answer is fresh, from its origin; 0 for an answer that is not kept.
    """
    is_stale: bool
    """Whether the server would be asked before the answer is given again."""


@dataclass(frozen=True)
class Attempt:
    """One attempt of a call. Redirects belong to the attempt that met them.

        for attempt in response.attempts:
            print(attempt.reason.name, attempt.http_status, attempt.waited, attempt.took)
    """

    reason: AttemptReason
    """The reason for the attempt: it is the first, a retry, or a replay with another credential."""
    status: int
    """The status with which it ended: a `Status` if this version knows it, otherwise an int."""
    http_status: int
    """The HTTP status, or 0 if there was no answer."""
    api_code: str | None
    """The API's own code."""
    waited: float
    """How many seconds the call waited before this attempt."""
    took: float
    """How many seconds the attempt took."""
