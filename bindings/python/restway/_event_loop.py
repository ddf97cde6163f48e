"""The connection of one client's events to one event loop."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from . import _ffi as native
from ._base.lazy import asyncio
from ._enums import Domain, EventKind, Status
from ._exceptions import ForkedError, RestwayError, UsageError
from ._ffi.callbacks import HeldFunctions, Holding, contexts, stop_daemon_thread, tokens
from ._ffi.conversion import EventBuffer
from ._ffi.trampolines import on_attempt_function, on_item_function, on_observed_function
from ._handles import OnAttempt, attempts_of, check, failure
from ._lifecycle import LifecycleEvents, LifecycleWishes, OnLifecycle, lifecycle_event
from ._object import Layouts
from ._observers import (
    Observed,
    Observer,
    OnChange,
    OnQueryChange,
    QueryChanges,
    QueryObserver,
    start_observing,
    start_observing_query,
)
from ._outbox_items import OnFlushed, OnItem, OutboxItem, OutboxItems
from ._query import Query
from ._response import Response
from ._transaction import Changes


class OutboxLink:
    """Completes the flushes of one client on its loop, and calls the client's outbox observer."""

    __slots__ = ("_functions", "_handle", "_layouts", "_loop", "_observer", "flushes", "waits")

    def __init__(
        self,
        handle: native.ClientHandle,
        layouts: Layouts,
        loop: asyncio.AbstractEventLoop,
        functions: HeldFunctions,
    ) -> None:
        self._handle = handle
        self._layouts = layouts
        self._loop = loop
        self._functions = functions
        self._observer = 0
        self.flushes: dict[int, asyncio.Future[OutboxItems]] = {}
        """The flushes that have not ended, by their tokens."""
        self.waits: dict[int, asyncio.Future[tuple[OutboxItem, RestwayError | None]]] = {}
        """The waits for items that have not ended, by their tokens."""

    def flush(self, flags: int) -> asyncio.Future[OutboxItems]:
        """Starts a flush; the future is done when the flush has ended."""
        token = next(tokens)
        nobody = (native.NULL_OUTBOX_FLUSHED, token, native.NULL_DESTROY)
        check(native.lib.restway_outbox_flush, self._handle, flags, *nobody)
        future: asyncio.Future[OutboxItems] = self._loop.create_future()
        self.flushes[token] = future
        return future

    def wait(self, number: int) -> asyncio.Future[tuple[OutboxItem, RestwayError | None]]:
        """Waits for the end of an item; the future has the item, and its error if it failed."""
        token = next(tokens)
        nobody = (native.NULL_OUTBOX_ITEM, token, native.NULL_DESTROY)
        check(native.lib.restway_outbox_await, self._handle, number, *nobody)
        future: asyncio.Future[tuple[OutboxItem, RestwayError | None]] = self._loop.create_future()
        self.waits[token] = future
        return future

    def tell_end(self, number: int, ended: Callable[[], object]) -> None:
        """Calls `ended` when an item has come to its end."""
        try:
            self.wait(number).add_done_callback(lambda _: ended())
        except UsageError:  # it was removed meanwhile
            ended()

    def observe(self, on_item: OnItem | None, on_flushed: OnFlushed | None) -> None:
        """Sets the functions for items and flushes; None removes one."""
        token = next(tokens)
        check(
            native.lib.restway_client_set_outbox_observer,
            self._handle,
            on_item_function if on_item else native.NULL_OUTBOX_ITEM,
            on_observed_function if on_flushed else native.NULL_OUTBOX_FLUSHED,
            token,
            native.NULL_DESTROY,
        )

        def tell(kind: int, items: OutboxItems, error: RestwayError | None) -> None:
            if kind == EventKind.OUTBOX_ITEM:
                if on_item is not None:
                    on_item(items[0], error)
            elif on_flushed is not None:
                on_flushed(items)

        self._functions.put(token, tell if on_item or on_flushed else None, before=self._observer)
        self._observer = token

    def take(self, kind: int, token: int, status: int, payload: int) -> None:
        """Handles one event."""
        handle = native.OwnedOutboxItemsHandle(payload)
        error: RestwayError | None = None
        if status:
            error = failure(status, native.lib.restway_outbox_items_error(handle), None)
        items = OutboxItems(handle, self._layouts, error)
        future = self.flushes.pop(token, None)
        if future is not None:
            if not future.done():
                future.set_result(items)
            return
        wait = self.waits.pop(token, None)
        if wait is not None:
            if not wait.done():
                wait.set_result((items[0], error))
            return
        observer = self._functions.get(token)
        if observer is None:
            return  # it was replaced or removed
        try:
            observer(kind, items, error)
        except Exception as raised:
            self._loop.call_exception_handler(
                {"message": "Exception in an observer of the outbox", "exception": raised}
            )


Watcher = Callable[[native.CallHandle], object]
"""A function that reports the progress of a call to the program. It borrows the call's handle."""

_COMPLETED, _CHANGED = int(EventKind.COMPLETED), int(EventKind.CHANGED)
_PROGRESS, _ATTEMPT = int(EventKind.PROGRESS), int(EventKind.ATTEMPT)
_BATCH, _LIFECYCLE = int(EventKind.BATCH), int(EventKind.LIFECYCLE)
_QUERY_CHANGED = int(EventKind.QUERY_CHANGED)
_OUTBOX = (int(EventKind.OUTBOX_ITEM), int(EventKind.OUTBOX_FLUSHED))
_EVENTS_MAX = 256
"""How many events are handled before other callbacks of the loop run."""
_ROOM = native.size(_EVENTS_MAX)


class Link:
    """Sends the calls of one client, and completes their futures on its loop.

    It holds the handle of the client, not the client: the loop refers to the link, and must not
    keep a client alive that the program no longer uses. The functions that were given to the client
    are in its `Holding`, to which the link refers weakly.
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
        "_functions",
        "_handle",
        "_layouts",
        "_on_attempt",
        "_outbox",
        "_pending",
        "_process",
        "_send",
        "_tokens",
        "_watchers",
        "followers",
        "loop",
    )

    def __init__(
        self,
        handle: native.ClientHandle,
        layouts: Layouts,
        loop: asyncio.AbstractEventLoop,
        holding: Holding,
    ) -> None:
        self.loop = loop
        self._handle = handle
        self._layouts = layouts
        self._process = os.getpid()
        self._pending: dict[int, asyncio.Future[Response]] = {}
        self._batches: dict[int, asyncio.Future[None]] = {}
        self._functions = HeldFunctions(holding)
        self._on_attempt = 0
        self._watchers: dict[int, tuple[Watcher, native.CallHandle]] = {}
        self._tokens = tokens
        self._outbox = OutboxLink(handle, layouts, loop, self._functions)
        self._emptied: asyncio.Future[None] | None = None
        self.followers: weakref.WeakSet[LifecycleEvents] = weakref.WeakSet()
        """The loops over the events of calls, which end with the client."""
        # One buffer of each kind is enough, because only the loop's thread runs this code.
        self._events = EventBuffer(_EVENTS_MAX)
        self._count = native.number()
        self._count_out = native.ref(self._count)
        self._error = native.ErrorHandle()
        self._error_out = native.ref(self._error)
        self._send = native.bare.restway_client_send
        self._drain = native.bare.restway_client_drain
        self._descriptor: int = native.lib.restway_client_descriptor(handle)

    def attach(self) -> None:
        """Adds the client's descriptor to the loop; only the loop's thread may call this."""
        self.refuse_after_fork()
        self.loop.add_reader(self._descriptor, self._on_events)

    def refuse_after_fork(self) -> None:
        """Raises ForkedError in a forked child of the process that made the client."""
        if self._descriptor < 0 or self._process != os.getpid():
            raise ForkedError(
                "the client was made before a fork",
                status=Status.FORKED,
                domain=Domain.USAGE,
            )

    def send(
        self,
        request: native.RequestHandle,
        watcher: Watcher | None = None,
        batch: native.BatchHandle | None = None,
    ) -> tuple[asyncio.Future[Response], native.CallHandle]:
        """Sends a request; returns its future and its call.

        If a batch is given, the request is added to it.
        """
        token, call = next(self._tokens), native.OwnedCallHandle()
        self._functions.keep_context(token)
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
        future = self._began(token, status)
        if watcher is not None:
            self._watchers[token] = (watcher, call)
        return future, call

    def send_page(
        self, send: Any, pages: native.Handle
    ) -> tuple[asyncio.Future[Response], native.CallHandle]:
        """Requests the next page with `send`; returns its future and its call."""
        token, call = next(self._tokens), native.OwnedCallHandle()
        self._functions.keep_context(token)
        status = send(pages, None, native.token(token), None, native.ref(call), self._error_out)
        return self._began(token, status), call

    def _began(self, token: int, status: int) -> asyncio.Future[Response]:
        """Returns the future of a call that was sent; raises the error of `status`."""
        if status:
            contexts.drop(token)
            stop_daemon_thread()
            raise failure(status, self._failed(), self._layouts)
        future = self._pending[token] = self.loop.create_future()
        return future

    def send_batch(self, batch: native.BatchHandle) -> asyncio.Future[None]:
        """Sends a batch; the future is done when all requests of the batch have completed."""
        token = next(self._tokens)
        check(
            native.lib.restway_batch_send, batch, native.NULL_BATCH_DONE, token, native.NULL_DESTROY
        )
        future: asyncio.Future[None] = self.loop.create_future()
        self._batches[token] = future
        return future

    @property
    def outbox(self) -> OutboxLink:
        """The part that handles the events of the outbox."""
        return self._outbox

    def observe(self, on_change: OnChange, what: Observed) -> Observer:
        """Calls `on_change` with the changes of `what`."""
        token = next(self._tokens)
        handle = start_observing(
            self._handle, what, native.NULL_CHANGED, token, native.NULL_DESTROY
        )
        functions = self._functions
        functions.put(token, on_change)
        return Observer(handle, lambda: functions.put(0, None, before=token))

    def observe_query(self, on_change: OnQueryChange, query: Query) -> QueryObserver:
        """Calls `on_change` with the changes in the result of `query`."""
        token = next(self._tokens)
        handle, objects = start_observing_query(
            self._handle, query, native.NULL_QUERY_CHANGED, token, native.NULL_DESTROY
        )
        functions = self._functions
        functions.put(token, on_change)
        return QueryObserver(handle, objects, lambda: functions.put(0, None, before=token))

    def observe_calls(self, told: OnLifecycle, wishes: LifecycleWishes) -> Observer:
        """Calls `told` with the events of calls."""
        token = next(self._tokens)
        handle = wishes.observe(
            self._handle, native.NULL_LIFECYCLE, token, native.NULL_DESTROY
        )
        functions = self._functions
        functions.put(token, told)
        return Observer(handle, lambda: functions.put(0, None, before=token))

    def set_attempt_observer(self, observer: OnAttempt | None) -> None:
        """Calls `observer` with each attempt that another one follows; None removes it."""
        wanted = native.AttemptFn() if observer is None else on_attempt_function
        function = native.lib.restway_client_set_attempt_observer
        check(function, self._handle, wanted, None, native.NULL_DESTROY)
        token = next(self._tokens)
        self._functions.put(token, observer, before=self._on_attempt)
        self._on_attempt = token

    def _tell_attempt(self, call_id: int, handle: native.ErrorHandle) -> None:
        observer = self._functions.get(self._on_attempt)
        if observer is None:
            return  # another of these events removed it
        attempts = attempts_of(handle)
        try:
            observer(call_id, len(attempts), attempts[-1])
        except Exception as error:
            self.loop.call_exception_handler(
                {"message": f"Exception in the observer {observer!r}", "exception": error}
            )

    def _tell(self, token: int, make: Callable[[], object]) -> None:
        """Calls an observer with what `make` returns."""
        observer = self._functions.get(token)
        if observer is None:
            return  # another of these events removed it
        try:
            observer(make())
        except Exception as error:
            self.loop.call_exception_handler(
                {"message": f"Exception in the observer {observer!r}", "exception": error}
            )

    def _tell_progress(self, token: int) -> None:
        watcher = self._watchers.get(token)
        if watcher is None:
            return  # no Python code waits for it
        tell, call = watcher
        try:
            tell(call)
        except Exception as error:
            self.loop.call_exception_handler(
                {"message": "Exception in a progress function", "exception": error}
            )

    def _complete_batch(self, token: int, status: int, payload: int) -> None:
        future = self._batches.pop(token)
        handle = native.OwnedErrorHandle(payload) if status else None
        if future.done():
            return
        if handle is None:
            future.set_result(None)
        else:
            future.set_exception(failure(status, handle, self._layouts))

    def take_rest(self) -> None:
        """Drains the remaining events of the closed client."""
        if self._descriptor >= 0:
            self._on_events()

    def _failed(self) -> native.ErrorHandle:
        """Returns the error that the function has just reported."""
        return native.OwnedErrorHandle(self._error.value)

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
                    changes = native.OwnedChangesHandle(payload)
                    self._tell(token, partial(Changes, changes, layouts))
                elif kind == _QUERY_CHANGED:
                    found = native.OwnedQueryChangesHandle(payload)
                    self._tell(token, partial(QueryChanges, found, layouts))
                elif kind == _LIFECYCLE:
                    told = native.OwnedLifecycleEventHandle(payload)
                    self._tell(token, partial(lifecycle_event, told, layouts))
                elif kind == _PROGRESS:
                    self._tell_progress(token)
                elif kind == _ATTEMPT:
                    self._tell_attempt(call_id, native.OwnedErrorHandle(payload))
                elif kind == _BATCH:
                    self._complete_batch(token, status, payload)
                elif kind in _OUTBOX:
                    self._outbox.take(kind, token, status, payload)
                else:  # an event of a newer library
                    self._events.release(index)
                continue
            # From here on the payload is owned, whatever happens to it.
            future = pending.pop(token)
            contexts.drop(token)
            if self._watchers:
                self._watchers.pop(token, None)
            if status:
                handle = native.OwnedErrorHandle(payload)
                if not future.done():
                    future.set_exception(failure(status, handle, layouts))
            else:
                response = Response(native.OwnedResponseHandle(payload), layouts)
                if not future.done():
                    future.set_result(response)
        emptied = self._emptied
        if emptied is not None and not (self._owing or emptied.done()):
            emptied.set_result(None)

    @property
    def _owing(self) -> bool:
        """Whether the program waits for an event."""
        return bool(
            self._pending or self._batches or self._outbox.flushes or self._outbox.waits
        )

    async def emptied(self) -> None:
        """Waits until every call has completed and its event has been drained."""
        while self._owing:
            if self._emptied is None or self._emptied.done():
                self._emptied = self.loop.create_future()
            await asyncio.shield(self._emptied)

    def detach(self) -> None:
        """Removes the client's descriptor from the loop. Any thread may call this, also twice."""
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
            except RuntimeError:  # the client was closed meanwhile
                return

    def _remove_reader(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0 and not self.loop.is_closed():
            self.loop.remove_reader(descriptor)
