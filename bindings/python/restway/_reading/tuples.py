"""Attributes of many objects as tuples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from .. import _ffi as native
from .._base.hints import no_attribute
from .._enums import Domain, Status
from .._exceptions import UnknownAttributeError
from .._ffi.conversion import decode
from .._handles import check

if TYPE_CHECKING:
    from .whole import WholeObject

    class _Objects(Protocol):
        _handle: native.ListHandle
        _range: range

        def __getitem__(self, index: int) -> WholeObject: ...
        def __iter__(self) -> Iterator[WholeObject]: ...
        def __len__(self) -> int: ...


_ROWS_AT_ONCE = 1024
"""How many objects are read in one call."""


def tuples(objects: _Objects, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Returns the attributes `names` of each object, or all attributes if there are no names.
    Raises UnknownAttributeError at once.
    """
    span = objects._range
    if not span:
        return iter(())
    low, high = min(span), max(span)
    entity = native.lib.restway_list_entity(objects._handle, low, high - low + 1)
    if entity is None:  # an attribute has another index in each entity
        for item in objects:
            _positions(item, names)
        return _one_by_one(objects, names)
    return _many_at_once(objects, _positions(objects[0], names))


def _positions(item: WholeObject, names: Sequence[str]) -> list[int]:
    known = item._known()
    if not names:
        return list(range(len(known.names)))
    for name in names:
        if name not in known.positions:
            raise UnknownAttributeError(
                no_attribute(item.entity, name, known.names),
                status=Status.UNKNOWN_ATTRIBUTE,
                domain=Domain.USAGE,
                field=name,
            )
    return [known.positions[name] for name in names]


def _one_by_one(objects: _Objects, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    for item in objects:
        yield tuple(item[name] for name in names or item._known().names)


def _many_at_once(objects: _Objects, columns: list[int]) -> Iterator[tuple[Any, ...]]:
    """Reads objects whose attributes have the same positions."""
    known = objects[0]._known()
    found = [known.converters.get(known.names[column]) for column in columns]
    converters = [(place, convert) for place, convert in enumerate(found) if convert is not None]
    indices, width = native.index_array(columns), len(columns)
    at_once = _ROWS_AT_ONCE if abs(objects._range.step) == 1 else 1
    for start in range(0, len(objects), at_once):
        span = objects._range[start : start + at_once]
        low, high = min(span), max(span)
        count = high - low + 1
        table = native.values(count * width)
        handle = objects._handle
        check(native.lib.restway_list_read, handle, low, count, indices, width, table)
        cells = native.cells(table) if width else []
        for index in span:
            row = cells[(index - low) * width : (index - low + 1) * width]
            values = [decode(cell, _no_object) for cell in row]
            for column, convert in converters:
                values[column] = convert(values[column])
            yield tuple(values)


def _no_object(_address: int) -> Any:
    raise AssertionError("the value of an attribute is never an object")
