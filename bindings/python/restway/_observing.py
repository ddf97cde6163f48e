"""The functions of a client that observe: its store, the result of a query, and its calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from . import _ffi as native
from ._client_base import ClientBase
from ._enums import LifecycleKind
from ._ffi.callbacks import observers
from ._ffi.trampolines import (
    on_changed_destroy,
    on_changed_function,
    on_lifecycle_function,
    on_query_changed_function,
)
from ._hints import require, require_function
from ._object import Objects
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
from ._query import Query
from ._transaction import Changes

if TYPE_CHECKING:
    from ._lifecycle import OnLifecycle

T = TypeVar("T")


class ObservingClient(ClientBase):
    """The part of a client that calls functions of the program when something has changed."""

    __slots__ = ()

    def observe(self, on_change: OnChange, what: Observed = None) -> Observer:
        """Calls `on_change` once for each later transaction that changes what is observed.

        Args:
            on_change: Called in the order of the transactions, where `on_done` of `send` is called,
                and never at the same time; for the changes of a response, before `on_done` of its
                call. Blocking calls raise WouldBlockError there. An exception in it goes to
                `sys.unraisablehook`.
            what: The name of an entity, an object (any snapshot of it), or None for all objects.

        The observer does not keep the client alive. Raises UnknownEntityError; ClosedError.
        """
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
        """Calls `on_change` when the result of a query differs from what was told before.

        It is called where the function of `observe` is called; several transactions may be told at
        once. `objects` of the observer is the first result. Raises ClosedError; StoreError.
        """
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
        """Calls `told` with the events of each call that begins from now on.

            client.on(print, events=[LifecycleKind.TOO_SLOW, LifecycleKind.DID_FAIL])

        Args:
            told: Called where `on_done` of `send` is called, and never at the same time. Blocking
                calls raise WouldBlockError there. An exception in it goes to `sys.unraisablehook`.
            events: The kinds of events; None is all kinds.
            routes: The names of routes, whose calls are observed; None is all calls.
            progress_interval: The shortest time in seconds between two events of the same kind of
                progress of a call (default 0.1).

        Several observers may be added, and each can be removed. Raises UnknownRouteError;
        ClosedError; ValueError.
        """
        from ._lifecycle import LifecycleWishes, lifecycle_event

        require_function(told, "the observer of calls")
        layouts = self._layouts

        def run(handle: native.LifecycleEventHandle) -> None:
            told(lifecycle_event(handle, layouts))

        def start(token: int) -> native.ObserverHandle:
            return LifecycleWishes(events, routes, progress_interval).observe(
                self._handle, on_lifecycle_function, token, on_changed_destroy
            )

        return Observer(self._observing(run, told, start))
