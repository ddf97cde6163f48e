"""Objects with all their values, each read in one call of the library."""

from __future__ import annotations

from collections import deque
from itertools import count as places
from typing import Any, Optional

from .. import _ffi as native
from .._handles import check, errors, failed
from .layout import Layout, Layouts

ATTRIBUTES_AT_ONCE = 64
"""How many attributes are read together with an object; an object with more attributes is read when
it is first used.
"""

Row = tuple[native.ObjectHandle, Optional[Layout], Optional[bytearray]]
"""An owned object, its layout, and its values, which are borrowed from it. The values are missing
if the layout is missing or has too many values; then the first use of the object reads them.
"""


class _Room:
    """A buffer in which the library puts an object with its values."""

    __slots__ = ("entity", "entity_out", "memory", "values")

    def __init__(self) -> None:
        self.memory = bytearray(ATTRIBUTES_AT_ONCE * native.CELL.size)
        self.values = native.values_in(self.memory)
        self.entity = native.text_out()
        self.entity_out = native.ref(self.entity)


_rooms: deque[_Room] = deque()
"""The unused buffers. A thread, or a finaliser inside it, takes one out for each call."""

_ROOM_BYTES = ATTRIBUTES_AT_ONCE * native.CELL.size
_FIRST = native.size(0)
_CAPACITY = native.size(ATTRIBUTES_AT_ONCE)


def first_row(response: native.ResponseHandle, layouts: Layouts) -> Row | None:
    """Reads the first object of a response."""
    try:
        room = _rooms.pop()
    except IndexError:
        room = _Room()
    handle = native.OwnedObjectHandle()
    status = native.bare.restway_response_read(
        response,
        _FIRST,
        room.values,
        _CAPACITY,
        None,
        room.entity_out,
        native.ref(handle),
        errors.out,
    )
    return _read(status, room, handle, layouts)


def related_row(
    layouts: Layouts, handle: native.ObjectHandle, index: Any
) -> Row | None:
    """Reads the object that a relationship to one leads to. `index` is a `native.size`."""
    try:
        room = _rooms.pop()
    except IndexError:
        room = _Room()
    related = native.OwnedObjectHandle()
    status = native.bare.restway_store_take_related(
        layouts.store,
        handle,
        index,
        room.values,
        _CAPACITY,
        room.entity_out,
        native.ref(related),
        errors.out,
    )
    return _read(status, room, related, layouts)


def _read(
    status: int, room: _Room, handle: native.ObjectHandle, layouts: Layouts
) -> Row | None:
    if status:
        raise failed(status)
    row: Row | None = None
    if handle:
        layout = layouts.get(room.entity.value)
        if layout is None or layout.cells_bytes > _ROOM_BYTES:
            row = (handle, None, None)
        else:
            row = (handle, layout, room.memory[: layout.cells_bytes])
    _rooms.append(room)
    return row


def list_rows(
    handle: native.ListHandle, first: int, count: int, capacity: int, layouts: Layouts
) -> list[Row]:
    """Reads objects of a list, with at most `capacity` values each."""
    width = capacity * native.CELL.size
    memory = bytearray(count * width)
    entities, objects = native.texts_out(count), native.addresses_out(count)
    check(
        native.lib.restway_list_take,
        handle,
        first,
        count,
        native.values_in(memory),
        capacity,
        entities,
        native.handles_in(objects),
    )
    found = [layouts.get(entity) for entity in entities]
    return [
        (native.OwnedObjectHandle(address), None, None)
        if layout is None or layout.cells_bytes > width
        else (native.OwnedObjectHandle(address), layout, memory[at : at + layout.cells_bytes])
        for address, layout, at in zip(objects, found, places(0, width))
    ]
