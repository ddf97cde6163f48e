"""Batch sessions: several requests sent as one call, and the formats of such calls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from . import _ffi as native
from ._base.hints import PATHS, require, require_number
from ._base.interfaces import OneText
from ._base.lazy import asyncio
from ._call import Call
from ._enums import Status
from ._ffi.callbacks import Holding, completions, questions
from ._ffi.trampolines import (
    on_batch_decode_function,
    on_batch_done_function,
    on_batch_encode_function,
    on_done_destroy,
    on_question_destroy,
)
from ._functions import fail
from ._handles import Owner, check, errors, failed, make, milliseconds, name
from ._handles.waiting import leave, waiting
from ._request import Request
from ._response import Response
from ._verbs import Verbs

if TYPE_CHECKING:
    from ._call import OnDone
    from ._request import Scoped
    from ._types import AwaitedClient, BlockingClient


class BatchRequest(NamedTuple):
    """One request of a batch, which a batch format writes into a body."""

    method: str
    """The method, such as "GET"."""
    uri: str
    """The URL, relative to the base URL, with a leading slash and its query."""
    headers: Mapping[str, str]
    """The request's own headers. The headers of the call that carries the batch apply to all its
    requests.
    """
    body: bytes | None
    """The body; None for a request without one."""

    def __repr__(self) -> str:  # headers, a query and a body may hold secrets
        body = "no body" if self.body is None else f"{len(self.body)} bytes"
        return f"<BatchRequest {self.method} {self.uri.partition('?')[0]}, {body}>"


class BatchAnswer(NamedTuple):
    """The answer to one request of a batch, as the `decode` function of a batch format returns it.

        restway.BatchAnswer(200, '{"id": 7}', {"Content-Type": "application/json"})
    """

    code: int
    """The HTTP status, 200 to 599."""
    body: bytes | str = b""
    """The body; a str is taken as UTF-8."""
    headers: Mapping[str, str] = {}  # it is never changed

    def __repr__(self) -> str:  # headers and a body may hold secrets
        return f"<BatchAnswer {self.code}, {len(self.body)} bytes>"
    """The headers of the answer."""


BatchEncode = Callable[[Sequence[BatchRequest]], Union[bytes, tuple[bytes, str]]]
"""A function that receives the requests of a call and returns its body: bytes (JSON), or the bytes
with their media type.
"""

BatchDecode = Callable[[bytes, int], Sequence[Union[BatchAnswer, None]]]
"""A function that receives the body of a 2xx answer and the number of requests, and returns the
answers in the order of the requests. None stands for an answer that the server has not given; that
request fails alone.
"""


class _Format:
    """The two functions of a batch format."""

    __slots__ = ("_decode", "_encode")

    def __init__(self, encode: BatchEncode, decode: BatchDecode) -> None:
        self._encode = encode
        self._decode = decode

    def encode(self, writer: native.BatchWriterHandle) -> None:
        count = native.lib.restway_batch_writer_count(writer)
        made = self._encode([_request(writer, index) for index in range(count)])
        body, media_type = (made, "application/json") if isinstance(made, bytes) else made
        check(
            native.lib.restway_batch_writer_set_body, writer, body, len(body), name(media_type)
        )

    def decode(self, reader: native.BatchReaderHandle) -> None:
        lib, length = native.lib, native.number()
        address = lib.restway_batch_reader_body(reader, native.ref(length))
        count: int = lib.restway_batch_reader_count(reader)
        answers = self._decode(native.read(address, length.value), count)
        if len(answers) != count:
            raise ValueError(f"{len(answers)} answers for {count} requests")
        for index, answer in enumerate(answers):
            if answer is None:
                continue
            body = answer.body.encode() if isinstance(answer.body, str) else answer.body
            # An answer that cannot be read is left out, and the other answers count.
            set_answer, add_header = (
                lib.restway_batch_reader_set_answer,
                lib.restway_batch_reader_add_header,
            )
            if set_answer(reader, index, answer.code, body, len(body), None) != Status.OK:
                continue
            for header, value in answer.headers.items():
                add_header(reader, index, name(header), name(value), None)


def _request(writer: native.BatchWriterHandle, index: int) -> BatchRequest:
    lib, length = native.lib, native.number()
    address = lib.restway_batch_writer_body(writer, index, native.ref(length))
    headers = {
        native.borrowed(lib.restway_batch_writer_header_name(writer, index, header)) or "": (
            native.borrowed(lib.restway_batch_writer_header_value(writer, index, header)) or ""
        )
        for header in range(lib.restway_batch_writer_header_count(writer, index))
    }
    return BatchRequest(
        native.borrowed(lib.restway_batch_writer_method(writer, index)) or "",
        native.borrowed(lib.restway_batch_writer_uri(writer, index)) or "",
        headers,
        native.read(address, length.value) if address else None,
    )


def set_batch_format(
    client: native.ClientHandle,
    encode: BatchEncode | None,
    decode: BatchDecode | None,
    holding: Holding,
) -> None:
    """Sets the format of a client's batches; if both are None, the built-in format is used."""
    function = native.lib.restway_client_set_batch_format
    if encode is None and decode is None:
        nobody = (native.NULL_BATCH_ENCODE, native.NULL_BATCH_DECODE, None, native.NULL_DESTROY)
        check(function, client, *nobody)
        return
    if not callable(encode) or not callable(decode):
        raise TypeError("a batch format is two functions")
    made = _Format(encode, decode)

    def run(
        handle: native.BatchWriterHandle | native.BatchReaderHandle, answer: native.AnswerHandle
    ) -> int:
        try:
            if isinstance(handle, native.BatchWriterHandle):
                made.encode(handle)
            else:
                made.decode(handle)
        except BaseException as error:
            return fail(error, answer)
        return Status.OK

    token = questions.add(run, made, holding)
    trampolines = (on_batch_encode_function, on_batch_decode_function)
    try:
        check(function, client, *trampolines, token, on_question_destroy)
    except BaseException:
        questions.remove(token)
        raise


def batch_text(batch: Batch | AsyncBatch, sent: bool) -> str:
    """For this package: returns the `repr` of a batch."""
    if batch._owned is None:
        return f"<{type(batch).__name__}, closed>"
    state = "done" if batch.done else "sent" if sent else "not sent"
    return f"<{type(batch).__name__}, {len(batch)} requests, {state}>"


OnBatchDone = Callable[["Batch"], object]
"""A function that is called when all requests of a batch have completed; its `wait()` then returns
at once.
"""


class BatchMethods(OneText, ABC):
    """The methods of batches."""

    __slots__ = ()

    @abstractmethod
    def add(self, *arguments: Any, **options: Any) -> Any:
        """Adds a request. It is a call like any other, with a response of its own.

        Args:
            on_done: As in `Client.send`; only a batch of a Client takes it.

        An AsyncBatch returns a future, which is done when the request is answered; cancelling it
        cancels the request. All others return the call.

        Raises a RouteError when no URL below the base URL can be made of the request; UsageError
        for a body that a batch cannot hold, and for a batch that was sent; ClosedError.
        """

    @abstractmethod
    def send(self, *arguments: Any, **options: Any) -> Any:
        """Sends the requests. An empty batch sends nothing. A batch of a Client does not wait, see
        `Batch.wait`; awaiting it returns when all requests have completed.

        Args:
            on_done: Only of a batch of a Client: called at most once, after the callbacks of the
                requests, where the client's delivery mode says.

        Raises UsageError for a batch that was sent before; CancelledError; ClosedError. Awaiting it
        raises what `Batch.wait` raises, and cancelling it cancels the requests.
        """

    @abstractmethod
    def cancel(self) -> None:
        """Ends every request that has not completed with CancelledError."""

    @property
    @abstractmethod
    def done(self) -> bool:
        """Whether all requests have completed."""


class Batch(BatchMethods, Owner[native.BatchHandle], Verbs[Call]):
    """Requests that are sent together, in as few calls as the document's `batch` allows.

        with client.batch() as batch:
            one, two = batch.get("enterprises/1"), batch.get("enterprises/2")
        print(one.wait().object.name, two.wait().object.name)

    Leaving the context sends the requests and waits; an exception inside the context cancels them.
    A batch is usable from any thread.
    """

    __slots__ = ("_client", "_scoped", "_sent", "calls")

    def __init__(self, client: BlockingClient, scoped: Scoped | None = None) -> None:
        """For this package: `Client.batch` and `Scope.batch` make batches."""
        super().__init__(make(native.BatchHandle, native.lib.restway_batch_create, client._handle))
        self._client = client
        self._scoped = scoped
        self._sent = False
        self.calls: list[Call] = []
        """The calls of the requests, in the order in which the requests were added."""

    def add(self, request: Request, on_done: OnDone | None = None) -> Call:
        request = require(request, Request, PATHS)
        if self._scoped is not None:
            request = self._scoped(request)
        call = self._client._send(request, on_done, self._start)
        self.calls.append(call)
        return call

    def _carry_out(self, request: Request) -> Call:
        return self.add(request)

    def send(self, on_done: OnBatchDone | None = None) -> None:
        lib = native.lib
        if on_done is None:
            nobody = (native.NULL_BATCH_DONE, None, native.NULL_DESTROY)
            check(lib.restway_batch_send, self._handle, *nobody)
        else:
            given = on_done
            token = completions.add(lambda: given(self), on_done)
            try:
                told = (on_batch_done_function, token, on_done_destroy)
                check(lib.restway_batch_send, self._handle, *told)
            except BaseException:
                completions.remove(token)
                raise
        self._sent = True

    def wait(self, timeout: float | None = None) -> None:
        """Waits until every request has completed.

        Args:
            timeout: Seconds to wait at most. When they pass, the batch is cancelled.

        Raises the error with which a call of the batch failed (BatchError for an answer that does
        not have the batch format, a TransportError, HTTPStatusError, ...); TimedOutError;
        WouldBlockError inside a callback, unless the batch is done. The answer to a request is in
        the request's own call. In the main thread, signals are handled during the wait; if a
        handler raises, the batch is cancelled and the exception is raised here.
        """

        def wait(limit: int) -> int:
            status: int = native.lib.restway_batch_wait(self._handle, limit, errors.out)
            return status

        status = waiting(wait, milliseconds(timeout, unbounded=0), give_up=self.cancel)
        if status:
            raise failed(status, self._client._layouts)

    def response(self, index: int) -> Response:
        """Returns the response to the request at `index`; raises the error with which its call
        failed.
        """
        layouts = self._client._layouts
        handle = make(
            native.ResponseHandle,
            native.lib.restway_batch_response,
            self._handle,
            require_number(index, "an index"),
            layouts=layouts,
        )
        return Response(handle, layouts)

    def cancel(self) -> None:
        native.lib.restway_batch_cancel(self._handle)

    @property
    def done(self) -> bool:
        return bool(native.lib.restway_batch_is_complete(self._handle))

    def __len__(self) -> int:
        count: int = native.lib.restway_batch_count(self._handle)
        return count

    def __repr__(self) -> str:
        return batch_text(self, self._sent)

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


class AsyncBatch(BatchMethods, Owner[native.BatchHandle], Verbs["asyncio.Future[Response]"]):
    """Requests of an AsyncClient that are sent together.

        async with client.batch() as batch:
            one, two = batch.get("enterprises/1"), batch.get("enterprises/2")
        print((await one).object.name, (await two).object.name)

    Leaving the context sends them and waits; an exception inside of it cancels them.
    """

    __slots__ = ("_client", "_scoped", "_sent", "futures")

    def __init__(self, client: AwaitedClient, scoped: Scoped | None = None) -> None:
        """For this package: `AsyncClient.batch` and `AsyncScope.batch` make batches."""
        super().__init__(make(native.BatchHandle, native.lib.restway_batch_create, client._handle))
        self._client = client
        self._scoped = scoped
        self._sent = False
        self.futures: list[asyncio.Future[Response]] = []
        """The futures of the requests, in the order in which the requests were added."""

    def add(self, request: Request) -> asyncio.Future[Response]:
        client = self._client
        request = require(request, Request, PATHS)
        if self._scoped is not None:
            request = self._scoped(request)
        link = client._linked()
        future, call = link.send(request._handle, client._watcher(request), self._handle)
        # a batch has no body that is read while it is sent
        future.add_done_callback(partial(client._sent, call, None))
        self.futures.append(future)
        return future

    def _carry_out(self, request: Request) -> asyncio.Future[Response]:
        return self.add(request)

    async def send(self) -> None:
        future = self._client._linked().send_batch(self._handle)
        self._sent = True
        try:
            await future
        except BaseException as error:
            for each in self.futures:
                leave(each)  # the program has this error
            if isinstance(error, asyncio.CancelledError):
                self.cancel()
            raise

    def cancel(self) -> None:
        native.lib.restway_batch_cancel(self._handle)

    @property
    def done(self) -> bool:
        return bool(native.lib.restway_batch_is_complete(self._handle))

    def __len__(self) -> int:
        count: int = native.lib.restway_batch_count(self._handle)
        return count

    def __repr__(self) -> str:
        return batch_text(self, self._sent)

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
