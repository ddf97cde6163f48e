"""Writes the resources as entities of an API document, with what the document can say today."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .capabilities import Capabilities
from .families import Family, Shape
from .kinds import MISSING, FreeKind, Kind, ListKind, MapKind, ObjectKind, ScalarKind
from .landing import is_many, linked_of, objects_of, scalars_of
from .notes import Report
from .resources import Field, Resource


class Entities:
    """The entities of a document: those that answers and bodies lead to."""

    def __init__(
        self, capabilities: Capabilities, report: Report, names: Iterable[str] = ()
    ) -> None:
        """`names` are the names of all resources, which no other entity may have."""
        self.written: dict[str, dict[str, Any]] = {}
        self.unions: dict[str, dict[str, Any]] = {}
        self._families: dict[str, Family] = {}
        self._names = set(names)
        self._seen: set[str] = set()
        """The resources whose entities are written."""
        self._capabilities = capabilities
        self.has_typed_answers = capabilities.typed_answers
        """Whether descriptors may have a type in place of an entity, and media types."""
        self._report = report

    def add(self, resource: Resource, objects: Iterable[ObjectKind] | None = None) -> str:
        """Writes the entities of a resource, and the entities to which they lead. Returns the name
        of the entity that has all properties of `objects`, or the name of the base without objects.
        """
        name = self._name(resource, objects)
        waiting = [resource]
        while waiting:
            one = waiting.pop(0)
            if one.name in self._seen:
                continue
            self._seen.add(one.name)
            if one.members:
                self.unions[one.name] = self._union(one)
                waiting += one.members
            else:
                # If several shapes of an object extend equally many entities, the library takes the
                # first one as its entity. So the shape with the most properties comes first.
                shapes = self._family(one).shapes
                for shape in sorted(shapes, key=lambda each: -len(each.keys)):
                    self._write(one, shape, waiting)
        return name

    def add_body(self, resource: Resource, body: ObjectKind) -> str:
        """Writes the entities of a resource, one of which has all properties of a body. Returns the
        base, because its request descriptor writes the others as well.
        """
        name = self.add(resource)
        if not resource.members:
            self._shape(resource, [body])
        return name

    def relationships_of(self, resource: Resource) -> list[str]:
        """Returns the names of the relationships that any shape of a written resource has."""
        written = [self.written.get(one.name, {}) for one in self._family(resource).shapes]
        return list(dict.fromkeys(key for one in written for key in one.get("relationships", {})))

    def excludable_attributes(self, resource: Resource) -> set[str]:
        """Returns the names of the attributes of a written resource that a request may exclude: not
        those that no request sends.
        """
        if not self._capabilities.read_only:
            return set()
        written = [self.written.get(one.name, {}) for one in self._family(resource).shapes]
        attributes = [item for one in written for item in one.get("attributes", {}).items()]
        return {name for name, rule in attributes if not rule.get("readOnly", False)}

    def _family(self, resource: Resource) -> Family:
        if resource.name not in self._families:
            has_extends = self._capabilities.extends
            family = Family(resource, self._names, has_extends=has_extends)
            self._families[resource.name] = family
        return self._families[resource.name]

    def _name(self, resource: Resource, objects: Iterable[ObjectKind] | None) -> str:
        if resource.members:
            return resource.name
        if objects is None:
            return self._family(resource).base.name
        return self._shape(resource, objects).name

    def _shape(self, resource: Resource, objects: Iterable[ObjectKind]) -> Shape:
        """Returns a shape, which is written at once if the others of its resource are written."""
        family = self._family(resource)
        count = len(family.shapes)
        shape = family.shape(objects)
        if len(family.shapes) > count and resource.name in self._seen:
            # It has no relationships beside the relationships of the other shapes, which are
            # written already.
            self._write(resource, shape, [])
        return shape

    def _union(self, resource: Resource) -> dict[str, Any]:
        """Returns a union whose members are the shapes that stand in it."""
        names: dict[str, str] = {}
        for member in resource.members:
            objects = [one for one in resource.objects if one in member.shapes]
            names[member.name] = self._shape(member, objects).name
        rule = dict(resource.rule)
        if "discriminator" in rule:
            values = rule["discriminator"]["values"]
            renamed = {value: names[name] for value, name in values.items()}
            rule["discriminator"] = {**rule["discriminator"], "values": renamed}
        if "keys" in rule:
            rule["keys"] = {names[name]: keys for name, keys in rule["keys"].items()}
        if "default" in rule:
            rule["default"] = names[rule["default"]]
        return {"oneOf": list(names.values()), **rule}

    def _write(self, resource: Resource, shape: Shape, waiting: list[Resource]) -> None:
        """Writes an entity, and adds the resources that it leads to."""
        attributes: dict[str, Any] = {}
        relationships: dict[str, Any] = {}
        for name, field in resource.fields.items():
            if name not in shape.own_keys:
                continue
            if not name or "\0" in name:
                self._report.add("left out", field.place, "a key that is empty or holds a NUL")
            elif self._is_relationship(field):
                assert field.resource is not None
                relationships[name] = self._relationship(field, field.resource)
                waiting.append(field.resource)
            else:
                attributes[name] = self._attribute(field, is_identity=name == resource.identity)
        entity: dict[str, Any] = {}
        types = {one.resource_type for one in resource.shapes} - {None, ""}
        if shape.base is None and len(types) == 1:
            entity["type"] = types.pop()
        if shape.base is not None:
            entity["extends"] = shape.base.name
        elif resource.identity is not None and resource.identity in attributes:
            entity["identity"] = resource.identity
        entity["attributes"] = attributes
        if relationships:
            entity["relationships"] = relationships
        self.written[shape.name] = entity

    def _is_relationship(self, field: Field) -> bool:
        """Returns whether a field is a relationship. A scalar in place of an object has to have the
        type of the identity.
        """
        resource, target = field.resource, linked_of(field.kind)
        if resource is None or target is None:
            return False
        scalars = scalars_of(target)
        if isinstance(field.kind, MapKind) and (resource.map_key is None or scalars):
            return False
        if not scalars:
            return True
        identity = resource.fields.get(resource.identity or "")
        kind = identity.kind if identity is not None else None
        if isinstance(kind, ScalarKind) and all(one.type == kind.type for one in scalars):
            return True
        self._report.add("bent", field.place, "an object or a scalar that is no identity: JSON")
        return False

    def _relationship(self, field: Field, resource: Resource) -> dict[str, Any]:
        target = linked_of(field.kind)
        objects = [one for one in objects_of(target) if one in resource.shapes] if target else []
        relationship: dict[str, Any] = {"entity": self._name(resource, objects or None)}
        if is_many(field.kind):
            relationship["many"] = True
        if all(one.identity is None for one in resource.members or [resource]):
            # Each answer makes new objects, and the ones before them belong to nothing else.
            relationship["policy"] = "replace"
        if isinstance(field.kind, MapKind):
            relationship["map"] = resource.map_key
        if field.by_identity:
            relationship["byIdentity"] = True
        return relationship

    def type_of(self, kind: Kind) -> Any:
        """Returns the type of a value without a conversion, as answers and attributes have it."""
        if isinstance(kind, ScalarKind):
            return _plain_type(kind) or "json"
        return self._collection(kind) or "json"

    def _attribute(self, field: Field, *, is_identity: bool) -> dict[str, Any]:
        kind = field.kind
        if isinstance(kind, ScalarKind):
            written = self._scalar(field, kind, is_identity=is_identity)
        else:
            collection = self._collection(kind)
            if collection is not None:
                written = {"type": collection, **self._values(_innermost(kind))}
            else:
                if not isinstance(kind, FreeKind):
                    self._report.add("bent", field.place, f"{_described(kind)}: JSON")
                written = {"type": "json"}
        is_fixed = "constant" in written or "closed" in written
        if self._capabilities.defaults and not is_identity and not is_fixed:
            # Answers bring defaults. A required value needs no default, and neither does a value
            # that only bodies have.
            is_ever_missing = not field.is_required and not field.is_write_only
            if is_ever_missing and _is_default(written["type"], field.default):
                written["default"] = field.default
        if field.is_read_only and self._capabilities.read_only:
            written["readOnly"] = True
        return written

    def _scalar(self, field: Field, kind: ScalarKind, *, is_identity: bool) -> dict[str, Any]:
        if kind.type == "day":
            return {"type": "date", "format": "yyyy-MM-dd", **self._values(kind)}
        is_single = len(kind.enumeration) == 1 and field.is_constant and self._capabilities.defaults
        if is_single and field.is_of_bodies and _is_default(kind.type, kind.enumeration[0]):
            return {"type": kind.type, "constant": kind.enumeration[0]}
        written = {"type": kind.type, **self._values(kind)}
        if len(written.get("values", ())) == 1 and len(kind.enumeration) == 1 and not is_identity:
            # A server that sends another value has changed: the program learns it by an issue.
            # A constant would be in objects to which the server has sent no value.
            written["closed"] = True
        return written

    def _values(self, kind: ScalarKind) -> dict[str, Any]:
        """Returns the listed values of a scalar. The list is open: a server may add to it."""
        values = [value for value in dict.fromkeys(kind.enumeration) if _is_held(value)]
        if not values or kind.type == "bool":
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

_DEFAULTS: dict[str, tuple[type, ...]] = {**_PYTHON_TYPES, "bool": (bool,), "json": (object,)}
"""The types of values that an attribute of a type may have as a constant or a default."""

_INT64 = range(-(2**63), 2**63)


def _fits(value: Any, types: tuple[type, ...]) -> bool:
    return isinstance(value, types) and not isinstance(value, bool)


def _is_default(type_name: Any, value: Any) -> bool:
    """Returns whether a value may be the constant or the default of an attribute with a type."""
    if value is MISSING or value is None:
        return False
    if isinstance(type_name, list):
        return isinstance(value, list) and all(_is_default(type_name[0], one) for one in value)
    if isinstance(type_name, dict):
        is_map = isinstance(value, dict)
        return is_map and all(_is_default(type_name["*"], one) for one in value.values())
    if type_name in ("bool", "json"):
        return isinstance(value, _DEFAULTS[type_name])
    return _fits(value, _DEFAULTS.get(type_name, ())) and _is_held(value)


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
