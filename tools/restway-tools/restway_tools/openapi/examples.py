"""Composes an example of an answer out of its schema, for answers without a published one."""

from __future__ import annotations

import itertools
from typing import Any

from .kinds import MISSING, FreeKind, Kind, ListKind, MapKind, ObjectKind, ScalarKind
from .resources import candidate_of

_VALUES: dict[str, Any] = {
    "any": "text", "bool": True, "bytes": "dGV4dA==", "date": "2024-02-29T12:45:10Z",
    "day": "2024-02-29", "double": 1.5, "int": 7, "string": "text",
}  # fmt: skip

_DEPTH_MAX = 6
"""How deep composed objects are nested; deeper ones are left out."""


class Composer:
    """Composes examples in which every object has an identity of its own."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def value(self, kind: Kind, depth: int = 0) -> Any:
        """Returns a value of a kind, with the examples of its parts; MISSING if it is too deep."""
        if isinstance(kind, ScalarKind):
            return self._scalar(kind)
        if isinstance(kind, ObjectKind):
            return self._object(kind, depth) if depth < _DEPTH_MAX else MISSING
        if isinstance(kind, ListKind):
            element = self.value(kind.element, depth)
            return MISSING if element is MISSING else [element]
        if isinstance(kind, MapKind):
            member = self.value(kind.value, depth + 1)
            return MISSING if member is MISSING else {"key": member}
        if isinstance(kind, FreeKind):
            return {"key": 1} if kind.example is MISSING else kind.example
        return self.value(kind.variants[0], depth)

    def _scalar(self, kind: ScalarKind) -> Any:
        if kind.example is not MISSING and kind.example is not None:
            return kind.example
        return kind.enumeration[0] if kind.enumeration else _VALUES[kind.type]

    def _object(self, kind: ObjectKind, depth: int) -> Any:
        value: dict[str, Any] = {}
        for key, one in kind.properties.items():
            member = self.value(one.kind, depth + 1)
            if member is not MISSING and not one.is_write_only:
                value[key] = member
        properties = ((key, one.kind) for key, one in kind.properties.items())
        found = candidate_of(kind.name or "", properties)
        if found is not None:
            number = next(self._numbers)
            value[found[0]] = number if found[1] == "int" else str(number)
        return value
