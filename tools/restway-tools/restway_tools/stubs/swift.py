"""Writes what a document describes as Swift source: structs of entities, drafts and routes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from .model import (
    METHODS_WITH_QUERY,
    WRITING_METHODS,
    Attribute,
    Document,
    Entity,
    Relationship,
    Route,
    Variable,
)
from .swift_enum import enum_of
from .swift_text import documentation, identifier, literal, type_name

_TYPES = {
    "any": "JSON",
    "bool": "Bool",
    "int": "Int",
    "double": "Double",
    "string": "String",
    "date": "Date",
    "bytes": "Data",
    "json": "JSON",
}

_VARIABLE_TYPES = {"bool": "Bool", "int": "Int", "double": "Double", "string": "String"}
"""The types of variables whose values are taken by an initialiser of JSON."""

_RESERVED = {
    "Bool", "Client", "Codable", "CodingKey", "Data", "Date", "Double", "Draft", "Int", "JSON",
    "Mapped", "Method", "Object", "PartialKeyPath", "Protocol", "Request", "RequestBody", "Restway",
    "RestwayError", "Routes", "Self", "Sendable", "String", "Type", "Values",
}
"""The names that a file uses for itself, and names that no type may have. An entity may have the
name of another type of the library, which is then written with its module: `Restway.Page`.
"""

_OF_ROUTES = ("JSON", "Request", "Values", "body", "method", "parameters", "request", "variables")
"""The names that the functions of routes use for themselves."""


def write_source(document: Document) -> str:
    """Returns the text of a Swift file with the types of a document."""
    body = "\n\n".join("\n".join(part) for part in _Source(document).parts())
    used = set(re.findall(r"\w+", re.sub(r"(?m)^ *///.*$", "", body)))
    imports = ["import FoundationEssentials"] if used & {"Date", "Data"} else []
    return "\n".join(
        [
            "// The types of an API document, written by `restway-stubs --swift`.",
            "//",
            "// Do not change this file: write it again when the document has changed.",
            "",
            *imports,
            "import Restway",
            *(["", body] if body else []),
            "",
        ]
    )


def _type_of(declared: Any, single: str | None = None) -> str:
    """Returns the type of the value of an attribute, whose single values may have an enum."""
    if isinstance(declared, str):
        return single or _TYPES[declared]
    if isinstance(declared, list):
        return f"[{_type_of(declared[0], single)}]"
    return f"[String: {_type_of(declared['*'], single)}]"


def _has_enum(attribute: Attribute) -> bool:
    """Returns whether an attribute has strings that the document lists."""
    innermost = attribute.type
    while not isinstance(innermost, str):
        innermost = innermost[0] if isinstance(innermost, list) else innermost["*"]
    return innermost == "string" and bool(attribute.values)


class _Source:
    """The parts of one file."""

    def __init__(self, document: Document) -> None:
        self._document = document
        taken = set(_RESERVED)
        names = [entity.name for entity in document.entities]
        self._entities = {name: type_name(name, "", taken) for name in names}
        self._drafts = {name: type_name(name, "Draft", taken) for name in names}
        self._unions = _union_names(document.entities, self._entities, taken)
        self._in_circles = set(_closing(document.entities))
        self._enums: dict[tuple[str, str], str] = {}
        for entity in document.entities:
            inside = {*taken}
            for one in filter(_has_enum, entity.attributes):
                self._enums[entity.name, one.name] = type_name(one.name, "Value", inside)

    def parts(self) -> Iterator[list[str]]:
        """Returns the declarations, each as lines."""
        for entity in self._document.entities:
            yield self._entity(entity)
            yield self._draft(entity)
        for members, name in self._unions.items():
            yield self._union(members, name)
        if self._document.routes:
            yield self._routes()

    # Entities

    def _entity(self, entity: Entity) -> list[str]:
        name = self._entities[entity.name]
        # A property of this name would hide the enum.
        taken = {"CodingKeys"}
        fields = [
            (
                one.name, identifier(one.name, taken),
                _type_of(one.type, self._enums.get((entity.name, one.name))), "attribute",
            )
            for one in entity.attributes
        ]
        kept = [one for one in entity.relationships if not self._closes_circle(entity, one)]
        fields += [
            (one.name, identifier(one.name, taken), self._related(one), "relationship")
            for one in kept
        ]
        members: list[list[str]] = [
            [
                f"/// The {kind} {documentation(source)}.",
                f"var {field}: {written}?",
            ]
            for source, field, written, kind in fields
        ]
        members += [
            self._read_from_object(one, taken)
            for one in entity.relationships
            if self._closes_circle(entity, one)
        ]
        members += [
            enum_of(one, self._enums[entity.name, one.name])
            for one in entity.attributes
            if _has_enum(one)
        ]
        names = [(source, field) for source, field, _, _ in fields]
        return [
            f"/// An object of the entity {documentation(entity.name)}. A property is nil if the"
            " object has no value for it.",
            f"struct {name}: Codable, Mapped, Sendable {{",
            f"    static var entity: String {{ {literal(entity.name)} }}",
            "",
            *_names(name, names),
            *(line for member in members for line in ["", *_indented(member)]),
            *(["", *_indented(_coding_keys(names))] if names else []),
            "}",
        ]

    def _qualified(self, entity: Entity, one: Attribute) -> str | None:
        """Returns the enum of an attribute as other types name it; None if it has no enum."""
        enum = self._enums.get((entity.name, one.name))
        return enum and f"{self._entities[entity.name]}.{enum}"

    def _related(self, one: Relationship) -> str:
        target = self._entities[one.entities[0]]
        return f"[{target}]" if one.many else target

    def _closes_circle(self, entity: Entity, one: Relationship) -> bool:
        return len(one.entities) > 1 or (entity.name, one.name) in self._in_circles

    def _union(self, members: tuple[str, ...], name: str) -> list[str]:
        """Returns the enum of the objects that a relationship to a union leads to."""
        taken: set[str] = {"init"}
        cases = [
            (member, self._entities[member], identifier(_lowered(self._entities[member]), taken))
            for member in members
        ]
        return [
            "/// An object of one of several entities.",
            f"enum {name}: Sendable {{",
            *(f"    case {case}({kind})" for _, kind, case in cases),
            "",
            "    /// Reads an object; nil if it is of another entity.",
            "    init?(_ object: Object) throws(RestwayError) {",
            *_indented(_indented(self._choice(cases))),
            "    }",
            "}",
        ]

    def _choice(self, cases: list[tuple[str, str, str]]) -> list[str]:
        """Returns the statement that chooses the case of an object."""
        entities = self._document.entities
        bases = {one.name: one.bases for one in entities}
        extended = {base for one in entities for base in one.bases}
        if not any(bases[member] or member in extended for member, _, _ in cases):
            return [
                "switch object.entity {",
                *(
                    f"case {literal(member)}: self = .{case}(try object.decode())"
                    for member, _, case in cases
                ),
                "default: return nil",
                "}",
            ]
        # An object is of the most specific member that has brought it, and among equals of the one
        # that the document names first.
        order = list(bases)
        ordered = sorted(cases, key=lambda one: (-len(bases[one[0]]), order.index(one[0])))
        lines = ["} else {", "    return nil", "}"]
        for place, (member, _, case) in reversed(list(enumerate(ordered))):
            start = "if" if place == 0 else "} else if"
            condition = f"{start} object.isA({literal(member)}) {{"
            lines = [condition, f"    self = .{case}(try object.decode())", *lines]
        return lines

    def _read_union(self, one: Relationship, taken: set[str]) -> list[str]:
        """Returns the function that reads a relationship to objects of several entities."""
        target = self._unions[one.entities]
        read = f"try object.related({literal(one.name)})"
        result = f"[{target}]" if one.many else f"{target}?"
        body = (
            [f"    var found: [{target}] = []",
             f"    for related in {read} {{",
             f"        if let member = try {target}(related) {{ found.append(member) }}",
             "    }",
             "    return found"]
            if one.many
            else [f"    guard let related = {read}.first else {{ return nil }}",
                  f"    return try {target}(related)"]
        )
        return [
            f"/// Reads the relationship {documentation(one.name)}, whose objects are of several"
            " entities.",
            f"static func {identifier(one.name, taken)}(of object: Object) throws(RestwayError)"
            f" -> {result} {{",
            *body,
            "}",
        ]

    def _read_from_object(self, one: Relationship, taken: set[str]) -> list[str]:
        """Returns the function that reads a relationship which would lead in a circle."""
        if len(one.entities) > 1:
            return self._read_union(one, taken)
        target = self._entities[one.entities[0]]
        read = f"try object.related({literal(one.name)})"
        # A value in a loop of a closure would need an explicit type of its error.
        result = f"[{target}]" if one.many else f"{target}?"
        body = (
            ["    var found: [" + target + "] = []",
             f"    for related in {read} {{ found.append(try related.decode()) }}",
             "    return found"]
            if one.many
            else [f"    {read}.first?.decode({target}.self)"]
        )
        return [
            f"/// Reads the relationship {documentation(one.name)}, which leads in a circle and is"
            " therefore no property.",
            f"static func {identifier(one.name, taken)}(of object: Object) throws(RestwayError)"
            f" -> {result} {{",
            *body,
            "}",
        ]

    # Drafts

    def _draft(self, entity: Entity) -> list[str]:
        taken: set[str] = set()
        setters = [
            _set_attribute(one, identifier(one.name, taken), self._qualified(entity, one))
            for one in entity.attributes
        ]
        setters += [
            _set_relationship(one, identifier(one.name, taken)) for one in entity.relationships
        ]
        members = [line for setter in setters for line in ["", *_indented(setter)]]
        return [
            f"/// A draft of an object of the entity {documentation(entity.name)}. A request takes"
            " `.draft(draft.draft)`.",
            f"struct {self._drafts[entity.name]}: Sendable {{",
            "    /// The draft itself, for requests and for reading.",
            "    let draft: Draft",
            "",
            "    /// Makes a draft of a new object.",
            "    init(_ client: Client) throws(RestwayError) {",
            f"        draft = try client.draft({literal(entity.name)})",
            "    }",
            "",
            "    /// Makes a draft of an object; nil if the object is of another entity.",
            "    init?(of object: Object, _ client: Client) throws(RestwayError) {",
            f"        guard object.isA({literal(entity.name)}) else {{ return nil }}",
            "        draft = try client.draft(of: object)",
            "    }",
            *members,
            "}",
        ]

    # Routes

    def _routes(self) -> list[str]:
        taken: set[str] = set()
        types: set[str] = set()
        members: list[str] = []
        for route in self._document.routes:
            methods = type_name(route.name, "Method", types) if len(route.methods) > 1 else None
            if methods:
                members += ["", *_indented(_methods(route, methods))]
            members += ["", *_indented(self._route(route, identifier(route.name, taken), methods))]
        return ["/// The routes of the document, as requests.", "enum Routes {", *members[1:], "}"]

    def _route(self, route: Route, name: str, methods: str | None) -> list[str]:
        taken = {*_OF_ROUTES}
        variables = [(one, identifier(one.name, taken)) for one in route.variables]
        has_body = any(method not in METHODS_WITH_QUERY for method in route.methods)
        parameters = [
            *([f"_ method: {methods} = .{_case(route.methods[0], route)}"] if methods else []),
            *(_parameter(one, field) for one, field in variables),
            *(["body: RequestBody? = nil"] if has_body else []),
            "parameters: Values = [:]",
        ]
        given = [line for one, field in variables for line in _given(one, field)]
        method = "method.value" if methods else _constant(route.methods[0])
        variables_lines = (
            [
                f"    {'var' if given else 'let'} variables: [String: JSON] = [:]",
                *given,
                "    request.variables = Values(variables)",
            ]
            if given
            else []
        )
        return [
            f"/// `{_code(', '.join(route.methods) + ' ' + route.path)}`{self._answers(route)}",
            f"static func {name}(",
            *_parameter_lines(parameters),
            ") -> Request {",
            f"    var request = Request({method}, .route({literal(route.name)}))",
            *variables_lines,
            *(["    request.body = body"] if has_body else []),
            "    request.parameters = parameters",
            "    return request",
            "}",
        ]

    def _answers(self, route: Route) -> str:
        """Returns the entities of the answers as a sentence for the comment of a route."""
        found = dict.fromkeys(name for names in route.answers.values() for name in names)
        types = " or ".join(f"`{self._entities[name]}`" for name in found)
        return f", whose answers have objects of the type {types}." if types else "."


def _union_names(
    entities: Iterable[Entity], types: dict[str, str], taken: set[str]
) -> dict[tuple[str, ...], str]:
    """Returns the names of the enums for the unions that relationships lead to."""
    found: dict[tuple[str, ...], str] = {}
    for entity in entities:
        for one in entity.relationships:
            if len(one.entities) > 1 and one.entities not in found:
                joined = one.union or "Or".join(types[name] for name in one.entities)
                found[one.entities] = type_name(joined, "", taken)
    return found


def _lowered(name: str) -> str:
    return name[:1].lower() + name[1:]


def _closing(entities: Iterable[Entity]) -> Iterator[tuple[str, str]]:
    """Returns the relationships that close a circle of structs, in the order of the document."""
    kept: dict[str, set[str]] = {}
    for entity in entities:
        for one in entity.relationships:
            if len(one.entities) > 1:
                continue  # a union is never a property
            if entity.name in _reached(one.entities[0], kept):
                yield entity.name, one.name
            else:
                kept.setdefault(entity.name, set()).add(one.entities[0])


def _reached(start: str, kept: dict[str, set[str]]) -> set[str]:
    """Returns the entities that relationships lead to, with the start."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += kept.get(name, ())
    return found


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" if line else line for line in lines]


def _names(name: str, names: list[tuple[str, str]]) -> list[str]:
    if not names:
        return [f"    static var names: [PartialKeyPath<{name}>: String] {{ [:] }}"]
    return [
        f"    static var names: [PartialKeyPath<{name}>: String] {{",
        "        [",
        *(f"            \\.{field}: {literal(source)}," for source, field in names),
        "        ]",
        "    }",
    ]


def _coding_keys(names: list[tuple[str, str]]) -> list[str]:
    return [
        "enum CodingKeys: String, CodingKey {",
        *(f"    case {field} = {literal(source)}" for source, field in names),
        "}",
    ]


def _set_attribute(one: Attribute, label: str, enum: str | None) -> list[str]:
    """Returns the function that sets an attribute of a draft."""
    name, kind = one.name, _type_of(one.type, enum)
    value = "value.rawValue" if enum else "value"
    if not isinstance(one.type, str):
        value = "JSON(encoding: value)"
    return [
        f"/// Sets the attribute {documentation(name)}; nil sets it to null.",
        f"func set({_labelled(label, 'value')}: {kind}?) throws(RestwayError) {{",
        f"    guard let value else {{ return try draft.setNull({literal(name)}) }}",
        f"    try draft.set({literal(name)}, to: {value})",
        "}",
    ]


def _set_relationship(one: Relationship, label: str) -> list[str]:
    """Returns the function that sets a relationship of a draft."""
    if one.many:
        return [
            f"/// Makes the relationship {documentation(one.name)} lead to these objects.",
            f"func set({_labelled(label, 'objects')}: [Object]) throws(RestwayError) {{",
            f"    try draft.relate({literal(one.name)}, to: objects)",
            "}",
        ]
    return [
        f"/// Makes the relationship {documentation(one.name)} lead to an object; nil sets it to"
        " null.",
        f"func set({_labelled(label, 'object')}: Object?) throws(RestwayError) {{",
        f"    guard let object else {{ return try draft.setNull({literal(one.name)}) }}",
        f"    try draft.relate({literal(one.name)}, to: [object])",
        "}",
    ]


def _labelled(label: str, name: str) -> str:
    """Returns a parameter with its label, which stands once if both are the same."""
    return name if label == name else f"{label} {name}"


def _methods(route: Route, name: str) -> list[str]:
    return [
        f"/// The methods of the route {documentation(route.name)}.",
        f"enum {name}: String, Sendable {{",
        *(f"    case {_case(one, route)} = {literal(one)}" for one in route.methods),
        "",
        "    fileprivate var value: Method? { Method(rawValue: rawValue) }",
        "}",
    ]


def _case(method: str, route: Route) -> str:
    """Returns the name of the case for a method of a route."""
    taken: set[str] = set()
    names = {one: identifier(one.lower(), taken) for one in route.methods}
    return names[method] if _constant(method).startswith('"') else method.lower()


def _constant(method: str) -> str:
    """Returns a method as Swift writes it: most methods have no constant."""
    has_constant = method in (*METHODS_WITH_QUERY, *WRITING_METHODS)
    return f".{method.lower()}" if has_constant else literal(method)


def _parameter(one: Variable, field: str) -> str:
    kind = _VARIABLE_TYPES.get(one.type, "JSON")
    return f"{field}: {kind}" if one.required else f"{field}: {kind}? = nil"


def _parameter_lines(parameters: list[str]) -> list[str]:
    """Returns the parameters of a function on one line, or each on a line of its own."""
    line = ", ".join(parameters)
    if len(line) <= 100 - 8:
        return [f"    {line}"]
    return [f"    {one}{',' if one != parameters[-1] else ''}" for one in parameters]


def _given(one: Variable, field: str) -> list[str]:
    """Returns the lines that give a variable its value."""
    value = f"JSON({field})" if one.type in _VARIABLE_TYPES else field
    target = f"variables[{literal(one.name)}]"
    if one.required:
        return [f"    {target} = {value}"]
    return [f"    if let {field} {{ {target} = {value} }}"]


def _code(text: str) -> str:
    """Returns a text for a comment, between backticks."""
    return re.sub(r"[`\x00-\x1f\x7f]", " ", text)
