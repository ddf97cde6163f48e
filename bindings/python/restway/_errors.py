"""The exceptions that have members or subclasses, or that are built-in exceptions as well.

`_exceptions.py` adds an exception for each other status, and has all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ._conflicts import Conflict
    from ._details import Attempt
    from ._handles.outgoing import OutgoingRequest
    from ._response import Response

__all__ = [
    "STATUS_ERRORS",
    "AuthError",
    "BadRequestError",
    "ConfigError",
    "ConflictError",
    "ContentTooLargeError",
    "ForbiddenError",
    "GoneError",
    "HTTPStatusError",
    "LibraryError",
    "MappingError",
    "NotAllowedError",
    "NotFoundError",
    "ParsingError",
    "PaymentRequiredError",
    "PreconditionFailedError",
    "PreconditionRequiredError",
    "Problem",
    "QueuedError",
    "RefreshRefusedError",
    "RestwayError",
    "RouteError",
    "ServerError",
    "StoppedError",
    "StoreError",
    "TimedOutError",
    "TooManyRequestsError",
    "TransportError",
    "UnauthorizedError",
    "UnprocessableError",
    "UsageError",
    "ValidationError",
]


class _PlaceAndText(NamedTuple):
    path: str
    message: str


class Problem(_PlaceAndText):
    """One of several problems that an error reports: a pair of `path` and `message`, and a `code`.

        except restway.HTTPStatusError as error:
            for problem in error.details:
                show(field=problem.path, text=problem.message, code=problem.code)

    `path` is the place of the problem: a JSON path (`$.routes.enterprise.method`), a key path, or
    the field that the server names. `message` is the text of the problem.
    """

    code: str | None
    """The API's own code for the problem, or None."""

    def __new__(cls, path: str, message: str, code: str | None = None) -> Problem:
        problem = super().__new__(cls, path, message)
        problem.code = code
        return problem


class RestwayError(Exception):
    """The base of every exception of this package.

    Attributes:
        status: The status that the library returned; a `Status` if this version knows it, otherwise
            an int.
        domain: The part of the library that the error comes from; a `Domain` if this version knows
            it, otherwise an int.
        message: A text in English that says what failed and where, as one line: control characters
            of the texts that it quotes are escaped. It contains no credential.
        http_status: The HTTP status of the response that the error is about, or 0.
        transport_code: The transport's own code (libcurl: CURLcode), or 0.
        retryable: Whether the same request may succeed later as it is.
        api_code: The API's own code, found by the document's `errors.code`, or None.
        api_message: The API's own message, found by the document's `errors.message`, or None.
        field: The argument, path variable, header, JSON path or key path at fault, or None. If a
            mapper broke its contract, the key path where it did.
        details: The separate problems, if the error reports several: those of a document, of the
            mapping in strict mode, or those that the body of a failed answer lists.
        response: The response that came with the failure, or None.
        request: The request of the call that has failed, as it went out last, or None if the error
            is not about a call.
        attempts: All attempts of the call that failed.
        conflict: The conflict because of which the call has failed: its change does not fit the
            server's newest values, and nothing of it is stored. None for another failure.
    """

    def __init__(
        self,
        message: str = "",
        *,
        status: int = 0,
        domain: int = 0,
        http_status: int = 0,
        transport_code: int = 0,
        retryable: bool = False,
        api_code: str | None = None,
        api_message: str | None = None,
        field: str | None = None,
        details: Sequence[Problem] = (),
        response: Response | None = None,
        attempts: Sequence[Attempt] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.domain = domain
        self.http_status = http_status
        self.transport_code = transport_code
        self.retryable = retryable
        self.api_code = api_code
        self.api_message = api_message
        self.field = field
        self.details: list[Problem] = list(details)
        self.response = response
        self.request: OutgoingRequest | None = None
        self.attempts: list[Attempt] = list(attempts)
        self.conflict: Conflict | None = None

    def __str__(self) -> str:
        lines = [f"{path}: {message}" for path, message in self.details]
        if lines == [self.message]:
            return self.message
        return "\n  ".join([self.message, *lines])

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy and a pickle contain everything except the response, the request and the conflict,
        which belong to this process.
        """
        own = {"response": None, "request": None, "conflict": None}
        return type(self), (self.message,), {**self.__dict__, **own}


class LibraryError(RestwayError, ImportError):
    """The shared library cannot be loaded; `details` lists the places and why each failed."""

    @classmethod
    def tried(cls, places: Iterable[tuple[str, str]]) -> LibraryError:
        """Returns the error for `places`: pairs of a place and the reason why it failed."""
        return cls(
            "librestway cannot be loaded; install it (and run ldconfig), install a wheel of this "
            "package that contains it, or set the environment variable RESTWAY_LIBRARY to its "
            "path. Tried:",
            details=[Problem(place, reason) for place, reason in places],
        )


class UsageError(RestwayError):
    """The program used the library wrongly: a value is out of range or not valid UTF-8."""


class ConfigError(RestwayError):
    """An API document, or a part of one, is not valid; `details` lists every problem."""


class RouteError(RestwayError):
    """No request can be made from a route, a path, an object or their variables."""


class TransportError(RestwayError):
    """No complete answer was received; `retryable` says whether another attempt makes sense."""


class TimedOutError(TransportError, TimeoutError):
    """A time limit has passed: for making the connection, for the whole exchange, or for the wait.
    """


class HTTPStatusError(RestwayError):
    """The server answered with a status that is not a success; `response` holds the answer."""


class BadRequestError(HTTPStatusError):
    """400: the server does not understand the request."""


class UnauthorizedError(HTTPStatusError):
    """401: the request has no credential, or one that the server does not accept."""


class PaymentRequiredError(HTTPStatusError):
    """402: the server asks for a payment."""


class ForbiddenError(HTTPStatusError):
    """403: the credential does not allow the request."""


class NotFoundError(HTTPStatusError):
    """404: the server has nothing under that URL."""


class NotAllowedError(HTTPStatusError):
    """405: the resource does not take the method."""


class ConflictError(HTTPStatusError):
    """409: the request contradicts the present state of the resource."""


class GoneError(HTTPStatusError):
    """410: the server no longer has what was under that URL."""


class PreconditionFailedError(HTTPStatusError):
    """412: the resource is not in the state that the request names, because somebody else has
    changed it.
    """


class ContentTooLargeError(HTTPStatusError):
    """413: the body of the request is too large for the server."""


class UnprocessableError(HTTPStatusError):
    """422: values of the request are not valid; `details` lists the values if the API document says
    where the answer has them.
    """


class PreconditionRequiredError(HTTPStatusError):
    """428: the server changes the resource only if the request names the state of the resource."""


class TooManyRequestsError(HTTPStatusError):
    """429: the server limits the rate of requests."""


class ServerError(HTTPStatusError):
    """500 to 599: the server has failed."""


STATUS_ERRORS: dict[int, type[HTTPStatusError]] = {
    400: BadRequestError,
    401: UnauthorizedError,
    402: PaymentRequiredError,
    403: ForbiddenError,
    404: NotFoundError,
    405: NotAllowedError,
    409: ConflictError,
    410: GoneError,
    412: PreconditionFailedError,
    413: ContentTooLargeError,
    422: UnprocessableError,
    428: PreconditionRequiredError,
    429: TooManyRequestsError,
    **dict.fromkeys(range(500, 600), ServerError),
}
"""The exceptions of HTTP statuses. Any other status that is not a success raises HTTPStatusError.
"""


class AuthError(RestwayError):
    """There is no valid credential: a refresh failed, did not end in time, or came too often.

    The `__cause__` is the exception of the refresh function. `retryable` says whether a later call
    causes another refresh.
    """


class RefreshRefusedError(AuthError):
    """A refresh function raises this to declare that no refresh can succeed.

    Every later call then fails at once, until `set_credential`:

        def refresh() -> str:
            response = client.post("login", json=saved, auth="none")
            if response.json()["state"] == "revoked":
                raise restway.RefreshRefusedError("the user has to log in again")
            return response.json()["token"]
    """


class MappingError(RestwayError):
    """The body is not valid for its media type, or, in strict mode, a value cannot be mapped."""


class ValidationError(MappingError):
    """An answer with a success status is refused: it does not have what the route's `validate`
    demands, or the program's validator refuses it. `field` names the header at fault.
    """


class ParsingError(MappingError):
    """The parser of the route or of the request cannot read the body."""


class QueuedError(RestwayError):
    """The request is stored, because the server could not be reached or the client was closed. It
    is sent when the server can be reached.
    """

    outbox_id: int = 0
    """The number of the item in the outbox."""


class StoreError(RestwayError):
    """The store failed; its content has not changed."""


class StoppedError(RestwayError):
    """The program itself cancelled the call or closed the client."""
