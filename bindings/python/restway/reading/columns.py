"""The attributes of many objects as columns, each with values of one type."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _ffi as native
from .._boundary import check
from .._boundary import name as name_bytes
from .._exceptions import UsageError
from .._ffi import arrow
from .._ffi.conversion import moment
from .._ffi.enums import ValueKind

if TYPE_CHECKING:
    from collections.abc import Sequence


class Column(NamedTuple):
    """The values that an attribute has in each of many objects."""

    type: type
    """The type of all values but None: bool, int, float, str or datetime."""
    values: list[Any]
    has_null: bool
    """Whether some values are None because they are null."""
    has_absent: bool
    """Whether some values are None because the objects have never received the attribute."""


def read_columns(
    names: Sequence[str],
    handle: native.ListHandle,
    first: int,
    count: int,
    store: native.StoreHandle,
) -> dict[str, Column]:
    """Reads attributes of many objects in two calls of the library: the values, and the texts.

    The result has no column for a name that is not an attribute, for values of several types, and
    for JSON and bytes. It is empty if the objects are of several entities.
    """
    lib = native.lib
    one = lib.restway_list_object(handle, first)
    indices = [lib.restway_object_attribute_index(one, name_bytes(name)) for name in names]
    if not indices or min(indices) < 0:
        return {}
    schema, array = arrow.Schema(), arrow.Array()
    try:
        check(lib.restway_list_arrow, handle, first, count, store, 0, schema.out, array.out)
    except UsageError:  # the objects are of several entities
        return {}
    texts = arrow.texts(schema, array)
    table, width = native.values(count * len(names)), len(names)
    columns = native.index_array(indices)
    check(lib.restway_list_read, handle, first, count, columns, width, table)
    found = {}
    for number, name in enumerate(names):
        cells = native.ColumnCells(table, number, width)
        column = _column(cells, name, texts.get(name))
        if column is not None:
            found[name] = column
    return found


def _column(cells: native.ColumnCells, name: str, texts: list[str] | None) -> Column | None:
    kinds = cells.kinds()
    missing = {ValueKind.NULL, ValueKind.ABSENT}.intersection(kinds)
    others = set(kinds) - missing
    if len(others) != 1:
        return None
    (kind,) = others
    values = _values(kind, cells, name, texts)
    if values is None:
        return None
    if missing:
        values = [None if own in missing else value for own, value in zip(kinds, values)]
    has_null, has_absent = ValueKind.NULL in missing, ValueKind.ABSENT in missing
    return Column(_TYPES[kind], values, has_null, has_absent)


def _values(
    kind: int, cells: native.ColumnCells, name: str, texts: list[str] | None
) -> list[Any] | None:
    """Returns the values of a column whose values all have one kind, or are missing."""
    if kind == ValueKind.STRING:
        return texts
    if kind == ValueKind.DOUBLE:
        return cells.words(real=True)
    if kind == ValueKind.INT64:
        return cells.words()
    if kind == ValueKind.BOOL:
        return list(map(bool, cells.words()))
    if kind == ValueKind.DATE:
        words = cells.words()
        moments = {word: moment(word, name) for word in set(words)}  # dates are often equal
        return [moments[word] for word in words]
    return None


_TYPES: dict[int, type] = {
    ValueKind.BOOL: bool,
    ValueKind.INT64: int,
    ValueKind.DOUBLE: float,
    ValueKind.STRING: str,
    ValueKind.DATE: datetime,
}
