"""Changes of a transaction, and the observers that receive them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Union, overload

from . import _ffi as native
from ._boundary import Owner, make, name
from ._ffi.enums import ChangeKind
from ._object import Layouts, Object


class Change(NamedTuple):
    """The effect of a transaction on one object."""

    kind: ChangeKind
    """INSERTED, UPDATED or DELETED."""
    object: Object
    """The object after the transaction; a deleted object as it was before."""
    before: Object | None
    """The object before the transaction; None for an inserted object."""
    attributes: tuple[str, ...]
    """The names of the attributes that differ before and after; for an inserted or deleted object,
    the attributes that it has.
    """
    relationships: tuple[str, ...]
    """The names of the relationships, in the same way."""


class Changes(Sequence[Change]):
    """The changes of one transaction: one for each object, in the order in which the transaction
    first touched them. It is never empty.
    """

    __slots__ = ("_handle", "_layouts")

    def __init__(self, handle: native.ChangesHandle, layouts: Layouts) -> None:
        """For this package: clients make these. `handle` is owned."""
        self._handle = handle
        self._layouts = layouts

    @overload
    def __getitem__(self, index: int) -> Change: ...
    @overload
    def __getitem__(self, index: slice) -> list[Change]: ...
    def __getitem__(self, index: int | slice) -> Change | list[Change]:
        span = range(len(self))[index]
        if isinstance(span, range):
            return [self._change(place) for place in span]
        return self._change(span)

    def __len__(self) -> int:
        count: int = native.lib.restway_changes_count(self._handle)
        return count

    def __iter__(self) -> Iterator[Change]:
        return (self._change(index) for index in range(len(self)))

    def __repr__(self) -> str:
        shown = ", ".join(f"{change.kind.name.lower()} {change.object!r}" for change in self[:3])
        return f"<Changes {len(self)}: [{shown}{', …' if len(self) > 3 else ''}]>"

    def _change(self, index: int) -> Change:
        lib, handle, layouts = native.lib, self._handle, self._layouts
        newest = Object.retained(lib.restway_changes_object(handle, index), layouts)
        before = lib.restway_changes_before(handle, index)
        known = newest._known()
        return Change(
            ChangeKind(lib.restway_changes_kind(handle, index)),
            newest,
            Object.retained(before, layouts) if before else None,
            self._changed(lib.restway_changes_attributes, index, known.names),
            self._changed(lib.restway_changes_relationships, index, tuple(known.relationships)),
        )

    def _changed(self, function: Any, index: int, names: tuple[str, ...]) -> tuple[str, ...]:
        indices = native.index_array(range(len(names)))
        count = function(self._handle, index, indices, len(names))
        return tuple(names[place] for place in indices[:count])


OnChange = Callable[[Changes], object]
"""A function that receives the effects of one transaction on the observed objects."""

Observed = Union[None, str, Object]
"""The objects that are observed: all (None), the objects of an entity (its name), or one object."""


class Observer(Owner[native.ObserverHandle]):
    """An observer of a store. It receives changes until it is removed or its client is closed.

    Dropping this object does not end the observer. As a context manager it is removed at the end.
    """

    __slots__ = ("_removed",)

    def __init__(
        self, handle: native.ObserverHandle, removed: Callable[[], object] | None = None
    ) -> None:
        """For this package: `observe` makes observers. `handle` is owned."""
        super().__init__(handle)
        self._removed = removed

    def remove(self) -> None:
        """Ends the observer: no further call of its function begins. A call that is running at that
        moment continues.

        Any thread may call it, also inside the function itself, and more than once.
        """
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
        return f"<Observer at {id(self):#x}>"


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
        raise TypeError(f"expected an entity's name or an Object, not {type(what).__name__}")
    entity = None if what is None else name(what)
    return make(kind, lib.restway_client_observe, client, entity, changed, token, destroy)
