"""Every exception of this package.

    RestwayError
    ├── LibraryError (also ImportError)   the shared library cannot be loaded
    ├── InternalError                     a bug of the library
    ├── OutOfMemoryError                  memory could not be had
    ├── FileError                         a file cannot be read or written
    ├── UsageError                        the program used the library wrongly
    │   ├── WaitInterruptedError          a wait that the program's interrupt has ended
    │   ├── WouldBlockError               a blocking function inside a callback
    │   └── ForkedError                   a handle from before a fork
    ├── ConfigError                       an API document is not valid: see `details`
    │   ├── DuplicateError                something equal has been registered before
    │   ├── FrozenError                   a client has used the api: entities stay as they are
    │   └── UnknownEnvironmentError       no environment of that name
    ├── RouteError                        no request can be made of this
    │   ├── UnknownRouteError             no route of that name, or for that object and method
    │   ├── AmbiguousRouteError           more than one route fits
    │   ├── MissingVariableError          a path variable has no value: see `field`
    │   ├── InvalidURLError               a URL cannot be built or is not allowed
    │   └── MethodNotAllowedError         the route does not take that method
    ├── TransportError                    no whole answer came
    │   ├── NoResourcesError              the system had no descriptor, thread or memory to give
    │   ├── TimedOutError (also TimeoutError)
    │   ├── ResolveError                  the host name does not resolve
    │   ├── ConnectError                  nothing accepts connections there
    │   ├── TLSError                      the TLS handshake or the certificate
    │   ├── ConnectionLostError           the connection ended before the response was whole
    │   ├── ProtocolError                 the peer does not speak HTTP as it should
    │   ├── TooLargeError                 the response exceeds a bound of the client
    │   └── TooManyRedirectsError
    ├── HTTPStatusError                   the answer's status is not a success: see `response`
    │   ├── BadRequestError               400: the server does not understand the request
    │   ├── UnauthorizedError             401: the request needs another credential
    │   ├── PaymentRequiredError          402: the server asks for a payment
    │   ├── ForbiddenError                403: the credential does not allow the request
    │   ├── NotFoundError                 404: the server has nothing there
    │   ├── NotAllowedError               405: the resource does not take the method
    │   ├── ConflictError                 409: the request contradicts the present state
    │   ├── ContentTooLargeError          413: the body is too large for the server
    │   ├── UnprocessableError            422: values are not valid: see `details`
    │   ├── TooManyRequestsError          429: the server limits the rate of requests
    │   └── ServerError                   500 to 599: the server has failed
    ├── AuthError                         there is no valid credential: a refresh failed
    │   └── RefreshRefusedError           raised by refresh functions: no refresh can succeed
    ├── MappingError                      the body is not what it should be, or does not map
    │   ├── ValidationError               the rules of the route, or the program, refuse the answer
    │   └── ParsingError                  the parser of the route cannot read the body
    ├── BatchError                        a batch was not answered as it should be, or not sent
    ├── QueuedError                       the request was stored, and is sent later
    ├── OutboxError                       the outbox's file failed, or another process sends it
    ├── PluginError                       a plugin is missing, or does not do what it should
    ├── StoreError                        the store failed
    │   ├── NoObjectError                 the store does not have the object
    │   ├── UnknownEntityError            no entity of that name
    │   └── UnknownAttributeError         the entity has no attribute of that name
    └── StoppedError                      the program ended it
        ├── CancelledError                the call was cancelled
        └── ClosedError                   the client has been closed

A status that this version does not know raises RestwayError itself. Arguments that Python alone can
recognise as wrong (a negative time limit, a NUL inside a name, a naive datetime) raise TypeError,
ValueError or OverflowError before the library is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ._details import Attempt
    from ._handles.outgoing import OutgoingRequest
    from ._response import Response

__all__ = [
    "AmbiguousRouteError",
    "AuthError",
    "BadRequestError",
    "BatchError",
    "CancelledError",
    "ClosedError",
    "ConfigError",
    "ConflictError",
    "ConnectError",
    "ConnectionLostError",
    "ContentTooLargeError",
    "DuplicateError",
    "FileError",
    "ForbiddenError",
    "ForkedError",
    "FrozenError",
    "HTTPStatusError",
    "InternalError",
    "InvalidURLError",
    "LibraryError",
    "MappingError",
    "MethodNotAllowedError",
    "MissingVariableError",
    "NoObjectError",
    "NoResourcesError",
    "NotAllowedError",
    "NotFoundError",
    "OutOfMemoryError",
    "OutboxError",
    "ParsingError",
    "PaymentRequiredError",
    "Problem",
    "ProtocolError",
    "QueuedError",
    "RefreshRefusedError",
    "ResolveError",
    "RestwayError",
    "RouteError",
    "ServerError",
    "StoppedError",
    "StoreError",
    "TLSError",
    "TimedOutError",
    "TooLargeError",
    "TooManyRedirectsError",
    "TooManyRequestsError",
    "TransportError",
    "UnauthorizedError",
    "UnknownAttributeError",
    "UnknownEntityError",
    "UnknownEnvironmentError",
    "UnknownRouteError",
    "UnprocessableError",
    "UsageError",
    "ValidationError",
    "WouldBlockError",
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

    def __str__(self) -> str:
        lines = [f"{path}: {message}" for path, message in self.details]
        if lines == [self.message]:
            return self.message
        return "\n  ".join([self.message, *lines])

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy and a pickle contain everything except the response and the request, which belong
        to this process.
        """
        return type(self), (self.message,), {**self.__dict__, "response": None, "request": None}


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


class InternalError(RestwayError):
    """A bug of the library; the message says where."""


class OutOfMemoryError(RestwayError):
    """Memory could not be allocated."""


class FileError(RestwayError):
    """A file cannot be read or written."""


class UsageError(RestwayError):
    """The program used the library wrongly: a value is out of range or not valid UTF-8."""


class WouldBlockError(UsageError):
    """A blocking function was called inside a callback."""


class WaitInterruptedError(UsageError):
    """A wait was ended by an interrupt that the program has given to the thread. The waits of the
    main thread, which signals end, go on and do not raise it.
    """


class ForkedError(UsageError):
    """This is a forked child, and the object is its parent's, or the parent had the file open."""


class ConfigError(RestwayError):
    """An API document, or a part of one, is not valid; `details` lists every problem."""


class DuplicateError(ConfigError):
    """An equal item has been registered before."""


class FrozenError(ConfigError):
    """The api has been used by a client: its entities and descriptors can no longer change."""


class UnknownEnvironmentError(ConfigError):
    """The API document has no environment of that name."""


class RouteError(RestwayError):
    """No request can be made from a route, a path, an object or their variables."""


class UnknownRouteError(RouteError):
    """There is no route of that name, or no route for that object and method."""


class AmbiguousRouteError(RouteError):
    """More than one route fits; the message lists them."""


class MissingVariableError(RouteError):
    """A path variable has no value; `field` names it."""


class InvalidURLError(RouteError):
    """A URL cannot be built or is not allowed."""


class MethodNotAllowedError(RouteError):
    """The route or path does not allow that method."""


class TransportError(RestwayError):
    """No complete answer was received; `retryable` says whether another attempt makes sense."""


class TimedOutError(TransportError, TimeoutError):
    """A time limit has passed: for making the connection, for the whole exchange, or for the wait.
    """


class ResolveError(TransportError):
    """The host name does not resolve."""


class NoResourcesError(TransportError):
    """The system had no descriptor, thread or memory to give, so that nothing was sent. The message
    names the error of the system; the same request may succeed later.
    """


class ConnectError(TransportError):
    """No connection to the server could be made."""


class TLSError(TransportError):
    """The TLS handshake failed, or the certificate does not belong to the server."""


class ConnectionLostError(TransportError):
    """The connection was lost, or ended before the response was complete."""


class ProtocolError(TransportError):
    """The peer does not speak HTTP as it should."""


class TooLargeError(TransportError):
    """The response is larger than the limit that was set."""


class TooManyRedirectsError(TransportError):
    """The call had more redirects than allowed."""


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


class ContentTooLargeError(HTTPStatusError):
    """413: the body of the request is too large for the server."""


class UnprocessableError(HTTPStatusError):
    """422: the server understands the request, but values of it are not valid; `details` lists the
    values if the API document says where the answer has them.
    """


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
    413: ContentTooLargeError,
    422: UnprocessableError,
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
    """The answer has a success status, but not what the route's `validate` demands, or the
    program's validator refuses it. `field` names the header at fault.
    """


class ParsingError(MappingError):
    """The parser of the route or of the request cannot read the body."""


class BatchError(RestwayError):
    """The answer to a batch does not have the batch format, or an earlier call of the batch failed.
    """


class QueuedError(RestwayError):
    """The server could not be reached: the request is stored, and is sent when the server can be
    reached.
    """

    outbox_id: int = 0
    """The number of the item in the outbox."""


class OutboxError(RestwayError):
    """The outbox's file, which `field` names, cannot be read or written, or another process sends
    its requests.
    """


class StoreError(RestwayError):
    """The store failed; its content has not changed."""


class PluginError(RestwayError):
    """A plugin is missing, does not start or breaks its contract."""


class NoObjectError(StoreError):
    """The store does not have the object."""


class UnknownEntityError(StoreError):
    """There is no entity of that name."""


class UnknownAttributeError(StoreError):
    """The entity has no attribute, or no relationship, of that name."""


class StoppedError(RestwayError):
    """The program itself cancelled the call or closed the client."""


class CancelledError(StoppedError):
    """The call was cancelled."""


class ClosedError(StoppedError):
    """The client has been closed."""
