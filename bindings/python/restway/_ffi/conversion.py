"""Conversion of Python values to values of the library, and back; and memory that is shared with
the library: copies of its memory, and buffers for it.

| Python | library | notes |
| --- | --- | --- |
| None | null | |
| bool, int, float | bool, int64, double | JSON for an int beyond 64 bits |
| Enum | its value | |
| UUID, Decimal, path, IP address or network, URL of pydantic | string | |
| time, timedelta | string | ISO 8601: `08:00:00`, `PT1H30M` |
| datetime | date | must have a time zone; comes back aware, in UTC |
| date | string | `2026-11-21` |
| str | string | |
| bytes, bytearray, memoryview | bytes | Base64 inside JSON |
| Object | object | |
| list, tuple | list | JSON when it holds a list or a dict itself |
| dict | JSON | datetimes inside are written as ISO 8601, those without a time zone as they are |
"""

from __future__ import annotations

import contextlib
import ctypes
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from datetime import date, datetime, time, timedelta, timezone
from enum import Enum
from typing import Any, NamedTuple, Union

from .._base.lazy import base64, json
from .._enums import Domain, Status, ValueKind
from .._exceptions import MappingError
from .handles import Handle
from .loader import lib
from .structures import Event, ObjectHandle, Value, ValueAs

JSONValue = Any
"""A value that `json.loads` returns: dict, list, str, int, float, bool or None."""

Scalar = Union[None, bool, int, float, str, bytes, datetime, date]

Document = Union[str, bytes, Mapping[str, Any]]
"""A JSON object: as text (UTF-8), or as a mapping that `json.dumps` can write."""


class ObjectReference:
    """The base of `Object`: represents an object of a store for the library."""

    __slots__ = ()

    _handle: ObjectHandle


_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_LOCAL_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_INT64 = range(-(2**63), 2**63)
_LENGTH_MAX = 2**32 - 1

# These are plain integers, because `decode` compares them for every attribute that is read.
_STRING, _INT64_KIND, _BOOL = int(ValueKind.STRING), int(ValueKind.INT64), int(ValueKind.BOOL)
_DOUBLE, _DATE, _JSON = int(ValueKind.DOUBLE), int(ValueKind.DATE), int(ValueKind.JSON)
_BYTES, _OBJECT, _LIST = int(ValueKind.BYTES), int(ValueKind.OBJECT), int(ValueKind.LIST)


def _microseconds(given: datetime) -> int:
    if given.utcoffset() is None:
        raise ValueError(f"a datetime needs a time zone, such as timezone.utc: {given!r}")
    return (given - _EPOCH) // _MICROSECOND


def _iso(given: datetime) -> str:
    if given.utcoffset() is None:
        return given.isoformat()
    with contextlib.suppress(OverflowError):  # in UTC, the year would be 0 or 10000
        given = given.astimezone(timezone.utc)
    return given.isoformat().replace("+00:00", "Z")


def _duration(given: timedelta) -> str:
    """Returns a duration in ISO 8601, in days, hours, minutes and seconds."""
    seconds, rest = divmod(abs(given), timedelta(seconds=1))
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    text = f"{seconds}.{rest.microseconds:06}".rstrip("0") if rest else f"{seconds}"
    times = [(f"{hours}", "H"), (f"{minutes}", "M"), (text, "S")]
    found = "".join(number + unit for number, unit in times if number != "0")
    dated = f"{days}D" if days else ""
    if not dated and not found:
        return "PT0S"
    return f"{'-' if given < timedelta(0) else ''}P{dated}{f'T{found}' if found else ''}"


def _text(kind: ValueKind, content: bytes) -> Value:
    if len(content) > _LENGTH_MAX:
        raise OverflowError("a value is longer than 4 GiB")
    return text_value(kind, content)


def is_beyond_64_bits(value: object) -> bool:
    # A range compares an instance of a subclass with each of its numbers.
    return isinstance(value, int) and int(value) not in _INT64


def encode(value: object) -> Value:
    """Returns a value for the library. The value keeps alive what it borrows.

    Raises TypeError, ValueError, OverflowError.
    """
    if value is None:
        return scalar_value(ValueKind.NULL)
    if isinstance(value, bool):
        return scalar_value(ValueKind.BOOL, value)
    if isinstance(value, int):
        if is_beyond_64_bits(value):
            return _text(ValueKind.JSON, str(int(value)).encode())
        return scalar_value(ValueKind.INT64, value)
    if isinstance(value, float):
        return scalar_value(ValueKind.DOUBLE, value)
    if isinstance(value, str):
        return _text(ValueKind.STRING, value.encode())
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _text(ValueKind.BYTES, bytes(value))
    if isinstance(value, datetime):
        return scalar_value(ValueKind.DATE, _microseconds(value))
    if isinstance(value, date):
        return _text(ValueKind.STRING, value.isoformat().encode())
    if isinstance(value, ObjectReference):
        return object_value(value._handle)
    if isinstance(value, (list, tuple)):
        if any(isinstance(item, (list, tuple, Mapping)) for item in value):
            return _text(ValueKind.JSON, json_bytes(value))
        return list_value([encode(item) for item in value])
    if isinstance(value, Mapping):
        return _text(ValueKind.JSON, json_bytes(value))
    plain = plain_of(value)
    if plain is not value:
        return encode(plain)
    raise TypeError(f"expected a value that a request can carry, not {type(value).__name__}")


_TEXTS = frozenset(
    {
        ("uuid", "UUID"),
        ("decimal", "Decimal"),
        ("pathlib", "PurePath"),
        ("pathlib._local", "PurePath"),  # Python 3.13
        ("ipaddress", "_BaseAddress"),
        ("ipaddress", "_BaseNetwork"),
        ("ipaddress", "IPv4Interface"),
        ("ipaddress", "IPv6Interface"),
        ("pydantic.networks", "_BaseUrl"),
        ("pydantic.networks", "_BaseMultiHostUrl"),
        ("pydantic_core._pydantic_core", "Url"),
        ("pydantic_core._pydantic_core", "MultiHostUrl"),
    }
)
"""Classes by module and name, so that only programs that use their modules import them."""


def is_text(of: type) -> bool:
    """Returns whether JSON has the values of a class as text."""
    return any((base.__module__, base.__name__) in _TEXTS for base in of.__mro__)


def number_of(value: Any) -> int | float | None:
    """Returns the number of a Decimal, for an attribute that is not a text; None for anything
    else.
    """
    of = type(value)
    if (of.__module__, of.__name__) != ("decimal", "Decimal") or not value.is_finite():
        return None
    whole = int(value)
    return whole if whole == value and whole in _INT64 else float(value)


def plain_of(value: object) -> object:
    """Returns the value of an enumeration, and what JSON has as text, such as a UUID or a duration,
    as text; anything else as it is.
    """
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return _duration(value)
    return str(value) if is_text(type(value)) else value


def encode_attribute(value: object) -> Value:
    """Returns a value as `encode` does, but lists and tuples become JSON, for an attribute."""
    if isinstance(value, (list, tuple)):
        return _text(ValueKind.JSON, json_bytes(value))
    return encode(value)


def decode(cell: tuple[int, int, int], object_at: Callable[[int], Any], key: str = "") -> Any:
    """Returns a copy of a value of the library; raises MappingError if Python cannot hold it.

    `object_at` makes an Object from a handle's address; `key` names the attribute in an error.
    """
    kind, length, word = cell
    if kind == _STRING:
        return text_at(word, length)
    if kind == _INT64_KIND:
        return word
    if kind == _BOOL:
        return word != 0
    if kind == _DOUBLE:
        return real_of(word)
    if kind == _DATE:
        return moment(word)
    if kind == _JSON:
        return json_value(read(word, length), key)
    if kind == _BYTES:
        return read(word, length)
    if kind == _OBJECT:
        return object_at(word)
    if kind == _LIST:
        items = cells(read(word, length * 16))
        return [decode(item, object_at, key) for item in items]
    return None  # null, absent, or a kind that a newer library has


def moment(microseconds: int) -> datetime | None:
    """Returns a date; None if Python cannot hold it.

    A date that is in the years 1 to 9999 in another time zone, but not in UTC, has the smallest
    offset of whole hours that leads there.
    """
    try:
        return _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        pass
    east = microseconds < 0
    for hours in range(1, 24):
        offset = timedelta(hours=hours if east else -hours)
        try:
            local = _LOCAL_EPOCH + (timedelta(microseconds=microseconds) + offset)
        except OverflowError:
            continue
        return local.replace(tzinfo=timezone(offset))
    return None


def json_value(text: bytes | str, key: str = "") -> JSONValue:
    """Parses JSON that the library has found valid; raises MappingError if it nests too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise unreadable(key, "JSON nested deeper than Python parses") from None
    except ValueError as error:
        raise unreadable(key, f"JSON that Python does not parse: {error}") from None


def json_bytes(value: object, default: Callable[[Any], Any] | None = None) -> bytes:
    """Writes JSON; raises TypeError or ValueError if `value` cannot be written.

    `default` converts what JSON does not know; None is `json_default`.
    """
    return json.dumps(value, default=default or json_default, allow_nan=False).encode()


def document_bytes(document: Document) -> bytes:
    """Returns the JSON text of a document, UTF-8."""
    if isinstance(document, str):
        return document.encode()
    if isinstance(document, (bytes, bytearray)):
        return bytes(document)
    if isinstance(document, Mapping):
        return json_bytes(document)
    raise TypeError(f"expected JSON text or a mapping, not {type(document).__name__}")


def json_default(value: object) -> object:
    """Converts what `json.dumps` does not know, and the table of this module has; raises TypeError
    for any other value.
    """
    if isinstance(value, datetime):
        return _iso(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    plain = plain_of(value)
    if plain is not value:
        return plain
    raise TypeError(f"expected a value that JSON can carry, not {type(value).__name__}")


def unreadable(key: str, reason: str) -> MappingError:
    """Returns the error for a value of the library that Python cannot hold."""
    return MappingError(
        f"{key}: {reason}" if key else reason,
        status=Status.MAPPING,
        domain=Domain.MAPPING,
        field=key or None,
    )


ref, size_of = ctypes.byref, ctypes.sizeof

ArgumentError = ctypes.ArgumentError
"""Raised by a function of the library for an argument that has not the type of its parameter."""

size, whole, token = c_size_t.from_param, c_int64.from_param, c_void_p.from_param
"""Integers as `bare` functions take them: a `size_t`, an `int64_t`, a context."""


def number() -> Any:
    """Returns a buffer for a `size_t`: pass `ref(it)`, read `it.value`."""
    return c_size_t()


def sizes(count: int) -> Any:
    """Returns an array of `count` numbers, for the library to write."""
    return (c_size_t * count)()


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


def addresses_out(count: int) -> Any:
    """Returns a buffer for the addresses of `count` owned handles; its elements are integers."""
    return (c_void_p * count)()


def handles_in(addresses: Any) -> Any:
    """Returns a buffer of `addresses_out` as a buffer for handles of objects."""
    return ctypes.cast(addresses, POINTER(ObjectHandle))


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


class ColumnCells(NamedTuple):
    """The values in one column of a table whose rows have `width` values."""

    table: Any
    column: int
    width: int

    def kinds(self) -> list[int]:
        """Returns the kind of each value, or the only kind that all of them have."""
        kinds = memoryview(self.table).cast("B").cast("I")[4 * self.column :: 4 * self.width]
        same = kinds.tobytes() == kinds[:1].tobytes() * len(kinds)  # faster than a list of them
        return kinds[:1].tolist() if same else kinds.tolist()

    def words(self, *, real: bool = False) -> list[Any]:
        """Returns the last 8 bytes of each value as int, or as float if `real`."""
        words = memoryview(self.table).cast("B").cast("d" if real else "q")
        return words[2 * self.column + 1 :: 2 * self.width].tolist()

    def texts(self) -> list[str]:
        """Returns the text of each value, which is a string or of a kind without text."""
        counts = memoryview(self.table).cast("B").cast("I")[4 * self.column + 1 :: 4 * self.width]
        pairs = zip(self.words(), counts)
        return [text_at(word, length) if length else "" for word, length in pairs]


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
