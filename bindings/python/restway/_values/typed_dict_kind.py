"""Subclasses of TypedDict."""

from __future__ import annotations

from typing import Any, get_origin

from .fields import Field, Kind, type_hints


class TypedDictKind(Kind):
    """Subclasses of TypedDict, of `typing` and of `typing_extensions`."""

    converts = True

    def has(self, of: type) -> bool:
        return issubclass(of, dict) and hasattr(of, "__required_keys__")

    def fields(self, of: type) -> list[Field]:
        required: frozenset[str] = of.__required_keys__  # type: ignore[attr-defined]
        return [
            Field(key, key, kind, key in required and not _may_be_missing(kind))
            for key, kind in type_hints(of).items()
        ]

    def make(self, of: type, values: dict[str, Any]) -> Any:
        return values

    def values(self, instance: Any) -> dict[str, Any]:
        return dict(instance)


def _may_be_missing(kind: Any) -> bool:
    """Returns whether a type is `NotRequired`. A TypedDict whose types are texts counts such a key
    as required.
    """
    return getattr(get_origin(kind), "_name", None) == "NotRequired"
