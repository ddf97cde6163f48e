"""Queries: they select the objects of an entity and order them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timezone
from functools import partial
from typing import Any, Literal, NamedTuple, overload

from . import _ffi as native
from ._base.hints import require_number
from ._enums import Comparison, ValueKind
from ._exceptions import UsageError
from ._ffi.conversion import decode, encode, json_bytes, number_of
from ._handles import Owner, check, chosen, make, name
from ._object import Layouts, Object, Objects
from ._reading.whole import WholeQuery

Operator = Literal["==", "!=", "<", "<=", ">", ">="]
"""How an attribute is compared with a value."""

Visibility = Literal["show", "hide"]
"""Whether a query finds objects that are to be deleted."""

_VISIBILITIES: dict[str, int] = {"show": 1, "hide": 0}

_COMPARISONS: dict[str, Comparison] = {
    "==": Comparison.EQUAL,
    "!=": Comparison.NOT_EQUAL,
    "<": Comparison.LESS,
    "<=": Comparison.LESS_OR_EQUAL,
    ">": Comparison.GREATER,
    ">=": Comparison.GREATER_OR_EQUAL,
}

_INDEX_MAX = 2**63 - 1


class _Steps(NamedTuple):
    """The parts of a query so far."""

    comparisons: tuple[tuple[str, Comparison, Any], ...] = ()
    conditions: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    order: tuple[tuple[str, bool], ...] = ()
    limit: int | None = None
    offset: int = 0
    rejected: bool | None = None
    unloaded: bool | None = False
    pending: bool | None = None
    pending_deletes: Visibility | None = None
    conflicted: bool | None = None


class Query(WholeQuery, Owner[native.QueryHandle]):
    """Objects of one entity: `store.query("Enterprise").where("rating", ">=", 4).order_by("-name")`

    It is immutable: each step returns a new query. Nothing is read before the query is iterated,
    indexed or measured, or before `all`, `first`, `count` or `counts` is called; each of these
    reads the store again. To use a result several times, keep what `all` returns.

    Values are ordered as SQLite orders them: null (None) first, then numbers (False is 0, a date
    its microseconds), then texts by their UTF-8 bytes, then bytes. None equals null and absent
    values, and is never less or greater than another value.
    """

    __slots__ = ("_entity", "_layouts", "_steps")

    def __init__(self, entity: str, layouts: Layouts, steps: _Steps | None = None) -> None:
        """For this package: `Store.query` makes queries."""
        lib = native.lib
        handle = make(native.QueryHandle, lib.restway_query_create, layouts.store, name(entity))
        super().__init__(handle)
        self._entity = entity
        self._layouts = layouts
        self._steps = steps = steps or _Steps()
        for attribute, comparison, value in steps.comparisons:
            _give(partial(self._compare, name(attribute), comparison), (value,))
        for condition, values in steps.conditions:
            _give(partial(self._filter, name(condition)), values)
        for attribute, descending in steps.order:
            check(lib.restway_query_add_order, handle, name(attribute), descending)
        check(lib.restway_query_set_limit, handle, -1 if steps.limit is None else steps.limit)
        check(lib.restway_query_set_offset, handle, steps.offset)
        rejected = -1 if steps.rejected is None else int(steps.rejected)
        check(lib.restway_query_set_rejected, handle, rejected)
        unloaded = -1 if steps.unloaded is None else int(steps.unloaded)
        check(lib.restway_query_set_unloaded, handle, unloaded)
        pending = -1 if steps.pending is None else int(steps.pending)
        check(lib.restway_query_set_pending, handle, pending)
        conflicted = -1 if steps.conflicted is None else int(steps.conflicted)
        check(lib.restway_query_set_conflicted, handle, conflicted)
        if steps.pending_deletes is not None:
            shown = chosen(_VISIBILITIES, steps.pending_deletes, "visibility")
            check(lib.restway_query_set_pending_deletes, handle, shown)

    def _compare(
        self, attribute: Any, comparison: Comparison, values: tuple[Any, ...]
    ) -> None:
        encoded = native.ref(_encoded(values[0]))
        function = native.lib.restway_query_add_condition
        check(function, self._handle, attribute, comparison, encoded)

    def _filter(self, condition: Any, values: tuple[Any, ...]) -> None:
        given = native.list_value(map(_place_value, values))
        function = native.lib.restway_query_where
        check(function, self._handle, condition, given.as_.list, len(values))

    def _with(self, **changes: Any) -> Query:
        return Query(self._entity, self._layouts, self._steps._replace(**changes))

    def where(
        self,
        attribute: str | None = None,
        operator: Operator = "==",
        value: Any = None,
        **equal: Any,
    ) -> Query:
        """Returns a query with one more comparison: `where("rating", ">=", 4)`,
        `where(city="Wien")`.

        All conditions of a query must hold; `filter` can say more. A date means its midnight in
        UTC. Raises UnknownAttributeError; ValueError for an unknown operator; UsageError for a
        value that the attribute can never have.
        """
        if operator not in _COMPARISONS:
            known = ", ".join(_COMPARISONS)
            raise ValueError(f"no operator: {operator!r}; there are {known}, and more in filter()")
        added = tuple((key, Comparison.EQUAL, given) for key, given in equal.items())
        if attribute is not None:
            added = ((attribute, _COMPARISONS[operator], value), *added)
        return self._with(comparisons=self._steps.comparisons + added)

    def filter(self, condition: str, *values: Any) -> Query:
        """Returns a query with a condition that is written as text (docs/QUERIES.md).

            issues = store.query("Issue")
            issues.filter("state in ? and not title like ?", ["open", "new"], "%crash%")
            issues.filter("owner.login = ? or owner is null", "octocat")
            issues.filter("match ?", 'crash "out of memory"')

        `match ?` searches the texts that `fullText` of the API document names. Each `?` stands for
        one of `values`; after `in` for a list or a tuple. Values never stand in the text, so what a
        user types cannot change the meaning of the condition. Raises UnknownAttributeError, and
        UsageError for text that is no condition and for a value that the attribute can never have;
        the message tells the column of the mistake.
        """
        return self._with(conditions=(*self._steps.conditions, (condition, values)))

    def order_by(self, *attributes: str) -> Query:
        """Returns a query with an order; `-` before a name sorts from large to small.

        Objects that are equal in the first attribute are ordered by the next one, and finally by
        the order in which they were stored. Raises UnknownAttributeError.
        """
        order = tuple((given.removeprefix("-"), given.startswith("-")) for given in attributes)
        return self._with(order=self._steps.order + order)

    def limit(self, limit: int | None, offset: int = 0) -> Query:
        """Returns a query for at most `limit` objects (None: all), without the first `offset`
        objects.
        """
        if limit is not None:
            require_number(limit, "a limit", most=_INDEX_MAX)
        require_number(offset, "an offset", most=_INDEX_MAX)
        return self._with(limit=limit, offset=offset)

    def rejected(self, rejected: bool | None = True) -> Query:
        """Returns a query for rejected objects only, see `Store.is_rejected`; with False, for other
        objects only.

        With None it finds all objects again. The limit and the offset count the objects that are
        left:

            for enterprise in store.query("Enterprise").rejected():
                print("the server did not accept", enterprise.name)

        Reading such a query also raises OutboxError and ClosedError.
        """
        return self._with(rejected=rejected)

    def unloaded(self, unloaded: bool | None = True) -> Query:
        """Returns a query for objects that are known by their identity alone, see
        `Object.is_loaded`; with None, for all objects.

        With False, as by default, it leaves them out. The limit and the offset count the objects
        that are left:

            for user in store.query("User").unloaded():
                client.get("/users/:id", object=user)
        """
        return self._with(unloaded=unloaded)

    def pending(self, pending: bool | None = True) -> Query:
        """Returns a query for objects with pending edits only, see `Store.pending`; with False, for
        other objects only.

        With None it finds all objects again. The limit and the offset count the objects that are
        left:

            for note in store.query("Note").pending():
                print(note.title, "has not been sent yet")
        """
        return self._with(pending=pending)

    def conflicted(self, conflicted: bool | None = True) -> Query:
        """Returns a query for objects with a parked change only, see `Outbox.conflicts`; with
        False, for other objects only.

        With None it finds all objects again. The limit and the offset count the objects that are
        left:

            for note in store.query("Note").conflicted():
                print(note.title, "was changed by somebody else, too")
        """
        return self._with(conflicted=conflicted)

    def pending_deletes(self, pending_deletes: Visibility | None) -> Query:
        """Returns a query that shows or hides the objects that are to be deleted, because a DELETE
        of them waits for the server: `store.query("Note").pending_deletes("show")`.

        With None, as by default, it does as the document says: without `pendingDeletes` in its
        section `store`, they are hidden. Raises ValueError for another word.
        """
        return self._with(pending_deletes=pending_deletes)

    def all(self) -> Objects:
        """Returns the newest snapshots of the objects that the query finds."""
        lib, store = native.lib, self._layouts.store
        handle = make(native.ListHandle, lib.restway_store_query, store, self._handle)
        return Objects(handle, None, self._layouts)

    def first(self) -> Object | None:
        """Returns the first object that the query finds, or None."""
        found = self[:1].all()
        return found[0] if found else None

    def count(self) -> int:
        """Returns how many objects the query finds without its limit and offset."""
        count, store = native.number(), self._layouts.store
        check(native.lib.restway_store_count_query, store, self._handle, native.ref(count))
        objects: int = count.value
        return objects

    def counts(self, by: str) -> dict[Any, int]:
        """Returns how many objects have each value of the attribute `by`, in the order of the
        values, without the limit and offset of the query. None stands for null and absent values.

            store.query("Issue").counts(by="state")     # {None: 1, "closed": 20, "open": 5}

        Raises UnknownAttributeError, and TypeError if a value cannot be the key of a dict (a list
        in an attribute of JSON).
        """
        lib, layouts = native.lib, self._layouts
        handle = make(
            native.GroupsHandle, lib.restway_store_count_groups, layouts.store, self._handle,
            name(by),
        )
        counts: dict[Any, int] = {}
        for index in range(lib.restway_groups_count(handle)):
            value, objects = native.values(1), native.number()
            check(lib.restway_groups_read, handle, index, value, native.ref(objects))
            counts[decode(native.cells(value)[0], _no_object, by)] = objects.value
        return counts

    def __len__(self) -> int:
        """Returns how many objects the query finds, with its limit and offset."""
        steps = self._steps
        rest = max(0, self.count() - steps.offset)
        return rest if steps.limit is None else min(rest, steps.limit)

    @overload
    def __getitem__(self, index: int) -> Object: ...
    @overload
    def __getitem__(self, index: slice) -> Query: ...
    def __getitem__(self, index: int | slice) -> Object | Query:
        """Returns one object of the result, or for a slice (`query[20:40]`) a query for a part of
        the result.

        A negative index counts from the end of the result. Raises IndexError; ValueError for a
        slice with a step or with a negative end, which `query.all()` takes.
        """
        if isinstance(index, slice):
            return self._part(index)
        place = index + len(self) if index < 0 else index
        found = self[place : place + 1].all() if 0 <= place < _INDEX_MAX else ()
        if not found:
            raise IndexError(f"no object {index} in a result of {len(self)} objects")
        return found[0]

    def _part(self, span: slice) -> Query:
        start, end = span.start or 0, span.stop
        if span.step not in (None, 1) or start < 0 or (end is not None and end < 0):
            raise ValueError("a slice of a query has no step and no negative end: use all()")
        limit = self._steps.limit
        if limit is not None:
            end = limit if end is None else min(end, limit)
        length = None if end is None else max(0, end - start)
        return self.limit(length, min(self._steps.offset + start, _INDEX_MAX))

    def __iter__(self) -> Iterator[Object]:
        return iter(self.all())

    def __repr__(self) -> str:
        """Shows the conditions without their values, which may be secrets."""
        steps = self._steps
        words = {comparison: word for word, comparison in _COMPARISONS.items()}
        conditions = [f"{name} {words[comparison]} ?" for name, comparison, _ in steps.comparisons]
        conditions += [text for text, _ in steps.conditions]
        if len(conditions) > 1:
            conditions = [f"({text})" if " or " in text.lower() else text for text in conditions]
        order = [f"{'-' if descending else ''}{name}" for name, descending in steps.order]
        parts = {
            " where ": " and ".join(conditions),
            ", order by ": ", ".join(order),
            ", limit ": "" if steps.limit is None else str(steps.limit),
            ", offset ": str(steps.offset or ""),
        }
        shown = "".join(f"{word}{text}" for word, text in parts.items() if text)
        shown += {None: "", True: ", rejected", False: ", not rejected"}[steps.rejected]
        shown += {None: ", also unloaded", True: ", unloaded", False: ""}[steps.unloaded]
        shown += {None: "", True: ", pending", False: ", not pending"}[steps.pending]
        if steps.pending_deletes is not None:
            shown += f", pending deletes: {steps.pending_deletes}"
        return f"<Query {self._entity}{shown}>"


def _give(give: Callable[[tuple[Any, ...]], None], values: tuple[Any, ...]) -> None:
    """Gives values to the library. A Decimal is a text for it or, if the attribute has no texts, a
    number.
    """
    try:
        give(values)
    except UsageError:
        numbers = [number_of(value) for value in values]
        if all(number is None for number in numbers):
            raise
        give(tuple(old if new is None else new for old, new in zip(values, numbers)))


def _encoded(value: Any) -> native.Value:
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time.min, timezone.utc)
    if isinstance(value, (list, tuple, dict)):
        return native.text_value(ValueKind.JSON, json_bytes(value))
    return encode(value)


def _place_value(value: Any) -> native.Value:
    """Returns the value for a `?`: a list is a list of values there, and not JSON."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return native.list_value(map(_encoded, value))
    return _encoded(value)


def _no_object(_address: int) -> Any:
    raise AssertionError("the value of an attribute is never an object")
