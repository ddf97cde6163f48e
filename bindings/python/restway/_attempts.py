"""Attempts: how often a call was sent, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import _native as native
from ._boundary import check
from ._enums import AttemptReason, Status


@dataclass(frozen=True)
class Attempt:
    """One attempt of a call. Redirects belong to the attempt that met them."""

    reason: AttemptReason
    """Why it was made: the first, a retry, or a replay with another credential."""
    status: int
    """How it ended: a `Status` when this version knows it, else an int."""
    http_status: int
    """The HTTP status, or 0 without an answer."""
    api_code: str | None
    """The API's own code."""
    waited: float
    """Seconds that the call waited before it."""
    took: float
    """Seconds that it took."""


OnAttempt = Callable[[int, int, Attempt], object]
"""Told of an attempt that another one follows: the call's id, the attempt's number, the attempt."""


def attempt_of(read: Any) -> Attempt:
    """A copy of a native attempt."""
    status = read.status
    known = Status(status) if status in Status._value2member_map_ else status
    return Attempt(
        reason=AttemptReason(read.reason),
        status=known,
        http_status=read.http_status,
        api_code=native.borrowed(read.api_code),
        waited=read.waited_microseconds / 1e6,
        took=read.took_microseconds / 1e6,
    )


def attempts_of(handle: native.ResponseHandle | native.ErrorHandle) -> list[Attempt]:
    """The attempts that led to a response or an error, the first one first."""
    lib = native.lib
    if isinstance(handle, native.ErrorHandle):
        count, function = lib.restway_error_attempt_count(handle), lib.restway_error_attempt
    else:
        count, function = lib.restway_response_attempt_count(handle), lib.restway_response_attempt
    attempts = []
    for index in range(count):
        read = native.Attempt()
        check(lib.restway_attempt_init, native.ref(read), native.size_of(read))
        check(function, handle, index, native.ref(read))
        attempts.append(attempt_of(read))
    return attempts
