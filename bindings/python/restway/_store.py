"""Stores: reading them, and what waits for the server of an object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _ffi as native
from ._base.hints import Hinting, require
from ._base.lazy import json
from ._exceptions import NoObjectError
from ._ffi.conversion import encode, plain_of
from ._handles import Owner, check, make, name, optional_name, written_text
from ._object import Layouts, Object, Objects
from ._query import Query
from ._transaction import Transaction

if TYPE_CHECKING:
    from collections.abc import Sequence
    from enum import Enum
    from typing import Union
    from uuid import UUID

    IdentityPart = Union[int, str, UUID, Enum]
    IdentityArgument = Union[IdentityPart, Sequence[IdentityPart]]


class Statistics(NamedTuple):
    """The size of a store."""

    objects: int
    """The number of objects of all entities, also of those that are known by their identity
    alone.
    """
    cached_objects: int
    """How many of the objects have their newest snapshot in memory."""
    cached_bytes: int
    """The memory of those snapshots in bytes; the store's own tables are not counted."""
    file_bytes: int
    """The size of the store's file in bytes; 0 without a file."""


class PendingValue(NamedTuple):
    """The values of an attribute or a relationship that waits for the server."""

    mine: Any
    """The value that waits, which the program sees."""
    base: Any
    """The value that the edits were made on; None if there was none. `Store.confirmed` has a newer
    one, if the server has sent another one since.
    """


class Pending(Hinting, Mapping[str, PendingValue]):
    """The pending edits of an object: the attributes and relationships to which stored requests or
    optimistic calls give values, and whether a DELETE waits.

        pending = client.store.pending(note)
        for name, value in pending.items():
            print(f"{name}: {value.base} -> {value.mine}")

    It is immutable, shows the moment at which it was read, and is false if nothing waits. The names
    are in the order of the document, relationships last.
    """

    __slots__ = ("_base", "_deletes", "_mine", "_names")

    def __init__(self, handle: native.PendingHandle, layouts: Layouts) -> None:
        """For this package: `Store.pending` makes these. `handle` is owned."""
        lib = native.lib
        count = lib.restway_pending_count(handle)
        names = [native.borrowed(lib.restway_pending_name(handle, place)) for place in range(count)]
        self._names = {name: None for name in names if name is not None}
        self._mine = Object.retained(lib.restway_pending_mine(handle), layouts)
        self._base = Object.retained(lib.restway_pending_base(handle), layouts)
        self._deletes = bool(lib.restway_pending_deletes(handle))

    @property
    def deletes(self) -> bool:
        """Whether a DELETE of the object waits."""
        return self._deletes

    def __getitem__(self, name: str) -> PendingValue:
        if name not in self._names:
            raise KeyError(name)
        return PendingValue(self._mine[name], self._base[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __bool__(self) -> bool:
        return self._deletes or bool(self._names)

    def __repr__(self) -> str:
        """Shows the names without the values, which may be secrets."""
        waiting = [*self._names, *(["its deletion"] if self._deletes else [])]
        about = f"{self._mine.entity} {self._mine.identity}"
        return f"<Pending {', '.join(waiting) or 'nothing'} of {about}>"


class Store(Owner[native.StoreHandle]):
    """The store of a client: it finds each object by its entity and identity. It is usable from any
    thread, and may outlive its client.
    """

    __slots__ = ("_layouts",)

    def __init__(self, handle: native.StoreHandle, layouts: Layouts) -> None:
        """For this package: `Client.store` makes stores. `handle` is owned."""
        super().__init__(handle)
        self._layouts = layouts

    def find(self, entity: str, identity: IdentityArgument) -> Object | None:
        """Returns the newest snapshot of the object with that identity, or None.

            store.find("Issue", 3)
            store.find("Issue", ("octocat", "hello", 3))  # an identity of several parts

        `12` and `"12"` are different identities. Raises UnknownEntityError; UsageError for a str if
        the identity of the entity is an int, and the other way round, and for other parts than the
        identity has.
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
        """Returns the newest snapshot of the object; None if it has been deleted.

        `object` must come from this store; raises UsageError otherwise.
        """
        try:
            handle = make(
                native.ObjectHandle,
                native.lib.restway_store_newest,
                self._handle,
                require(object, Object)._handle,
            )
        except NoObjectError:
            return None
        return Object(handle, self._layouts)

    def all(self, entity: str) -> Objects:
        """Returns all objects of an entity, in the order in which they were first stored, without
        those that are known by their identity alone (`Object.is_loaded`).

        Raises UnknownEntityError.
        """
        handle = make(
            native.ListHandle, native.lib.restway_store_all, self._handle, name(entity)
        )
        return Objects(handle, None, self._layouts)

    def query(self, entity: str) -> Query:
        """Makes a query for the objects of an entity; raises UnknownEntityError.

            for enterprise in store.query("Enterprise").where("rating", ">=", 4).order_by("-name"):
                print(enterprise.name)
        """
        return Query(entity, self._layouts)

    def is_unsent(self, object: Object) -> bool:
        """Returns whether the program made the object and no server has answered for it yet."""
        unsent, handle = native.truth_out(), require(object, Object)._handle
        check(native.lib.restway_store_is_unsent, self._handle, handle, native.ref(unsent))
        return bool(unsent.value)

    def variables(self, object: Object) -> dict[str, str]:
        """Returns the variables of its last route that the object remembers (docs/SCOPES.md)."""
        function, handle = native.lib.restway_store_variables, require(object, Object)._handle
        return dict(json.loads(written_text(function, self._handle, handle)))

    def confirmed(self, object: Object) -> Object | None:
        """Returns the server's view of an object: the values that the server has sent last, without
        the pending edits that `newest` shows.

            if client.store.pending(note):
                print("on the server:", client.store.confirmed(note).title)

        It also finds an object that a waiting DELETE hides. It returns None for an object that only
        the program has made, and for an object that has been deleted.
        """
        try:
            handle = make(
                native.ObjectHandle,
                native.lib.restway_store_confirmed,
                self._handle,
                require(object, Object)._handle,
            )
        except NoObjectError:
            return None
        return Object(handle, self._layouts)

    def pending(self, object: Object) -> Pending:
        """Returns what waits for the server of an object: the attributes and relationships to which
        stored requests or optimistic calls give values, and whether a DELETE waits.

            for name, value in client.store.pending(note).items():
                print(f"{name}: {value.base} -> {value.mine}")

        The result is false if nothing waits, and if the object has been deleted.
        """
        handle = make(
            native.PendingHandle,
            native.lib.restway_store_pending,
            self._handle,
            require(object, Object)._handle,
        )
        return Pending(handle, self._layouts)

    def version(self, object: Object) -> str | None:
        """Returns the version of an object: the text by which the server knows its state, such as
        an entity tag with its quotation marks.

            store.version(note)  # '"5d8c72a5"'

        The next change of the object is sent with it as a condition. It is None if it is not known,
        because the entity has no `version`, the server has sent none, or a value has come without
        one since.
        """
        function, handle = native.lib.restway_store_version, require(object, Object)._handle
        return written_text(function, self._handle, handle) or None

    def is_rejected(self, object: Object) -> bool:
        """Returns whether the server has refused a change of the object.

        A dead letter of the client's outbox, a stored request that the server has refused for good,
        marks its object as rejected, until it is retried, edited or dropped:

            if store.is_rejected(enterprise):
                print("the server did not accept", enterprise.name)

        Without an outbox the result is always False. Raises OutboxError if its file cannot be read,
        and ClosedError if the client has an outbox and is closed.
        """
        rejected = native.truth_out()
        function = native.lib.restway_store_is_rejected
        check(function, self._handle, require(object, Object)._handle, native.ref(rejected))
        return bool(rejected.value)

    def transaction(self) -> Transaction:
        """Makes a transaction: several insertions, changes and deletions that the store takes
        together, or not at all.

            with store.transaction() as transaction:
                transaction.insert(draft)
                transaction.delete(enterprise)

        The end of the block commits; an exception in the block drops the changes.
        """
        handle = make(
            native.TransactionHandle, native.lib.restway_transaction_create, self._handle
        )
        return Transaction(handle, self._layouts)

    def delete(self, object: Object) -> bool:
        """Deletes an object from the store; nothing is sent. Returns False if the object was not
        there.

        Relationships that led to the object then lead to nothing.
        """
        handle = require(object, Object, "; delete_identity takes an identity")._handle
        try:
            check(native.lib.restway_store_delete, self._handle, handle)
        except NoObjectError:
            return False
        return True

    def delete_identity(self, entity: str, identity: IdentityArgument) -> bool:
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
        """Deletes all objects of an entity; returns how many were deleted. Raises
        UnknownEntityError.
        """
        count = native.number()
        check(
            native.lib.restway_store_delete_all, self._handle, name(entity), native.ref(count)
        )
        objects: int = count.value
        return objects

    def clear(self) -> int:
        """Deletes all objects; returns how many were deleted."""
        count = native.number()
        check(native.lib.restway_store_clear, self._handle, native.ref(count))
        objects: int = count.value
        return objects

    def statistics(self) -> Statistics:
        """Returns the size of the store."""
        read = native.Statistics()
        check(native.lib.restway_statistics_init, native.ref(read), native.size_of(read))
        check(native.lib.restway_store_statistics, self._handle, native.ref(read))
        counts = read.object_count, read.cached_object_count
        return Statistics(*counts, read.cached_byte_count, read.file_byte_count)

    def count(self, entity: str | None = None) -> int:
        """Counts the objects of an entity, or all objects, without those that are known by their
        identity alone (`Object.is_loaded`); raises UnknownEntityError.
        """
        count = native.number()
        check(
            native.lib.restway_store_count,
            self._handle,
            optional_name(entity),
            native.ref(count),
        )
        objects: int = count.value
        return objects


    def __repr__(self) -> str:
        return "<Store, closed>" if self._owned is None else f"<Store, {self.count()} objects>"


def _identity(identity: IdentityArgument) -> native.Value:
    if isinstance(identity, (tuple, list)):
        return encode([_part(part) for part in identity])
    return encode(_part(identity))


def _part(identity: object) -> int | str:
    plain = plain_of(identity)
    if not isinstance(plain, (int, str)) or isinstance(plain, bool):
        raise TypeError(
            f"an identity is an int or a str, or a tuple of these, not {type(plain).__name__}"
        )
    return plain
