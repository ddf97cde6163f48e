"""Stores: the newest snapshot of every object."""

from __future__ import annotations

from typing import NamedTuple

from . import _native as native
from ._boundary import Owner, check, make, name, optional_name
from ._exceptions import NoObjectError
from ._object import Layouts, Object
from ._objects import Objects
from ._query import Query
from ._values import encode


class Statistics(NamedTuple):
    """How large a store is."""

    objects: int
    """How many objects there are, of all entities."""
    cached_objects: int
    """How many of them have their newest snapshot in memory."""
    cached_bytes: int
    """How much memory those snapshots take; the store's own tables are not counted."""
    file_bytes: int
    """The size of the store's file; 0 without a file."""


class Store(Owner[native.StoreHandle]):
    """The identity map of a client. Usable from any thread; may outlive its client."""

    __slots__ = ("_layouts",)

    def __init__(self, handle: native.StoreHandle, layouts: Layouts) -> None:
        """For this package: `Client.store` makes stores. `handle` is owned."""
        super().__init__(handle)
        self._layouts = layouts

    def find(self, entity: str, identity: int | str) -> Object | None:
        """The newest snapshot of the object with that identity, or None.

        `12` and `"12"` are different identities. Raises UnknownEntityError.
        """
        try:
            handle = make(
                native.ObjectHandle,
                native.lib.restway_store_find,
                self._handle,
                name(entity),
                native.ref(_identity(identity)),
            )
        except NoObjectError:
            return None
        return Object(handle, self._layouts)

    def newest(self, object: Object) -> Object | None:
        """The newest snapshot of what `object` shows; None when it has been deleted.

        `object` must come from this store; else UsageError.
        """
        try:
            handle = make(
                native.ObjectHandle,
                native.lib.restway_store_newest,
                self._handle,
                object._handle,
            )
        except NoObjectError:
            return None
        return Object(handle, self._layouts)

    def all(self, entity: str) -> Objects:
        """All objects of an entity, in the order in which they were first stored.

        Raises UnknownEntityError.
        """
        handle = make(
            native.ListHandle, native.lib.restway_store_all, self._handle, name(entity)
        )
        return Objects(handle, None, self._layouts)

    def query(self, entity: str) -> Query:
        """A query on the objects of an entity; raises UnknownEntityError.

            for enterprise in store.query("Enterprise").where("rating", ">=", 4).order_by("-name"):
                print(enterprise.name)
        """
        return Query(entity, self._layouts)

    def is_unsent(self, object: Object) -> bool:
        """Whether the program made the object and the server has not answered for it yet."""
        unsent = native.truth_out()
        check(
            native.lib.restway_store_is_unsent,
            self._handle,
            object._handle,
            native.ref(unsent),
        )
        return bool(unsent.value)

    def delete(self, object: Object) -> bool:
        """Deletes an object from the store alone: nothing is sent. False when it was not there.

        Relationships that lead to it lead nowhere from then on.
        """
        try:
            check(native.lib.restway_store_delete, self._handle, object._handle)
        except NoObjectError:
            return False
        return True

    def delete_identity(self, entity: str, identity: int | str) -> bool:
        """Deletes the object with that identity, as `delete` does; raises UnknownEntityError."""
        try:
            check(
                native.lib.restway_store_delete_identity,
                self._handle,
                name(entity),
                native.ref(_identity(identity)),
            )
        except NoObjectError:
            return False
        return True

    def delete_all(self, entity: str) -> int:
        """Deletes all objects of an entity; returns how many. Raises UnknownEntityError."""
        count = native.number()
        check(
            native.lib.restway_store_delete_all, self._handle, name(entity), native.ref(count)
        )
        objects: int = count.value
        return objects

    def clear(self) -> int:
        """Deletes all objects; returns how many there were."""
        count = native.number()
        check(native.lib.restway_store_clear, self._handle, native.ref(count))
        objects: int = count.value
        return objects

    def statistics(self) -> Statistics:
        """How large the store is."""
        read = native.Statistics()
        check(native.lib.restway_statistics_init, native.ref(read), native.size_of(read))
        check(native.lib.restway_store_statistics, self._handle, native.ref(read))
        return Statistics(
            read.object_count,
            read.cached_object_count,
            read.cached_byte_count,
            read.file_byte_count,
        )

    def count(self, entity: str | None = None) -> int:
        """How many objects there are of an entity, or of all; raises UnknownEntityError."""
        count = native.number()
        check(
            native.lib.restway_store_count,
            self._handle,
            optional_name(entity),
            native.ref(count),
        )
        objects: int = count.value
        return objects


def _identity(identity: int | str) -> native.Value:
    if not isinstance(identity, (int, str)) or isinstance(identity, bool):
        raise TypeError(f"an identity is an int or a str, not {type(identity).__name__}")
    return encode(identity)
