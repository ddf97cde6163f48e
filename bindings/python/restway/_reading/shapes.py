"""Attributes that are lists or maps of values: their types, and what Python makes of the values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from .. import _ffi as native
from .._base.lazy import base64, json

Converter = Callable[[Any], Any]
"""Makes the values of an attribute from what JSON has."""


def converters_of(handle: native.ObjectHandle, names: tuple[str, ...]) -> dict[str, Converter]:
    """Returns the converters of the attributes of an object that need one, by name."""
    found: dict[str, Converter] = {}
    for index, name in enumerate(names):
        text = native.borrowed(native.lib.restway_object_attribute_type(handle, index)) or ""
        converter = converter_of(text)
        if converter is not None:
            found[name] = converter
    return found


@lru_cache(maxsize=1024)
def converter_of(type_text: str) -> Converter | None:
    """Returns the converter of a type as a document writes it; None if JSON has its values as
    Python wants them.

        converter_of('["date"]')(["2024-02-29T00:00:00Z"])  # [datetime(2024, 2, 29, tzinfo=utc)]
    """
    if not type_text.startswith(("[", "{")):
        return None
    return _converter(json.loads(type_text))


def converted(value: Any, type_text: str | None) -> Any:
    """Returns the value of a type as Python wants it."""
    convert = converter_of(type_text or "")
    return value if convert is None or value is None else convert(value)


def _converter(of: Any) -> Converter | None:
    if isinstance(of, str):
        return _SCALARS.get(of)
    inner = _converter(of[0] if isinstance(of, list) else of["*"])
    if inner is None:
        return None
    return _list(inner) if isinstance(of, list) else _map(inner)


def given(value: Any) -> Any:
    """Returns a list or a map of values as the library takes it: bytes inside it as base64."""
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(value, (list, tuple)):
        return [given(item) for item in value]
    if isinstance(value, Mapping):
        return {key: given(item) for key, item in value.items()}
    return value


def _list(inner: Converter) -> Converter:
    def convert(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return [None if item is None else inner(item) for item in value]

    return convert


def _map(inner: Converter) -> Converter:
    def convert(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {key: None if item is None else inner(item) for key, item in value.items()}

    return convert


def _moment(text: Any) -> Any:
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None  # Python cannot hold it


def _bytes(text: Any) -> Any:
    return base64.b64decode(text)


_SCALARS: dict[str, Converter] = {"date": _moment, "bytes": _bytes}
"""The types whose values JSON has as texts."""
