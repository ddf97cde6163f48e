"""Every exception of this package.

    RestwayError
    ├── LibraryError                    Also ImportError. The shared library cannot be loaded
    ├── UsageError                      The program used the library wrongly
    │   ├── WouldBlockError             A blocking function was called inside a callback
    │   ├── ForkedError                 The process is a forked child, and a handle belongs to its
    │   │                               parent
    │   └── WaitInterruptedError        An interrupt ended the wait of a thread
    ├── ConfigError                     An API document, or a part of one, is not valid
    │   ├── DuplicateError              An equal item has been registered before
    │   ├── FrozenError                 The api has been used by a client
    │   └── UnknownEnvironmentError     The API document has no environment of the given name
    ├── RouteError                      No request can be made from a route, a path, an object or
    │   │                               their variables
    │   ├── UnknownRouteError           There is no route of the given name, or no route for the
    │   │                               object and the method
    │   ├── AmbiguousRouteError         More than one route fits
    │   ├── MissingVariableError        A path variable has no value
    │   ├── InvalidURLError             A URL cannot be built or is not allowed
    │   └── MethodNotAllowedError       The route or path does not allow the method of the request
    ├── TransportError                  No complete answer was received
    │   ├── TimedOutError               Also TimeoutError. A time limit has passed
    │   ├── NoResourcesError            The system had no descriptor, no thread or no memory to give
    │   │                               before the request was sent
    │   ├── ResolveError                The host name does not resolve
    │   ├── ConnectError                No connection to the server could be made
    │   ├── TLSError                    The TLS handshake failed, or the certificate does not belong
    │   │                               to the server
    │   ├── ConnectionLostError         The connection was lost, or ended before the response was
    │   │                               complete
    │   ├── ProtocolError               The peer does not speak HTTP as it should
    │   ├── TooLargeError               The response is larger than the limit that was set
    │   └── TooManyRedirectsError       The call had more redirects than allowed
    ├── HTTPStatusError                 The server answered with a status that is not a success
    │   ├── BadRequestError             400: the server does not understand the request
    │   ├── UnauthorizedError           401: the request has no credential, or one that the server
    │   │                               does not accept
    │   ├── PaymentRequiredError        402: the server asks for a payment
    │   ├── ForbiddenError              403: the credential does not allow the request
    │   ├── NotFoundError               404: the server has nothing under that URL
    │   ├── NotAllowedError             405: the resource does not take the method
    │   ├── ConflictError               409: the request contradicts the present state of the
    │   │                               resource
    │   ├── GoneError                   410: the server no longer has what was under that URL
    │   ├── PreconditionFailedError     412: the resource is not in the state that the request
    │   │                               names, because somebody else has changed it
    │   ├── ContentTooLargeError        413: the body of the request is too large for the server
    │   ├── UnprocessableError          422: values of the request are not valid
    │   ├── PreconditionRequiredError   428: the server changes the resource only if the request
    │   │                               names the state of the resource
    │   ├── TooManyRequestsError        429: the server limits the rate of requests
    │   └── ServerError                 500 to 599: the server has failed
    ├── AuthError                       There is no valid credential
    │   └── RefreshRefusedError         A refresh function raises this to declare that no refresh
    │                                   can succeed
    ├── MappingError                    The body is not valid for its media type, or, in strict
    │   │                               mode, a value cannot be mapped
    │   ├── ValidationError             An answer with a success status is refused
    │   └── ParsingError                The parser of the route or of the request cannot read the
    │                                   body
    ├── QueuedError                     The request is stored, because the server could not be
    │                                   reached or the client was closed
    ├── StoreError                      The store failed
    │   ├── UnknownEntityError          There is no entity of the given name
    │   ├── UnknownAttributeError       The entity has no attribute, or no relationship, of the
    │   │                               given name
    │   └── NoObjectError               The store does not have the object
    ├── StoppedError                    The program itself cancelled the call or closed the client
    │   ├── ClosedError                 The client has been closed
    │   └── CancelledError              The call was cancelled
    ├── OutOfMemoryError                Memory could not be allocated
    ├── InternalError                   A bug of the library
    ├── FileError                       A file cannot be read or written
    ├── PluginError                     A plugin is missing, does not start or breaks its contract
    ├── BatchError                      The answer to a batch does not have the batch format, or
    │                                   this request was not sent because an earlier call of its
    │                                   batch failed
    └── OutboxError                     The outbox's file cannot be read or written, or another
                                        process sends its requests

A status that this version does not know raises RestwayError itself. Arguments that
Python alone can recognise as wrong (a negative time limit, a NUL inside a name, a naive
datetime) raise TypeError, ValueError or OverflowError before the library is called.

Generated by `bindings/python/generate.py` from `Include/restway.api.json`.
"""

from __future__ import annotations

from ._enums import Status
from ._errors import (
    AuthError,
    BadRequestError,
    ConfigError,
    ConflictError,
    ContentTooLargeError,
    ForbiddenError,
    GoneError,
    HTTPStatusError,
    LibraryError,
    MappingError,
    NotAllowedError,
    NotFoundError,
    ParsingError,
    PaymentRequiredError,
    PreconditionFailedError,
    PreconditionRequiredError,
    Problem,
    QueuedError,
    RefreshRefusedError,
    RestwayError,
    RouteError,
    ServerError,
    StoppedError,
    StoreError,
    TimedOutError,
    TooManyRequestsError,
    TransportError,
    UnauthorizedError,
    UnprocessableError,
    UsageError,
    ValidationError,
)

__all__ = [
    "AmbiguousRouteError", "AuthError", "BadRequestError", "BatchError", "CancelledError",
    "ClosedError", "ConfigError", "ConflictError", "ConnectError", "ConnectionLostError",
    "ContentTooLargeError", "DuplicateError", "FileError", "ForbiddenError", "ForkedError",
    "FrozenError", "GoneError", "HTTPStatusError", "InternalError", "InvalidURLError",
    "LibraryError", "MappingError", "MethodNotAllowedError", "MissingVariableError",
    "NoObjectError", "NoResourcesError", "NotAllowedError", "NotFoundError", "OutOfMemoryError",
    "OutboxError", "ParsingError", "PaymentRequiredError", "PluginError", "PreconditionFailedError",
    "PreconditionRequiredError", "Problem", "ProtocolError", "QueuedError", "RefreshRefusedError",
    "ResolveError", "RestwayError", "RouteError", "ServerError", "StoppedError", "StoreError",
    "TLSError", "TimedOutError", "TooLargeError", "TooManyRedirectsError", "TooManyRequestsError",
    "TransportError", "UnauthorizedError", "UnknownAttributeError", "UnknownEntityError",
    "UnknownEnvironmentError", "UnknownRouteError", "UnprocessableError", "UsageError",
    "ValidationError", "WaitInterruptedError", "WouldBlockError",
]


class OutOfMemoryError(RestwayError):
    """Memory could not be allocated."""


class InternalError(RestwayError):
    """A bug of the library; the message says where."""


class ClosedError(StoppedError):
    """The client has been closed."""


class CancelledError(StoppedError):
    """The call was cancelled."""


class WouldBlockError(UsageError):
    """A blocking function was called inside a callback."""


class ForkedError(UsageError):
    """The process is a forked child, and a handle belongs to its parent. The child may only retain
    and release the handle.
    """


class FileError(RestwayError):
    """A file cannot be read or written."""


class DuplicateError(ConfigError):
    """An equal item has been registered before."""


class FrozenError(ConfigError):
    """The api has been used by a client: its entities and descriptors can no longer change."""


class WaitInterruptedError(UsageError):
    """An interrupt ended the wait of a thread. What the thread waited for goes on."""


class NoResourcesError(TransportError):
    """The system had no descriptor, no thread or no memory to give before the request was sent; the
    message names the error of the system. The same request may succeed later.
    """


class UnknownEnvironmentError(ConfigError):
    """The API document has no environment of the given name."""


class UnknownRouteError(RouteError):
    """There is no route of the given name, or no route for the object and the method."""


class UnknownEntityError(StoreError):
    """There is no entity of the given name."""


class UnknownAttributeError(StoreError):
    """The entity has no attribute, or no relationship, of the given name."""


class AmbiguousRouteError(RouteError):
    """More than one route fits; the message lists them."""


class MissingVariableError(RouteError):
    """A path variable has no value; the error's field names it."""


class InvalidURLError(RouteError):
    """A URL cannot be built or is not allowed."""


class MethodNotAllowedError(RouteError):
    """The route or path does not allow the method of the request."""


class ResolveError(TransportError):
    """The host name does not resolve."""


class ConnectError(TransportError):
    """No connection to the server could be made."""


class TLSError(TransportError):
    """The TLS handshake failed, or the certificate does not belong to the server."""


class ConnectionLostError(TransportError):
    """The connection was lost, or ended before the response was complete. A response is also
    incomplete if its body has neither a length nor chunks and its TLS connection was closed without
    close_notify.
    """


class ProtocolError(TransportError):
    """The peer does not speak HTTP as it should. This includes a response whose Content-Length is
    not a number or exceeds 2^63 - 1, whose Transfer-Encoding names a coding other than chunked, or
    whose header lines hold a bare CR.
    """


class TooLargeError(TransportError):
    """The response is larger than the limit that was set."""


class TooManyRedirectsError(TransportError):
    """The call had more redirects than allowed."""


class NoObjectError(StoreError):
    """The store does not have the object."""


class PluginError(RestwayError):
    """A plugin is missing, does not start or breaks its contract. If a mapper broke its contract,
    the error's field is the key path where it did.
    """


class BatchError(RestwayError):
    """The answer to a batch does not have the batch format, or this request was not sent because an
    earlier call of its batch failed.
    """


class OutboxError(RestwayError):
    """The outbox's file cannot be read or written, or another process sends its requests. The
    error's field is the file's path.
    """


BY_STATUS: dict[int, type[RestwayError]] = {
    Status.INVALID_ARGUMENT: UsageError,
    Status.OUT_OF_MEMORY: OutOfMemoryError,
    Status.INTERNAL: InternalError,
    Status.CLOSED: ClosedError,
    Status.CANCELLED: CancelledError,
    Status.WOULD_BLOCK: WouldBlockError,
    Status.TIMEOUT: TimedOutError,
    Status.FORKED: ForkedError,
    Status.IO: FileError,
    Status.CONFIG: ConfigError,
    Status.DUPLICATE: DuplicateError,
    Status.FROZEN: FrozenError,
    Status.INTERRUPTED: WaitInterruptedError,
    Status.NO_RESOURCES: NoResourcesError,
    Status.UNKNOWN_ENVIRONMENT: UnknownEnvironmentError,
    Status.UNKNOWN_ROUTE: UnknownRouteError,
    Status.UNKNOWN_ENTITY: UnknownEntityError,
    Status.UNKNOWN_ATTRIBUTE: UnknownAttributeError,
    Status.AMBIGUOUS_ROUTE: AmbiguousRouteError,
    Status.MISSING_VARIABLE: MissingVariableError,
    Status.INVALID_URL: InvalidURLError,
    Status.METHOD_NOT_ALLOWED: MethodNotAllowedError,
    Status.RESOLVE: ResolveError,
    Status.CONNECT: ConnectError,
    Status.TLS: TLSError,
    Status.CONNECTION_LOST: ConnectionLostError,
    Status.PROTOCOL: ProtocolError,
    Status.TOO_LARGE: TooLargeError,
    Status.TOO_MANY_REDIRECTS: TooManyRedirectsError,
    Status.HTTP: HTTPStatusError,
    Status.AUTH: AuthError,
    Status.MAPPING: MappingError,
    Status.NO_OBJECT: NoObjectError,
    Status.STORE: StoreError,
    Status.PLUGIN: PluginError,
    Status.BATCH: BatchError,
    Status.QUEUED: QueuedError,
    Status.OUTBOX: OutboxError,
}
"""The exception of each status. Any other status raises RestwayError."""
