"""The way of one client's events into one event loop."""

from __future__ import annotations

import asyncio
import itertools
import os

from . import _native as native
from ._attempts import OnAttempt, attempts_of
from ._boundary import check
from ._buffers import EventBuffer
from ._changes import Changes
from ._enums import Domain, EventKind, Status
from ._exceptions import ForkedError
from ._exit import stop_daemon_thread
from ._failures import failure
from ._interception import Question
from ._object import Layouts
from ._observer import Observed, Observer, OnChange, start_observing
from ._outbox_link import OutboxLink
from ._progress import OnProgress, call_progress
from ._questions import on_attempt_function
from ._response import Response
from ._structures_batch import NULL_BATCH_DONE, BatchHandle

_COMPLETED, _CHANGED = int(EventKind.COMPLETED), int(EventKind.CHANGED)
_PROGRESS, _ATTEMPT = int(EventKind.PROGRESS), int(EventKind.ATTEMPT)
_BATCH = int(EventKind.BATCH)
_OUTBOX = (int(EventKind.OUTBOX_ITEM), int(EventKind.OUTBOX_FLUSHED))
_EVENTS_MAX = 256
"""How many events one wake of the loop takes; others of the loop have their turn between."""
_ROOM = native.size(_EVENTS_MAX)


class Link:
    """Sends the calls of one client, and completes their futures on its loop.

    It holds the handle of the client, not the client: the loop holds the link, and must not keep a
    client alive that the program has let go.
    """

    __slots__ = (
        "_batches",
        "_count",
        "_count_out",
        "_descriptor",
        "_drain",
        "_emptied",
        "_error",
        "_error_out",
        "_events",
        "_handle",
        "_layouts",
        "_observers",
        "_on_attempt",
        "_outbox",
        "_pending",
        "_process",
        "_questions",
        "_send",
        "_tokens",
        "_watchers",
        "loop",
    )

    def __init__(
        self, handle: native.ClientHandle, layouts: Layouts, loop: asyncio.AbstractEventLoop
    ) -> None:
        self.loop = loop
        self._handle = handle
        self._layouts = layouts
        self._process = os.getpid()
        self._pending: dict[int, asyncio.Future[Response]] = {}
        self._batches: dict[int, asyncio.Future[None]] = {}
        self._observers: dict[int, OnChange] = {}
        self._on_attempt: OnAttempt | None = None
        self._questions: dict[int, Question] = {}
        self._watchers: dict[int, tuple[OnProgress, native.CallHandle]] = {}
        self._tokens = itertools.count(1)
        self._outbox = OutboxLink(handle, layouts, loop, self._tokens)
        self._emptied: asyncio.Future[None] | None = None
        # One of each is enough: only the loop's thread comes here.
        self._events = EventBuffer(_EVENTS_MAX)
        self._count = native.number()
        self._count_out = native.ref(self._count)
        self._error = native.ErrorHandle()
        self._error_out = native.ref(self._error)
        self._send = native.bare.restway_client_send
        self._drain = native.bare.restway_client_drain
        self._descriptor: int = native.lib.restway_client_descriptor(handle)

    def attach(self) -> None:
        """Puts the client's descriptor into the loop; only its thread may do so."""
        self.refuse_after_fork()
        self.loop.add_reader(self._descriptor, self._on_events)

    def refuse_after_fork(self) -> None:
        """Raises ForkedError in a child of the process that made the client."""
        if self._descriptor < 0 or self._process != os.getpid():
            raise ForkedError(
                "the client was made before a fork",
                status=Status.FORKED,
                domain=Domain.USAGE,
            )

    def send(
        self,
        request: native.RequestHandle,
        question: Question | None = None,
        watcher: OnProgress | None = None,
        batch: BatchHandle | None = None,
    ) -> tuple[asyncio.Future[Response], native.CallHandle]:
        """Sends a request: its future, and its call.

        With a batch it is added to that.
        """
        token, call = next(self._tokens), native.CallHandle()
        send = self._send if batch is None else native.bare.restway_batch_add
        status = send(
            self._handle if batch is None else batch,
            request,
            None,
            native.token(token),
            None,
            native.ref(call),
            self._error_out,
        )
        if status:
            stop_daemon_thread()
            raise failure(status, self._failed(), self._layouts)
        if question is not None:
            self._questions[token] = question
        future = self._pending[token] = self.loop.create_future()
        native.own(call)
        if watcher is not None:
            self._watchers[token] = (watcher, call)
        return future, call

    def send_batch(self, batch: BatchHandle) -> asyncio.Future[None]:
        """Sends a batch; the future is done when all of its requests are."""
        token = next(self._tokens)
        check(
            native.lib.restway_batch_send, batch, NULL_BATCH_DONE, token, native.NULL_DESTROY
        )
        future: asyncio.Future[None] = self.loop.create_future()
        self._batches[token] = future
        return future

    @property
    def outbox(self) -> OutboxLink:
        """The way of the outbox's events."""
        return self._outbox

    def observe(self, on_change: OnChange, what: Observed) -> Observer:
        """Calls `on_change` with what the library tells about `what`."""
        token = next(self._tokens)
        handle = start_observing(
            self._handle, what, native.NULL_CHANGED, token, native.NULL_DESTROY
        )
        observers = self._observers
        observers[token] = on_change
        return Observer(handle, lambda: observers.pop(token, None))

    def set_attempt_observer(self, observer: OnAttempt | None) -> None:
        """Calls `observer` with the attempts that others follow; None nobody."""
        wanted = native.AttemptFn() if observer is None else on_attempt_function
        function = native.lib.restway_client_set_attempt_observer
        check(function, self._handle, wanted, None, native.NULL_DESTROY)
        self._on_attempt = observer

    def _tell_attempt(self, call_id: int, handle: native.ErrorHandle) -> None:
        observer = self._on_attempt
        if observer is None:
            return  # taken away by another of these events
        attempts = attempts_of(handle)
        try:
            observer(call_id, len(attempts), attempts[-1])
        except Exception as error:
            self.loop.call_exception_handler(
                {"message": f"Exception in the observer {observer!r}", "exception": error}
            )

    def _tell(self, token: int, handle: native.ChangesHandle) -> None:
        on_change = self._observers.get(token)
        if on_change is None:
            return  # removed by another of these events
        try:
            on_change(Changes(handle, self._layouts))
        except Exception as error:
            self.loop.call_exception_handler(
                {"message": f"Exception in the observer {on_change!r}", "exception": error}
            )

    def _tell_progress(self, token: int) -> None:
        watcher = self._watchers.get(token)
        if watcher is None:
            return  # nobody in Python asked
        on_progress, call = watcher
        try:
            on_progress(call_progress(call))
        except Exception as error:
            self.loop.call_exception_handler(
                {"message": f"Exception in the watcher {on_progress!r}", "exception": error}
            )

    def _complete_batch(self, token: int, status: int, payload: int) -> None:
        future = self._batches.pop(token)
        handle = native.own(native.ErrorHandle(payload)) if status else None
        if future.done():
            return
        if handle is None:
            future.set_result(None)
        else:
            future.set_exception(failure(status, handle, self._layouts))

    def take_rest(self) -> None:
        """Takes out what the closed client has still to tell."""
        if self._descriptor >= 0:
            self._on_events()

    def _failed(self) -> native.ErrorHandle:
        """What the function that has just failed reports."""
        return native.own(native.ErrorHandle(self._error.value))

    def _on_events(self) -> None:
        stop_daemon_thread()
        status = self._drain(
            self._handle, self._events.array, _ROOM, self._count_out, self._error_out
        )
        if status:
            raise failure(status, self._failed(), self._layouts)
        pending, layouts = self._pending, self._layouts
        for index, event in enumerate(self._events.read(self._count.value)):
            kind, status, token, call_id, payload = event
            if kind != _COMPLETED:
                if kind == _CHANGED:
                    self._tell(token, native.own(native.ChangesHandle(payload)))
                elif kind == _PROGRESS:
                    self._tell_progress(token)
                elif kind == _ATTEMPT:
                    self._tell_attempt(call_id, native.own(native.ErrorHandle(payload)))
                elif kind == _BATCH:
                    self._complete_batch(token, status, payload)
                elif kind in _OUTBOX:
                    self._outbox.take(kind, token, status, payload)
                else:  # of a newer library
                    self._events.release(index)
                continue
            # Whatever becomes of the payload, it is owned from here on.
            future = pending.pop(token)
            if self._watchers:
                self._watchers.pop(token, None)
            question = self._questions.pop(token, None) if self._questions else None
            if status:
                handle = native.own(native.ErrorHandle(payload))
                if not future.done():
                    error = failure(status, handle, layouts)
                    if question is not None:
                        question.explain(error)
                    future.set_exception(error)
            else:
                response = Response(native.own(native.ResponseHandle(payload)), layouts)
                if not future.done():
                    future.set_result(response)
        emptied = self._emptied
        if emptied is not None and not (self._owing or emptied.done()):
            emptied.set_result(None)

    @property
    def _owing(self) -> bool:
        """Whether somebody waits for an event."""
        return bool(self._pending or self._batches or self._outbox.flushes)

    async def emptied(self) -> None:
        """Waits until every call has completed and its event has been taken out."""
        while self._owing:
            if self._emptied is None or self._emptied.done():
                self._emptied = self.loop.create_future()
            await asyncio.shield(self._emptied)

    def detach(self) -> None:
        """Takes the client's descriptor out of the loop; any thread, twice is fine."""
        if self._process != os.getpid() or self.loop.is_closed():
            return  # a forked child shares the loop's epoll with its parent
        try:
            here: object = asyncio.get_running_loop()
        except RuntimeError:
            here = None
        if here is self.loop or not self.loop.is_running():
            self._remove_reader()
        else:
            try:
                self.loop.call_soon_threadsafe(self._remove_reader)
            except RuntimeError:  # closed meanwhile
                return

    def _remove_reader(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0 and not self.loop.is_closed():
            self.loop.remove_reader(descriptor)
