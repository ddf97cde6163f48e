"""Models of pydantic."""

from __future__ import annotations

import json
import sys
from base64 import urlsafe_b64encode
from typing import Any

from .._ffi.conversion import json_bytes, json_default
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

    def may_fill_in(self, of: type) -> bool:
        decorators: Any = of.__pydantic_decorators__  # type: ignore[attr-defined]
        return any(each.info.mode != "after" for each in decorators.model_validators.values())

    def wants_all(self, of: type) -> bool:
        extra = of.model_config.get("extra")  # type: ignore[attr-defined]
        return extra in ("allow", "forbid")

    def make(self, of: type, values: dict[str, Any]) -> Any:
        import pydantic

        try:
            return of.model_validate(values)  # type: ignore[attr-defined]
        except pydantic.ValidationError as error:
            refused = error
            try:  # a strict model takes the text of a UUID or a Decimal in JSON alone
                return of.model_validate_json(_json(of, values))  # type: ignore[attr-defined]
            except pydantic.ValidationError as other:
                refused = other
            except (TypeError, ValueError):  # the values have no form in JSON
                pass
            problems = [(list(each["loc"]), each["msg"]) for each in refused.errors()]
            raise Mismatch.of(problems) from refused

    def values(self, instance: Any) -> dict[str, Any]:
        found: dict[str, Any] = instance.model_dump(by_alias=True)
        return found

    def json_values(self, instance: Any) -> dict[str, Any]:
        # The settings of a model, such as `ser_json_bytes`, hold for this function alone.
        found: dict[str, Any] = json.loads(instance.model_dump_json(by_alias=True))
        return found


def _json(of: Any, values: dict[str, Any]) -> bytes:
    """Writes values as JSON in which a model finds its bytes again."""
    form = of.model_config.get("val_json_bytes", "utf8")

    def written(value: Any) -> Any:
        if isinstance(value, bytes):
            return value.decode() if form == "utf8" else (
                value.hex() if form == "hex" else urlsafe_b64encode(value).decode()
            )
        return json_default(value)

    return json_bytes(values, written)


def _name(key: str, field: Any) -> str:
    alias = field.validation_alias or field.alias
    return alias if isinstance(alias, str) else key
