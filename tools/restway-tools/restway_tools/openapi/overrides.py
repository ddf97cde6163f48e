"""The overrides file: what the program's author knows better than the importer.

The importer reads the file and never writes it, so it holds when the document is made anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .reading import ReadError, read_value


@dataclass(frozen=True)
class Overrides:
    """The content of the overrides file."""

    schemas: dict[str, str] = field(default_factory=dict)
    """The resource of which a schema is a shape, by the name of the schema."""
    identities: dict[str, str | None] = field(default_factory=dict)
    """The attribute that is the identity, by entity; None: the entity has no identity."""
    document: dict[str, Any] = field(default_factory=dict)
    """A JSON merge patch (RFC 7396) for the document."""


def read_overrides(file: Path) -> Overrides:
    """Reads an overrides file in JSON or YAML. Raises ReadError."""
    value = read_value(file)
    if not isinstance(value, dict):
        raise ReadError(f"{file.name}: it is no object")
    for key in value:
        if key not in ("schemas", "identities", "document") and not key.startswith("x-"):
            raise ReadError(f"{file.name}: it has schemas, identities and document, no {key!r}")
        if not key.startswith("x-") and not isinstance(value[key], dict):
            raise ReadError(f"{file.name}: {key!r} is no object")
    schemas, identities = value.get("schemas", {}), value.get("identities", {})
    for name, resource in schemas.items():
        if not isinstance(resource, str) or not resource:
            raise ReadError(f"{file.name}: the resource of {name!r} is no name")
    for name, attribute in identities.items():
        if attribute is not None and not isinstance(attribute, str):
            raise ReadError(f"{file.name}: the identity of {name!r} is neither a name nor null")
    return Overrides(schemas, identities, value.get("document", {}))


def merged(value: Any, patch: Any) -> Any:
    """Returns a value with a JSON merge patch: null removes a member, objects are merged."""
    if not isinstance(patch, dict):
        return patch
    result = dict(value) if isinstance(value, dict) else {}
    for key, change in patch.items():
        if change is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), change)
    return result
