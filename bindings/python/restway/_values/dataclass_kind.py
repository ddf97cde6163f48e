"""Dataclasses."""

from __future__ import annotations

import dataclasses
from typing import Any

from .fields import Field, Kind, Mismatch, type_hints


class DataclassKind(Kind):
    """Dataclasses. `field(metadata={"name": "itemID"})` gives a field another name in the document.
    """

    converts = True
    is_unchecked = True

    def has(self, of: type) -> bool:
        return dataclasses.is_dataclass(of)

    def fields(self, of: type) -> list[Field]:
        types = type_hints(of)
        return [
            Field(
                field.metadata.get("name", field.name),
                field.name,
                types[field.name],
                field.default is dataclasses.MISSING
                and field.default_factory is dataclasses.MISSING,
            )
            for field in dataclasses.fields(of)
            if field.init
        ]

    def make(self, of: type, values: dict[str, Any]) -> Any:
        try:
            return of(**values)
        except (TypeError, ValueError) as error:  # of its __post_init__
            raise Mismatch(str(error)) from error

    def values(self, instance: Any) -> dict[str, Any]:
        return {
            field.metadata.get("name", field.name): getattr(instance, field.name)
            for field in dataclasses.fields(instance)
        }
