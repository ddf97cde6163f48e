"""Finds which resources the JSON bodies of operations have.

A body that holds what answers show is a shape of the same resource, whatever the name of its schema
is: `PatchedTag`, `TagUpdate` and `Tag-Input` are a `Tag`. All other objects of bodies are resources
of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .identity import answered
from .kinds import FreeKind, Kind, ListKind, MapKind, ObjectKind, ScalarKind
from .landing import Target, is_many, linked_of, objects_of, target_of
from .model import Content, Operation
from .names import plain, request_name
from .notes import Report
from .resources import Field, Resource, Resources, every_object, has_identities

_WITHOUT_BODY = ("GET", "HEAD", "DELETE", "OPTIONS", "TRACE")

_TEXTS = {"string", "date", "day", "bytes"}


@dataclass
class Body:
    """The content of the JSON body of an operation."""

    content: Content
    objects: list[ObjectKind]
    """The alternatives of which it is one."""
    key: str | None = None
    """The member that holds the object."""
    resources: list[Resource] = field(default_factory=list)
    """The resources of the objects."""


class Bodies:
    """The JSON bodies of all operations."""

    def __init__(
        self, operations: Iterable[Operation], resources: Resources, report: Report
    ) -> None:
        self._operations = list(operations)
        self._resources = resources
        self._report = report
        self._reads = {one.path: one for one in self._operations if one.method == "GET"}
        self._found: dict[str, Body] = {}
        self._shapes: dict[ObjectKind, Resource] = {}
        """The objects of bodies that are shapes of resources in answers."""

    def of(self, operation: Operation) -> Body | None:
        """Returns the body of an operation, if it has objects."""
        return self._found.get(operation.name)

    def read(self) -> None:
        """Finds the resources of all bodies, and adds to them what only bodies have.

        The resources of the answers are complete, and have their identities.
        """
        self._resources.begin_bodies()
        for operation in self._operations:
            body = self._read(operation)
            if body is not None:
                self._found[operation.name] = body
                for one in body.objects:
                    resource = self._known(one) or self._in_context(operation, one)
                    if resource is not None:
                        self._adopt(one, resource)
        roots = [one for body in self._found.values() for one in body.objects]
        for one in every_object(roots):
            if one.name is not None and not self._resources.has(one):
                resource = self._known(one)
                if resource is not None:
                    self._adopt(one, resource)
                else:
                    self._resources.add_of_bodies(one)
        for name, body in self._found.items():
            found = [self._resources.resource(one, f"{name}.body") for one in body.objects]
            body.resources = list(dict.fromkeys(found))
        self._resources.complete()
        for shape, resource in self._shapes.items():
            self._resources.add_body_shape(resource, shape)
        self._resources.complete()
        for made in self._resources.by_name.values():
            is_of_format = any(each.resource_type is not None for each in made.shapes)
            if made.is_of_bodies and is_of_format:
                made.identity = "id"  # JSON:API says so

    def _read(self, operation: Operation) -> Body | None:
        """Returns the JSON body of an operation, or notes why its route says nothing about it."""
        contents = [one for one in operation.bodies if one.is_json]
        content = next((one for one in contents if one.kind is not None), None)
        if content is None or content.kind is None:
            for one in contents[:1]:
                one.node.note("left out", "a body without a schema: the program gives it")
            return None
        if operation.method in _WITHOUT_BODY:
            reason = f"the body of a {operation.method}: the program gives it"
            content.node.note("left out", reason)
            return None
        kind, key = _inside(content.kind)
        target = target_of(kind)
        if target is None or isinstance(kind, ListKind) or not objects_of(target):
            content.node.note("left out", f"{_described(kind)}: the program gives it")
            return None
        if is_many(kind) or len(objects_of(target)) < len(_alternatives(target)):
            content.node.note("bent", "the program itself gives a body that is no object")
        return Body(content, objects_of(target), key)

    def _known(self, shape: ObjectKind) -> Resource | None:
        """Returns the resource that an object has by itself or by its name."""
        if self._resources.has(shape):
            return self._resources.resource(shape, "")
        if shape.resource_type:
            return self._resources.of_type(shape.resource_type)
        resource = self._resources.by_name.get(request_name(shape.name or ""))
        if resource is None or resource.is_of_bodies:
            return None
        fitting, other = _agreement(shape, resource)
        return resource if other <= fitting or not shape.properties else None

    def _in_context(self, operation: Operation, shape: ObjectKind) -> Resource | None:
        """Returns the resource that an operation makes or changes, if a body has mostly what its
        answers have.
        """
        for resource in self.subjects(operation):
            fitting, _ = _agreement(shape, resource)
            if fitting and fitting * 3 >= len(shape.properties) * 2:
                return resource
        return None

    def subjects(self, operation: Operation) -> list[Resource]:
        """Returns the resources that an operation may make or change."""
        read = self._reads.get(operation.path)
        own = answered(operation, self._resources)
        found: list[Resource | None] = []
        if operation.method == "POST":
            segments = [one for one in operation.path.split("/") if one]
            if own is not None and segments and _is_plural(segments[-1], own.name):
                found.append(own)
            if read is not None:
                found.append(answered(read, self._resources, is_list=True))
        else:
            found.append(answered(read, self._resources) if read is not None else None)
            if operation.last_variable is not None:
                found.append(own)
        return [one for one in found if one is not None and not one.members]

    def _adopt(self, shape: ObjectKind, resource: Resource) -> None:
        """Makes an object of a body, and the objects in it, shapes of resources in answers."""
        waiting = [(shape, resource)]
        while waiting:
            shape, resource = waiting.pop()
            if self._shapes.get(shape) is not None or resource.members:
                continue
            if not self._resources.has(shape):
                self._resources.adopt(shape, resource)
                if shape.name is not None and request_name(shape.name) != resource.name:
                    self._report.add("merged", shape.place, f"a body of {resource.name!r}")
            self._shapes[shape] = resource
            for key, one in shape.properties.items():
                there = resource.fields.get(key)
                target = linked_of(one.kind)
                if there is None or there.resource is None or target is None:
                    continue
                for inner in objects_of(target):
                    fitting, other = _agreement(inner, there.resource)
                    if not self._resources.has(inner) and fitting > other:
                        waiting.append((inner, there.resource))


def _inside(kind: Kind) -> tuple[Kind, str | None]:
    """Returns what a body holds, and the key of a wrapper that has nothing else: `{"data": {}}`."""
    if isinstance(kind, ObjectKind) and kind.name is None and len(kind.properties) == 1:
        key, one = next(iter(kind.properties.items()))
        if isinstance(one.kind, ObjectKind):
            return one.kind, key
    return kind, None


def _alternatives(target: Target) -> list[Kind]:
    return [target] if isinstance(target, ObjectKind) else target.variants


def _described(kind: Kind) -> str:
    if isinstance(kind, ListKind):
        return "a body that is a list"
    if isinstance(kind, MapKind):
        return "a body with free keys"
    return "a body that is any JSON" if isinstance(kind, FreeKind) else "a body that is no object"


def _agreement(shape: ObjectKind, resource: Resource) -> tuple[int, int]:
    """Returns how many properties of an object a resource has, and how many it has as values of
    another kind.
    """
    fitting = other = 0
    for key, one in shape.properties.items():
        there = resource.fields.get(key)
        if there is not None and _fits(one.kind, there):
            fitting += 1
        elif there is not None:
            other += 1
    return fitting, other


def _fits(kind: Kind, there: Field) -> bool:
    """Returns whether a property of a body may be a field of a resource."""
    if there.resource is None:
        return _alike(kind, there.kind)
    if linked_of(kind) is not None:
        return is_many(kind) == is_many(there.kind)
    return has_identities(kind, there)


def _alike(one: Kind, other: Kind) -> bool:
    """Returns whether two values without a known object have one type."""
    if isinstance(one, ListKind) and isinstance(other, ListKind):
        return _alike(one.element, other.element)
    if isinstance(one, ScalarKind) and isinstance(other, ScalarKind):
        types = {one.type, other.type}
        return len(types) == 1 or "any" in types or types <= _TEXTS or types == {"int", "double"}
    return isinstance(one, FreeKind) or type(one) is type(other)


def _is_plural(segment: str, name: str) -> bool:
    """Returns whether a segment of a path names the objects of a resource: `tags`, `Tag`."""
    one, other = plain(segment), plain(name)
    common = 0
    while common < min(len(one), len(other)) and one[common] == other[common]:
        common += 1
    return common >= 3 and common >= len(one) - 3
