"""Calls, and the modifier that may change the request of each.

The library passes only the request to the modifier. Each call is therefore sent with a context of
its own, so that an exception of the modifier reaches the call that it refused.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from . import _ffi as native
from ._boundary import Owner, check, errors, failed, milliseconds
from ._exceptions import RestwayError, WouldBlockError
from ._ffi.callbacks import questions
from ._ffi.enums import Domain, Status
from ._ffi.trampolines import (
    on_modify_destroy,
    on_modify_function,
)
from ._interrupt import waiting
from ._questions import sending
from ._request import Request
from ._response import Progress, Response, call_progress

if TYPE_CHECKING:
    from ._client_base import ClientBase


class Call(Owner[native.CallHandle]):
    """A request in flight. It is usable from any thread, and keeps its client open.

    Dropping or closing it cancels neither the request nor its callback. The call that a callback
    receives equals the call that `Client.send` returned.
    """

    __slots__ = ("_client", "_question")

    def __init__(
        self, handle: native.CallHandle, client: ClientBase, question: Question | None = None
    ) -> None:
        """For this package: `Client.send` makes calls. `handle` is owned."""
        super().__init__(handle)
        self._client = client
        self._question = question

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

        status = waiting(wait, milliseconds(timeout, unbounded=0), self.cancel)
        if status:
            error = failed(status, self._client._layouts)
            if self._question is not None:
                self._question.explain(error)
            raise error
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
        return f"<Call, {'done' if self.done else 'in flight'}>"


Modifier = Callable[[Request], object]
"""A function that receives a private copy of a request before it is sent; `Request.update` changes
the copy.
"""


class Question:
    """A modifier for one call. It remembers the exception that the modifier raised."""

    __slots__ = ("_modifier", "_raised")

    def __init__(self, modifier: Modifier) -> None:
        self._modifier = modifier
        self._raised: BaseException | None = None

    def ask(self, handle: native.RequestHandle) -> int:
        """Calls the modifier; returns a status. `handle` is owned."""
        try:
            self._modifier(Request(handle))
        except BaseException as error:
            self._raised = error
            if isinstance(error, RestwayError) and error.status != Status.OK:
                return error.status
            return Status.CANCELLED
        return Status.OK

    def explain(self, error: RestwayError) -> None:
        """Adds the exception of the modifier, if there is one, to `error`, with which the call
        failed.
        """
        raised = self._raised
        if raised is None or error.__cause__ is raised:
            return
        error.message = f"{error.message}: {type(raised).__name__}: {raised}"
        error.args = (error.message,)
        error.__cause__ = raised


def checked(modifier: Modifier | None) -> Modifier | None:
    """Returns `modifier`; raises TypeError if it cannot be one."""
    if modifier is None:
        return None
    if not callable(modifier):
        raise TypeError(f"a modifier is callable, not {type(modifier).__name__}")
    if inspect.iscoroutinefunction(modifier):
        raise TypeError("a modifier is a plain function: it is asked on a thread of its own")
    return modifier


@contextmanager
def asking(client: native.ClientHandle, modifier: Modifier) -> Iterator[Question]:
    """Sets the modifier for the calls that are sent in this context; raises ClosedError,
    ForkedError.
    """
    question = Question(modifier)
    function = native.lib.restway_client_set_modifier
    with sending:
        token = questions.add(question.ask, modifier)
        try:
            check(function, client, on_modify_function, token, on_modify_destroy)
        except BaseException:
            questions.remove(token)
            raise
        try:
            yield question
        finally:
            # A client that was closed meanwhile has released the modifier.
            function(client, native.NULL_MODIFY, None, native.NULL_DESTROY, None)
