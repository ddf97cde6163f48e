"""Calls, the modifier that may change the request of each, and streams: bodies that are read while
they arrive.

The library passes only the request to the modifier. Each call is therefore sent with a context of
its own, so that an exception of the modifier reaches the call that it refused.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

from . import _ffi as native
from ._boundary import Owner, check, make, milliseconds
from ._exceptions import RestwayError, WouldBlockError
from ._ffi.callbacks import functions, questions
from ._ffi.enums import Domain, Status
from ._ffi.trampolines import (
    on_modify_destroy,
    on_modify_function,
    on_receive_body_function,
    on_receive_destroy,
    on_receive_head_function,
)
from ._questions import sending
from ._request import Request
from ._response import Headers, Progress, Response, call_progress

if TYPE_CHECKING:
    from ._async_client import AsyncClient
    from ._client import Client
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
        one waits; a signal is handled when the wait ends.
        """
        if not self._client._may_block and not self.done:
            raise WouldBlockError(
                "waiting for a call of an AsyncClient would block the event loop",
                status=Status.WOULD_BLOCK,
                domain=Domain.USAGE,
            )
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


_HELD_BYTES_MAX = 1 << 20
"""When this many bytes wait for the program, the library is asked to pause."""


class Receiving:
    """The bytes of one body between the library's thread and the program."""

    def __init__(self, wake: Callable[[], object]) -> None:
        self.head: native.ResponseHandle | None = None
        self.has_ended = False
        self._wake = wake
        self._lock = threading.Lock()
        self._pieces: deque[bytes] = deque()
        self._held = 0
        self._is_paused = False

    def receive_head(self, response: native.ResponseHandle) -> None:
        """Takes the head, on a thread of the library."""
        self.head = native.own(native.lib.restway_response_retain(response))
        self._wake()

    def receive(self, piece: bytes) -> bool:
        """Takes bytes, on a thread of the library. Returns whether the library shall pause."""
        with self._lock:
            self._pieces.append(piece)
            self._held += len(piece)
            self._is_paused = self._held >= _HELD_BYTES_MAX
            pauses = self._is_paused
        self._wake()
        return pauses

    def end(self) -> None:
        """Called when the call has ended, on any thread."""
        self.has_ended = True
        self._wake()

    def take(self, call: native.CallHandle) -> bytes | None:
        """Returns the next bytes, or None if no bytes wait. Lets the library go on when the program
        has taken all.
        """
        with self._lock:
            piece = self._pieces.popleft() if self._pieces else None
            self._held -= len(piece or b"")
            resumes = self._is_paused and not self._pieces
            if resumes:
                self._is_paused = False
        if resumes:
            native.lib.restway_call_resume(call)
        return piece


@contextmanager
def receiving_into(request: Request, receiving: Receiving) -> Iterator[None]:
    """Calls that are sent in this context give their bodies to `receiving`."""
    receiver = native.BodyReceiver()
    check(native.lib.restway_body_receiver_init, native.ref(receiver), native.size_of(receiver))
    function = native.lib.restway_request_set_body_receiver
    with sending:
        token = functions.add(lambda: receiving, receiving)
        receiver.context = token
        receiver.head = on_receive_head_function
        receiver.receive = on_receive_body_function
        receiver.destroy = on_receive_destroy
        try:
            check(function, request._handle, native.ref(receiver))
        except BaseException:
            functions.remove(token)
            raise
        try:
            yield
        finally:
            check(function, request._handle, None)


class _Head:
    """The part of a streamed response that is there before its body."""

    def __init__(self, response: Response) -> None:
        self._response = response

    @property
    def status(self) -> int:
        """The HTTP status code."""
        return self._response.status

    @property
    def url(self) -> str:
        """The URL of the response, after redirects."""
        return self._response.url

    @property
    def headers(self) -> Headers:
        """The headers."""
        return self._response.headers

    @property
    def suggested_name(self) -> str | None:
        """The file name that the server suggests; see `Response.suggested_name`."""
        return self._response.suggested_name


class StreamedResponse(_Head):
    """A response whose body is read while it arrives, by one thread at a time."""

    def __init__(self, response: Response, stream: Stream) -> None:
        """For this package: `Client.stream` makes these."""
        super().__init__(response)
        self._stream = stream

    @property
    def trailers(self) -> Headers:
        """The trailers, header fields after the body; empty until the body was read to its end."""
        return self._stream.trailers

    def iter_bytes(self) -> Iterator[bytes]:
        """Yields the bytes of the body in pieces of any size. If the body does not come whole, the
        error is raised after its last piece.
        """
        while (piece := self._stream.next()) is not None:
            yield piece

    def read(self) -> bytes:
        """Returns all bytes that have not been read yet."""
        return b"".join(self.iter_bytes())


class Stream:
    """A streamed call, as a context manager; `Client.stream` makes it. Leaving the context cancels
    a call whose body has not come whole.
    """

    def __init__(self, client: Client, request: Request) -> None:
        """For this package: `Client.stream` makes streams."""
        self._client = client
        self._request = request
        self._changed = threading.Condition()
        self._receiving = Receiving(self._wake)
        self._call: Call | None = None
        self.trailers = Headers()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def __enter__(self) -> StreamedResponse:
        receiving = self._receiving
        with receiving_into(self._request, receiving):
            call = self._call = self._client.send(self._request)
        with self._changed:
            self._changed.wait_for(lambda: receiving.head is not None or receiving.has_ended)
        if receiving.head is None:
            call.wait()  # raises why there is no head
            raise RuntimeError("a call has succeeded without a head")
        return StreamedResponse(Response(receiving.head, self._client._layouts), self)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._call is not None:
            self._call.cancel()

    def next(self) -> bytes | None:
        """Waits for the next bytes; None at the end of the body."""
        call, receiving = self._call, self._receiving
        assert call is not None
        while True:
            has_ended = receiving.has_ended
            piece = receiving.take(call._handle)
            if piece is not None:
                return piece
            if has_ended:
                with call.wait() as response:  # raises why the body did not come whole
                    self.trailers = response.trailers
                return None
            with self._changed:
                self._changed.wait_for(lambda: receiving._pieces or receiving.has_ended)


class AsyncStreamedResponse(_Head):
    """A response whose body is read while it arrives, by one task at a time."""

    def __init__(self, response: Response, stream: AsyncStream) -> None:
        """For this package: `AsyncClient.stream` makes these."""
        super().__init__(response)
        self._stream = stream

    @property
    def trailers(self) -> Headers:
        """The trailers, header fields after the body; empty until the body was read to its end."""
        return self._stream.trailers

    async def iter_bytes(self) -> AsyncIterator[bytes]:
        """Yields the bytes of the body in pieces of any size. If the body does not come whole, the
        error is raised after its last piece.
        """
        while (piece := await self._stream.next()) is not None:
            yield piece

    async def read(self) -> bytes:
        """Returns all bytes that have not been read yet."""
        return b"".join([piece async for piece in self.iter_bytes()])


class AsyncStream:
    """A streamed call, as an asynchronous context manager; `AsyncClient.stream` makes it. Leaving
    the context cancels a call whose body has not come whole.
    """

    def __init__(self, client: AsyncClient, request: Request) -> None:
        """For this package: `AsyncClient.stream` makes streams."""
        self._client = client
        self._request = request
        self._changed = asyncio.Event()
        self._future: asyncio.Future[Response] | None = None
        self._call: native.CallHandle | None = None
        self.trailers = Headers()

    async def __aenter__(self) -> AsyncStreamedResponse:
        loop = asyncio.get_running_loop()

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._changed.set)

        receiving = self._receiving = Receiving(wake)
        with receiving_into(self._request, receiving):
            self._future, self._call = self._client._start(self._request)
        self._future.add_done_callback(lambda _: self._changed.set())
        try:
            while receiving.head is None and not self._future.done():
                await self._wait()
        except asyncio.CancelledError:
            native.lib.restway_call_cancel(self._call)
            raise
        if receiving.head is None:
            await self._future  # raises why there is no head
            raise RuntimeError("a call has succeeded without a head")
        return AsyncStreamedResponse(Response(receiving.head, self._client._layouts), self)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        native.lib.restway_call_cancel(self._call)
        if self._future is not None and self._future.done() and not self._future.cancelled():
            self._future.exception()  # the program may not have read to the end
        elif self._future is not None:
            self._future.add_done_callback(lambda future: future.cancelled() or future.exception())

    async def _wait(self) -> None:
        await self._changed.wait()
        self._changed.clear()

    async def next(self) -> bytes | None:
        """Waits for the next bytes; None at the end of the body."""
        assert self._future is not None
        assert self._call is not None
        while True:
            has_ended = self._future.done()
            piece = self._receiving.take(self._call)
            if piece is not None:
                return piece
            if has_ended:
                response = await self._future  # raises why the body did not come whole
                self.trailers = response.trailers
                return None
            await self._wait()
