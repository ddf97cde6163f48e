"""Calls: requests in flight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _native as native
from ._boundary import Owner, make, milliseconds
from ._exceptions import RestwayError
from ._progress import Progress, call_progress
from ._response import Response

if TYPE_CHECKING:
    from ._client import Client
    from ._interception import Question


class Call(Owner[native.CallHandle]):
    """A request in flight. Usable from any thread. Keeps its client open.

    Dropping or closing it neither cancels the request nor its callback. The call given to a
    callback equals the one that `Client.send` returned.
    """

    __slots__ = ("_client", "_question")

    def __init__(
        self, handle: native.CallHandle, client: Client, question: Question | None = None
    ) -> None:
        """For this package: `Client.send` makes calls. `handle` is owned."""
        super().__init__(handle)
        self._client = client
        self._question = question

    @property
    def id(self) -> int:
        """The call's number: positive, unique in this process, the `#12` of its log lines."""
        number: int = native.lib.restway_call_id(self._handle)
        return number

    @property
    def progress(self) -> Progress:
        """How far the call has come; bytes are followed only for requests that are watched."""
        return call_progress(self._handle)

    def wait(self, timeout: float | None = None) -> Response:
        """Waits until the call completes and returns its response; may be called repeatedly.

        Args:
            timeout: Seconds to wait at most. When they pass, the call is cancelled. None waits as
                long as the call's own time-outs allow.

        Raises what the call failed with (HTTPStatusError, MappingError, a TransportError, ...);
        TimedOutError when the wait passes; WouldBlockError inside a callback, unless the call is
        complete. Other threads run while this one waits; a signal is seen when the wait ends.
        """
        try:
            handle = make(
                native.ResponseHandle,
                native.lib.restway_call_wait,
                self._handle,
                milliseconds(timeout, unbounded=0),
                layouts=self._client._layouts,
            )
        except RestwayError as error:
            if self._question is not None:
                self._question.explain(error)
            raise
        return Response(handle, self._client._layouts)

    def cancel(self) -> None:
        """Asks the call to end: unless it has completed before, it ends with CancelledError."""
        native.lib.restway_call_cancel(self._handle)

    @property
    def done(self) -> bool:
        """Whether the call has completed; its callback may still be on the way."""
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
        return f"<Call, {'done' if self.done else 'in flight'}>"
