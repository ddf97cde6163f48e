"""The entities of one resource: a base, and entities that extend it for its other shapes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .kinds import ObjectKind
from .names import prefixed, without_nullable
from .resources import Resource

_SHAPES_MAX = 60
"""How many shapes a family has here; the library has room for 63."""


@dataclass(eq=False)
class Shape:
    """An entity of a resource."""

    name: str
    keys: frozenset[str]
    """The properties that it has, also the inherited ones."""
    base: Shape | None = None
    """The entity that it extends."""

    @property
    def own_keys(self) -> frozenset[str]:
        """The properties that the entities which it extends do not have."""
        return self.keys - (self.base.keys if self.base is not None else frozenset())


class Family:
    """The entities of a resource.

    Schemas with the same properties are one entity. The base has the properties that all of them
    have, and each other entity extends the largest one whose properties it has.
    """

    def __init__(self, resource: Resource, names: set[str], *, has_extends: bool) -> None:
        """`names` are the names of all entities; the names of new ones are added."""
        self._resource = resource
        self._names = names
        everything = frozenset(resource.fields)
        shapes = _distinct(resource)
        if not has_extends or not _is_family(resource, shapes):
            shapes = {everything: []}
        common = frozenset.intersection(*shapes)
        in_answers = frozenset.union(*shapes)
        # Properties that only bodies have belong to every shape, so that each draft can have them.
        bodies = everything - in_answers
        self.base = Shape(self._base_name(shapes, common), common | bodies)
        self.shapes = [self.base]
        for keys in sorted(shapes, key=len):
            if keys != common:
                self._add(self._free(self._shape_name(shapes[keys])), keys | bodies)

    def shape(self, objects: Iterable[ObjectKind]) -> Shape:
        """Returns the smallest shape with all properties of some objects of the resource. If no
        shape has all of them, a new shape is added.
        """
        known = [frozenset(one.properties) for one in objects]
        return self.covering(frozenset.union(*known) if known else frozenset())

    def covering(self, keys: frozenset[str]) -> Shape:
        """Returns the smallest shape with these properties. Properties that the resource does not
        have are ignored.
        """
        wanted = keys & frozenset(self._resource.fields)
        fitting = [one for one in self.shapes if wanted <= one.keys]
        if fitting:
            return min(fitting, key=lambda one: len(one.keys))
        name = self._free(prefixed("any", self._resource.name))
        return self._add(name, frozenset(self._resource.fields))

    def _add(self, name: str, keys: frozenset[str]) -> Shape:
        smaller = [one for one in self.shapes if one.keys < keys]
        shape = Shape(name, keys, max(smaller, key=lambda one: len(one.keys)))
        self.shapes.append(shape)
        return shape

    def _base_name(
        self, shapes: dict[frozenset[str], list[ObjectKind]], common: frozenset[str]
    ) -> str:
        name = self._resource.name
        others = [one for keys, kinds in shapes.items() if keys != common for one in kinds]
        if all(one.name != name for one in others):
            return name
        if common in shapes:
            return self._free(self._shape_name(shapes[common]))
        return self._free(prefixed("base", name))

    def _shape_name(self, kinds: list[ObjectKind]) -> str:
        labels = self._resource.labels
        own = [one.name or labels.get(one, self._resource.name) for one in kinds]
        if self._resource.name in own:
            return self._resource.name
        return without_nullable(own[0]) if own else self._resource.name

    def _free(self, name: str) -> str:
        number, free = 1, name
        taken = self._names if name != self._resource.name else set()
        while free in taken:
            number += 1
            free = f"{name} {number}"
        self._names.add(free)
        return free


def _distinct(resource: Resource) -> dict[frozenset[str], list[ObjectKind]]:
    """Returns the objects with names by their properties."""
    found: dict[frozenset[str], list[ObjectKind]] = {}
    for one in resource.shapes:
        if one.name is not None or one in resource.labels:
            found.setdefault(frozenset(one.properties), []).append(one)
    return found


def _is_family(resource: Resource, shapes: dict[frozenset[str], list[ObjectKind]]) -> bool:
    """Returns whether the shapes of a resource are entities: they need an identity in common."""
    return (
        not resource.is_union
        and 1 < len(shapes) <= _SHAPES_MAX
        and resource.identity is not None
        and all(resource.identity in keys for keys in shapes)
    )
