"""Structs of msgspec."""

from __future__ import annotations

import re
import sys
from datetime import date, datetime
from typing import Any

from .._ffi.conversion import plain_of
from .fields import Field, Kind, Mismatch, Step


class StructKind(Kind):
    """Structs of msgspec. A field has the name in the document with which msgspec encodes it."""

    converts = False
    is_unchecked = True

    def has(self, of: type) -> bool:
        msgspec = sys.modules.get("msgspec")  # a Struct has imported it
        return msgspec is not None and issubclass(of, msgspec.Struct)

    def fields(self, of: type) -> list[Field]:
        from msgspec import structs

        return [
            Field(field.encode_name, field.name, field.type, field.required)
            for field in structs.fields(of)
        ]

    def wants_all(self, of: type) -> bool:
        return bool(of.__struct_config__.forbid_unknown_fields)  # type: ignore[attr-defined]

    def make(self, of: type, values: dict[str, Any]) -> Any:
        import msgspec

        try:
            return msgspec.convert(values, of)
        except msgspec.ValidationError as error:
            reason, _, place = str(error).partition(" - at `$")
            raise Mismatch(reason, *_steps(place.rstrip("`"))) from error

    def values(self, instance: Any) -> dict[str, Any]:
        import msgspec

        # A value that msgspec does not know either is refused where it is written.
        found: dict[str, Any] = msgspec.to_builtins(
            instance, builtin_types=(bytes, datetime, date), enc_hook=plain_of
        )
        return found


def _steps(place: str) -> list[Step]:
    """Reads a path of msgspec, such as `.user.names[0]`."""
    found = re.findall(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]", place)
    return [name or (int(index) if index.isdigit() else index) for name, index in found]
