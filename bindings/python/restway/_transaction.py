"""Transactions: what a program changes together, and the changes of a transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from . import _ffi as native
from ._base.hints import Hinting, position, require
from ._draft import Draft
from ._enums import ChangeKind, ChangeSource
from ._exceptions import NoObjectError
from ._handles import Owner, check, make
from ._object import Layouts, Object

if TYPE_CHECKING:
    from types import TracebackType


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
    source: ChangeSource
    """LOCAL: the program has changed the object. SERVER: the server has. TAKEN_BACK: a pending edit
    ended without reaching the server, so that the server's values are seen again.
    """
    pending_changed: bool
    """Whether other attributes and relationships wait for the server than before: an edit has begun
    or ended. No value need differ. `Store.pending` says which wait now.
    """


class Changes(Hinting, Sequence[Change]):
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
        if isinstance(index, slice):
            return [self._change(place) for place in range(len(self))[index]]
        return self._change(position(index, len(self), "changes"))

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
            ChangeSource(lib.restway_changes_source(handle, index)),
            bool(lib.restway_changes_pending_changed(handle, index)),
        )

    def _changed(self, function: Any, index: int, names: tuple[str, ...]) -> tuple[str, ...]:
        indices = native.index_array(range(len(names)))
        count = function(self._handle, index, indices, len(names))
        return tuple(names[place] for place in indices[:count])


class Transaction(Owner[native.TransactionHandle]):
    """Several insertions, changes and deletions of objects that a store takes together.

        with client.store.transaction() as transaction:
            for draft in drafts:
                transaction.insert(draft)
            transaction.delete(enterprise)
        print(transaction.changes)

    As a context manager it commits at the end of the block, and drops the changes if the block
    raises. Nothing reaches the store before that, and reading the store shows it without the
    changes. Observers are told once, of all changes together. It is usable from any thread.
    """

    __slots__ = ("_changes", "_is_over", "_layouts")

    def __init__(self, handle: native.TransactionHandle, layouts: Layouts) -> None:
        """For this package: `Store.transaction` makes transactions. `handle` is owned."""
        super().__init__(handle)
        self._layouts = layouts
        self._changes: Changes | None = None
        self._is_over = False

    def insert(self, draft: Draft) -> None:
        """Adds the insertion of a draft as it is now, as `Draft.insert` does it: a new object, or
        the changes of an existing object, and the drafts that its relationships lead to.

        The draft gets its store key when the transaction is committed. Raises NoObjectError if the
        transaction deletes its object; UsageError if the transaction is over.
        """
        handle = require(draft, Draft)._handle
        check(native.lib.restway_transaction_insert, self._handle, handle)

    def delete(self, object: Object) -> bool:
        """Adds the deletion of an object, as `Store.delete` does it. Returns False if the store
        does not have the object, or if the transaction deletes it already.

        Raises UsageError if the transaction is over.
        """
        try:
            check(native.lib.restway_transaction_delete, self._handle, object._handle)
        except NoObjectError:
            return False
        return True

    def commit(self) -> Changes | None:
        """Gives the store all changes, in the order in which they were added; returns them as
        `changes` does.

        The transaction is over then, also when this raises: StoreError, or NoObjectError if the
        object of a draft has been deleted meanwhile. The store has not changed in that case.
        """
        self._is_over = True
        handle = make(
            native.ChangesHandle, native.lib.restway_transaction_commit, self._handle
        )
        if handle:
            self._changes = Changes(handle, self._layouts)
        return self._changes

    def rollback(self) -> None:
        """Drops all changes. The transaction is over then."""
        self._is_over = True
        native.lib.restway_transaction_rollback(self._handle)

    @property
    def changes(self) -> Changes | None:
        """The changes of the committed transaction; None if it was not committed, or has changed
        nothing.
        """
        return self._changes

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if kind is None and not self._is_over:
                self.commit()
        finally:
            super().__exit__(kind, error, traceback)

    def __repr__(self) -> str:
        if self._changes is not None:
            return f"<Transaction, committed: {self._changes!r}>"
        return f"<Transaction, {'over' if self._is_over else 'not committed'}>"
