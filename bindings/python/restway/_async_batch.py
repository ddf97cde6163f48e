"""Batch sessions for asyncio."""

from __future__ import annotations

import asyncio
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING

from . import _native as native
from ._batch_verbs import BatchVerbs
from ._boundary import Owner, make
from ._interception import asking
from ._request import Request
from ._response import Response
from ._structures_batch import BatchHandle

if TYPE_CHECKING:
    from ._async_client import AsyncClient


class AsyncBatch(Owner[BatchHandle], BatchVerbs["asyncio.Future[Response]"]):
    """Requests of an AsyncClient that go out together.

        async with client.batch() as batch:
            one, two = batch.get("enterprises/1"), batch.get("enterprises/2")
        print((await one).object.name, (await two).object.name)

    Leaving the context sends them and waits; an exception inside of it cancels them.
    """

    __slots__ = ("_client", "_sent", "futures")

    def __init__(self, client: AsyncClient) -> None:
        """For this package: `AsyncClient.batch` makes batches."""
        super().__init__(make(BatchHandle, native.lib.restway_batch_create, client._handle))
        self._client = client
        self._sent = False
        self.futures: list[asyncio.Future[Response]] = []
        """Of the requests, in the order in which they were added."""

    def add(self, request: Request) -> asyncio.Future[Response]:
        """Adds a request; its future is done when it is answered. Cancelling that cancels it.

        Raises a RouteError when no URL below the base URL can be made of the request; UsageError
        for a body that a batch cannot hold, and for a batch that was sent; ClosedError.
        """
        client = self._client
        link = client._linked()
        if client._interceptor is None:
            future, call = link.send(request._handle, None, request.watcher, self._handle)
        else:
            with asking(client._handle, client._interceptor) as question:
                future, call = link.send(request._handle, question, request.watcher, self._handle)
        future.add_done_callback(partial(client._sent, call, None))  # no reader is in a batch
        self.futures.append(future)
        return future

    async def send(self) -> None:
        """Sends the requests, and returns when all have completed. Without requests nothing is
        sent.

        Raises what a call of the batch failed with (BatchError for an answer that is none, a
        TransportError, HTTPStatusError, ...); UsageError for a batch that was sent before;
        ClosedError. Cancelling it cancels the requests.
        """
        future = self._client._linked().send_batch(self._handle)
        self._sent = True
        try:
            await future
        except asyncio.CancelledError:
            self.cancel()
            raise

    def cancel(self) -> None:
        """Ends every request that has not completed with CancelledError."""
        native.lib.restway_batch_cancel(self._handle)

    @property
    def done(self) -> bool:
        """Whether all requests have completed."""
        return bool(native.lib.restway_batch_is_complete(self._handle))

    def __len__(self) -> int:
        count: int = native.lib.restway_batch_count(self._handle)
        return count

    async def __aenter__(self) -> AsyncBatch:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            for future in self.futures:
                future.cancel()
            self.cancel()
        elif not self._sent:
            await self.send()
