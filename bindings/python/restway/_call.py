"""Calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar, Protocol

from . import _ffi as native
from ._enums import Domain, Status
from ._exceptions import WouldBlockError
from ._handles import Owner, errors, failed, milliseconds
from ._handles.waiting import waiting
from ._response import Response, call_progress

if TYPE_CHECKING:
    from ._details import Progress
    from ._object import Layouts


class _Client(Protocol):
    """The part of a client that its calls use."""

    _layouts: Layouts
    _may_block: ClassVar[bool]


class Call(Owner[native.CallHandle]):
    """A request in flight. It is usable from any thread, and keeps its client open.

        call = client.send(restway.Request.path("GET", "enterprises/12"))
        print(call.wait(timeout=5).object)

    Dropping or closing it cancels neither the request nor its callback. The call that a callback
    receives equals the call that `Client.send` returned.
    """

    __slots__ = ("_client",)

    def __init__(self, handle: native.CallHandle, client: _Client) -> None:
        """For this package: `Client.send` makes calls. `handle` is owned."""
        super().__init__(handle)
        self._client = client

    @property
    def id(self) -> int:
        """The number of the call. It is positive and unique in this process, and appears in the log
        (`#12`).
        """
        number: int = native.lib.restway_call_id(self._handle)
        return number

    @property
    def progress(self) -> Progress:
        """The progress of the call. Bytes are counted only if the request was watched."""
        return call_progress(self._handle)

    def wait(self, timeout: float | None = None) -> Response:
        """Waits until the call completes and returns its response; may be called repeatedly.

        Args:
            timeout: Seconds to wait at most. When they pass, the call is cancelled. None waits as
                long as the call's own time limits allow.

        Raises the error with which the call failed (HTTPStatusError, MappingError, a
        TransportError, ...); TimedOutError when the wait passes; WouldBlockError inside a callback
        and for a call of an AsyncClient, unless the call is complete. Other threads run while this
        one waits. In the main thread, signals are handled during the wait; if a handler raises, the
        call is cancelled and the exception is raised here.
        """
        if not self._client._may_block and not self.done:
            raise WouldBlockError(
                "waiting for a call of an AsyncClient would block the event loop",
                status=Status.WOULD_BLOCK,
                domain=Domain.USAGE,
            )
        handle = native.OwnedResponseHandle()

        def wait(limit: int) -> int:
            status: int = native.lib.restway_call_wait(
                self._handle, limit, native.ref(handle), errors.out
            )
            return status

        status = waiting(wait, milliseconds(timeout, unbounded=0), give_up=self.cancel)
        if status:
            raise failed(status, self._client._layouts)
        return Response(handle, self._client._layouts)

    def cancel(self) -> None:
        """Cancels the call: unless it has completed before, it ends with CancelledError."""
        native.lib.restway_call_cancel(self._handle)

    @property
    def done(self) -> bool:
        """Whether the call has completed; its callback may not have run yet."""
        return bool(native.lib.restway_call_is_complete(self._handle))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Call):
            return NotImplemented
        return self._handle.value == other._handle.value

    def __hash__(self) -> int:
        return hash(self._handle.value)

    def __repr__(self) -> str:
        if self._owned is None:
            return "<Call, closed>"
        return f"<Call #{self.id}, {'done' if self.done else 'in flight'}>"


OnDone = Callable[[Call], object]
"""A function that is called when a call has completed; `call.wait()` then returns at once."""

OnProgress = Callable[[Call, "Progress"], object]
"""A function that receives the progress of a call; it may end the call with `call.cancel()`."""


@contextmanager
def cancelling(call: Call) -> Iterator[None]:
    """Cancels `call` if the body of the `with` statement raises, as the handler of a signal may."""
    try:
        yield
    except BaseException:
        call.cancel()
        raise
