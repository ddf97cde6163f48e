"""Clients whose calls block or run a callback.

Functions import what only they use, so that making a client loads no more than it needs.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterable
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from . import _ffi as native
from ._base.hints import PATHS, require, require_function
from ._call import Call, OnDone, OnProgress
from ._client_base import ClientBase, no_delivery
from ._enums import Delivery, LifecycleKind
from ._ffi.callbacks import completions, contexts, inside, observers
from ._ffi.trampolines import (
    on_attempt_function,
    on_changed_destroy,
    on_changed_function,
    on_done_destroy,
    on_done_function,
    on_lifecycle_function,
    on_query_changed_function,
)
from ._functions import set_question
from ._handles import OnAttempt, attempt_of, errors, failed, make, milliseconds
from ._handles.waiting import processing, waiting
from ._pages_into import GivesPages
from ._parsing import BytesMapping
from ._query import Query
from ._request import Request
from ._response import Response
from ._transaction import Changes
from ._verbs import BlockingVerbs
from .progress._calls import showing

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._batch import Batch
    from ._body import RequestOptions
    from ._cache import Cache
    from ._details import Progress
    from ._lifecycle import OnLifecycle
    from ._object import Objects
    from ._observers import Observed, Observer, OnChange, OnQueryChange, QueryObserver
    from ._outbox import Outbox
    from ._pages import PagedList, PagedOptions, Pages
    from ._scope import Scope
    from ._stream import EventOptions, EventStream, Stream
    from ._types import Start

T = TypeVar("T")

_EXIT_WAIT_MILLISECONDS = 5000


def _performing(
    limit: int,
    client: native.ClientHandle,
    request: native.RequestHandle,
    call: native.CallHandle,
    response: native.ResponseHandle,
) -> int:
    """Performs a request or, if that was interrupted before, waits for its call."""
    left, out = native.whole(limit), native.ref(response)
    status: int = (
        native.bare.restway_call_wait(call, left, out, errors.out)
        if call
        else native.bare.restway_client_perform_interruptibly(
            client, request, left, native.ref(call), out, errors.out
        )
    )
    return status


def _cancelling(_: object, __: object, call: native.CallHandle, ___: object) -> None:
    native.lib.restway_call_cancel(call)


class Client(ClientBase, BytesMapping, BlockingVerbs, GivesPages):
    """A client whose calls block. It is usable from any thread; as a context manager it closes
    itself.

        with restway.Client(restway.API.load("shop.json")) as client:
            print(client.get("orders/7").object)
    """

    __slots__ = ()

    _deliveries: ClassVar = {"thread": Delivery.THREAD, "process": Delivery.PROCESS}

    def close(self) -> None:
        native.lib.restway_client_close(self._handle)

    def _performed(self, request: Request, timeout: float | None) -> Response:
        reading = require(request, Request, PATHS)._reading
        if reading is not None:
            if reading.needs_loop:
                raise TypeError("an async iterable is a body for an AsyncClient")
            with reading.explaining():
                return self._perform(request, timeout)
        return self._perform(request, timeout)

    def _perform(self, request: Request, timeout: float | None) -> Response:
        if request._on_progress is not None and not inside.depth:
            milliseconds(timeout, unbounded=0)  # raises for a wrong request before anything is sent
            with showing(request._on_progress) as show:
                return show(self.send(request)).wait(timeout)
        if contexts.are_wanted(self._holding) and not inside.depth:
            milliseconds(timeout, unbounded=0)
            # Its modifiers find the context of this thread by the token of a call.
            return self._send(request, None, mode=Delivery.THREAD).wait(timeout)
        handle = native.OwnedResponseHandle()
        status = waiting(
            _performing,
            milliseconds(timeout, unbounded=0),
            self._owned or self._handle,
            request._owned or request._handle,
            native.OwnedCallHandle(),
            handle,
            give_up=_cancelling,
        )
        if status:
            raise failed(status, self._layouts)
        return Response(handle, self._layouts)

    def send(
        self,
        request: Request,
        on_done: OnDone | None = None,
        *,
        delivery: Literal["thread", "process"] | None = None,
    ) -> Call:
        if delivery is not None and delivery not in self._deliveries:
            raise no_delivery(self, delivery)
        require(request, Request, PATHS)
        require_function(on_done, "on_done")
        return self._send(
            request, on_done, mode=self._deliveries[delivery] if delivery else None
        )

    def stream(self, request: Request) -> Stream:
        from ._stream import ReceivingBytes, Stream, body_receiver

        sent = require(request, Request, PATHS)
        return Stream(self, sent, body_receiver(), ReceivingBytes)

    def events(self, target: Request | str, **options: Unpack[EventOptions]) -> EventStream:
        from ._stream import EventStream, ReceivingEvents, event_receiver, request_of

        receiving = partial(ReceivingEvents, self._layouts)
        return EventStream(self, request_of(target), event_receiver(**options), receiving)

    def _pages_of(self, target: Request | str, options: PagedOptions) -> Pages:
        from ._pages import Pages

        return Pages(self, target, options)

    def list(self, target: Request | str, **options: Unpack[RequestOptions]) -> PagedList:
        from ._pages import PagedList
        return PagedList(self, target, options)

    def scope(self, **variables: Any) -> Scope:
        from ._scope import Scope
        return Scope(self, variables)

    def batch(self) -> Batch:
        from ._batch import Batch
        return Batch(self)

    @property
    def outbox(self) -> Outbox:
        from ._outbox import Outbox
        return Outbox(self)

    @property
    def cache(self) -> Cache:
        from ._cache import Cache
        return Cache(self)

    def set_attempt_observer(self, observer: OnAttempt | None) -> None:
        def run(call: native.CallHandle, number: int, attempt: Any) -> None:
            assert observer is not None
            observer(native.lib.restway_call_id(call), number, attempt_of(attempt))

        set_question(
            native.lib.restway_client_set_attempt_observer,
            on_attempt_function,
            self._handle,
            run=observer and run,
            callback=observer,
            holding=self._holding,
        )

    def observe(self, on_change: OnChange, what: Observed = None) -> Observer:
        from ._observers import Observer, start_observing

        require_function(on_change, "on_change", "; what is observed is the second argument")
        layouts = self._layouts

        def run(handle: native.ChangesHandle) -> None:
            on_change(Changes(handle, layouts))

        def start(token: int) -> native.ObserverHandle:
            return start_observing(
                self._handle, what, on_changed_function, token, on_changed_destroy
            )

        return Observer(self._observing(run, on_change, start))

    def observe_query(self, on_change: OnQueryChange, query: Query) -> QueryObserver:
        from ._observers import QueryChanges, QueryObserver, start_observing_query

        require_function(on_change, "on_change", "; the query is the second argument")
        require(query, Query)
        layouts = self._layouts

        def run(handle: native.QueryChangesHandle) -> None:
            on_change(QueryChanges(handle, layouts))

        def start(token: int) -> tuple[native.ObserverHandle, Objects]:
            return start_observing_query(
                self._handle, query, on_query_changed_function, token, on_changed_destroy
            )

        return QueryObserver(*self._observing(run, on_change, start))

    def _observing(
        self, run: Callable[[Any], None], callback: object, start: Callable[[int], T]
    ) -> T:
        """Runs `start` with a token under which the library finds `run`."""
        token = observers.add(run, callback, self._holding)
        try:
            return start(token)
        except BaseException:
            observers.remove(token)
            raise

    def on(
        self,
        told: OnLifecycle,
        *,
        events: Iterable[LifecycleKind] | None = None,
        routes: Iterable[str] | None = None,
        progress_interval: float | None = None,
    ) -> Observer:
        from ._lifecycle import LifecycleWishes, lifecycle_event
        from ._observers import Observer

        require_function(told, "the observer of calls")
        layouts = self._layouts

        def run(handle: native.LifecycleEventHandle) -> None:
            told(lifecycle_event(handle, layouts))

        def start(token: int) -> native.ObserverHandle:
            return LifecycleWishes(events, routes, progress_interval).observe(
                self._handle, on_lifecycle_function, token, on_changed_destroy
            )

        return Observer(self._observing(run, told, start))

    def process(self, timeout: float | None = 0) -> int:
        """Runs the callbacks that are due, on this thread: those of a client with
        `delivery="process"`, and those of calls that were sent with it.

        Args:
            timeout: Seconds to wait for the first callback; 0 does not wait, None waits without a
                limit. A closed client without due callbacks does not wait.

        Returns how many callbacks ran. Raises WouldBlockError inside a callback; UsageError. In the
        main thread, signals are handled during the wait. What their handlers raise
        (KeyboardInterrupt), also while a callback runs, is raised here, as is a SystemExit of a
        callback; later callbacks then wait for the next `process`.
        """
        count = native.number()

        def run(limit: int) -> int:
            status: int = native.lib.restway_client_process(
                self._handle, limit, native.ref(count), errors.out
            )
            return status

        status = processing(run, -1 if timeout is None else _wait_milliseconds(timeout))
        if status:
            raise failed(status)
        ran: int = count.value
        return ran

    def fileno(self) -> int:
        """A descriptor that is readable while callbacks wait for `process`, for `select` and its
        like; it must never be read or closed. -1 unless the client has `delivery="process"`, or a
        call was sent with it.
        """
        descriptor: int = native.lib.restway_client_descriptor(self._handle)
        return descriptor

    def _send(
        self,
        request: Request,
        on_done: OnDone | None,
        start: Start | None = None,
        mode: Delivery | None = None,
    ) -> Call:
        if start is None:
            start = self._start if mode is None else partial(self._start_to, mode)
        if request._on_progress is not None:
            with request.telling(self._teller(request._on_progress, mode)):
                return self._send_told(request, on_done, start, mode)
        return self._send_told(request, on_done, start, mode)

    def _teller(
        self, on_progress: OnProgress, mode: Delivery | None
    ) -> Callable[[native.CallHandle, Progress], None]:
        """Returns the function that reports the progress of a call to the program."""
        client = self._kept_until_done(mode)

        def tell(handle: native.CallHandle, progress: Progress) -> None:
            here = client()
            if here is not None:
                on_progress(Call(handle, here), progress)

        return tell

    def _send_told(
        self, request: Any, on_done: OnDone | None, start: Start, mode: Delivery | None
    ) -> Call:
        if on_done is None and not contexts.are_wanted(self._holding):
            handle = start(request, native.NULL_DONE, None, native.NULL_DESTROY)
            return Call(handle, self)
        context, given = copy_context(), on_done
        client = self._kept_until_done(mode)

        def run(handle: native.CallHandle, _status: int, _error: native.ErrorHandle) -> None:
            here = client()
            if here is not None and given is not None:  # it exists: `process` runs this
                context.run(given, Call(handle, here))

        token = completions.add(run, on_done)
        contexts.keep(token, self._holding)
        try:
            handle = start(request, on_done_function, token, on_done_destroy)
        except BaseException:
            contexts.drop(token)
            completions.remove(token)
            raise
        return Call(handle, self)

    def _kept_until_done(self, mode: Delivery | None) -> Callable[[], Client | None]:
        """Keeps the client alive for a callback. The client stays open until its calls are done,
        unless it has no owner left that could `process` their callbacks.
        """
        if (self._delivery if mode is None else mode) is Delivery.PROCESS:
            return weakref.ref(self)
        return lambda: self

    def _start(
        self, request: Request, done: object, token: int | None, destroy: object
    ) -> native.CallHandle:
        return make(
            native.CallHandle,
            native.lib.restway_client_send,
            self._handle,
            request._handle,
            done,
            token,
            destroy,
            layouts=self._layouts,
        )

    def _start_to(
        self,
        mode: Delivery,
        request: Request,
        done: object,
        token: int | None,
        destroy: object,
    ) -> native.CallHandle:
        return make(
            native.CallHandle,
            native.lib.restway_client_send_to,
            self._handle,
            request._handle,
            mode,
            done,
            token,
            destroy,
            layouts=self._layouts,
        )

    def _close_at_exit(self) -> None:
        super()._close_at_exit()
        handle, count = self._owned, native.number()
        if handle is None or native.lib.restway_client_descriptor(handle) < 0:
            return
        process = native.lib.restway_client_process
        while not process(handle, _EXIT_WAIT_MILLISECONDS, native.ref(count), None):
            if not count.value:
                return


def _wait_milliseconds(seconds: float) -> int:
    if math.isnan(seconds) or seconds < 0:
        raise ValueError(f"a wait is 0 seconds or more, not {seconds}")
    return 0 if seconds == 0 else milliseconds(seconds, unbounded=-1)
