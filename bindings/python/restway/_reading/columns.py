"""The attributes of many objects as columns, each with values of one type."""

from __future__ import annotations

from datetime import date, datetime
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _ffi as native
from .._enums import ValueKind
from .._ffi.conversion import moment
from .._handles import check, make
from .._handles import name as name_bytes
from .text import content

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence


class Column(NamedTuple):
    """The values that an attribute has in each of many objects."""

    type: type
    """The type of all values but None: bool, int, float, str, datetime or date."""
    values: list[Any]
    has_null: bool
    """Whether some values are None because they are null."""
    has_absent: bool
    """Whether some values are None because the objects have never received the attribute."""


_ROWS_AT_ONCE = 1_000
"""How many objects are read together: as many as fit into the caches of a processor."""


def read_columns(
    names: Sequence[str], days: Collection[str], handle: native.ListHandle, first: int, count: int
) -> dict[str, Column]:
    """Reads attributes of many objects. One call of the library reads all values of a thousand
    objects, and one more the texts of each attribute.

    The result is empty if an attribute does not exist, or has values of several types, no value at
    all, JSON or bytes. It is also empty if the objects are of several entities.

    Args:
        days: The attributes whose dates are read as `date`, without their time.
    """
    lib = native.lib
    if lib.restway_list_entity(handle, first, count) is None:
        return {}
    one = lib.restway_list_object(handle, first)
    indices = [lib.restway_object_attribute_index(one, name_bytes(name)) for name in names]
    if not indices or min(indices) < 0:
        return {}
    width, asked = len(names), native.index_array(indices)
    parts: list[list[Column]] = [[] for _ in names]
    moments: list[dict[int, Any]] = [{} for _ in names]  # dates are often equal
    for start in range(first, first + count, _ROWS_AT_ONCE):
        rows = min(_ROWS_AT_ONCE, first + count - start)
        table = native.values(rows * width)
        check(lib.restway_list_read, handle, start, rows, asked, width, table)
        for number, (name, index) in enumerate(zip(names, indices)):
            cells = native.ColumnCells(table, number, width)
            texts = partial(_texts, cells, handle, start, rows, index)
            part = _part(cells, texts, rows, name, name in days, moments[number])
            if part is None:
                return {}
            parts[number].append(part)
    columns = {}
    for name, each in zip(names, parts):
        column = _joined(each)
        if column is None:
            return {}
        columns[name] = column
    return columns


def _part(
    cells: native.ColumnCells,
    texts: Callable[[], list[str]],
    rows: int,
    name: str,
    is_day: bool,
    moments: dict[int, Any],
) -> Column | None:
    """Returns the values of some objects. Their type is the type of None if all are missing.

    Args:
        moments: The dates that are known already.
    """
    kinds = cells.kinds()
    missing = {ValueKind.NULL, ValueKind.ABSENT}.intersection(kinds)
    has_null, has_absent = ValueKind.NULL in missing, ValueKind.ABSENT in missing
    others = set(kinds) - missing
    if not others:
        return Column(type(None), [None] * rows, has_null, has_absent)
    if len(others) > 1:
        return None
    (kind,) = others
    is_text = kind == ValueKind.STRING
    values = texts() if is_text else _values(kind, cells, name, is_day, moments)
    if values is None:
        return None
    if missing:
        values = [None if own in missing else value for own, value in zip(kinds, values)]
    of = date if is_day and kind == ValueKind.DATE else _TYPES[kind]
    return Column(of, values, has_null, has_absent)


def _joined(parts: list[Column]) -> Column | None:
    types = {part.type for part in parts} - {type(None)}
    if len(types) != 1:
        return None
    return Column(
        types.pop(),
        list(chain.from_iterable(part.values for part in parts)),
        any(part.has_null for part in parts),
        any(part.has_absent for part in parts),
    )


def _texts(
    cells: native.ColumnCells, handle: native.ListHandle, first: int, count: int, index: int
) -> list[str]:
    """Returns the texts of an attribute; in them, "" stands for values without text."""
    joined = make(native.TextHandle, native.lib.restway_list_texts, handle, first, count, index)
    texts = content(joined).split("\0")  # a NUL ends each text, so that the last part is empty
    if len(texts) != count + 1:
        return cells.texts()  # one of the texts contains a NUL
    texts.pop()
    return texts


def _values(
    kind: int, cells: native.ColumnCells, name: str, is_day: bool, moments: dict[int, Any]
) -> list[Any] | None:
    """Returns the values of a column whose values all have one kind, or are missing."""
    if kind == ValueKind.DOUBLE:
        return cells.words(real=True)
    if kind == ValueKind.INT64:
        return cells.words()
    if kind == ValueKind.BOOL:
        return list(map(bool, cells.words()))
    if kind == ValueKind.DATE:
        words = cells.words()
        for word in set(words).difference(moments):
            found = moment(word)
            moments[word] = found.date() if is_day and found else found
        return list(map(moments.__getitem__, words))
    return None


_TYPES: dict[int, type] = {
    ValueKind.BOOL: bool,
    ValueKind.INT64: int,
    ValueKind.DOUBLE: float,
    ValueKind.STRING: str,
    ValueKind.DATE: datetime,
}
