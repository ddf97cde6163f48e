"""Observers: told of every change of a client's store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Union

from . import _native as native
from ._boundary import Owner, make, name
from ._changes import Changes
from ._object import Object

OnChange = Callable[[Changes], object]
"""Told what one transaction did to what is observed."""

Observed = Union[None, str, Object]
"""What is observed: everything, an entity by its name, or one object."""


class Observer(Owner[native.ObserverHandle]):
    """Somebody who is told of changes until it is removed or its client is closed.

    Dropping it changes nothing. As a context manager it is removed at the end.
    """

    __slots__ = ("_removed",)

    def __init__(
        self, handle: native.ObserverHandle, removed: Callable[[], object] | None = None
    ) -> None:
        """For this package: `observe` makes observers. `handle` is owned."""
        super().__init__(handle)
        self._removed = removed

    def remove(self) -> None:
        """Ends it: no call of its function begins any more; one that runs right now goes on.

        Any thread, also inside the function itself; twice is fine.
        """
        if self._owned is not None:
            native.lib.restway_observer_remove(self._owned)
        removed, self._removed = self._removed, None
        if removed is not None:
            removed()

    def close(self) -> None:
        """The same as `remove`."""
        self.remove()
        super().close()

    def __repr__(self) -> str:
        return f"<Observer at {id(self):#x}>"


def start_observing(
    client: native.ClientHandle, what: Observed, changed: Any, token: int, destroy: Any
) -> native.ObserverHandle:
    """For this package: observes `what`; raises what the library reports."""
    lib = native.lib
    kind = native.ObserverHandle
    if isinstance(what, Object):
        function = lib.restway_client_observe_object
        return make(kind, function, client, what._handle, changed, token, destroy)
    if what is not None and not isinstance(what, str):
        raise TypeError(f"expected an entity's name or an Object, not {type(what).__name__}")
    entity = None if what is None else name(what)
    return make(kind, lib.restway_client_observe, client, entity, changed, token, destroy)
