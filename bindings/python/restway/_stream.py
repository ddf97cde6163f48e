"""Streams: answers that are read while they arrive, as bytes or as events."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypedDict, TypeVar, Union

from . import _ffi as native
from ._base.headers import Headers
from ._base.hints import RequestText
from ._base.interfaces import OneText
from ._base.lazy import asyncio
from ._call import Call, cancelling
from ._enums import StreamFormat
from ._ffi.callbacks import receivers
from ._ffi.trampolines import (
    on_receive_body_function,
    on_receive_destroy,
    on_receive_event_function,
    on_receive_head_function,
)
from ._functions import sending
from ._handles import check, failure
from ._handles.waiting import leave
from ._object import Layouts, Object
from ._request import Request
from ._response import ByteStream, Response, StreamEvent, StreamHead

if TYPE_CHECKING:
    from ._types import AwaitedClient, BlockingClient

_HELD_BYTES_MAX = 1 << 20
"""When this many bytes wait for the program, the library is asked to pause."""


Piece = TypeVar("Piece")
"""A piece of a stream: bytes of a body, or one event."""


class Signal:
    """Wakes the thread that reads a stream. It does not refer to the stream, so that a stream is
    freed with its last reference.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()

    def set(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def wait_for(self, predicate: Callable[[], bool]) -> None:
        with self._changed:
            self._changed.wait_for(predicate)


class LoopSignal:
    """Wakes the task that reads a stream, from any thread."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def attach(self) -> None:
        """Chooses the running event loop as the loop of the task."""
        self._loop = asyncio.get_running_loop()

    def set(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self) -> None:
        await self._event.wait()
        self._event.clear()


Wake = Callable[[], object]
"""Wakes the thread or task that reads a stream."""


class Receiving(Generic[Piece]):
    """The pieces of one stream between the library's thread and the program."""

    def __init__(self, wake: Wake) -> None:
        self.head: native.ResponseHandle | None = None
        self.has_ended = False
        self._wake = wake
        self._lock = threading.Lock()
        self._pieces: deque[tuple[Piece, int]] = deque()
        self._held = 0
        self._is_paused = False

    @property
    def is_waiting(self) -> bool:
        """Whether pieces wait for the program."""
        return bool(self._pieces)

    def receive_head(self, response: native.ResponseHandle) -> None:
        """Takes the head, on a thread of the library."""
        self.head = native.own(native.lib.restway_response_retain(response))
        self._wake()

    def put(self, piece: Piece, size: int) -> bool:
        """Takes a piece that holds `size` bytes, on a thread of the library. Returns whether the
        library shall pause.
        """
        with self._lock:
            self._pieces.append((piece, size))
            self._held += size
            pauses = self._held >= _HELD_BYTES_MAX
            # After a pause, the library still delivers the other events of the same commit.
            self._is_paused = self._is_paused or pauses
        self._wake()
        return pauses

    def end(self) -> None:
        """Called when the call has ended, on any thread."""
        self.has_ended = True
        self._wake()

    def take(self, call: native.CallHandle) -> Piece | None:
        """Returns the next piece, or None if no piece waits. Resumes the library's receiver when
        the program has taken all pieces.
        """
        with self._lock:
            piece, size = self._pieces.popleft() if self._pieces else (None, 0)
            self._held -= size
            resumes = self._is_paused and not self._pieces
            if resumes:
                self._is_paused = False
        if resumes:
            native.lib.restway_call_resume(call)
        return piece


class ReceivingBytes(Receiving[bytes]):
    """The bytes of one body between the library's thread and the program."""

    def receive(self, piece: bytes) -> bool:
        """Takes bytes, on a thread of the library. Returns whether the library shall pause."""
        return self.put(piece, len(piece))


def body_receiver() -> native.BodyReceiver:
    """For this package: returns a receiver of bytes."""
    receiver = native.BodyReceiver()
    check(native.lib.restway_body_receiver_init, native.ref(receiver), native.size_of(receiver))
    receiver.head = on_receive_head_function
    receiver.receive = on_receive_body_function
    receiver.destroy = on_receive_destroy
    return receiver


Receiver = Union[native.BodyReceiver, native.EventReceiver]


@contextmanager
def receiving(request: Request, receiver: Receiver, target: Receiving[Any]) -> Iterator[None]:
    """Calls that are sent in this context give the head and the pieces of their answers to
    `target`.
    """
    if isinstance(receiver, native.BodyReceiver):
        function = native.lib.restway_request_set_body_receiver
    else:
        function = native.lib.restway_request_set_event_receiver
    with sending:
        token = receivers.add(lambda: target, target)
        receiver.context = token
        try:
            check(function, request._handle, native.ref(receiver))
        except BaseException:
            receivers.remove(token)
            raise
        try:
            yield
        finally:
            check(function, request._handle, None)


class BodyMethods(OneText, ABC):
    """The methods of a response whose body is read while it arrives."""

    __slots__ = ()

    @property
    @abstractmethod
    def trailers(self) -> Headers:
        """The trailers, header fields after the body; empty until the body was read to its end."""

    @abstractmethod
    def iter_bytes(self) -> Any:
        """Yields the bytes of the body in pieces of any size. If the body does not come whole, the
        error is raised after its last piece.
        """

    @abstractmethod
    def read(self) -> Any:
        """Returns all bytes that have not been read yet."""


class StreamedResponse(BodyMethods, StreamHead):
    """A response whose body is read while it arrives, by one thread at a time."""

    def __init__(self, response: Response, stream: Stream) -> None:
        """For this package: `Client.stream` makes these."""
        super().__init__(response)
        self._stream = stream

    @property
    def trailers(self) -> Headers:
        return self._stream.trailers

    def iter_bytes(self) -> Iterator[bytes]:
        while (piece := self._stream.next()) is not None:
            yield piece

    def read(self) -> bytes:
        return b"".join(self.iter_bytes())


class StreamedCall(RequestText, Generic[Piece]):
    """A call whose answer is read while it arrives, as a context manager. Leaving the context
    cancels a call that has not ended.
    """

    def __init__(
        self,
        client: BlockingClient,
        request: Request,
        receiver: Receiver,
        receiving: Callable[[Wake], Receiving[Piece]],
    ) -> None:
        """For this package: clients make these."""
        self._client = client
        self._request = request
        self._receiver = receiver
        self._changed = Signal()
        self._receiving = receiving(self._changed.set)
        self._call: Call | None = None
        self.trailers = Headers()

    def _begin(self) -> Response:
        """Sends the request and waits for the head of the answer."""
        target = self._receiving
        with receiving(self._request, self._receiver, target):
            call = self._call = self._client.send(self._request)
        with cancelling(call):
            self._changed.wait_for(lambda: target.head is not None or target.has_ended)
        if target.head is None:
            return call.wait()  # raises why there is no head
        return Response(target.head, self._client._layouts)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._call is not None:
            self._call.cancel()

    def next(self) -> Piece | None:
        """Waits for the next piece; None at the end."""
        call, receiving = self._call, self._receiving
        assert call is not None
        while True:
            has_ended = receiving.has_ended
            piece = receiving.take(call._handle)
            if piece is not None:
                return piece
            if has_ended:
                with call.wait() as response:  # raises why the stream has not ended well
                    self.trailers = response.trailers
                return None
            self._changed.wait_for(lambda: receiving.is_waiting or receiving.has_ended)


class Stream(StreamedCall[bytes]):
    """A streamed call, as a context manager; `Client.stream` makes it. Leaving the context cancels
    a call whose body has not come whole.
    """

    def __enter__(self) -> StreamedResponse:
        return StreamedResponse(self._begin(), self)


class AsyncStreamedResponse(BodyMethods, StreamHead):
    """A response whose body is read while it arrives, by one task at a time."""

    def __init__(self, response: Response, stream: ByteStream) -> None:
        """For this package: `AsyncClient.stream` makes these."""
        super().__init__(response)
        self._stream = stream

    @property
    def trailers(self) -> Headers:
        return self._stream.trailers

    async def iter_bytes(self) -> AsyncIterator[bytes]:
        while (piece := await self._stream.next()) is not None:
            yield piece

    async def read(self) -> bytes:
        return b"".join([piece async for piece in self.iter_bytes()])


class AsyncStreamedCall(RequestText, Generic[Piece]):
    """A call whose answer is read while it arrives, as an asynchronous context manager. Leaving the
    context cancels a call that has not ended.
    """

    def __init__(
        self,
        client: AwaitedClient,
        request: Request,
        receiver: Receiver,
        receiving: Callable[[Wake], Receiving[Piece]],
    ) -> None:
        """For this package: clients make these."""
        self._client = client
        self._request = request
        self._receiver = receiver
        self._changed = LoopSignal()
        self._receiving = receiving(self._changed.set)
        self._future: asyncio.Future[Response] | None = None
        self._call: native.CallHandle | None = None
        self.trailers = Headers()

    async def _begin(self) -> Response:
        """Sends the request and waits for the head of the answer."""
        changed = self._changed
        changed.attach()
        target = self._receiving
        with receiving(self._request, self._receiver, target):
            self._future, self._call = self._client._start(self._request)
        self._future.add_done_callback(lambda _: changed.set())
        try:
            while target.head is None and not self._future.done():
                await changed.wait()
        except asyncio.CancelledError:
            native.lib.restway_call_cancel(self._call)
            leave(self._future)
            raise
        if target.head is None:
            return await self._future  # raises why there is no head
        return Response(target.head, self._client._layouts)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        native.lib.restway_call_cancel(self._call)
        if self._future is not None:
            leave(self._future)  # the program may not have read to the end

    async def next(self) -> Piece | None:
        """Waits for the next piece; None at the end."""
        assert self._future is not None
        assert self._call is not None
        while True:
            has_ended = self._future.done()
            piece = self._receiving.take(self._call)
            if piece is not None:
                return piece
            if has_ended:
                response = await self._future  # raises why the stream has not ended well
                self.trailers = response.trailers
                return None
            await self._changed.wait()


class AsyncStream(AsyncStreamedCall[bytes]):
    """A streamed call, as an asynchronous context manager; `AsyncClient.stream` makes it. Leaving
    the context cancels a call whose body has not come whole.
    """

    async def __aenter__(self) -> AsyncStreamedResponse:
        return AsyncStreamedResponse(await self._begin(), self)


_FORMATS = {
    None: StreamFormat.DEFAULT,
    "events": StreamFormat.EVENTS,
    "lines": StreamFormat.LINES,
    "sequence": StreamFormat.SEQUENCE,
}

_EVENT_BYTES = 512
"""The approximate number of bytes of memory that an event without data takes."""


class EventOptions(TypedDict, total=False):
    """The keywords of `events`.

    Attributes:
        format: The format: "events" (Server-Sent Events), "lines" (JSON lines) or "sequence" (JSON
            text sequences, RFC 7464). None, the default, takes the route's "stream", or else the
            format of the media type of the answer.
        event_bytes_max: The largest event in bytes (default 16 MiB). A larger event raises
            TooLargeError.
        reconnections_max: The largest number of consecutive reconnections that bring no event. A
            stream of Server-Sent Events is opened again when its connection ends. 0 allows no
            reconnection; None, the default, sets no limit.
    """

    format: Literal["events", "lines", "sequence"] | None
    event_bytes_max: int
    reconnections_max: int | None


def event_receiver(
    format: str | None = None,
    event_bytes_max: int = 16 << 20,
    reconnections_max: int | None = None,
) -> native.EventReceiver:
    """For this package: returns a receiver of events with these options. Raises ValueError for a
    format that does not exist.
    """
    if format not in _FORMATS:
        raise ValueError(f"{format!r} is not a format of event streams")
    receiver = native.EventReceiver()
    check(native.lib.restway_event_receiver_init, native.ref(receiver), native.size_of(receiver))
    receiver.head = on_receive_head_function
    receiver.receive = on_receive_event_function
    receiver.destroy = on_receive_destroy
    receiver.format = _FORMATS[format]
    receiver.event_bytes_max = event_bytes_max
    receiver.reconnections_max = 0 if reconnections_max is None else reconnections_max or -1
    return receiver


class ReceivingEvents(Receiving[StreamEvent]):
    """The events of one stream between the library's thread and the program."""

    def __init__(self, layouts: Layouts, wake: Wake) -> None:
        super().__init__(wake)
        self._layouts = layouts

    def receive_event(self, event: native.StreamEvent) -> bool:
        """Takes an event, on a thread of the library. Returns whether the library shall pause."""
        layouts, error = self._layouts, None
        if event.error:
            handle = native.own(native.lib.restway_error_retain(event.error))
            error = failure(native.lib.restway_error_status(handle), handle, layouts)
        made = StreamEvent(
            native.borrowed(event.name) or "",
            native.borrowed(event.id) or "",
            native.read(event.data, event.length),
            tuple(
                Object.retained(event.objects[index], layouts)
                for index in range(event.object_count)
            ),
            error,
        )
        return self.put(made, _EVENT_BYTES + len(made.data))


def request_of(target: Request | str) -> Request:
    """For this package: returns a request; a str is a path for GET."""
    if isinstance(target, str):
        return Request.path("GET", target)
    if not isinstance(target, Request):
        raise TypeError(f"a Request or a path is needed, not {target!r}")
    return target


class EventStream(StreamedCall[StreamEvent]):
    """An event stream, as a context manager; `Client.events` makes it. One thread at a time
    iterates over its events. Leaving the context ends the stream.
    """

    head: StreamHead
    """Status, headers and URL of the first connection, once the context is entered."""

    def __enter__(self) -> EventStream:
        self.head = StreamHead(self._begin())
        return self

    def __iter__(self) -> Iterator[StreamEvent]:
        """Yields the events while they arrive. If the stream does not end well, the error is raised
        after its last event.
        """
        while (event := self.next()) is not None:
            yield event


class AsyncEventStream(AsyncStreamedCall[StreamEvent]):
    """An event stream, as an asynchronous context manager; `AsyncClient.events` makes it. One task
    at a time iterates over its events. Leaving the context ends the stream.
    """

    head: StreamHead
    """Status, headers and URL of the first connection, once the context is entered."""

    async def __aenter__(self) -> AsyncEventStream:
        self.head = StreamHead(await self._begin())
        return self

    async def __aiter__(self) -> AsyncIterator[StreamEvent]:
        """Yields the events while they arrive. If the stream does not end well, the error is raised
        after its last event.
        """
        while (event := await self.next()) is not None:
            yield event
