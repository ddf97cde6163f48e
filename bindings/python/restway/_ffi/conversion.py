"""Conversion of Python values to values of the library, and back.

| Python | library | notes |
| --- | --- | --- |
| None | null | |
| bool, int, float | bool, int64, double | an int beyond 64 bits raises OverflowError |
| datetime | date | must have a time zone; comes back aware, in UTC |
| date | string | `2026-11-21` |
| str | string | |
| bytes | bytes | |
| Object | object | |
| list, tuple | list | JSON when it holds a list or a dict itself |
| dict | JSON | datetimes inside are written as ISO 8601 |
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta, timezone
from typing import Any, Union

from .._exceptions import MappingError
from . import memory
from .enums import Domain, Status, ValueKind
from .structures import ObjectHandle, Value

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
_MICROSECOND = timedelta(microseconds=1)
_INT64 = range(-(2**63), 2**63)
_LENGTH_MAX = 2**32 - 1

# These are plain integers, because `decode` compares them for every attribute that is read.
_STRING, _INT64_KIND, _BOOL = int(ValueKind.STRING), int(ValueKind.INT64), int(ValueKind.BOOL)
_DOUBLE, _DATE, _JSON = int(ValueKind.DOUBLE), int(ValueKind.DATE), int(ValueKind.JSON)
_BYTES, _OBJECT, _LIST = int(ValueKind.BYTES), int(ValueKind.OBJECT), int(ValueKind.LIST)


def _microseconds(moment: datetime) -> int:
    if moment.utcoffset() is None:
        raise ValueError(f"a datetime needs a time zone: {moment!r}")
    return (moment - _EPOCH) // _MICROSECOND


def _iso(moment: datetime) -> str:
    if moment.utcoffset() is None:
        raise ValueError(f"a datetime needs a time zone: {moment!r}")
    return moment.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def _text(kind: ValueKind, content: bytes) -> Value:
    if len(content) > _LENGTH_MAX:
        raise OverflowError("a value is longer than 4 GiB")
    return memory.text_value(kind, content)


def encode(value: object) -> Value:
    """Returns a value for the library. The value keeps alive what it borrows.

    Raises TypeError, ValueError, OverflowError.
    """
    if value is None:
        return memory.scalar_value(ValueKind.NULL)
    if isinstance(value, bool):
        return memory.scalar_value(ValueKind.BOOL, value)
    if isinstance(value, int):
        if value not in _INT64:
            raise OverflowError(f"{value} does not fit into 64 bits")
        return memory.scalar_value(ValueKind.INT64, value)
    if isinstance(value, float):
        return memory.scalar_value(ValueKind.DOUBLE, value)
    if isinstance(value, str):
        return _text(ValueKind.STRING, value.encode())
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _text(ValueKind.BYTES, bytes(value))
    if isinstance(value, datetime):
        return memory.scalar_value(ValueKind.DATE, _microseconds(value))
    if isinstance(value, date):
        return _text(ValueKind.STRING, value.isoformat().encode())
    if isinstance(value, ObjectReference):
        return memory.object_value(value._handle)
    if isinstance(value, (list, tuple)):
        if any(isinstance(item, (list, tuple, Mapping)) for item in value):
            return _text(ValueKind.JSON, json_bytes(value))
        return memory.list_value([encode(item) for item in value])
    if isinstance(value, Mapping):
        return _text(ValueKind.JSON, json_bytes(value))
    raise TypeError(f"expected a value that a request can carry, not {type(value).__name__}")


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
        return memory.text_at(word, length)
    if kind == _INT64_KIND:
        return word
    if kind == _BOOL:
        return word != 0
    if kind == _DOUBLE:
        return memory.real_of(word)
    if kind == _DATE:
        try:
            return _EPOCH + timedelta(microseconds=word)
        except OverflowError:
            raise _unreadable(key, f"a date beyond Python's years ({word} microseconds)") from None
    if kind == _JSON:
        return json_value(memory.read(word, length), key)
    if kind == _BYTES:
        return memory.read(word, length)
    if kind == _OBJECT:
        return object_at(word)
    if kind == _LIST:
        items = memory.cells(memory.read(word, length * 16))
        return [decode(item, object_at, key) for item in items]
    return None  # null, absent, or a kind that a newer library has


def json_value(text: bytes | str, key: str = "") -> JSONValue:
    """Parses JSON that the library has found valid; raises MappingError if it nests too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise _unreadable(key, "JSON nested deeper than Python parses") from None
    except ValueError as error:
        raise _unreadable(key, f"JSON that Python does not parse: {error}") from None


def json_bytes(value: object) -> bytes:
    """Writes JSON; raises TypeError or ValueError if `value` cannot be written."""
    return json.dumps(value, default=_json_default, allow_nan=False).encode()


def document_bytes(document: Document) -> bytes:
    """Returns the JSON text of a document, UTF-8."""
    if isinstance(document, str):
        return document.encode()
    if isinstance(document, (bytes, bytearray)):
        return bytes(document)
    if isinstance(document, Mapping):
        return json_bytes(document)
    raise TypeError(f"expected JSON text or a mapping, not {type(document).__name__}")


def _json_default(value: object) -> object:
    if isinstance(value, datetime):
        return _iso(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"expected a value that JSON can carry, not {type(value).__name__}")


def _unreadable(key: str, reason: str) -> MappingError:
    return MappingError(
        f"{key}: {reason}" if key else reason,
        status=Status.MAPPING,
        domain=Domain.MAPPING,
        field=key or None,
    )
