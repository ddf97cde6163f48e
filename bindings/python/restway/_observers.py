"""Observers of the store and of the result of a query."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Union

from . import _ffi as native
from ._handles import Owner, check, make, name
from ._object import Layouts, Object, Objects
from ._query import Query
from ._transaction import Changes


class Observable(Protocol):
    """A list that the store keeps of a route with pages."""

    def _start_observing(self, changed: Any, token: int, destroy: Any) -> native.ObserverHandle:
        """Observes the list."""


OnChange = Callable[[Changes], object]
"""A function that receives the effects of one transaction on the observed objects."""

Observed = Union[None, str, Object, Observable]
"""The objects that are observed: all (None), the objects of an entity (its name), one object, or
the objects of a list.
"""


class Observer(Owner[native.ObserverHandle]):
    """An observer of a store. It receives changes until it is removed or its client is closed.

    Dropping this object does not end the observer. As a context manager it is removed at the end.
    """

    __slots__ = ("_is_removed", "_removed")

    def __init__(
        self, handle: native.ObserverHandle, removed: Callable[[], object] | None = None
    ) -> None:
        """For this package: `observe` makes observers. `handle` is owned."""
        super().__init__(handle)
        self._removed = removed
        self._is_removed = False

    def remove(self) -> None:
        """Ends the observer: no further call of its function begins. A call that is running at that
        moment continues.

        Any thread may call it, also inside the function itself, and more than once.
        """
        self._is_removed = True
        if self._owned is not None:
            native.lib.restway_observer_remove(self._owned)
        removed, self._removed = self._removed, None
        if removed is not None:
            removed()

    def close(self) -> None:
        """Ends the observer, as `remove` does."""
        self.remove()
        super().close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, {'removed' if self._is_removed else 'not removed'}>"


def start_observing(
    client: native.ClientHandle, what: Observed, changed: Any, token: int, destroy: Any
) -> native.ObserverHandle:
    """For this package: observes `what`; raises the error that the library reports."""
    lib = native.lib
    kind = native.ObserverHandle
    if isinstance(what, Object):
        function = lib.restway_client_observe_object
        return make(kind, function, client, what._handle, changed, token, destroy)
    if what is not None and not isinstance(what, str):
        if not hasattr(what, "_start_observing"):
            raise TypeError(f"expected an entity's name or an Object, not {type(what).__name__}")
        return what._start_observing(changed, token, destroy)
    entity = None if what is None else name(what)
    return make(kind, lib.restway_client_observe, client, entity, changed, token, destroy)


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
