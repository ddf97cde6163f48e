"""The description of a fault, and the expected result of the library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import restway
from connection import Step
from restway import Status

#: The time limit of every request that is not expected to time out; no fault may take as long.
PATIENCE_SECONDS = 10.0
#: The time limit of the requests that are expected to time out.
TIMEOUT_SECONDS = 0.3


@dataclass(frozen=True)
class Outcome:
    """The result of a call."""

    status: Status
    error: type[restway.RestwayError] | None
    """None if the call ends with an answer, whose HTTP status is `http_status`."""
    says: str = ""
    """A part of the message."""
    codes: frozenset[int] = frozenset({0})
    """The codes of libcurl that the error may carry; 0 if libcurl reports no error."""
    retryable: bool = False
    http_status: int = 0
    body: bytes | None = None


@dataclass(frozen=True)
class Fault:
    """One way in which a server misbehaves: its steps, and the expected result of the client."""

    name: str
    """The name of the fault, and its path at the server."""
    steps: tuple[Step, ...]
    outcome: Outcome
    at_accept: bool = False
    """The fault is played on the next connection, before a request is read."""
    refuses: bool = False
    """No process listens while the fault is played."""
    reads_body: bool = True
    """The server reads the body of the request before it plays the fault."""
    method: str = "GET"
    body: bytes | None = None
    """The body of the request."""
    timeout: float = PATIENCE_SECONDS
    """The time limit of the request in seconds."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The options of the client."""

    @property
    def needs_new_connection(self) -> bool:
        return self.at_accept or self.refuses

    def __str__(self) -> str:
        return self.name


def answers(body: bytes, http_status: int = 200) -> Outcome:
    return Outcome(Status.OK, None, http_status=http_status, body=body)


def lost(says: str, *codes: int, http_status: int = 0) -> Outcome:
    return Outcome(
        Status.CONNECTION_LOST,
        restway.ConnectionLostError,
        says,
        frozenset(codes or (0,)),
        retryable=True,
        http_status=http_status,
    )


def violates(says: str, *codes: int, http_status: int = 0) -> Outcome:
    return Outcome(
        Status.PROTOCOL,
        restway.ProtocolError,
        says,
        frozenset(codes or (0,)),
        http_status=http_status,
    )


def times_out(says: str, http_status: int = 0, retryable: bool = True) -> Outcome:
    return Outcome(
        Status.TIMEOUT,
        restway.TimedOutError,
        says,
        frozenset({28}),
        retryable=retryable,
        http_status=http_status,
    )


def too_large(says: str, *codes: int, http_status: int = 0) -> Outcome:
    return Outcome(
        Status.TOO_LARGE,
        restway.TooLargeError,
        says,
        frozenset(codes or (0,)),
        http_status=http_status,
    )


#: The exceptions of statuses; other statuses have no exception of their own.
_STATUS_ERRORS: dict[int, type[restway.HTTPStatusError]] = {
    400: restway.BadRequestError,
    401: restway.UnauthorizedError,
    403: restway.ForbiddenError,
    404: restway.NotFoundError,
    413: restway.ContentTooLargeError,
    429: restway.TooManyRequestsError,
    **dict.fromkeys(range(500, 600), restway.ServerError),
}


def http_error(http_status: int) -> Outcome:
    error = _STATUS_ERRORS.get(http_status, restway.HTTPStatusError)
    return Outcome(Status.HTTP, error, f"answered {http_status}", http_status=http_status)
