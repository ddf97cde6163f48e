"""Clients for asyncio."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from . import _ffi as native
from ._base.hints import PATHS, require, require_function
from ._base.lazy import asyncio
from ._batch import AsyncBatch
from ._body import Reading
from ._cache import AsyncCache
from ._call import Call
from ._client_base import ClientBase
from ._enums import Delivery, Domain, LifecycleKind, Status
from ._event_loop import Link, Watcher
from ._exceptions import UsageError
from ._handles import OnAttempt
from ._library import logging as logging  # asyncio needs it, and nothing is loaded in its loop
from ._lifecycle import LifecycleEvents, LifecycleWishes, OnLifecycle
from ._observers import Observed, Observer, OnChange, OnQueryChange, QueryObserver
from ._outbox import AsyncOutbox
from ._pages import AsyncPagedList, AsyncPages
from ._pages_into import GivesAwaitedPages
from ._parsing import AsyncBytesMapping
from ._query import Query
from ._request import Request
from ._response import Response, call_progress
from ._scope import AsyncScope
from ._stream import (
    AsyncEventStream,
    AsyncStream,
    ReceivingBytes,
    ReceivingEvents,
    body_receiver,
    event_receiver,
    request_of,
)
from ._verbs import AwaitedVerbs, make_coroutine_functions
from .progress._calls import showing

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._body import RequestOptions
    from ._pages import PagedOptions
    from ._stream import EventOptions


class AsyncClient(ClientBase, AsyncBytesMapping, AwaitedVerbs, GivesAwaitedPages["AsyncPages"]):
    """A client whose calls are awaited. Any number of calls may be in flight.

        async with restway.AsyncClient(api) as client:
            first, second = client.get("enterprises/1"), client.get("enterprises/2")
            one, two = await asyncio.gather(first, second)

    It belongs to the event loop of its first await; each other loop needs a client of its own.
    Cancelling a task, also by `asyncio.wait_for`, cancels the call that it awaits. Only `close`,
    `store`, and the methods that set callbacks or a credential may be used from another thread.
    """

    _may_block: ClassVar = False
    _deliveries: ClassVar = {"drain": Delivery.DRAIN}
    _link: Link | None = None

    async def _performed(self, request: Request) -> Response:
        reading = require(request, Request, PATHS)._reading
        if reading is not None:
            with reading.explaining(), showing(request._on_progress):
                return await self.send(request)
        future, call = self._start(request)
        try:
            with showing(request._on_progress):
                return await future
        except asyncio.CancelledError:
            native.lib.restway_call_cancel(call)
            raise
        finally:
            del call  # the traceback of an exception would keep the client alive

    def _start(self, request: Request) -> tuple[asyncio.Future[Response], native.CallHandle]:
        link, handle = self._linked(), request._owned or request._handle
        return link.send(handle, self._watcher(request))

    def _watcher(self, request: Request) -> Watcher | None:
        """For this package: returns what reports the progress of a call of `request`."""
        on_progress = request._on_progress
        if on_progress is None:
            return None
        given = on_progress

        def tell(handle: native.CallHandle) -> None:
            owned = native.own(native.lib.restway_call_retain(handle))
            given(Call(owned, self), call_progress(owned))

        return tell

    def send(self, request: Request) -> asyncio.Future[Response]:
        future, call = self._start(require(request, Request, PATHS))
        future.add_done_callback(partial(self._sent, call, request.reading))
        return future

    def stream(self, request: Request) -> AsyncStream:
        sent = require(request, Request, PATHS)
        return AsyncStream(self, sent, body_receiver(), ReceivingBytes)

    def events(self, target: Request | str, **options: Unpack[EventOptions]) -> AsyncEventStream:
        receiving = partial(ReceivingEvents, self._layouts)
        return AsyncEventStream(self, request_of(target), event_receiver(**options), receiving)

    def _pages_of(self, target: Request | str, options: PagedOptions) -> AsyncPages:
        return AsyncPages(self, target, options)

    def list(self, target: Request | str, **options: Unpack[RequestOptions]) -> AsyncPagedList:
        return AsyncPagedList(self, target, options)

    def scope(self, **variables: Any) -> AsyncScope:
        return AsyncScope(self, variables)

    def batch(self) -> AsyncBatch:
        return AsyncBatch(self)

    @property
    def outbox(self) -> AsyncOutbox:
        return AsyncOutbox(self)

    @property
    def cache(self) -> AsyncCache:
        return AsyncCache(self)

    def observe(self, on_change: OnChange, what: Observed = None) -> Observer:
        require_function(on_change, "on_change", "; what is observed is the second argument")
        return self._linked().observe(on_change, what)

    def observe_query(self, on_change: OnQueryChange, query: Query) -> QueryObserver:
        return self._linked().observe_query(on_change, query)

    def on(
        self,
        told: OnLifecycle,
        *,
        events: Iterable[LifecycleKind] | None = None,
        routes: Iterable[str] | None = None,
        progress_interval: float | None = None,
    ) -> Observer:
        require_function(told, "the observer of calls")
        return self._linked().observe_calls(
            told, LifecycleWishes(events, routes, progress_interval)
        )

    def lifecycle(
        self,
        *,
        events: Iterable[LifecycleKind] | None = None,
        routes: Iterable[str] | None = None,
        progress_interval: float | None = None,
    ) -> LifecycleEvents:
        """Returns the events of each call that begins from now on, for `async for`.

            with client.lifecycle(routes=["orders"]) as events:
                async for event in events:
                    print(event.kind.name, event.call.url)

        Args:
            events: As in `on`.
            routes: As in `on`.
            progress_interval: As in `on`.

        The loop ends when the client is closed. Raises what `on` raises.
        """
        link = self._linked()
        wishes = LifecycleWishes(events, routes, progress_interval)
        made = LifecycleEvents(lambda told: link.observe_calls(told, wishes))
        link.followers.add(made)
        return made

    def set_attempt_observer(self, observer: OnAttempt | None) -> None:
        self._linked().set_attempt_observer(observer)

    async def close(self) -> None:  # type: ignore[override]  # the base closes without waiting
        native.lib.restway_client_close(self._handle)
        link = self._link
        if link is not None and link.loop is asyncio.get_running_loop():
            await link.emptied()
            link.take_rest()
            for each in list(link.followers):
                each.close()
            link.detach()

    async def __aenter__(self) -> AsyncClient:
        self._linked()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    def __enter__(self) -> NoReturn:
        raise TypeError("an AsyncClient needs `async with`")

    def __del__(self) -> None:
        if self._link is not None:
            self._link.detach()

    def _linked(self) -> Link:
        """Returns the connection to the running loop, which becomes the client's loop."""
        link, loop = self._link, asyncio.get_running_loop()
        if link is None:
            made = Link(self._handle, self._layouts, loop, self._holding)
            link = self.__dict__.setdefault("_link", made)  # two threads may both be the first
            if link is made:
                link.attach()
        if link.loop is not loop:
            link.refuse_after_fork()
            raise UsageError(
                "this AsyncClient belongs to another event loop, the loop of its first await; "
                "make one client for each loop",
                status=Status.INVALID_ARGUMENT,
                domain=Domain.USAGE,
            )
        return link

    def _loop(self) -> asyncio.AbstractEventLoop:
        return self._linked().loop

    def _sent(
        self, call: native.CallHandle, reading: Reading | None, future: asyncio.Future[Response]
    ) -> None:
        """Runs when the future of `send` is done; until then the future kept the client alive."""
        if future.cancelled():
            native.lib.restway_call_cancel(call)
        if reading is not None:
            reading.stop()


make_coroutine_functions(AsyncClient)
