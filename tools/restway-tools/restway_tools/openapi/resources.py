"""Joins the objects of a description into resources, each of which becomes an entity.

`simple-user`, `private-user` and `nullable-simple-user` are shapes of one resource, `user`. An
object without a name belongs to the place where it stands: `repository.permissions`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .kin import Kin
from .kinds import (
    MISSING,
    Kind,
    ListKind,
    MapKind,
    ObjectKind,
    Property,
    ScalarKind,
    UnionKind,
    joined,
)
from .landing import Target, is_many, linked_of, objects_of
from .names import base_name, plain
from .notes import Report
from .unions import rule_of

_IDENTITY_TYPES = ("int", "string", "any")


@dataclass
class Field:
    """A property of a resource, joined from all of its shapes."""

    name: str
    kind: Kind
    place: str
    resource: Resource | None = None
    """Where a relationship leads to."""
    is_required: bool = False
    """Whether a shape requires it."""
    is_read_only: bool = False
    is_write_only: bool = False
    is_constant: bool = False
    """Whether every shape allows the same single value alone."""
    default: Any = MISSING
    """The default value on which all shapes agree that have the property."""
    is_of_bodies: bool = False
    """Whether only bodies have its resource."""
    by_identity: bool = False
    """Whether bodies hold the identity where answers hold an object."""


@dataclass(eq=False)
class Resource:
    """A resource with the shapes in which the API shows it."""

    name: str
    place: str
    shapes: list[ObjectKind] = field(default_factory=list)
    fields: dict[str, Field] = field(default_factory=dict)
    members: list[Resource] = field(default_factory=list)
    """The resources of which it is one or the other, if they can be told apart."""
    rule: dict[str, Any] = field(default_factory=dict)
    """How they are told apart, as the API document says it."""
    objects: list[ObjectKind] = field(default_factory=list)
    """The objects of a union whose resources can be told apart."""
    labels: dict[ObjectKind, str] = field(default_factory=dict)
    """The names that shapes without a name get from the places where they stand."""
    map_key: str | None = None
    """The attribute that holds the key of an object in a map."""
    is_of_bodies: bool = False
    """Whether only bodies have it."""
    is_union: bool = False
    """Whether its shapes are different resources, of which it is one or the other."""
    identity: str | None = None
    identity_reason: str = ""
    confirmations: set[str] = field(default_factory=set)
    """The variables at the end of paths that lead to one such object."""


def identity_candidates(name: str) -> list[str]:
    """Returns the names of properties that may be the identity, the preferred one first."""
    own = plain(base_name(name.rpartition(".")[2]))
    return ["id", f"{own}id", "gid", "sid", "uuid"]


def candidate_of(name: str, properties: Iterable[tuple[str, Kind]]) -> tuple[str, str] | None:
    """Returns the name and the type of the property that may be the identity."""
    known = {plain(key): (key, kind) for key, kind in properties}
    for wanted in identity_candidates(name):
        key, kind = known.get(wanted, ("", None))
        if isinstance(kind, ScalarKind) and kind.type in _IDENTITY_TYPES:
            return key, kind.type
    return None


class Resources:
    """The resources of a description."""

    def __init__(
        self, report: Report, schemas: dict[str, str], kin: Kin, *, has_unions: bool = False
    ) -> None:
        """`schemas` names the resources of schemas for which the usual rule is wrong. `has_unions`
        says whether the API document knows unions.
        """
        self._has_unions = has_unions
        self._kin = kin
        self.by_name: dict[str, Resource] = {}
        self._report = report
        self._schemas = schemas
        self._of: dict[ObjectKind | UnionKind, Resource] = {}
        self._unions: dict[frozenset[ObjectKind], Resource] = {}
        self._queue: deque[Resource] = deque()
        self._has_bodies = False
        """Whether the resources of answers are complete, and the others are those of bodies."""

    def begin_bodies(self) -> None:
        """From now on, all new resources are of bodies, and known ones get no more shapes."""
        self._has_bodies = True

    def has(self, shape: ObjectKind) -> bool:
        """Returns whether the resource of an object is known."""
        return shape in self._of

    def of_type(self, resource_type: str) -> Resource | None:
        """Returns the resource whose objects have a type in JSON:API."""
        for one in self.by_name.values():
            if any(shape.resource_type == resource_type for shape in one.shapes):
                return one
        return None

    def adopt(self, shape: ObjectKind, resource: Resource) -> None:
        """Says of which known resource an object of a body is."""
        self._of[shape] = resource

    def add_of_bodies(self, shape: ObjectKind) -> None:
        """Adds a schema with a name that only bodies have."""
        self._add_shape(self._free_name(shape.name or ""), shape)

    def add_named(self, kinds: Iterable[ObjectKind]) -> None:
        """Groups the schemas with names, all of them at once, into resources."""
        groups: dict[str, list[ObjectKind]] = {}
        for kind in kinds:
            name = kind.name or ""
            groups.setdefault(self._schemas.get(name, base_name(name)), []).append(kind)
        homes = self._homes(groups)
        for name in homes:
            groups[_chain(homes, name)[-1]] += groups.pop(name)
        for name, shapes in groups.items():
            shapes.sort(key=lambda shape: (shape.name != name, -len(shape.properties)))
            wanted = self._candidate(name, shapes[0])
            for shape in shapes:
                own = shape.name or name
                if own in self._schemas or self._candidate(name, shape) == wanted:
                    self._add_shape(name, shape)
                else:
                    reason = f"it is no shape of {name!r}, because its identity is another one"
                    self._report.add("bent", shape.place, reason)
                    self._add_shape(own, shape)

    def _homes(self, groups: dict[str, list[ObjectKind]]) -> dict[str, str]:
        """Returns the resources whose schemas are shapes of another resource, by name, with the
        name of the other resource.
        """
        homes: dict[str, str] = {}
        # If two resources are alike, the one that stands in more places gives its name to both.
        weights = {name: (self._kin.uses(shapes), name) for name, shapes in groups.items()}
        for name, shapes in groups.items():
            smallest = min(shapes, key=lambda shape: len(shape.properties))
            wanted = self._candidate(name, smallest)
            if wanted is None or any(shape.name in self._schemas for shape in shapes):
                continue
            bases = [
                (len(base.properties), other)
                for other, others in groups.items()
                if weights[other] > weights[name]
                for base in others
                if self._candidate(other, base) == wanted
                and self._kin.is_shape(smallest, base, wanted[0])
            ]
            if bases:
                homes[name] = max(bases)[1]
        return homes

    def resource(self, target: Target, name: str) -> Resource:
        """Returns the resource of an object or a union; `name` is for one without a name."""
        if target in self._of:
            return self._of[target]
        if isinstance(target, ObjectKind):
            is_shape = target.name is None and not self._has_bodies
            home = self._home(target) if is_shape else None
            if home is not None:
                home.labels[target] = name
                return self._add_shape(home.name, target)
            return self._add_shape(target.name or self._place_name(name), target)
        objects = objects_of(target)
        union = frozenset(objects)
        if union in self._unions:
            return self._unions[union]
        known = {self._of[one].name: self._of[one] for one in objects if one in self._of}
        others = [one for one in objects if one not in self._of]
        rule = self._rule(target, objects, others)
        if rule is not None:
            resource = self._new(self._free_name(target.name or name), target.place)
            resource.members, resource.rule = list(known.values()), rule
            resource.objects = objects
            self._of[target] = self._unions[union] = resource
            return resource
        is_one = len(known) == 1 and not self._has_bodies
        if is_one and self._are_shapes(others, *known.values()):
            resource = next(iter(known.values()))
            for one in others:
                self._add_shape(resource.name, one)
        else:
            place_name = target.name or self._place_name(name)
            resource = self._union(target, objects, place_name, len(known))
        self._of[target] = self._unions[union] = resource
        return resource

    def _home(self, shape: ObjectKind) -> Resource | None:
        """Returns the resource of a schema that an object without a name has in its `allOf`."""
        for base in shape.bases:
            home = self._of.get(base)
            if home is not None and not home.members and not home.is_union:
                wanted = self._candidate(home.name, base)
                is_same = wanted is not None and self._candidate(home.name, shape) == wanted
                if is_same and wanted and self._kin.is_shape(shape, base, wanted[0]):
                    return home
        return None

    def _rule(
        self, target: UnionKind, objects: list[ObjectKind], others: list[ObjectKind]
    ) -> dict[str, Any] | None:
        """Returns how the resources of a union are told apart; None if they are merged."""
        members: dict[str, list[ObjectKind]] = {}
        for one in objects if self._has_unions and not others else ():
            members.setdefault(self._of[one].name, []).append(one)
        is_plain = not any(self._of[one].is_union for one in objects if one in self._of)
        return rule_of(target, members) if len(members) > 1 and is_plain else None

    def complete(self) -> None:
        """Joins the fields of all resources, and of those that they lead to."""
        while self._queue:
            resource = self._queue.popleft()
            names = dict.fromkeys(key for shape in resource.shapes for key in shape.properties)
            resource.fields = {name: self._field(resource, name) for name in names}

    def add_keys(self) -> None:
        """Gives the objects of maps an attribute that holds their keys."""
        for resource in list(self.by_name.values()):
            for one in list(resource.fields.values()):
                target = one.resource
                if isinstance(one.kind, MapKind) and target is not None and not target.members:
                    target.map_key = target.map_key or _free_key(target.fields)
                    kind = ScalarKind("string")
                    target.fields.setdefault(target.map_key, Field(target.map_key, kind, one.place))

    def add_body_shape(self, resource: Resource, shape: ObjectKind) -> None:
        """Adds what a body has of a resource: values and objects that answers lack, and identities
        in the place of objects.
        """
        for name, one in () if resource.members else shape.properties.items():
            there = resource.fields.get(name)
            if there is not None and not one.is_read_only:
                there.is_read_only = False
            if there is None:
                made = Field(name, one.kind, one.place, is_write_only=True)
                target = linked_of(one.kind)
                if target is not None and objects_of(target):
                    made.resource = self.resource(target, f"{resource.name}.{name}")
                resource.fields[name] = made
            elif there.resource is not None and linked_of(one.kind) is None:
                if has_identities(one.kind, there):
                    there.by_identity = True
                    reason = "a body has the identity where answers have an object"
                else:
                    reason = "a body has a value where answers have an object"
                self._report.add("bent", one.place, reason)
            elif there.resource is None and linked_of(one.kind) is not None:
                reason = "a body has an object where answers have a value"
                self._report.add("bent", one.place, reason)
            elif there.resource is not None and not self._leads_to(one.kind, there.resource):
                reason = "a body has another object there than answers: drafts do not have it"
                self._report.add("bent", one.place, reason)

    def _leads_to(self, kind: Kind, resource: Resource) -> bool:
        """Returns whether the objects of a property of a body are of a resource or its members.
        Objects without a name become shapes of a resource that only bodies have.
        """
        target = linked_of(kind)
        objects = objects_of(target) if target is not None else []
        for one in objects if resource.is_of_bodies and not resource.members else ():
            if one not in self._of:
                self._add_shape(resource.name, one)
        known = (resource, *resource.members)
        return all(self._of.get(one) in known for one in objects)

    def _union(
        self, target: UnionKind, objects: list[ObjectKind], name: str, known: int
    ) -> Resource:
        name = self._free_name(name) if known else name
        resource = self.by_name.get(name) or self._new(name, target.place)
        variants = " or ".join(dict.fromkeys(one.name or "an object" for one in objects))
        if known:
            resource.is_union = True
            self._report.add("merged", target.place, f"{name!r} has the properties of {variants}")
        for one in objects:
            if one not in resource.shapes:
                resource.shapes.append(one)
            self._of.setdefault(one, resource)
        self._enqueue(resource)
        return resource

    def _are_shapes(self, objects: list[ObjectKind], resource: Resource) -> bool:
        wanted = self._candidate(resource.name, resource.shapes[0])
        return all(self._candidate(resource.name, one) == wanted for one in objects)

    def _candidate(self, name: str, shape: ObjectKind) -> tuple[str, str] | None:
        properties = ((key, one.kind) for key, one in shape.properties.items())
        return candidate_of(name, properties)

    def _add_shape(self, name: str, shape: ObjectKind) -> Resource:
        resource = self.by_name.get(name) or self._new(name, shape.place)
        if resource.shapes and shape.name != name:
            self._report.add("merged", shape.place, f"it is a shape of {name!r}")
        resource.shapes.append(shape)
        self._of[shape] = resource
        self._enqueue(resource)
        return resource

    def _new(self, name: str, place: str) -> Resource:
        resource = Resource(name, place, is_of_bodies=self._has_bodies)
        self.by_name[name] = resource
        return resource

    def _enqueue(self, resource: Resource) -> None:
        if resource not in self._queue:
            self._queue.append(resource)

    def _place_name(self, name: str) -> str:
        """Returns the name of a place, or another one if a schema has it."""
        known = self.by_name.get(name)
        is_schema = known is not None and any(shape.name is not None for shape in known.shapes)
        return self._free_name(name) if is_schema else name

    def _free_name(self, name: str) -> str:
        number, free = 1, name
        while free in self.by_name:
            number += 1
            free = f"{name} {number}"
        return free

    def _field(self, resource: Resource, name: str) -> Field:
        found = [shape.properties[name] for shape in resource.shapes if name in shape.properties]
        one = found[0]
        kind = joined((each.kind for each in found), one.place)
        before = resource.fields.get(name)
        made = Field(
            name,
            kind,
            one.place,
            is_required=any(each.is_required for each in found),
            is_read_only=all(each.is_read_only for each in found),
            is_write_only=all(each.is_write_only for each in found),
            is_constant=all(each.is_constant and each.is_required for each in found),
            is_of_bodies=resource.is_of_bodies,
            default=one.default if all(_same_default(one, each) for each in found) else MISSING,
        )
        target = linked_of(kind)
        if before is not None and before.kind is kind:
            made.resource = before.resource
        elif target is not None and objects_of(target):
            made.resource = self.resource(target, f"{resource.name}.{name}")
        return made


def has_identities(kind: Kind, there: Field) -> bool:
    """Returns whether a body has the identities of the objects to which a relationship leads."""
    if there.resource is None or isinstance(kind, ListKind) != is_many(there.kind):
        return False
    element = kind.element if isinstance(kind, ListKind) else kind
    identity = there.resource.fields.get(there.resource.identity or "")
    kinds = (element, identity.kind if identity is not None else None)
    types = [one.type for one in kinds if isinstance(one, ScalarKind)]
    return len(types) == 2 and (types[0] == types[1] or "any" in types)


def _chain(homes: dict[str, str], name: str) -> list[str]:
    """Returns the names of the resources to which `homes` leads from a resource, one after the
    other. The last resource is not a shape of another one.
    """
    chain: list[str] = []
    while name in homes:
        name = homes[name]
        chain.append(name)
    return chain


def _free_key(fields: dict[str, Field]) -> str:
    """Returns the name of the attribute that holds the key of an object in a map."""
    number, free = 1, "key"
    while free in fields:
        number += 1
        free = f"key {number}"
    return free


def _same_default(one: Property, other: Property) -> bool:
    return type(one.default) is type(other.default) and bool(one.default == other.default)


def every_object(kinds: Iterable[Kind]) -> list[ObjectKind]:
    """Returns the objects that kinds lead to, each once, in the order of the description."""
    found: dict[ObjectKind, None] = {}
    queue: deque[Kind] = deque(kinds)
    while queue:
        target = linked_of(queue.popleft())
        for one in objects_of(target) if target is not None else []:
            if one not in found:
                found[one] = None
                queue.extend(each.kind for each in one.properties.values())
    return list(found)
