"""Reads the bodies of JSON:API as the objects that they hold.

A resource object keeps its values in `attributes` and its links in `relationships`. Here it becomes
an object with both at its top, as a document with `"format": "jsonapi"` has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .kinds import FreeKind, Kind, ListKind, MapKind, ObjectKind, Property, ScalarKind, UnionKind
from .landing import linked_of
from .model import Content, Operation
from .notes import Report

MEDIA_TYPE = "application/vnd.api+json"


def is_jsonapi(operations: Iterable[Operation]) -> bool:
    """Returns whether all JSON of a description is JSON:API."""
    found = {
        content.media_type.partition(";")[0].strip().lower()
        for content in _contents(operations)
        if content.is_json and content.kind is not None
    }
    return found == {MEDIA_TYPE}


def read_jsonapi(operations: Iterable[Operation], report: Report) -> None:
    """Gives all bodies the objects of their `data` as their kinds."""
    reader = _Reader(report)
    documents = [content for content in _contents(operations) if content.kind is not None]
    for content in documents:
        if isinstance(content.kind, ObjectKind):
            for key in ("data", "included"):
                one = content.kind.properties.get(key)
                if one is not None:
                    reader.collect(one.kind)
    reader.flatten()
    for content in documents:
        content.envelope = content.kind if isinstance(content.kind, ObjectKind) else ObjectKind(
            content.node.place, None
        )
        data = content.envelope.properties.get("data")
        content.kind = reader.target(data.kind) if data is not None else FreeKind()


def _contents(operations: Iterable[Operation]) -> Iterator[Content]:
    for operation in operations:
        yield from operation.bodies
        for answer in operation.successes:
            yield from answer.contents


class _Reader:
    """The resource objects of a description, by their types."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._objects: list[ObjectKind] = []
        self._by_type: dict[str, ObjectKind] = {}
        """The first object of each type that has values."""

    def collect(self, kind: Kind) -> None:
        """Collects the resource objects of a member of a document."""
        for one in _objects(kind):
            if one in self._objects:
                continue
            self._objects.append(one)
            one.resource_type = _type_of(one)
            if not one.resource_type:
                reason = "a resource whose type no schema says: its entity has its own name as type"
                self._report.add("bent", one.place, reason)
            elif not _is_identifier(one):
                self._by_type.setdefault(one.resource_type, one)

    def flatten(self) -> None:
        """Gives all resource objects their attributes and relationships as properties."""
        links = {one: _members(one, "relationships") for one in self._objects}
        for one in self._objects:
            found = {"id": _identity(one)}
            for key, each in _members(one, "attributes").items():
                if key not in ("id", "type"):
                    found[key] = self._attribute(each)
            one.properties = found
            # Schemas with one type are shapes of one resource.
            first = self._by_type.get(one.resource_type or "", one)
            one.name = first.name or one.name or one.resource_type or None
        for one, relationships in links.items():
            for key, each in relationships.items():
                data = _members_of(each.kind).get("data")
                target = self.target(data.kind) if data is not None else FreeKind()
                if linked_of(target) is not None:
                    one.properties.setdefault(key, Property(target, each.place))
                else:
                    self._report.add("left out", each.place, "a relationship without known types")

    def _attribute(self, one: Property) -> Property:
        if linked_of(one.kind) is None:
            return one
        self._report.add("bent", one.place, "an object in the attributes: JSON")
        return Property(FreeKind(), one.place, one.is_required, one.is_read_only, one.is_write_only)

    def target(self, kind: Kind) -> Kind:
        """Returns the kind of primary data or of a link: the objects with the types."""
        if isinstance(kind, ListKind):
            return ListKind(self.target(kind.element))
        if isinstance(kind, UnionKind):
            variants = [self.target(one) for one in kind.variants if not _is_scalar(one)]
            distinct = list(dict.fromkeys(variants))
            if len(distinct) == 1:
                return distinct[0]
            return UnionKind(kind.place, kind.name, distinct)
        if not isinstance(kind, ObjectKind):
            return FreeKind()
        named = kind.resource_type if kind in self._objects else _type_of(kind)
        if kind in self._objects and self._by_type.get(named or "") is None:
            return kind
        if not named:
            return kind if kind in self._objects else FreeKind()
        if kind in self._objects and len(kind.properties) > 1:
            return kind
        if named not in self._by_type:
            identity = Property(ScalarKind("string"), kind.place, is_required=True)
            made = ObjectKind(kind.place, named, {"id": identity}, resource_type=named)
            self._by_type[named] = made
        return self._by_type[named]


def _objects(kind: Kind) -> list[ObjectKind]:
    if isinstance(kind, ListKind):
        return _objects(kind.element)
    if isinstance(kind, UnionKind):
        return [one for variant in kind.variants for one in _objects(variant)]
    return [kind] if isinstance(kind, ObjectKind) else []


def _is_scalar(kind: Kind) -> bool:
    return isinstance(kind, (ScalarKind, MapKind, FreeKind))


def _identity(one: ObjectKind) -> Property:
    """Returns the identity of a resource object: a text, unless the schema says a number."""
    found = one.properties.get("id")
    kind = found.kind if found is not None else None
    is_number = isinstance(kind, ScalarKind) and kind.type == "int"
    place = found.place if found is not None else one.place
    return Property(ScalarKind("int" if is_number else "string"), place, is_required=True)


def _members_of(kind: Kind) -> dict[str, Property]:
    return kind.properties if isinstance(kind, ObjectKind) else {}


def _members(one: ObjectKind, key: str) -> dict[str, Property]:
    inside = one.properties.get(key)
    return _members_of(inside.kind) if inside is not None else {}


def _is_identifier(one: ObjectKind) -> bool:
    return not {"attributes", "relationships"} & one.properties.keys()


def _type_of(one: ObjectKind) -> str:
    """Returns the type of a resource object or of an identifier, if the schema allows only one or
    has an example; an empty text if it says nothing.
    """
    found = one.properties.get("type")
    if found is None or not isinstance(found.kind, ScalarKind):
        return ""
    values = found.kind.enumeration or (found.kind.example,)
    return values[0] if len(values) == 1 and isinstance(values[0], str) else ""


def flat(document: Any) -> Any:
    """Returns the primary data of a body as its objects would stand in other JSON: with attributes
    at their tops, and with the identities of links.
    """
    data = document.get("data") if isinstance(document, dict) else None
    if isinstance(data, list):
        return [_flat(one) for one in data]
    return _flat(data)


def _flat(resource: Any) -> Any:
    if not isinstance(resource, dict):
        return resource
    value = {"id": resource.get("id"), **_dict(resource.get("attributes"))}
    for key, one in _dict(resource.get("relationships")).items():
        if isinstance(one, dict) and "data" in one:
            value[key] = _identities(one["data"])
    return value


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _identities(data: Any) -> Any:
    if isinstance(data, list):
        return [_identities(one) for one in data]
    return data.get("id") if isinstance(data, dict) else None


def document_of(kind: Kind, value: Any) -> Any:
    """Returns the body whose primary data is a composed value of a kind."""
    return {"data": _resource(kind, value)}


def _resource(kind: Kind, value: Any) -> Any:
    if isinstance(kind, ListKind) and isinstance(value, list):
        return [_resource(kind.element, one) for one in value]
    if isinstance(kind, UnionKind):
        kind = kind.variants[0]
    if not isinstance(kind, ObjectKind) or not isinstance(value, dict):
        return None
    resource: dict[str, Any] = {"type": kind.resource_type, "id": value.get("id")}
    for key, one in value.items():
        of = kind.properties[key].kind
        if linked_of(of) is None:
            if key != "id":
                resource.setdefault("attributes", {})[key] = one
        else:
            linked = _resource(of, one)
            resource.setdefault("relationships", {})[key] = {"data": _identifiers(linked)}
    return resource


def _identifiers(linked: Any) -> Any:
    if isinstance(linked, list):
        return [_identifiers(one) for one in linked]
    return {"type": linked["type"], "id": linked["id"]} if isinstance(linked, dict) else None
