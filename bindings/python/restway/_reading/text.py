"""The JSON text of objects, and what Python makes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _ffi as native
from .._base.hints import require_depth
from .._base.lazy import base64, json
from .._enums import JsonFlag
from .._ffi.conversion import json_value, moment, unreadable
from .._handles import make

_TYPED = JsonFlag.MARKED | JsonFlag.ENTITIES

Made = Callable[[str, Any, list[str], dict[str, Any]], Any]
"""Makes a value of an object: its entity, its identity, its absent attributes and its values."""


def written(function: Any, *arguments: Any, depth: int, flags: int = 0) -> str:
    """Returns the text that a function of the library writes; `arguments` come before the depth."""
    require_depth(depth)
    return content(make(native.TextHandle, function, *arguments, depth, flags, 0))


def content(text: native.TextHandle) -> str:
    """Returns a text of the library as a str; bytes that are not UTF-8 are replaced."""
    length = native.number()
    start = native.addresses.restway_text_content(text, native.ref(length))
    return native.read(start, length.value).decode("utf-8", "replace")


def typed(function: Any, *arguments: Any, depth: int, make: Made) -> Any:
    """Reads the text that a function of the library writes, with all types: dates become datetimes
    again, bytes become bytes.

    `make` is called for each object.
    """
    text = written(function, *arguments, depth=depth, flags=_TYPED)

    def value(pairs: list[tuple[str, Any]]) -> Any:
        name, content = pairs[0]
        if name == "$entity":
            return make(content, pairs[1][1], pairs[2][1], dict(pairs[3:]))
        return _MARKS[name](content)

    try:
        return json.loads(text, object_pairs_hook=value)
    except RecursionError:
        raise unreadable("", "objects nested deeper than Python parses") from None


def _bytes(text: str) -> bytes:
    return base64.b64decode(text)


_MARKS: dict[str, Callable[[Any], Any]] = {
    "$date": moment,
    "$bytes": _bytes,
    "$json": json_value,
    "$double": float,
    "$map": dict,
}
"""The functions that make a value of Python from the content of each mark."""
