"""Queries: which objects of an entity, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timezone
from typing import Any, Literal

from . import _native as native
from ._boundary import Owner, check, make, name
from ._enums import Comparison, ValueKind
from ._object import Layouts, Object
from ._objects import Objects
from ._values import encode, json_bytes

Operator = Literal["==", "!=", "<", "<=", ">", ">="]
"""How an attribute is compared with a value."""

_COMPARISONS: dict[str, Comparison] = {
    "==": Comparison.EQUAL,
    "!=": Comparison.NOT_EQUAL,
    "<": Comparison.LESS,
    "<=": Comparison.LESS_OR_EQUAL,
    ">": Comparison.GREATER,
    ">=": Comparison.GREATER_OR_EQUAL,
}


class Query(Owner[native.QueryHandle]):
    """Objects of one entity: `store.query("Enterprise").where("rating", ">=", 4).order_by("-name")`

    Immutable: each step gives a new query. Nothing is read from the store before the query is
    iterated, or asked by `all`, `first` or `count`; each time it is asked anew.

    Values are ordered as SQLite orders them: null (None) first, then numbers (False is 0, a date
    its time), then texts by their UTF-8, then bytes. None equals what is null or absent, and is
    never less or greater than anything.
    """

    __slots__ = ("_entity", "_layouts", "_limit", "_offset", "_order", "_where")

    def __init__(
        self,
        entity: str,
        layouts: Layouts,
        where: tuple[tuple[str, Comparison, Any], ...] = (),
        order: tuple[tuple[str, bool], ...] = (),
        limit: int | None = None,
        offset: int = 0,
    ) -> None:
        """For this package: `Store.query` makes queries."""
        lib = native.lib
        handle = make(native.QueryHandle, lib.restway_query_create, layouts.store, name(entity))
        super().__init__(handle)
        self._entity = entity
        self._layouts = layouts
        self._where, self._order, self._limit, self._offset = where, order, limit, offset
        for attribute, comparison, value in where:
            encoded = native.ref(_encoded(value))
            check(lib.restway_query_add_condition, handle, name(attribute), comparison, encoded)
        for attribute, descending in order:
            check(lib.restway_query_add_order, handle, name(attribute), descending)
        check(lib.restway_query_set_limit, handle, -1 if limit is None else limit)
        check(lib.restway_query_set_offset, handle, offset)

    def where(
        self,
        attribute: str | None = None,
        operator: Operator = "==",
        value: Any = None,
        **equal: Any,
    ) -> Query:
        """Those for which a condition holds: `where("rating", ">=", 4)`, `where(city="Wien")`.

        Conditions add up: all of them must hold. A date stands for its midnight in UTC. Raises
        UnknownAttributeError; ValueError for an operator that is none; UsageError for a value that
        the attribute can never have.
        """
        if operator not in _COMPARISONS:
            raise ValueError(f"no operator: {operator!r}; there are {', '.join(_COMPARISONS)}")
        added = tuple((key, Comparison.EQUAL, given) for key, given in equal.items())
        if attribute is not None:
            added = ((attribute, _COMPARISONS[operator], value), *added)
        return Query(
            self._entity,
            self._layouts,
            self._where + added,
            self._order,
            self._limit,
            self._offset,
        )

    def order_by(self, *attributes: str) -> Query:
        """The same, sorted; `-` in front of a name sorts from large to small.

        What the first attribute leaves equal, the next decides, at last the order of storing.
        Raises UnknownAttributeError.
        """
        order = tuple((given.removeprefix("-"), given.startswith("-")) for given in attributes)
        return Query(
            self._entity,
            self._layouts,
            self._where,
            self._order + order,
            self._limit,
            self._offset,
        )

    def limit(self, limit: int | None, offset: int = 0) -> Query:
        """At most `limit` of them (None: all), without the first `offset`."""
        if (limit is not None and not 0 <= limit < 2**63) or not 0 <= offset < 2**63:
            raise ValueError(f"limit and offset are not negative: {limit}, {offset}")
        return Query(self._entity, self._layouts, self._where, self._order, limit, offset)

    def all(self) -> Objects:
        """The newest snapshots of the objects that it finds."""
        lib, store = native.lib, self._layouts.store
        handle = make(native.ListHandle, lib.restway_store_query, store, self._handle)
        return Objects(handle, None, self._layouts)

    def first(self) -> Object | None:
        """The first object that it finds, or None."""
        limit = 1 if self._limit is None else min(1, self._limit)
        found = self.limit(limit, self._offset).all()
        return found[0] if found else None

    def count(self) -> int:
        """How many objects it finds, limit and offset left aside."""
        count, store = native.number(), self._layouts.store
        check(native.lib.restway_store_count_query, store, self._handle, native.ref(count))
        objects: int = count.value
        return objects

    def __iter__(self) -> Iterator[Object]:
        return iter(self.all())

    def __repr__(self) -> str:
        return f"<Query {self._entity}>"


def _encoded(value: Any) -> native.Value:
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time.min, timezone.utc)
    if isinstance(value, (list, tuple, dict)):
        return native.text_value(ValueKind.JSON, json_bytes(value))
    return encode(value)
