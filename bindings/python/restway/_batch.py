"""Batch sessions: several requests sent as one call."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from . import _native as native
from ._batch_verbs import BatchVerbs
from ._boundary import Owner, check, make, milliseconds
from ._call import Call
from ._callbacks import completions, inside, on_done_destroy, report
from ._interception import asking
from ._request import Request
from ._response import Response
from ._structures_batch import NULL_BATCH_DONE, BatchDoneFn, BatchHandle

if TYPE_CHECKING:
    from ._client import Client, OnDone

OnBatchDone = Callable[["Batch"], object]
"""Told that all requests of a batch have completed: its `wait()` then answers at once."""


class Batch(Owner[BatchHandle], BatchVerbs[Call]):
    """Requests that go out together, in as few calls as the document's `batch` allows.

        with client.batch() as batch:
            one, two = batch.get("enterprises/1"), batch.get("enterprises/2")
        print(one.wait().object.name, two.wait().object.name)

    Leaving the context sends them and waits; an exception inside of it cancels them. Usable from
    any thread.
    """

    __slots__ = ("_client", "_sent", "calls")

    def __init__(self, client: Client) -> None:
        """For this package: `Client.batch` makes batches."""
        super().__init__(make(BatchHandle, native.lib.restway_batch_create, client._handle))
        self._client = client
        self._sent = False
        self.calls: list[Call] = []
        """Of the requests, in the order in which they were added."""

    def add(self, request: Request, on_done: OnDone | None = None) -> Call:
        """Adds a request, which is a call like any other: with a response of its own.

        Args:
            on_done: As in `Client.send`.

        Raises a RouteError when no URL below the base URL can be made of the request; UsageError
        for a body that a batch cannot hold, and for a batch that was sent; ClosedError.
        """
        client = self._client
        if client._interceptor is None:
            call = client._send(request, on_done, None, self._start)
        else:
            with asking(client._handle, client._interceptor) as question:
                call = client._send(request, on_done, question, self._start)
        self.calls.append(call)
        return call

    def send(self, on_done: OnBatchDone | None = None) -> None:
        """Sends the requests without waiting. Without requests nothing is sent.

        Args:
            on_done: Called exactly once, behind the callbacks of the requests, where the client's
                delivery mode says.

        Raises UsageError for a batch that was sent before; CancelledError; ClosedError.
        """
        lib = native.lib
        if on_done is None:
            check(lib.restway_batch_send, self._handle, NULL_BATCH_DONE, None, native.NULL_DESTROY)
        else:
            given = on_done
            token = completions.add(lambda: given(self), on_done)
            try:
                check(
                    lib.restway_batch_send, self._handle, _on_batch_done, token, on_done_destroy
                )
            except BaseException:
                completions.remove(token)
                raise
        self._sent = True

    def wait(self, timeout: float | None = None) -> None:
        """Waits until every request has completed.

        Args:
            timeout: Seconds to wait at most. When they pass, the batch is cancelled.

        Raises what a call of the batch failed with (BatchError for an answer that is none, a
        TransportError, HTTPStatusError, ...); TimedOutError; WouldBlockError inside a callback,
        unless the batch is done. What a request was answered, its call says.
        """
        check(
            native.lib.restway_batch_wait,
            self._handle,
            milliseconds(timeout, unbounded=0),
            layouts=self._client._layouts,
        )

    def response(self, index: int) -> Response:
        """What the request at `index` was answered; raises what its call failed with."""
        layouts = self._client._layouts
        handle = make(
            native.ResponseHandle,
            native.lib.restway_batch_response,
            self._handle,
            index,
            layouts=layouts,
        )
        return Response(handle, layouts)

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            self.cancel()
            return
        if not self._sent:
            self.send()
        self.wait()

    def _start(
        self, request: Request, done: object, token: int | None, destroy: object
    ) -> native.CallHandle:
        return make(
            native.CallHandle,
            native.lib.restway_batch_add,
            self._handle,
            request._handle,
            done,
            token,
            destroy,
            layouts=self._client._layouts,
        )


def _batch_done(
    context: int | None, _batch: BatchHandle, _status: int, _error: native.ErrorHandle
) -> None:
    entry = None
    try:
        entry = completions.get(context)
        with inside:
            entry.run()
    except BaseException:
        report(entry and entry.callback, "a completion callback of a batch")


_on_batch_done = BatchDoneFn(_batch_done)
