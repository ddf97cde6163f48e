"""Calling the library: arguments checked on the way in, failures raised on the way out."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from . import _native as native
from ._enums import Domain, Status
from ._exceptions import RestwayError, UsageError
from ._exit import stop_daemon_thread
from ._failures import failure

if TYPE_CHECKING:
    from types import TracebackType

    from ._object import Layouts

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
