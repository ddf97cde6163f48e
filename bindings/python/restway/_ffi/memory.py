"""Memory that is shared with the library: copies of its memory, buffers for it, and values."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterable, Iterator, Sequence
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from typing import Any

from .enums import ValueKind
from .handles import Handle
from .loader import lib
from .structures import Event, ObjectHandle, Value, ValueAs

ref, size_of = ctypes.byref, ctypes.sizeof

size, whole, token = c_size_t.from_param, c_int64.from_param, c_void_p.from_param
"""Integers as `bare` functions take them: a `size_t`, an `int64_t`, a context."""


def number() -> Any:
    """Returns a buffer for a `size_t`: pass `ref(it)`, read `it.value`."""
    return c_size_t()


def whole_out() -> Any:
    """Returns a buffer for an `int64_t`: pass `ref(it)`, read `it.value`."""
    return c_int64()


def text_out() -> Any:
    """Returns a buffer for a borrowed text: pass `ref(it)`, read `it.value`."""
    return c_char_p()


def texts_out(count: int) -> Any:
    """Returns a buffer for `count` borrowed texts; its elements are bytes or None."""
    return (c_char_p * count)()


def kind_out() -> Any:
    """Returns a buffer for a kind: pass `ref(it)`, read `it.value`."""
    return c_uint32()


def truth_out() -> Any:
    """Returns a buffer for an `int32_t` that is 0 or 1: pass `ref(it)`, read `it.value`."""
    return c_int32()


def keys_out() -> Any:
    """Returns a buffer for borrowed store keys: pass `ref(it)`, read `it[:count]`."""
    return POINTER(c_int64)()


def index_array(indices: Sequence[int]) -> Any:
    """Returns an array of attribute indices, for the library to read."""
    return (c_uint32 * len(indices))(*indices)


def rows_out() -> Any:
    """Returns a buffer for borrowed numbers of rows: pass `ref(it)`, read `it[:count]`."""
    return POINTER(c_size_t)()


def row_array(rows: Sequence[int]) -> Any:
    """Returns an array of numbers of rows, for the library to read."""
    return (c_size_t * len(rows))(*rows)


def handle_array(kind: type[Handle], handles: Sequence[Handle | None]) -> Any:
    """Returns an array of handles of one kind, or NULL, for the library to read while `handles`
    live.
    """
    return (kind * len(handles))(*(handle or kind() for handle in handles))


def struct_at(struct: Any) -> Any:
    """Returns a pointer to a struct, which it keeps alive."""
    return ctypes.pointer(struct)


def struct_array(kind: Any, structs: Sequence[Any]) -> Any:
    """Returns an array of pointers to structs of one kind, which it keeps alive."""
    return (POINTER(kind) * len(structs))(*map(ctypes.pointer, structs))


def text_array(texts: Sequence[bytes]) -> Any:
    """Returns an array of texts, which it keeps alive."""
    return (c_char_p * len(texts))(*texts)


def borrowed(text: bytes | None) -> str | None:
    """Returns a text of the library as a str; bytes that are not UTF-8 are replaced."""
    return None if text is None else text.decode("utf-8", "replace")


def read(address: int | None, length: int) -> bytes:
    """Returns a copy of `length` bytes of the library's memory."""
    return ctypes.string_at(address, length) if address and length else b""


def text_at(address: int, length: int) -> str:
    """Returns the text of a value. It is faster than `borrowed` of `read`, because a NUL follows
    the text.
    """
    text = ctypes.c_char_p(address).value or b""
    if len(text) != length:  # the text also contains a NUL
        text = read(address, length)
    return text.decode("utf-8", "replace")


def bytes_out(size: int) -> Any:
    """Returns a buffer for `size` bytes, or for a text of less: pass it, read `it.raw` or
    `it.value`.
    """
    return ctypes.create_string_buffer(size)


def values(count: int) -> Any:
    """Returns a buffer for `count` values."""
    return (Value * count)()


def values_in(memory: bytearray) -> Any:
    """Returns a buffer for values that uses `memory`, which must keep its size."""
    return (Value * (len(memory) // CELL.size)).from_buffer(memory)


CELL = struct.Struct("=IIq")
"""Kind, length and the last 8 bytes of a value."""

cell_in = CELL.unpack_from
"""Returns the element of `cells` at an offset of copied values: call it with both."""


def cells(source: Any) -> list[tuple[int, int, int]]:
    """Returns kind, length and the last 8 bytes of each value in `source`: an array, a value or
    bytes.
    """
    return list(CELL.iter_unpack(source))


def cell_at(source: bytes | bytearray, position: int) -> tuple[int, int, int]:
    """Returns one element as `cells` does, from copied values."""
    cell: tuple[int, int, int] = cell_in(source, position * CELL.size)
    return cell


def real_of(word: int) -> float:
    """Converts the last 8 bytes of a value to a double."""
    return float(struct.unpack("=d", struct.pack("=q", word))[0])


def scalar_value(kind: ValueKind, content: float = 0) -> Value:
    """Returns a null, bool, int64, double or date."""
    if kind is ValueKind.DOUBLE:
        return Value(kind, 0, ValueAs(real=content))
    return Value(kind, 0, ValueAs(integer=int(content)))


def text_value(kind: ValueKind, content: bytes) -> Value:
    """Returns a string, bytes or JSON; it keeps `content` alive."""
    return Value(kind, len(content), ValueAs(text=content))


def object_value(handle: ObjectHandle) -> Value:
    """Returns an object; it keeps `handle` alive."""
    return Value(ValueKind.OBJECT, 0, ValueAs(object=handle))


def list_value(items: Iterable[Value]) -> Value:
    """Returns a list; it keeps its items alive."""
    content: Sequence[Value] = list(items)
    return Value(ValueKind.LIST, len(content), ValueAs(list=(Value * len(content))(*content)))


def write(target: int, content: memoryview) -> None:
    """Copies `content` into memory of the library."""
    ctypes.memmove(target, content.tobytes(), len(content))


_EVENT = struct.Struct("=IIQQQ32x")


class EventBuffer:
    """A buffer for events."""

    def __init__(self, capacity: int) -> None:
        memory = bytearray(capacity * _EVENT.size)
        self.array: Any = (Event * capacity).from_buffer(memory)
        """For the library to fill."""
        self._view = memoryview(memory)

    def read(self, count: int) -> Iterator[tuple[int, int, int, int, int]]:
        """Returns kind, status, token, call id and the address of the payload of the first `count`
        events.
        """
        return _EVENT.iter_unpack(self._view[: count * _EVENT.size])

    def release(self, index: int) -> None:
        """Releases the payload of one event of any kind."""
        lib.restway_event_release(ref(self.array[index]))
