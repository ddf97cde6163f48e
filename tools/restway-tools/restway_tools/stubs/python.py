"""Writes what a document describes as a Python module or a stub file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from restway import Draft, Object

from .calls import Calls, of_drafts, of_store
from .model import Attribute, Document, Entity, Route, Variable
from .names import Names
from .text import (
    Method,
    Signature,
    declared,
    documented,
    imported,
    is_plain,
    method,
    quoted,
    typed_dict,
    union,
)

_ATTRIBUTE_TYPES = {
    "any": "Any",
    "bool": "bool | None",
    "int": "int | None",
    "double": "float | None",
    "string": "str | None",
    "date": "datetime | None",
    "bytes": "bytes | None",
    "json": "Any",
}


def _type_of(declared: Any, single: str | None = None) -> str:
    """Returns the annotation of a type. The values in a list or a map are seldom null, so their
    annotation leaves that out.

    `single` is the annotation of single values, without None; by default, their type decides.
    """
    if isinstance(declared, str):
        return f"{single} | None" if single else _ATTRIBUTE_TYPES[declared]
    inner = _type_of(declared[0] if isinstance(declared, list) else declared["*"], single)
    inner = inner.removesuffix(" | None")
    return f"list[{inner}] | None" if isinstance(declared, list) else f"dict[str, {inner}] | None"


_LITERAL_TYPES = {"bool": "bool", "int": "int", "string": "str"}
"""The types of attributes whose values may stand in a Literal."""


def _annotation(attribute: Attribute) -> str:
    """Returns the annotation of an attribute; it names the values that the document lists."""
    innermost = attribute.type
    while not isinstance(innermost, str):
        innermost = innermost[0] if isinstance(innermost, list) else innermost["*"]
    if not attribute.values or innermost not in _LITERAL_TYPES:
        return _type_of(attribute.type)
    listed = f"Literal[{', '.join(map(_literal, attribute.values))}]"
    types = [listed] if attribute.closed else [listed, _LITERAL_TYPES[innermost]]
    return _type_of(attribute.type, " | ".join(types))


def _literal(value: Any) -> str:
    return quoted(value) if isinstance(value, str) else repr(value)


_VARIABLE_TYPES = {"int": "int", "string": "str"}

_IMPORTS = (
    ("collections.abc", ("Sequence",)),
    ("datetime", ("datetime",)),
    ("typing", ("TYPE_CHECKING", "Any", "Literal", "TypedDict", "TypeVar", "overload")),
)
_OF_PACKAGE = (
    "AsyncPagesInto", "Attribute", "BodyCallIntoOptions", "BodyCallOptions", "CallIntoOptions",
    "CallOptions", "PagedCallIntoOptions", "PagedCallOptions", "PageOptions", "PagesInto",
    "TypedAsyncClient", "TypedAsyncPagedList", "TypedAsyncPages", "TypedClient", "TypedDraft",
    "TypedObject", "TypedObjects", "TypedPagedList", "TypedPages", "TypedQuery", "TypedResponse",
    "TypedStore", "Variable",
)
_EXTENSIONS = ("NotRequired", "Unpack")
"""The names of typing_extensions, which only type checkers need to find."""


def write_module(document: Document, *, is_stub: bool) -> str:
    """Returns the text of a module, or of a stub file, with the types of a document."""
    between = "\n\n" if is_stub else "\n\n\n"
    body = between.join("\n".join(part) for part in _Module(document, is_stub).parts())
    return f"{_head(body, is_stub)}{between}{body}\n"


def _head(body: str, is_stub: bool) -> str:
    """Returns the docstring of the module and the imports that its body needs."""
    used = set(re.findall(r"\w+", body))
    extensions = [name for name in _EXTENSIONS if name in used]
    if extensions and not is_stub:
        used.add("TYPE_CHECKING")
    standard = [
        imported(module, found)
        for module, names in _IMPORTS
        if (found := [name for name in names if name in used])
    ]
    package = [name for name in _OF_PACKAGE if name in used]
    own = ["import restway"] if "restway." in body else []
    if package:
        own.append(imported("restway.typed", package))
    lines = [
        '"""The types of an API document, written by `restway-stubs`.',
        "",
        "Do not change this file: write it again when the document has changed.",
        '"""',
        "",
        "# The methods take less than the methods that they replace: only what the document has.",
        '# mypy: disable-error-code="override"',
        "# pyright: reportIncompatibleMethodOverride=false",
        "",
    ]
    if not is_stub:
        lines += ["from __future__ import annotations", ""]
    lines += [*standard, "", *own] if standard else own
    if extensions:
        statement = imported("typing_extensions", extensions)
        lines += [statement] if is_stub else ["", "if TYPE_CHECKING:", f"    {statement}"]
    return "\n".join(lines)


class _Module:
    """The parts of one module: classes of entities, drafts and variables, and the clients."""

    def __init__(self, document: Document, is_stub: bool) -> None:
        self._document = document
        self._is_stub = is_stub
        self._names = Names(document)

    def parts(self) -> Iterator[list[str]]:
        """Returns the classes of the module, each as lines."""
        if self._document.routes:
            yield ['T = TypeVar("T")']
        for entity in self._document.base_first():
            yield self._entity(entity)
            yield self._values_of(entity)
            yield self._draft(entity)
        if self._document.entities:
            yield self._any_object()
            yield self._store()
        for route in self._document.routes:
            if route.variables:
                yield from self._variables_of(route)
        if self._names.variables:
            yield self._scope_variables()
            yield self._scope(is_async=False)
            yield self._scope(is_async=True)
        yield self._client(is_async=False)
        yield self._client(is_async=True)

    def _entity(self, entity: Entity) -> list[str]:
        name = self._names.entities[entity.name]
        types = self._read_types([entity])
        base = "TypedObject"
        if entity.bases:
            base = self._names.entities[entity.bases[0]]
            inherited = next(one for one in self._document.entities if one.name == entity.bases[0])
            known = self._read_types([inherited])
            types = {name: kind for name, kind in types.items() if name not in known}
        return [
            f"class {name}({base}, entity={quoted(entity.name)}):",
            f'    """An object of the entity {documented(entity.name)}."""',
            "",
            *self._attributes(types, Object, "Attribute[{}]"),
        ]

    def _any_object(self) -> list[str]:
        return [
            "class AnyObject(TypedObject):",
            '    """An object whose entity is not known: it has the attributes of all entities."""',
            "",
            *self._attributes(self._read_types(self._document.entities), Object, "Attribute[{}]"),
        ]

    def _read_types(self, entities: Iterable[Entity]) -> dict[str, str]:
        """Returns the types that the attributes and relationships of entities have when they are
        read; a name that several entities have gets all of their types.
        """
        found: dict[str, list[str]] = {}
        for entity in entities:
            for attribute in entity.attributes:
                found.setdefault(attribute.name, []).append(_annotation(attribute))
            for relationship in entity.relationships:
                target = union([self._names.entities[name] for name in relationship.entities])
                read = f"TypedObjects[{target}]" if relationship.many else f"{target} | None"
                found.setdefault(relationship.name, []).append(read)
        return {name: union(types) for name, types in found.items()}

    def _set_types(self, entity: Entity) -> dict[str, str]:
        """Returns the types that the attributes and relationships of a draft take."""
        types = {attribute.name: _annotation(attribute) for attribute in entity.attributes}
        for relationship in entity.relationships:
            targets = relationship.entities
            extending = [name for one in targets for name in self._document.extending(one)]
            linked = union(
                [self._names.entities[target] for target in targets]
                + [self._names.drafts[name] for name in extending]
            )
            types[relationship.name] = (
                f"Sequence[{linked}]" if relationship.many else f"{linked} | None"
            )
        return types

    def _draft(self, entity: Entity) -> list[str]:
        name, of = self._names.drafts[entity.name], self._names.entities[entity.name]
        values = Signature((f"**values: Unpack[{self._names.values[entity.name]}]",), "None")
        return [
            f"class {name}(TypedDraft[{of}], entity={quoted(entity.name)}):",
            f'    """A draft of the entity {documented(entity.name)}."""',
            "",
            *self._attributes(self._set_types(entity), Draft, "{}"),
            *self._declared([Method("update", (values,))]),
        ]

    def _attributes(self, types: dict[str, str], base: type, pattern: str) -> list[str]:
        """Returns the declarations of attributes. A name that Python or the base class uses for
        something else is left out: it is reached by key.
        """
        lines = []
        for name, kind in types.items():
            if not is_plain(name):
                lines.append(f"    # {quoted(name)} is not a name in Python. Use it as a key.")
            elif hasattr(base, name):
                lines.append(f"    # {quoted(name)} is a member of the base. Use it as a key.")
            else:
                lines.append(f"    {name}: {pattern.format(kind)}")
        return lines

    def _values_of(self, entity: Entity) -> list[str]:
        return typed_dict(
            self._names.values[entity.name],
            f"The values of a draft of {documented(entity.name)}, each of which may be missing.",
            self._set_types(entity),
            total=False,
        )

    def _variables_of(self, route: Route) -> Iterator[list[str]]:
        """Returns the classes of a route's variables: for clients, and for scopes, where no
        variable has to be given.
        """
        text = f"The variables of the route {documented(route.name)}"
        types = {variable.name: _variable_type(variable) for variable in route.variables}
        given = {
            variable.name: _variable_type(variable)
            if variable.required
            else f"NotRequired[{_variable_type(variable)}]"
            for variable in route.variables
        }
        yield typed_dict(self._names.variables[route.name], f"{text}.", given, total=True)
        if route.name in self._names.scoped:
            name = self._names.scoped[route.name]
            yield typed_dict(name, f"{text} in a scope.", types, total=False)

    def _scope_variables(self) -> list[str]:
        types: dict[str, list[str]] = {}
        for route in self._document.routes:
            for variable in route.variables:
                types.setdefault(variable.name, []).append(_variable_type(variable))
        joined = {name: union(kinds) for name, kinds in types.items()}
        text = "The variables of all routes, which a scope can fill."
        return typed_dict("ScopeVariables", text, joined, total=False)

    def _store(self) -> list[str]:
        return [
            "class ClientStore(TypedStore):",
            '    """A store that knows the entities of the document."""',
            *self._declared(of_store(self._names)),
        ]

    def _scope(self, *, is_async: bool) -> list[str]:
        base = "AsyncScope" if is_async else "Scope"
        name = "AsyncClientScope" if is_async else "ClientScope"
        calls = Calls(self._document, self._names, is_async, in_scope=True)
        return [
            f"class {name}(restway.{base}):",
            '    """A scope that knows the entities and routes of the document."""',
            *self._declared(calls.methods()),
        ]

    def _client(self, *, is_async: bool) -> list[str]:
        name = "AsyncClient" if is_async else "Client"
        calls = Calls(self._document, self._names, is_async, in_scope=False)
        members = [method(each, is_stub=self._is_stub) for each in calls.methods()]
        if self._names.entities:
            draft = Method("draft", tuple(of_drafts(self._names)))
            members.append(method(draft, is_stub=self._is_stub))
            members.append(["@property", "def store(self) -> ClientStore: ..."])
        return [
            f"class {name}(Typed{name}):",
            '    """A client that knows the entities and routes of the document."""',
            *declared(members, is_stub=self._is_stub),
        ]

    def _declared(self, methods: Iterable[Method]) -> list[str]:
        members = [method(each, is_stub=self._is_stub) for each in methods]
        return declared(members, is_stub=self._is_stub)


def _variable_type(variable: Variable) -> str:
    return _VARIABLE_TYPES.get(variable.type, "Variable")
