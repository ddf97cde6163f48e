"""Models of pydantic."""

from __future__ import annotations

import sys
from typing import Any

from .fields import Field, Kind, Mismatch


class ModelKind(Kind):
    """Models of pydantic. A field has its alias as the name in the document."""

    converts = False

    def has(self, of: type) -> bool:
        pydantic = sys.modules.get("pydantic")  # a model has imported it
        return pydantic is not None and issubclass(of, pydantic.BaseModel)

    def fields(self, of: type) -> list[Field]:
        found: dict[str, Any] = of.model_fields  # type: ignore[attr-defined]
        return [
            Field(_name(key, field), key, field.annotation, field.is_required())
            for key, field in found.items()
        ]

    def wants_all(self, of: type) -> bool:
        extra = of.model_config.get("extra")  # type: ignore[attr-defined]
        return extra in ("allow", "forbid")

    def make(self, of: type, values: dict[str, Any]) -> Any:
        import pydantic

        try:
            return of.model_validate(values)  # type: ignore[attr-defined]
        except pydantic.ValidationError as error:
            problems = [(list(each["loc"]), each["msg"]) for each in error.errors()]
            raise Mismatch.of(problems) from error

    def values(self, instance: Any) -> dict[str, Any]:
        found: dict[str, Any] = instance.model_dump(by_alias=True)
        return found


def _name(key: str, field: Any) -> str:
    alias = field.validation_alias or field.alias
    return alias if isinstance(alias, str) else key
