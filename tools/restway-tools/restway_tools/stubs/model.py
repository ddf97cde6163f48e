"""The content of a document as the outputs for all languages need it: entities and routes with
their variables and answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from restway import API

WRITING_METHODS = ("POST", "PUT", "PATCH")
"""The methods whose requests carry a draft."""

METHODS_WITH_QUERY = ("GET", "HEAD", "DELETE", "OPTIONS", "TRACE")
"""The methods whose parameters go into the query. All others have a body."""

_MAPPED_METHODS = ("GET", "HEAD", *WRITING_METHODS, "DELETE")
"""The methods of descriptors that name no method."""


@dataclass(frozen=True)
class Attribute:
    """An attribute of an entity."""

    name: str
    type: Any
    """The type as the document says it: any, bool, int, double, string, date, bytes or json, or a
    list or a map with the type of its values.
    """
    values: tuple[Any, ...] = ()
    """The values that are known, in a list or a map the innermost ones."""
    closed: bool = False
    """Whether no other values are accepted."""


@dataclass(frozen=True)
class Relationship:
    """A relationship of an entity."""

    name: str
    entities: tuple[str, ...]
    """The names of the entities of the linked objects: several for a union."""
    union: str | None
    """The name of the union, if it has one."""
    many: bool
    """Whether it leads to any number of objects."""


@dataclass(frozen=True)
class Entity:
    """An entity with its attributes and relationships, in the order of the document."""

    name: str
    attributes: tuple[Attribute, ...]
    """The inherited attributes, followed by the attributes that the entity declares."""
    relationships: tuple[Relationship, ...]
    bases: tuple[str, ...] = ()
    """The names of the entities that it extends, the nearest first."""
    identity: tuple[str, ...] = ()
    """The names of the attributes that identify its objects: one, several, or none."""


@dataclass(frozen=True)
class Variable:
    """A variable of a path."""

    name: str
    type: str
    """The type of the attribute that has its name, if the route serves an entity; otherwise any."""
    required: bool
    """Whether a request cannot be made without a value."""


@dataclass(frozen=True)
class Route:
    """A route with a name."""

    name: str
    path: str
    """The whole path, with the paths of its parents."""
    methods: tuple[str, ...]
    """The methods; the first is used when a request names no method."""
    entity: str | None
    """The entity whose objects it serves."""
    variables: tuple[Variable, ...]
    answers: Mapping[str, tuple[str, ...]]
    """The entities of the objects in successful answers, by method, in the order of the response
    descriptors.
    """
    listed: tuple[str, ...]
    """The entities of the objects that the first response descriptor finds in the answers of the
    first method.
    """
    has_pages: bool
    """Whether it says how its pages follow each other."""


@dataclass(frozen=True)
class Document:
    """The entities and the routes of a document."""

    entities: tuple[Entity, ...]
    routes: tuple[Route, ...]

    def serving(self, entity: str, method: str) -> list[Route]:
        """Returns the routes that serve objects of an entity with a method: its own or, if it has
        none, the ones of the nearest entity that it extends.
        """
        bases = next((one.bases for one in self.entities if one.name == entity), ())
        for name in (entity, *bases):
            found = [
                route for route in self.routes if route.entity == name and method in route.methods
            ]
            if found:
                return found
        return []

    def extending(self, entity: str) -> list[str]:
        """Returns the entity and the entities that extend it, in the order of the document."""
        others = [one.name for one in self.entities if entity in one.bases]
        return [entity, *others]

    def base_first(self) -> list[Entity]:
        """Returns the entities in their order, but each after the entities that it extends."""
        return sorted(self.entities, key=lambda one: len(one.bases))


def document_of(api: API) -> Document:
    """Returns what a loaded document describes."""
    unions: dict[str, dict[str, Any]] = api.json("/unions") or {}
    entities = _entities(
        {name: api.json(_pointer("entities", name)) or {} for name in api.names("entities")},
        unions,
    )
    sources = {name: _route_source(api, name) for name in api.names("routes")}
    types = {
        entity.name: {attribute.name: attribute.type for attribute in entity.attributes}
        for entity in entities
    }
    descriptors = api.json("/responses") or []
    routes = tuple(_route(name, sources, types, descriptors, unions) for name in sources)
    return Document(entities, routes)


def _pointer(*keys: str) -> str:
    """Writes a JSON pointer (RFC 6901)."""
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)


def _route_source(api: API, name: str) -> dict[str, Any]:
    """Returns a route as the document has it. A configuration of WebApiClient keeps its routes in
    another place.
    """
    source: dict[str, Any] = (
        api.json(_pointer("routes", name)) or api.json(_pointer("webservice", "api", name)) or {}
    )
    return source


def _entities_of(target: Any, unions: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Returns the names of the entities of an entity, of a union with a name, or of a union."""
    union = target if isinstance(target, dict) else unions.get(target)
    return (target,) if union is None else tuple(union["oneOf"])


def _entities(
    sources: Mapping[str, Mapping[str, Any]], unions: Mapping[str, Mapping[str, Any]]
) -> tuple[Entity, ...]:
    """Returns the entities of a document with everything that they inherit."""
    found: dict[str, Entity] = {}

    def read(name: str) -> Entity:
        if name not in found:
            own = _entity(name, sources[name], unions)
            base = sources[name].get("extends")
            found[name] = own if base is None else _extending(read(base), own)
        return found[name]

    return tuple(read(name) for name in sources)


def _extending(base: Entity, own: Entity) -> Entity:
    """Returns an entity with the attributes and relationships of its base and its own. An attribute
    that both have stands once.
    """
    attributes = {one.name: one for one in (*base.attributes, *own.attributes)}
    relationships = {one.name: one for one in (*base.relationships, *own.relationships)}
    return Entity(
        own.name,
        tuple(attributes.values()),
        tuple(relationships.values()),
        (base.name, *base.bases),
        base.identity,
    )


def _entity(
    name: str, source: Mapping[str, Any], unions: Mapping[str, Mapping[str, Any]]
) -> Entity:
    attributes = tuple(
        _attribute(key, value if isinstance(value, dict) else {})
        for key, value in source.get("attributes", {}).items()
        if not key.startswith("x-")
    )
    relationships = tuple(
        Relationship(
            key,
            _entities_of(value["entity"], unions),
            value["entity"] if str(value["entity"]) in unions else None,
            value.get("many", False),
        )
        for key, value in source.get("relationships", {}).items()
        if not key.startswith("x-")
    )
    identity = tuple(_several(source.get("identity", [])))
    return Entity(name, attributes, relationships, identity=identity)


def _attribute(name: str, source: Mapping[str, Any]) -> Attribute:
    if "constant" in source:
        values, closed = [source["constant"]], True
    else:
        values, closed = source.get("values", []), source.get("closed", False)
    return Attribute(name, source.get("type", "any"), tuple(values), closed)


def _route(
    name: str,
    sources: Mapping[str, Mapping[str, Any]],
    types: Mapping[str, Mapping[str, Any]],
    descriptors: list[dict[str, Any]],
    unions: Mapping[str, Mapping[str, Any]],
) -> Route:
    source, path = sources[name], _full_path(name, sources)
    methods = _several(source.get("method", "GET"))
    entity = source.get("entity")
    own_types = types.get(entity, {}) if entity else {}
    variables = tuple(
        Variable(variable, _single(own_types.get(variable)), required)
        for variable, required in variables_of(path)
    )
    own = {"entity": entity} if "relationship" in source else source.get("response", [])
    applying = [*_several(own)]
    applying += [
        {"method": _MAPPED_METHODS, **descriptor}
        for descriptor in descriptors
        if "path" not in descriptor or _shape(descriptor["path"]) == _shape(path)
    ]
    found = {method: list(_answered(applying, method, unions)) for method in methods}
    if source.get("parse", "objects") != "objects":
        found = {method: [] for method in methods}
    answers = {
        method: tuple(dict.fromkeys(name for names in several for name in names))
        for method, several in found.items()
    }
    listed = found[methods[0]][0] if found[methods[0]] else ()
    return Route(name, path, methods, entity, variables, answers, listed, "pages" in source)


def _single(type_of: Any) -> str:
    """Returns the type of a variable; a list or a map of values is any."""
    return type_of if isinstance(type_of, str) else "any"


def _full_path(name: str, sources: Mapping[str, Mapping[str, Any]]) -> str:
    source = sources[name]
    path: str = source["path"]
    parent = source.get("parent")
    if parent is None:
        return path
    return f"{_full_path(parent, sources).rstrip('/')}/{path.lstrip('/')}"


def _answered(
    descriptors: Iterable[Mapping[str, Any]],
    method: str,
    unions: Mapping[str, Mapping[str, Any]],
) -> Iterator[tuple[str, ...]]:
    """Returns the entities that each descriptor reads from a successful answer."""
    for descriptor in descriptors:
        successful = str(descriptor.get("status", "2xx")).startswith("2")
        applies = method in _several(descriptor.get("method", method))
        entity = descriptor.get("entity")
        if successful and applies and entity is not None:
            yield _entities_of(entity, unions)


def _several(value: Any) -> tuple[Any, ...]:
    """Returns the values of a key that takes one value or a list of them."""
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


_NAME = r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*"

_VARIABLE = re.compile(
    rf"""
    \\.                                               # a character that stands for itself
    | (?: (?<=/) | ^ ) : (?P<name> {_NAME} )           # :name, at the start of a segment
    | \{{ (?P<operator> [+\#./;?&]? ) (?P<names> [^{{}}]+ ) \}}  # an expression of RFC 6570
    """,
    re.VERBOSE,
)


def variables_of(path: str) -> list[tuple[str, bool]]:
    """Returns the variables of a template, and whether each needs a value.

        variables_of("issues/:number{?page}")  # [("number", True), ("page", False)]
    """
    found: dict[str, bool] = {}
    for match in _VARIABLE.finditer(path):
        if match["name"]:
            found[match["name"]] = True
        elif match["names"]:
            for part in match["names"].split(","):
                variable = part.rstrip("*").partition(":")[0]
                needed = not match["operator"] and "," not in match["names"]
                found[variable] = found.get(variable, False) or needed
    return list(found.items())


def _shape(path: str) -> str:
    """Returns a template without the names of its variables, which make no difference."""
    return _VARIABLE.sub(lambda match: match[0] if match[0][0] == "\\" else "{}", path.strip("/"))
