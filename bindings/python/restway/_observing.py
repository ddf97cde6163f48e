"""Observers: of the store, of the result of a query, and of calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from . import _ffi as native
from ._boundary import check
from ._client_base import ClientBase
from ._ffi.callbacks import observers
from ._ffi.enums import LifecycleKind
from ._ffi.trampolines import (
    on_changed_destroy,
    on_changed_function,
    on_lifecycle_function,
    on_query_changed_function,
)
from ._hints import require, require_function
from ._object import Layouts, Objects
from ._query import Query
from ._store import Observed, Observer, OnChange, start_observing
from ._transaction import Changes

if TYPE_CHECKING:
    from ._lifecycle import OnLifecycle

T = TypeVar("T")


class QueryChanges:
    """The difference between two results of an observed query, and the newer result.

    Places are indices. To turn the old list into the new one, remove the objects at the places of
    `deletions` and at the old places of `moves`, which all count in the old list; then insert the
    objects at the places of `insertions` and at the new places of `moves`, the smallest first:

        for place in sorted([*changes.deletions, *(old for old, _ in changes.moves)], reverse=True):
            del rows[place]
        for place in sorted([*changes.insertions, *(new for _, new in changes.moves)]):
            rows.insert(place, row_of(changes.objects[place]))
        for place in changes.updates:
            rows[place] = row_of(changes.objects[place])
    """

    __slots__ = ("deletions", "insertions", "moves", "objects", "updates")

    objects: Objects
    """The newer result."""
    deletions: tuple[int, ...]
    """The places in the older result of the objects that the newer one does not have, in order."""
    insertions: tuple[int, ...]
    """The places in the newer result of the objects that the older one does not have, in order."""
    moves: tuple[tuple[int, int], ...]
    """The old and the new places of objects that are in another order now: as few as possible, in
    the order of their new places.
    """
    updates: tuple[int, ...]
    """The places in the newer result of objects that were in the older one with other values."""

    def __init__(self, handle: native.QueryChangesHandle, layouts: Layouts) -> None:
        """For this package: clients make these. `handle` is owned."""
        lib = native.lib
        found = native.own(lib.restway_query_changes_list(handle))
        self.objects = Objects(found, None, layouts)
        self.deletions = _places(lib.restway_query_changes_deletions, handle)
        self.insertions = _places(lib.restway_query_changes_insertions, handle)
        self.updates = _places(lib.restway_query_changes_updates, handle)
        count = lib.restway_query_changes_moves(handle, None, None, 0)
        old, new = native.sizes(count), native.sizes(count)
        lib.restway_query_changes_moves(handle, old, new, count)
        self.moves = tuple(zip(old, new))

    def __repr__(self) -> str:
        return (
            f"<QueryChanges of {len(self.objects)} objects: {len(self.deletions)} went, "
            f"{len(self.insertions)} came, {len(self.moves)} moved, {len(self.updates)} updated>"
        )


def _places(function: Any, handle: native.QueryChangesHandle) -> tuple[int, ...]:
    places = native.sizes(function(handle, None, 0))
    function(handle, places, len(places))
    return tuple(places)


OnQueryChange = Callable[[QueryChanges], object]
"""A function that receives the changes in the result of an observed query."""


class QueryObserver(Observer):
    """An observer of a query, see `Observer`."""

    __slots__ = ("_objects",)

    def __init__(
        self,
        handle: native.ObserverHandle,
        objects: Objects,
        removed: Callable[[], object] | None = None,
    ) -> None:
        """For this package: `observe_query` makes observers. `handle` is owned."""
        super().__init__(handle, removed)
        self._objects = objects

    @property
    def objects(self) -> Objects:
        """The result of the query when the observer began, from which the first difference counts.
        """
        return self._objects


def start_observing_query(
    client: native.ClientHandle, query: Query, changed: Any, token: int, destroy: Any
) -> tuple[native.ObserverHandle, Objects]:
    """For this package: observes `query`; raises the error that the library reports."""
    observer, found = native.OwnedObserverHandle(), native.OwnedListHandle()
    check(
        native.lib.restway_client_observe_query,
        client,
        query._handle,
        changed,
        token,
        destroy,
        native.ref(found),
        native.ref(observer),
    )
    return observer, Objects(found, None, query._layouts)


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
