"""Clients for asyncio."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from . import _ffi as native
from ._batch import AsyncBatch
from ._body import Reading
from ._cache import AsyncCache
from ._call import Call
from ._client_base import ClientBase
from ._enums import Delivery, Domain, LifecycleKind, Status
from ._event_loop import Link, Watcher
from ._exceptions import UsageError
from ._handles import OnAttempt
from ._hints import PATHS, require, require_function
from ._lazy import asyncio
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
        """Sends a request at once. Await the future to get its response.

        Cancelling the future cancels the call. Raises a RouteError when no URL can be made of the
        request; ClosedError; UsageError; RuntimeError outside an event loop. Awaiting the future
        raises everything else that `perform` raises.
        """
        future, call = self._start(require(request, Request, PATHS))
        future.add_done_callback(partial(self._sent, call, request.reading))
        return future

    def stream(self, request: Request) -> AsyncStream:
        """Sends a request and reads the body of its answer while it arrives.

            request = restway.Request.path("GET", "reports/7")
            async with client.stream(request) as response:
                async for piece in response.iter_bytes():
                    digest.update(piece)

        Entering the context waits for the head of the answer, and raises the errors of `perform`.
        The body is not mapped. If about 2 MiB wait for the program, the server is slowed down.
        Leaving the context before the end of the body cancels the call. The time limit of the
        request holds for the whole body.
        """
        sent = require(request, Request, PATHS)
        return AsyncStream(self, sent, body_receiver(), ReceivingBytes)

    def events(self, target: Request | str, **options: Unpack[EventOptions]) -> AsyncEventStream:
        """Sends a request and reads its answer as an event stream: Server-Sent Events, JSON lines
        or JSON sequences. The objects of an event are in the store before the program gets the
        event.

            async with client.events("orders/changes") as events:
                async for event in events:
                    print(event.name, event.object)

        Args:
            target: A request, or a path for GET.
            options: The keywords of `EventOptions`.

        Entering the context waits for the head of the answer, and raises the errors of `perform`.
        If about 2 MiB wait for the program, the server is slowed down. Leaving the context ends the
        stream. The stream has no time limit, unless the route or the request sets a time limit.
        """
        receiving = partial(ReceivingEvents, self._layouts)
        return AsyncEventStream(self, request_of(target), event_receiver(**options), receiving)

    def _pages_of(self, target: Request | str, options: PagedOptions) -> AsyncPages:
        return AsyncPages(self, target, options)

    def list(self, target: Request | str, **options: Unpack[RequestOptions]) -> AsyncPagedList:
        """Opens the list that the store keeps of a route with pages. Nothing is sent.

            issues = client.list("issues", variables={"owner": "octo"})
            await issues.load_more()

        Args:
            target: As for `pages`. Requests with the same route, variables and parameters have the
                same list.
            options: For the name of a route, the keywords of `RequestOptions`.

        Raises what `pages` raises; StoreError.
        """
        return AsyncPagedList(self, target, options)

    def scope(self, **variables: Any) -> AsyncScope:
        """Makes a scope, which fills path variables for all that is done through it.

            hello = client.scope(owner="octocat", repo="hello")
            await hello.route("issues")
        """
        return AsyncScope(self, variables)

    def batch(self) -> AsyncBatch:
        """Makes a batch session: requests that are sent together.

        Raises ConfigError when the API document has no `batch`.
        """
        return AsyncBatch(self)

    @property
    def outbox(self) -> AsyncOutbox:
        """The stored requests. Its functions need an `outbox` in the document or an outbox path."""
        return AsyncOutbox(self)

    @property
    def cache(self) -> AsyncCache:
        """The response cache. Its functions need a `cache` in the document or in the options."""
        return AsyncCache(self)

    def observe(self, on_change: OnChange, what: Observed = None) -> Observer:
        """Calls `on_change` once for each later transaction that changes what is observed.

        Args:
            on_change: A plain function. The event loop calls it in the order of the transactions;
                for the changes of a response, before the await of its call returns. An exception in
                it goes to the loop's exception handler. `asyncio.Queue.put_nowait` is such a
                function.
            what: The name of an entity, an object (any snapshot of it), or None for all objects.

        Raises UnknownEntityError; ClosedError; RuntimeError outside an event loop.
        """
        require_function(on_change, "on_change", "; what is observed is the second argument")
        return self._linked().observe(on_change, what)

    def observe_query(self, on_change: OnQueryChange, query: Query) -> QueryObserver:
        """Calls `on_change` when the result of a query differs from what was told before.

        The event loop calls it, as the function of `observe`; several transactions may be told at
        once. `objects` of the observer is the first result. Raises ClosedError; StoreError;
        RuntimeError outside an event loop.
        """
        return self._linked().observe_query(on_change, query)

    def on(
        self,
        told: OnLifecycle,
        *,
        events: Iterable[LifecycleKind] | None = None,
        routes: Iterable[str] | None = None,
        progress_interval: float | None = None,
    ) -> Observer:
        """Calls `told` with the events of each call that begins from now on.

        Args:
            told: A plain function. The event loop calls it. An exception in it goes to the loop's
                exception handler.
            events: The kinds of events; None is all kinds.
            routes: The names of routes, whose calls are observed; None is all calls.
            progress_interval: The shortest time in seconds between two events of the same kind of
                progress of a call (default 0.1).

        Several observers may be added, and each can be removed. Raises UnknownRouteError;
        ClosedError; ValueError; RuntimeError outside an event loop.
        """
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
        """Sets the function that is called when an attempt has ended and another one follows; None
        removes it.

        Args:
            observer: A plain function. The event loop calls it with the call's id, the attempt's
                number, from 1, and the attempt, before the await of its call returns. An exception
                in it goes to the loop's exception handler.

        Raises ClosedError; RuntimeError outside of an event loop.
        """
        self._linked().set_attempt_observer(observer)

    async def close(self) -> None:  # type: ignore[override]  # the base closes without waiting
        """Closes the client: new requests and pending awaits raise ClosedError.

        Returns when all pending calls have ended. In another event loop than the client's it does
        not wait.
        """
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
