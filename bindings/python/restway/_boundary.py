"""Calling the library: arguments checked on the way in, failures raised on the way out.

What a failure says stands here too: which exception it is, and the attempts of its call.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from . import _ffi as native
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
from ._ffi.callbacks import cause_of, stop_daemon_thread
from ._ffi.enums import AttemptReason, Domain, Status

if TYPE_CHECKING:
    from types import TracebackType

    from ._object import Layouts
    from ._response import Response


H = TypeVar("H", bound=native.Handle)
Self = TypeVar("Self", bound="Owner[Any]")

_INT64_MAX = 2**63 - 1


class _Errors(threading.local):
    """Where the library puts the error of a call, one place for each thread.

    A call inside of a call is over, and its error taken out, before the outer one reports its own.
    """

    def __init__(self) -> None:
        self.handle = native.ErrorHandle()
        self.out = native.ref(self.handle)

    def take(self) -> native.ErrorHandle:
        error = native.ErrorHandle(self.handle.value)
        self.handle.value = None
        return error


errors = _Errors()
"""Its `out` is the last argument of each call that can fail."""


def failed(status: int, layouts: Layouts | None = None) -> RestwayError:
    """What the call of this thread that has just ended with `status` is to raise.

    `layouts` goes to the objects of a response that comes with the failure.
    """
    error = errors.take()
    if status == Status.CLOSED:
        stop_daemon_thread()
    return failure(status, native.own(error), layouts)


def check(function: Any, *arguments: Any, layouts: Layouts | None = None) -> None:
    """Calls `function(*arguments, out_error)`; raises what it reports, as `failed` says."""
    status = function(*arguments, errors.out)
    if status:
        raise failed(status, layouts)


def make(kind: type[H], function: Any, *arguments: Any, layouts: Layouts | None = None) -> H:
    """Calls `function(*arguments, out_handle, out_error)`; owns the handle or raises."""
    handle = kind()
    check(function, *arguments, native.ref(handle), layouts=layouts)
    return native.own(handle)


def name(text: str) -> bytes:
    """A name, path or header as the library takes it; TypeError, ValueError (a NUL inside)."""
    if not isinstance(text, str):
        raise TypeError(f"expected a str, not {type(text).__name__}")
    encoded = text.encode()
    if b"\0" in encoded:
        raise ValueError(f"a NUL character in {text!r}")
    return encoded


def optional_name(text: str | None) -> bytes | None:
    """As `name`; None stays None."""
    return None if text is None else name(text)


def milliseconds(seconds: float | None, *, unbounded: int) -> int:
    """A time-out as the library takes it: at least 1 ms, 0 for None, `unbounded` for infinity."""
    if seconds is None:
        return 0
    if math.isnan(seconds) or seconds <= 0:
        raise ValueError(f"a time-out is more than 0 seconds, not {seconds}")
    if math.isinf(seconds):
        return unbounded
    return min(math.ceil(seconds * 1000), _INT64_MAX)


class Owner(Generic[H]):
    """What stands for one handle of the library. A context manager; closing it twice is fine.

    The reference goes back when the owner is closed or collected, whichever is first; a thread
    that is using it meanwhile finishes its use.
    """

    __slots__ = ("__weakref__", "_owned")

    #: How a program comes by one, for who tries to make it of something else.
    _made_by: ClassVar[str] = "the library makes it"

    def __init__(self, handle: H) -> None:
        # Anything else would be taken for an address.
        if not isinstance(handle, native.Handle):
            raise self._refusal(handle)
        self._owned: H | None = handle

    @classmethod
    def _refusal(cls, handle: object) -> TypeError:
        """The error for what is no handle."""
        kind = type(handle).__name__
        return TypeError(f"{cls.__name__} is not made of {kind}: {cls._made_by}")

    @property
    def _handle(self) -> H:
        """The handle; UsageError when it has been closed.

        What each request needs says `self._owned or self._handle`, which calls nothing.
        """
        handle = self._owned
        if handle is None:
            raise UsageError(
                f"this {type(self).__name__} has been closed",
                status=Status.INVALID_ARGUMENT,
                domain=Domain.USAGE,
            )
        return handle

    def close(self) -> None:
        """Gives the handle back to the library; later uses raise UsageError."""
        self._owned = None

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} can be neither copied nor pickled")


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
    lib = native.lib
    kind = BY_STATUS.get(status, RestwayError)
    if not error:
        message = native.borrowed(lib.restway_status_name(status)) or ""
        return kind(message, status=known_status(status))
    response = lib.restway_error_response(error)
    answer: Response | None = None
    if response and layouts is not None:  # an empty one is false
        answer = layouts.response_of(response, layouts)
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
        response=answer,
        attempts=attempts_of(error),
    )
    if isinstance(exception, QueuedError):
        exception.outbox_id = lib.restway_error_outbox_id(error)
    raised = native.lib.restway_error_cause(error)
    if raised:
        exception.__cause__ = cause_of(raised)
    return exception


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
