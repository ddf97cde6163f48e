"""Objects with all their values, each read in one call of the library."""

from __future__ import annotations

from collections import deque
from typing import Any, Optional

from .. import _ffi as native
from .._boundary import check, errors, failed

ATTRIBUTES_AT_ONCE = 64
"""How many attributes are read together with an object; an object with more attributes is read when
it is first used.
"""

Row = tuple[native.ObjectHandle, Optional[bytes], bytearray]
"""An owned object, the name of its entity, and its first values, which are borrowed from it."""


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

_FIRST = native.size(0)
_CAPACITY = native.size(ATTRIBUTES_AT_ONCE)


def _room() -> _Room:
    try:
        return _rooms.pop()
    except IndexError:
        return _Room()


def first_row(response: native.ResponseHandle) -> Row | None:
    """Reads the first object of a response."""
    room, handle = _room(), native.OwnedObjectHandle()
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
    return _read(status, room, handle)


def related_row(
    store: native.StoreHandle, handle: native.ObjectHandle, index: Any
) -> Row | None:
    """Reads the object that a relationship to one leads to. `index` is a `native.size`."""
    room, related = _room(), native.OwnedObjectHandle()
    status = native.bare.restway_store_take_related(
        store,
        handle,
        index,
        room.values,
        _CAPACITY,
        room.entity_out,
        native.ref(related),
        errors.out,
    )
    return _read(status, room, related)


def _read(status: int, room: _Room, handle: native.ObjectHandle) -> Row | None:
    if status:
        raise failed(status)
    row = (handle, room.entity.value, bytearray(room.memory)) if handle else None
    _rooms.append(room)
    return row


def list_rows(handle: native.ListHandle, first: int, count: int, capacity: int) -> list[Row]:
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
    owned = [native.OwnedObjectHandle(address) for address in objects]
    return [
        (owned[row], entities[row], memory[row * width : (row + 1) * width])
        for row in range(count)
    ]
