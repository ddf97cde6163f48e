"""Memory that is shared with the library: copies out of it, room for it, values of both sides."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterable, Iterator, Sequence
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint32
from typing import Any

from .enums import ValueKind
from .handles import Handle
from .loader import lib
from .structures import Event, ObjectHandle, Value, ValueAs

ref, size_of = ctypes.byref, ctypes.sizeof

size, whole, token = ctypes.c_size_t, ctypes.c_int64, ctypes.c_void_p
"""Integers as `bare` functions take them: a `size_t`, an `int64_t`, a context."""


def number() -> Any:
    """Room for a `size_t`: pass `ref(it)`, read `it.value`."""
    return c_size_t()


def text_out() -> Any:
    """Room for a borrowed text: pass `ref(it)`, read `it.value`."""
    return c_char_p()


def texts_out(count: int) -> Any:
    """Room for `count` borrowed texts, for an `out_` parameter; None or bytes by index."""
    return (c_char_p * count)()


def kind_out() -> Any:
    """Room for a kind: pass `ref(it)`, read `it.value`."""
    return c_uint32()


def truth_out() -> Any:
    """Room for an `int32_t` that is 0 or 1: pass `ref(it)`, read `it.value`."""
    return c_int32()


def keys_out() -> Any:
    """Room for borrowed store keys: pass `ref(it)`, read `it[:count]`."""
    return POINTER(c_int64)()


def index_array(indices: Sequence[int]) -> Any:
    """Attribute indices, for the library to read."""
    return (c_uint32 * len(indices))(*indices)


def rows_out() -> Any:
    """Room for borrowed numbers of rows: pass `ref(it)`, read `it[:count]`."""
    return POINTER(c_size_t)()


def row_array(rows: Sequence[int]) -> Any:
    """Numbers of rows, for the library to read."""
    return (c_size_t * len(rows))(*rows)


def handle_array(kind: type[Handle], handles: Sequence[Handle | None]) -> Any:
    """Handles of one kind, or NULL, for the library to read while `handles` live."""
    return (kind * len(handles))(*(handle or kind() for handle in handles))


def borrowed(text: bytes | None) -> str | None:
    """A text of the library as a str; what is not UTF-8 in it is replaced."""
    return None if text is None else text.decode("utf-8", "replace")


def read(address: int | None, length: int) -> bytes:
    """A copy of `length` bytes of the library's memory."""
    return ctypes.string_at(address, length) if address and length else b""


def text_at(address: int, length: int) -> str:
    """The text of a value: as `borrowed` of `read`, quicker, for there is a NUL behind it."""
    text = ctypes.c_char_p(address).value or b""
    if len(text) != length:  # there is one inside too
        text = read(address, length)
    return text.decode("utf-8", "replace")


def bytes_out(size: int) -> Any:
    """Room for a text of less than `size` bytes: pass it, read `it.value`."""
    return ctypes.create_string_buffer(size)


def values(count: int) -> Any:
    """Room for `count` values."""
    return (Value * count)()


CELL = struct.Struct("=IIq")
"""Kind, length and the last 8 bytes of a value."""

_unpack = CELL.unpack_from


def cells(source: Any) -> list[tuple[int, int, int]]:
    """Kind, length and the last 8 bytes of each value in `source`: an array, a value or bytes."""
    return list(CELL.iter_unpack(source))


def cell_at(source: bytes | bytearray, position: int) -> tuple[int, int, int]:
    """One of these, of copied values."""
    cell: tuple[int, int, int] = _unpack(source, position * 16)
    return cell


def real_of(word: int) -> float:
    """The last 8 bytes of a value, read as a double."""
    return float(struct.unpack("=d", struct.pack("=q", word))[0])


def scalar_value(kind: ValueKind, content: float = 0) -> Value:
    """A null, bool, int64, double or date."""
    if kind is ValueKind.DOUBLE:
        return Value(kind, 0, ValueAs(real=content))
    return Value(kind, 0, ValueAs(integer=int(content)))


def text_value(kind: ValueKind, content: bytes) -> Value:
    """A string, bytes or JSON; keeps `content` alive."""
    return Value(kind, len(content), ValueAs(text=content))


def object_value(handle: ObjectHandle) -> Value:
    """An object; keeps `handle` alive."""
    return Value(ValueKind.OBJECT, 0, ValueAs(object=handle))


def list_value(items: Iterable[Value]) -> Value:
    """A list; keeps its items alive."""
    content: Sequence[Value] = list(items)
    return Value(ValueKind.LIST, len(content), ValueAs(list=(Value * len(content))(*content)))


def write(target: int, content: memoryview) -> None:
    """Copies `content` into memory of the library."""
    ctypes.memmove(target, content.tobytes(), len(content))


_CELL_BYTES = CELL.size


class CellBuffer:
    """Room for values, to be used again and again."""

    def __init__(self, capacity: int) -> None:
        memory = bytearray(capacity * CELL.size)
        self.array: Any = (Value * capacity).from_buffer(memory)
        """For the library to fill."""
        self._memory = memory

    def copy(self, count: int) -> bytearray:
        """The first `count` values as they are, for `cell_at`."""
        return self._memory[: count * _CELL_BYTES]


_EVENT = struct.Struct("=IIQQQ32x")


class EventBuffer:
    """Room for events."""

    def __init__(self, capacity: int) -> None:
        memory = bytearray(capacity * _EVENT.size)
        self.array: Any = (Event * capacity).from_buffer(memory)
        """For the library to fill."""
        self._view = memoryview(memory)

    def read(self, count: int) -> Iterator[tuple[int, int, int, int, int]]:
        """Kind, status, token, call id and the payload's address of the first `count` events."""
        return _EVENT.iter_unpack(self._view[: count * _EVENT.size])

    def release(self, index: int) -> None:
        """Releases the payload of one event, of whatever kind."""
        lib.restway_event_release(ref(self.array[index]))
