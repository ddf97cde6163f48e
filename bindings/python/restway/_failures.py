"""Failures of the library as exceptions: which class, and what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _native as native
from ._enums import Domain, Status
from ._exceptions import (
    AmbiguousRouteError,
    AuthError,
    BatchError,
    CancelledError,
    ClosedError,
    ConfigError,
    ConnectError,
    ConnectionLostError,
    DuplicateError,
    FileError,
    ForkedError,
    FrozenError,
    HTTPStatusError,
    InternalError,
    InvalidURLError,
    MappingError,
    MethodNotAllowedError,
    MissingVariableError,
    NoObjectError,
    OutboxError,
    OutOfMemoryError,
    PluginError,
    Problem,
    ProtocolError,
    QueuedError,
    ResolveError,
    RestwayError,
    StoreError,
    TimedOutError,
    TLSError,
    TooLargeError,
    TooManyRedirectsError,
    UnknownAttributeError,
    UnknownEntityError,
    UnknownEnvironmentError,
    UnknownRouteError,
    UsageError,
    WouldBlockError,
)

if TYPE_CHECKING:
    from ._object import Layouts

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
"""The exception of each status; any other status raises RestwayError."""


def known_status(value: int) -> int:
    """`value` as a `Status` when this version knows it, else as it is."""
    return Status(value) if value in Status._value2member_map_ else value


def known_domain(value: int) -> int:
    """`value` as a `Domain` when this version knows it, else as it is."""
    return Domain(value) if value in Domain._value2member_map_ else value


def failure(status: int, error: native.ErrorHandle, layouts: Layouts | None) -> RestwayError:
    """The exception that says what `error` says; `error` may be NULL.

    Only what is told with `layouts` can come with a response.
    """
    from ._attempts import attempts_of  # these are read through this module
    from ._response import Response

    lib = native.lib
    kind = BY_STATUS.get(status, RestwayError)
    if not error:
        message = native.borrowed(lib.restway_status_name(status)) or ""
        return kind(message, status=known_status(status))
    response = lib.restway_error_response(error)
    exception = kind(
        native.borrowed(lib.restway_error_message(error)) or "",
        status=known_status(status),
        domain=known_domain(lib.restway_error_domain(error)),
        http_status=lib.restway_error_http_status(error),
        transport_code=lib.restway_error_transport_code(error),
        retryable=bool(lib.restway_error_is_retryable(error)),
        api_code=native.borrowed(lib.restway_error_api_code(error)),
        api_message=native.borrowed(lib.restway_error_api_message(error)),
        field=native.borrowed(lib.restway_error_field(error)),
        details=[
            Problem(
                native.borrowed(lib.restway_error_detail_path(error, index)) or "",
                native.borrowed(lib.restway_error_detail_message(error, index)) or "",
            )
            for index in range(lib.restway_error_detail_count(error))
        ],
        response=Response.retained(response, layouts) if response and layouts is not None else None,
        attempts=attempts_of(error),
    )
    if isinstance(exception, QueuedError):
        exception.outbox_id = lib.restway_error_outbox_id(error)
    return exception
