"""Streams and event streams of an AnyioClient."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import Generic

from anyio.lowlevel import checkpoint

from .._base.headers import Headers
from .._base.hints import RequestText
from .._call import Call
from .._client import Client
from .._request import Request
from .._response import Response, StreamEvent, StreamHead
from .._stream import AsyncStreamedResponse, Piece, Receiver, Receiving, Wake, receiving
from ._waiting import Signal


class AnyioStreamedCall(RequestText, Generic[Piece]):
    """A call whose answer is read while it arrives, as an asynchronous context manager. Leaving the
    context cancels a call that has not ended.
    """

    def __init__(
        self,
        client: Client,
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
        self._is_done = False
        self.trailers = Headers()

    def _done(self, _: Call) -> None:
        self._is_done = True
        self._changed.set()

    async def _begin(self) -> Response:
        """Sends the request and waits for the head of the answer."""
        self._changed.attach()
        target = self._receiving
        with receiving(self._request, self._receiver, target):
            call = self._call = self._client.send(self._request, self._done)
        try:
            await self._changed.wait_for(lambda: target.head is not None or self._is_done)
        except BaseException:
            call.cancel()
            raise
        if target.head is None:
            return call.wait()  # raises why there is no head
        return Response(target.head, self._client._layouts)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._call is not None:
            self._call.cancel()

    async def next(self) -> Piece | None:
        """Waits for the next piece; None at the end."""
        assert self._call is not None
        call, target = self._call, self._receiving
        await checkpoint()  # other tasks run, also if pieces come faster than they are read
        while True:
            is_done = self._is_done
            piece = target.take(call._handle)
            if piece is not None:
                return piece
            if is_done:
                with call.wait() as response:  # raises why the stream has not ended well
                    self.trailers = response.trailers
                return None
            await self._changed.wait_for(lambda: target.is_waiting or self._is_done)


class AnyioStream(AnyioStreamedCall[bytes]):
    """A streamed call, as an asynchronous context manager; `AnyioClient.stream` makes it. Leaving
    the context cancels a call whose body has not come whole.
    """

    async def __aenter__(self) -> AsyncStreamedResponse:
        return AsyncStreamedResponse(await self._begin(), self)


class AnyioEventStream(AnyioStreamedCall[StreamEvent]):
    """An event stream, as an asynchronous context manager; `AnyioClient.events` makes it. One task
    at a time iterates over its events. Leaving the context ends the stream.
    """

    head: StreamHead
    """Status, headers and URL of the first connection, once the context is entered."""

    async def __aenter__(self) -> AnyioEventStream:
        self.head = StreamHead(await self._begin())
        return self

    async def __aiter__(self) -> AsyncIterator[StreamEvent]:
        """Yields the events while they arrive. If the stream does not end well, the error is raised
        after its last event.
        """
        while (event := await self.next()) is not None:
            yield event
