"""The kinds of values that schemas describe, without the words of JSON Schema.

Kinds are compared by identity: each object that a description has is one `ObjectKind`, however
often it is referred to.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, Union

ScalarType = Literal["any", "bool", "int", "double", "string", "date", "day", "bytes"]
"""date: a moment (RFC 3339). day: a date without a time. any: a scalar of several types."""

MISSING: Any = object()
"""Stands for an example that a schema does not have."""


@dataclass(eq=False)
class ScalarKind:
    """A text, a number or a boolean; every value may also be null."""

    type: ScalarType
    enumeration: tuple[Any, ...] = ()
    example: Any = MISSING


@dataclass(eq=False)
class ListKind:
    """A list whose elements have one kind."""

    element: Kind
    example: Any = MISSING


@dataclass(eq=False)
class MapKind:
    """An object with free keys, whose values have one kind."""

    value: Kind
    example: Any = MISSING


@dataclass(eq=False)
class FreeKind:
    """Any JSON."""

    example: Any = MISSING


@dataclass
class Property:
    """A member of an object."""

    kind: Kind
    place: str
    is_required: bool = False
    is_read_only: bool = False
    is_write_only: bool = False
    is_constant: bool = False
    """Whether the schema allows one value alone, and not null either."""
    default: Any = MISSING


@dataclass(eq=False)
class ObjectKind:
    """An object with known keys."""

    place: str
    name: str | None
    """The name of the schema; None for a schema that stands inside another one."""
    properties: dict[str, Property] = field(default_factory=dict)
    example: Any = MISSING
    bases: list[ObjectKind] = field(default_factory=list)
    """The schemas with names in its `allOf`."""
    resource_type: str | None = None
    """The type of its resource objects in JSON:API; an empty text if no schema says it."""


@dataclass(eq=False)
class UnionKind:
    """One of several kinds, of which at least one is an object."""

    place: str
    name: str | None
    variants: list[Kind]
    example: Any = MISSING
    discriminator: tuple[str, dict[str, str]] | None = None
    """The property that says which variant an object is, and the schemas by its values."""


Kind = Union[ScalarKind, ListKind, MapKind, FreeKind, ObjectKind, UnionKind]


def joined_scalar(kinds: Iterable[ScalarKind]) -> ScalarKind:
    """Returns the kind of a scalar that may have any of these kinds."""
    known = list(kinds)
    types = {kind.type for kind in known}
    enumerations = [kind.enumeration for kind in known]
    values: tuple[Any, ...] = ()
    if all(enumerations):
        values = tuple(dict.fromkeys(value for values in enumerations for value in values))
    example = next((kind.example for kind in known if kind.example is not MISSING), MISSING)
    if len(types) == 1:
        return ScalarKind(known[0].type, values, example)
    if types == {"int", "double"}:
        return ScalarKind("double", values, example)
    if types <= {"string", "date", "day", "bytes"}:
        return ScalarKind("string", values, example)
    return ScalarKind("any", values, example)


def joined(kinds: Iterable[Kind], place: str, name: str | None = None) -> Kind:
    """Returns the kind of a value that may have any of these kinds."""
    given = list(kinds)
    if len(given) == 1:
        return given[0]
    known: list[Kind] = []
    for kind in given:
        parts = kind.variants if isinstance(kind, UnionKind) else [kind]
        known += [part for part in parts if part not in known]
    if len(known) == 1:
        return known[0]
    scalars = [kind for kind in known if isinstance(kind, ScalarKind)]
    lists = [kind for kind in known if isinstance(kind, ListKind)]
    maps = [kind for kind in known if isinstance(kind, MapKind)]
    objects = [kind for kind in known if isinstance(kind, ObjectKind)]
    if not known or len(scalars) == len(known):
        return joined_scalar(scalars) if scalars else FreeKind()
    example = next((kind.example for kind in known if kind.example is not MISSING), MISSING)
    if len(lists) == len(known):
        return ListKind(joined([kind.element for kind in lists], place, name), example)
    if len(maps) == len(known):
        return MapKind(joined([kind.value for kind in maps], place, name), example)
    if objects:
        return UnionKind(place, name, known, example)
    return FreeKind(example)
