"""Calls of the library: the conversion of arguments, and exceptions for failures.

This module also chooses the exception of a failure, and reads the attempts of its call.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from .. import _ffi as native
from .._base.hints import Hinting, not_pickled
from .._enums import AttemptReason, Domain, Status
from .._errors import STATUS_ERRORS
from .._exceptions import (
    BY_STATUS,
    HTTPStatusError,
    LibraryError,
    MappingError,
    ParsingError,
    Problem,
    QueuedError,
    RefreshRefusedError,
    RestwayError,
    ServerError,
    UsageError,
    ValidationError,
)
from .._ffi.callbacks import cause_of, stop_daemon_thread
from .._ffi.options import MAX, Number, Table
from .outgoing import request_of

if TYPE_CHECKING:
    from types import TracebackType

    from .._details import Attempt


_TEXT_BYTES = 4096
"""The size of a buffer for most texts; a longer text is written a second time."""

C = TypeVar("C")
H = TypeVar("H", bound=native.Handle)
Self = TypeVar("Self", bound="Owner[Any]")



class Answering(Protocol):
    """The makers of the response and the conflict of an error: the `Layouts` of a client."""

    @property
    def response_of(self) -> Callable[[native.ResponseHandle, Any], Any]: ...

    @property
    def conflict_of(self) -> Callable[[native.ConflictHandle, Any], Any]: ...


class _Errors(threading.local):
    """The place where the library puts the error of a call; each thread has its own.

    A nested call has ended, and its error has been taken out, before the outer call reports its
    own.
    """

    def __init__(self) -> None:
        self.handle = native.ErrorHandle()
        self.out = native.ref(self.handle)

    def take(self) -> native.ErrorHandle:
        error = native.OwnedErrorHandle(self.handle.value)
        self.handle.value = None
        return error


errors = _Errors()
"""`errors.out` is the last argument of each call that can fail."""


def failed(status: int, layouts: Answering | None = None) -> RestwayError:
    """Returns the exception for the call of this thread that has just ended with `status`.

    `layouts` is used for the objects of a response that comes with the failure.
    """
    error = errors.take()
    if status == Status.CLOSED:
        stop_daemon_thread()
    return failure(status, error, layouts)


def check(function: Any, *arguments: Any, layouts: Answering | None = None) -> None:
    """Calls `function(*arguments, out_error)`; raises the error that it reports, see `failed`, and
    TypeError for an argument that has no form for the library.
    """
    try:
        status = function(*arguments, errors.out)
    except native.ArgumentError as error:
        raise TypeError(f"{function.__name__}: {error}") from None
    if status:
        raise failed(status, layouts)


def chosen(choices: Mapping[str, C], choice: str, what: str) -> C:
    """Returns what `choice` stands for; raises ValueError if `choices` does not have it."""
    if not isinstance(choice, str):
        kind = type(choice).__name__
        raise TypeError(f"the {what} is one of {', '.join(choices)}, not a {kind}")
    if choice not in choices:
        raise ValueError(f"no {what}: {choice!r}; there are {', '.join(choices)}")
    return choices[choice]


def make(kind: type[H], function: Any, *arguments: Any, layouts: Answering | None = None) -> H:
    """Calls `function(*arguments, out_handle, out_error)`; returns the owned handle, or raises."""
    handle: H = native.OWNED[kind]()
    check(function, *arguments, native.ref(handle), layouts=layouts)
    return handle


def written_text(function: Any, *arguments: Any) -> str:
    """Returns the text that a function of the library writes into a buffer."""
    size = _TEXT_BYTES
    while True:
        text, length = native.bytes_out(size), native.number()
        check(function, *arguments, text, size, native.ref(length))
        if length.value < size:
            return native.borrowed(text.value) or ""
        size = length.value + 1


def name(text: str, what: str = "") -> bytes:
    """Returns a name, path or header in the form that the library takes; raises TypeError, or
    ValueError for a NUL inside it. `what` is the beginning of the message of a TypeError.
    """
    if not isinstance(text, str):
        expected = f"{what} is" if what else "expected"
        raise TypeError(f"{expected} a str, not {type(text).__name__}")
    if "\0" in text:
        raise ValueError(f"a NUL character in {text!r}")
    return text.encode()


def optional_name(text: str | None, what: str = "") -> bytes | None:
    """Returns `text` as `name` does; None stays None."""
    return None if text is None else name(text, what)


def content(body: object, what: str = "a body") -> bytes:
    """Returns bytes, or a str as UTF-8; raises TypeError for anything else."""
    if isinstance(body, str):
        return body.encode()
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise TypeError(f"{what} is bytes or a str, not {type(body).__name__}")
    return bytes(body)


def milliseconds(seconds: float | None, *, unbounded: int) -> int:
    """Returns a time limit in the form that the library takes: at least 1 ms, 0 for None,
    `unbounded` for infinity.
    """
    if seconds is None:
        return 0
    if not isinstance(seconds, (int, float)):
        raise TypeError(f"a time limit is a number of seconds, not {type(seconds).__name__}")
    if math.isnan(seconds) or seconds <= 0:
        raise ValueError(f"a time-out is more than 0 seconds, not {seconds}")
    if math.isinf(seconds):
        return unbounded
    return min(math.ceil(seconds * 1000), MAX)


def number(what: str, value: int | None, option: Number) -> int:
    """Returns the number of an option in the form that the library takes: 0 for None, which takes
    the default, and -1 for a 0 that means none at all. The library checks the range.

    Args:
        what: The keyword, for the message.

    Raises TypeError, and ValueError for a number that the field cannot hold or that is negative.
    """
    _, most, zero_means_none = option
    if value is None:
        return 0
    if not isinstance(value, int):
        raise TypeError(f"{what} is an int, not {type(value).__name__}")
    if value == 0 and zero_means_none:
        return -1
    if not 0 < value <= most:
        raise ValueError(f"{what} is out of range: {value}")
    return value


def set_numbers(options: Any, table: Table, given: Mapping[str, Any]) -> None:
    """Sets the fields of an option struct that are numbers.

    Args:
        given: The values by their keywords; None takes the default.
    """
    for keyword, option in table.items():
        if keyword in given:
            field, value = option[0], given[keyword]
            is_time = field.endswith("_milliseconds")
            read = milliseconds(value, unbounded=-1) if is_time else number(keyword, value, option)
            setattr(options, field, read)


class Owner(Hinting, Generic[H]):
    """The base of all classes that own a handle of the library. Each is a context manager; closing
    it twice is fine.

    The reference is released when the owner is closed or garbage-collected; a thread that is using
    the handle at that moment can finish.
    """

    __slots__ = ("__weakref__", "_owned")

    #: How a program gets an instance; the error for other arguments says it.
    _made_by: ClassVar[str] = "the library makes it"

    def __init__(self, handle: H) -> None:
        """For this package. `handle` is owned."""
        # Any other value would be used as an address.
        if not isinstance(handle, native.Handle):
            raise self._refusal(handle)
        self._owned: H | None = handle

    @classmethod
    def _refusal(cls, handle: object) -> TypeError:
        """Returns the error for an argument that is not a handle."""
        kind = type(handle).__name__
        return TypeError(f"{cls.__name__} is not made of {kind}: {cls._made_by}")

    @property
    def _handle(self) -> H:
        """The handle; raises UsageError if it has been closed.

        The code for each request uses `self._owned or self._handle`, which calls no function.
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
        raise not_pickled(type(self))


_STATUS_BY_CLASS = {kind: status for status, kind in BY_STATUS.items()}

_HTTP_STATUS_BY_CLASS = {
    kind: status for status, kind in STATUS_ERRORS.items() if kind is not ServerError
}

_MODULES = {kind.__module__ for kind in (RestwayError, *BY_STATUS.values())}
"""The modules of the exceptions of this package."""

_OF_FUNCTIONS = (Status.CANCELLED, Status.MAPPING)
"""The statuses of functions of the program that raise something else than a RestwayError."""


def status_of(error: BaseException, otherwise: Status) -> int:
    """Returns the status with which a function of the program that has raised `error` ends: for an
    exception of this package that of its class, also if the program has made it with a message
    alone.
    """
    if not isinstance(error, RestwayError):
        return otherwise
    if error.status:
        return error.status
    kinds = type(error).__mro__
    return next((_STATUS_BY_CLASS[kind] for kind in kinds if kind in _STATUS_BY_CLASS), otherwise)


def _keep_class(
    exception: RestwayError, status: int, raised: BaseException | None
) -> RestwayError:
    """Returns `exception`, which a call has ended with because a function of the program has raised
    `raised`, as an exception of the same class, with the HTTP status of `raised`.

    Other parts of the library have errors of their own for what functions raise, for example
    AuthError for a refresh: `exception` is then returned as it is.
    """
    if not isinstance(raised, RestwayError):
        return exception
    expected = status_of(raised, Status.OK)
    if status != expected and (expected != Status.OK or status not in _OF_FUNCTIONS):
        return exception
    # A class of the program is made in a way that is not known here.
    kind: Any = next(kind for kind in type(raised).__mro__ if kind.__module__ in _MODULES)
    if kind in (RestwayError, LibraryError, RefreshRefusedError):
        kind = type(exception)
    kept: RestwayError = kind.__new__(kind, exception.message)
    kept.__dict__.update(exception.__dict__)
    kept.http_status = (
        raised.http_status or _HTTP_STATUS_BY_CLASS.get(kind, 0) or exception.http_status
    )
    kept.api_code = exception.api_code or raised.api_code
    kept.api_message = exception.api_message or raised.api_message
    kept.details = exception.details or list(raised.details)
    kept.response = exception.response or raised.response
    return kept


_MAPPING_BY_DOMAIN: dict[int, type[RestwayError]] = {
    Domain.VALIDATION: ValidationError,
    Domain.PARSING: ParsingError,
}
"""The exceptions of Status.MAPPING whose origin says more than the status."""


def known_status(value: int) -> int:
    """Returns `value` as a `Status` if this version knows it, otherwise unchanged."""
    return Status(value) if value in Status._value2member_map_ else value


def known_domain(value: int) -> int:
    """Returns `value` as a `Domain` if this version knows it, otherwise unchanged."""
    return Domain(value) if value in Domain._value2member_map_ else value


def failure(status: int, error: native.ErrorHandle, layouts: Answering | None) -> RestwayError:
    """Returns the exception for `error`, which may be NULL.

    Only with `layouts` can the exception hold a response and a conflict.
    """
    lib = native.lib
    kind = BY_STATUS.get(status, RestwayError)
    if not error:
        message = native.borrowed(lib.restway_status_name(status)) or ""
        return kind(message, status=known_status(status))
    response = lib.restway_error_response(error)
    answer: Any = None
    if response and layouts is not None:  # an empty string is false
        answer = layouts.response_of(response, layouts)
    domain, http_status = lib.restway_error_domain(error), lib.restway_error_http_status(error)
    if kind is MappingError:
        kind = _MAPPING_BY_DOMAIN.get(domain, kind)
    elif kind is HTTPStatusError:
        kind = STATUS_ERRORS.get(http_status, kind)
    exception = kind(
        native.borrowed(lib.restway_error_message(error)) or "",
        status=known_status(status),
        domain=known_domain(domain),
        http_status=http_status,
        transport_code=lib.restway_error_transport_code(error),
        retryable=bool(lib.restway_error_is_retryable(error)),
        api_code=native.borrowed(lib.restway_error_api_code(error)),
        api_message=native.borrowed(lib.restway_error_api_message(error)),
        field=native.borrowed(lib.restway_error_field(error)),
        details=[
            Problem(
                native.borrowed(lib.restway_error_detail_path(error, index)) or "",
                native.borrowed(lib.restway_error_detail_message(error, index)) or "",
                native.borrowed(lib.restway_error_detail_code(error, index)),
            )
            for index in range(lib.restway_error_detail_count(error))
        ],
        response=answer,
        attempts=attempts_of(error),
    )
    exception.request = request_of(lib.restway_error_request(error))
    conflict = lib.restway_error_conflict(error)
    if conflict and layouts is not None:
        exception.conflict = layouts.conflict_of(conflict, layouts)
    if isinstance(exception, QueuedError):
        exception.outbox_id = lib.restway_error_outbox_id(error)
    token = native.lib.restway_error_cause(error)
    if token:
        raised = cause_of(token)
        exception = _keep_class(exception, status, raised)
        exception.__cause__ = raised
    return exception


OnAttempt = Callable[[int, int, "Attempt"], object]
"""A function that is called when an attempt has ended and another one follows. It receives the
call's id, the attempt's number and the attempt.
"""


def attempt_of(read: Any) -> Attempt:
    """Returns a copy of an attempt of the library."""
    from .._details import Attempt

    return Attempt(
        reason=AttemptReason(read.reason),
        status=known_status(read.status),
        http_status=read.http_status,
        api_code=native.borrowed(read.api_code),
        waited=read.waited_microseconds / 1e6,
        took=read.took_microseconds / 1e6,
    )


def attempts_of(handle: native.ResponseHandle | native.ErrorHandle) -> list[Attempt]:
    """Returns the attempts that led to a response or an error, the first one first."""
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
