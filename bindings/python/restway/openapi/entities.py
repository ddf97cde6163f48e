"""Writes the resources as entities of an API document, with what the document can say today."""

from __future__ import annotations

from typing import Any

from .capabilities import Capabilities
from .kinds import FreeKind, Kind, ListKind, MapKind, ScalarKind
from .landing import is_many, scalars_of, target_of
from .notes import Report
from .resources import Field, Resource


class Entities:
    """The entities of a document: those that answers and bodies lead to."""

    def __init__(self, capabilities: Capabilities, report: Report) -> None:
        self.written: dict[str, dict[str, Any]] = {}
        self.unions: dict[str, dict[str, Any]] = {}
        self._capabilities = capabilities
        self._report = report

    def add(self, resource: Resource) -> str:
        """Writes the entity of a resource and those that it leads to; returns its name."""
        waiting = [resource]
        while waiting:
            one = waiting.pop(0)
            if one.members:
                names = [member.name for member in one.members]
                self.unions[one.name] = {"oneOf": names, **one.rule}
                waiting += one.members
            elif one.name not in self.written:
                self.written[one.name] = {}
                self.written[one.name] = self._entity(one, waiting)
        return resource.name

    def _entity(self, resource: Resource, waiting: list[Resource]) -> dict[str, Any]:
        attributes: dict[str, Any] = {}
        relationships: dict[str, Any] = {}
        for name, field in resource.fields.items():
            if not name or "\0" in name:
                self._report.add("left out", field.place, "a key that is empty or holds a NUL")
            elif self._is_relationship(field):
                assert field.resource is not None
                relationships[name] = self._relationship(field, field.resource)
                waiting.append(field.resource)
            else:
                attributes[name] = self._attribute(field)
        entity: dict[str, Any] = {}
        if resource.identity is not None and resource.identity in attributes:
            entity["identity"] = resource.identity
        entity["attributes"] = attributes
        if relationships:
            entity["relationships"] = relationships
        return entity

    def _is_relationship(self, field: Field) -> bool:
        """Returns whether a field is a relationship. A scalar in place of an object has to have the
        type of the identity.
        """
        resource, target = field.resource, target_of(field.kind)
        if resource is None or target is None:
            return False
        scalars = scalars_of(target)
        if not scalars:
            return True
        identity = resource.fields.get(resource.identity or "")
        kind = identity.kind if identity is not None else None
        if isinstance(kind, ScalarKind) and all(one.type == kind.type for one in scalars):
            return True
        self._report.add("bent", field.place, "an object or a scalar that is no identity: JSON")
        return False

    def _relationship(self, field: Field, resource: Resource) -> dict[str, Any]:
        relationship: dict[str, Any] = {"entity": resource.name}
        if is_many(field.kind):
            relationship["many"] = True
        if all(one.identity is None for one in resource.members or [resource]):
            # Each answer makes new objects, and the ones before them belong to nothing else.
            relationship["policy"] = "replace"
        if field.by_identity:
            relationship["byIdentity"] = True
        return relationship

    def _attribute(self, field: Field) -> dict[str, Any]:
        kind = field.kind
        if isinstance(kind, ScalarKind):
            return self._scalar(kind)
        written = self._collection(kind)
        if written is not None:
            return {"type": written, **self._values(_innermost(kind))}
        if not isinstance(kind, FreeKind):
            self._report.add("bent", field.place, f"{_described(kind)}: JSON")
        return {"type": "json"}

    def _scalar(self, kind: ScalarKind) -> dict[str, Any]:
        if kind.type == "day":
            return {"type": "date", "format": "yyyy-MM-dd", **self._values(kind)}
        return {"type": kind.type, **self._values(kind)}

    def _values(self, kind: ScalarKind) -> dict[str, Any]:
        """Returns the listed values of a scalar. The list is open: a server may add to it."""
        values = [value for value in dict.fromkeys(kind.enumeration) if _is_held(value)]
        if not values:
            return {}
        fitting = _PYTHON_TYPES.get(kind.type)
        fits = fitting and all(_fits(value, fitting) for value in values)
        return {"values" if fits and self._capabilities.values else "x-enum": values}

    def _collection(self, kind: Kind) -> Any:
        """Returns the type of a list or a map of scalars, if the document can say it."""
        if isinstance(kind, ListKind) and self._capabilities.typed_lists:
            element = _plain_type(kind.element)
            return [element] if element is not None else None
        if isinstance(kind, MapKind) and self._capabilities.maps:
            value = _plain_type(kind.value)
            return {"*": value} if value is not None else None
        return None


def _plain_type(kind: Kind) -> str | None:
    """Returns the type of a scalar that JSON has, so that its values need no conversion."""
    if isinstance(kind, ScalarKind) and kind.type in ("bool", "int", "double", "string"):
        return kind.type
    return None


_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "int": (int,), "double": (int, float),
}
"""The types of values that an attribute of a type lists."""

_INT64 = range(-(2**63), 2**63)


def _fits(value: Any, types: tuple[type, ...]) -> bool:
    return isinstance(value, types) and not isinstance(value, bool)


def _is_held(value: Any) -> bool:
    """Returns whether a document can hold a value: integers have 64 bits."""
    return not isinstance(value, int) or value in _INT64


def _innermost(kind: Kind) -> ScalarKind:
    """Returns the kind of the values in a list or a map of scalars."""
    found = kind.element if isinstance(kind, ListKind) else kind
    found = found.value if isinstance(found, MapKind) else found
    assert isinstance(found, ScalarKind)
    return found


def _described(kind: Kind) -> str:
    if isinstance(kind, ListKind):
        return "a list of values"
    if isinstance(kind, MapKind):
        return "an object with free keys"
    return "a value of several kinds"
