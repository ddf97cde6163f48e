"""The life of calls: its events for observers, and the calls in flight."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from . import _ffi as native
from ._base.hints import member
from ._base.lazy import asyncio
from ._details import Progress
from ._enums import CallFlag, LifecycleKind
from ._handles import check, failure, make, milliseconds, name
from ._observers import Observer
from ._response import Response, call_progress

if TYPE_CHECKING:
    from ._exceptions import RestwayError
    from ._object import Layouts

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_PROGRESS = frozenset({LifecycleKind.UPLOADED, LifecycleKind.DOWNLOADED})


@dataclass(frozen=True)
class CallInfo:
    """A call as it was at one moment.

        for call in client.active_calls():
            print(call.id, call.method, call.url, call.stage, call.age)
    """

    id: int
    """The number of the call, as `Call.id` and the log have it."""
    route: str | None
    """The name of the route; None for a request that was not made by a named route."""
    method: str
    """The method of the request."""
    url: str
    """The URL of the first request. `[redacted]` replaces secrets."""
    stage: str
    """The stage that holds the call, such as "exchange"; "start" before the first one."""
    age: float
    """The seconds since the call was made."""
    attempt: int
    """The number of the attempt, from 1."""
    is_in_background: bool
    """Whether the library makes the call by itself: to bring a newer answer for its cache, or to
    send a stored request.
    """
    is_in_batch: bool
    """Whether the request goes out inside the call of a batch."""
    is_from_outbox: bool
    """Whether the outbox sends the request."""
    _call: native.CallHandle = field(repr=False, compare=False)

    def cancel(self) -> None:
        """Cancels the call: unless it has completed before, it ends with CancelledError."""
        native.lib.restway_call_cancel(self._call)


@dataclass(frozen=True)
class LifecycleEvent:
    """An event in the life of a call.

        client.on(lambda event: print(event.kind.name, event.call.url))
    """

    kind: LifecycleKind
    """The kind of the event."""
    time: datetime
    """When it happened, in UTC."""
    call: CallInfo
    """The call as it was then."""
    progress: Progress | None
    """The progress of the call, for UPLOADED and DOWNLOADED; otherwise None."""
    response: Response | None
    """The response of a call that has succeeded; otherwise None."""
    error: RestwayError | None
    """The error of a call that has failed or was cancelled; otherwise None."""


OnLifecycle = Callable[[LifecycleEvent], object]
"""A function that is called with the events of calls."""


def _info(function: Any, *arguments: Any, call: native.CallHandle) -> CallInfo:
    """Returns the info that a function of the library writes about a call, which is borrowed."""
    read = native.CallInfo()
    check(native.lib.restway_call_info_init, native.ref(read), native.size_of(read))
    check(function, *arguments, native.ref(read))
    return CallInfo(
        id=read.call_id,
        route=native.borrowed(read.route),
        method=native.borrowed(read.method) or "",
        url=native.borrowed(read.url) or "",
        stage=native.borrowed(read.stage) or "",
        age=read.age_microseconds / 1e6,
        attempt=read.attempt,
        is_in_background=bool(read.flags & CallFlag.IN_BACKGROUND),
        is_in_batch=bool(read.flags & CallFlag.IN_BATCH),
        is_from_outbox=bool(read.flags & CallFlag.FROM_OUTBOX),
        _call=native.own(native.lib.restway_call_retain(call)),
    )


def lifecycle_event(handle: native.LifecycleEventHandle, layouts: Layouts) -> LifecycleEvent:
    """For this package: reads an event."""
    lib = native.lib
    call = lib.restway_lifecycle_event_call(handle)
    kind = LifecycleKind(lib.restway_lifecycle_event_kind(handle))
    response = lib.restway_lifecycle_event_response(handle)
    error = lib.restway_lifecycle_event_error(handle)
    return LifecycleEvent(
        kind=kind,
        time=_EPOCH + timedelta(microseconds=lib.restway_lifecycle_event_time(handle)),
        call=_info(lib.restway_lifecycle_event_info, handle, call=call),
        progress=call_progress(call) if kind in _PROGRESS else None,
        response=Response.retained(response, layouts) if response else None,
        error=failure(lib.restway_error_status(error), error, layouts) if error else None,
    )


def active_calls(client: native.ClientHandle) -> list[CallInfo]:
    """For this package: returns the calls in flight of a client."""
    lib = native.lib
    calls = make(native.ActiveCallsHandle, lib.restway_client_active_calls, client)
    return [
        _info(
            lib.restway_active_calls_read,
            calls,
            index,
            call=lib.restway_active_calls_call(calls, index),
        )
        for index in range(lib.restway_active_calls_count(calls))
    ]


@dataclass(frozen=True)
class LifecycleWishes:
    """For this package: the events that an observer of calls receives."""

    events: Iterable[LifecycleKind] | None
    routes: Iterable[str] | None
    progress_interval: float | None

    def observe(
        self, client: native.ClientHandle, told: Any, token: int, destroy: Any
    ) -> native.ObserverHandle:
        """Adds an observer; raises the error that the library reports."""
        if isinstance(self.routes, str):
            raise TypeError("routes are the names of several routes, not one str")
        lib = native.lib
        options = native.LifecycleOptions()
        check(lib.restway_lifecycle_options_init, native.ref(options), native.size_of(options))
        # Without a choice, these are the kinds that this package knows: a newer library may have
        # more.
        for kind in LifecycleKind if self.events is None else self.events:
            options.kinds |= 1 << member(LifecycleKind, kind)
        if not options.kinds:
            raise ValueError("an observer of calls needs at least one kind of events")
        if self.routes is not None:
            names = [name(route) for route in self.routes]
            options.routes, options.route_count = native.text_array(names), len(names)
        options.progress_interval_milliseconds = milliseconds(self.progress_interval, unbounded=-1)
        function = lib.restway_client_observe_calls
        given = native.ref(options), told, token, destroy
        return make(native.ObserverHandle, function, client, *given)


class LifecycleEvents:
    """The events of calls, for `async for`. They wait here until the program reads them.

        with client.lifecycle() as events:
            async for event in events:
                print(event.kind.name, event.call.url)

    It ends when its client is closed. As a context manager it is closed at the end.
    """

    __slots__ = ("__weakref__", "_observer", "_queue")

    def __init__(self, observe: Callable[[OnLifecycle], Observer]) -> None:
        """For this package: `AsyncClient.lifecycle` makes it."""
        self._queue: asyncio.Queue[LifecycleEvent | None] = asyncio.Queue()
        self._observer = observe(self._queue.put_nowait)

    def close(self) -> None:
        """Ends the observer. Events that wait can still be read, and then the loop over them ends.
        """
        self._observer.remove()
        self._queue.put_nowait(None)

    def __repr__(self) -> str:
        return f"<LifecycleEvents, {self._queue.qsize()} waiting>"

    def __enter__(self) -> LifecycleEvents:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __aiter__(self) -> LifecycleEvents:
        return self

    async def __anext__(self) -> LifecycleEvent:
        event = await self._queue.get()
        if event is None:
            self._queue.put_nowait(None)  # the loop over the events has ended for good
            raise StopAsyncIteration
        return event
