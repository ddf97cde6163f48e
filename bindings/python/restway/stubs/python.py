"""Writes what a document describes as a Python module or a stub file."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .._draft import Draft
from .._object import Object
from .model import WRITING_METHODS, Document, Entity, Route, Variable

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


def _type_of(declared: Any) -> str:
    """Returns the annotation of an attribute. The values in a list or a map are seldom null, so
    their annotation leaves that out.
    """
    if isinstance(declared, str):
        return _ATTRIBUTE_TYPES[declared]
    inner = _type_of(declared[0] if isinstance(declared, list) else declared["*"])
    inner = inner.removesuffix(" | None")
    return f"list[{inner}] | None" if isinstance(declared, list) else f"dict[str, {inner}] | None"


_VARIABLE_TYPES = {"int": "int", "string": "str"}

_VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")
"""The HTTP methods whose requests by path have types."""

_RESERVED = {
    "Any", "AnyObject", "AsyncClient", "Attribute", "BodyCallIntoOptions", "BodyCallOptions",
    "CallIntoOptions", "CallOptions", "Client", "Literal", "NotRequired", "Sequence", "T",
    "TypeVar", "TypedDict", "TypedDraft", "TypedObject", "TypedObjects", "TypedResponse", "Unpack",
    "Variable", "datetime", "overload", "restway",
}
"""The names that a module uses for itself."""

_IMPORTS = (
    ("collections.abc", ("Sequence",)),
    ("datetime", ("datetime",)),
    ("typing", ("TYPE_CHECKING", "Any", "Literal", "TypedDict", "TypeVar", "overload")),
)
_OF_PACKAGE = (
    "Attribute", "BodyCallIntoOptions", "BodyCallOptions", "CallIntoOptions", "CallOptions",
    "TypedDraft", "TypedObject", "TypedObjects", "TypedResponse", "Variable",
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
        _import(module, found)
        for module, names in _IMPORTS
        if (found := [name for name in names if name in used])
    ]
    package = [name for name in _OF_PACKAGE if name in used]
    own = ["import restway", *([_import("restway.stubs", package)] if package else [])]
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
        statement = _import("typing_extensions", extensions)
        lines += [statement] if is_stub else ["", "if TYPE_CHECKING:", f"    {statement}"]
    return "\n".join(lines)


def _import(module: str, names: Sequence[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= 88:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


@dataclass(frozen=True)
class _Signature:
    """One way to call a method."""

    parameters: tuple[str, ...]
    """The parameters behind `self`, as they are written."""
    result: str


class _Module:
    """The parts of one module: classes of entities, drafts and variables, and the clients."""

    def __init__(self, document: Document, is_stub: bool) -> None:
        self._document = document
        self._is_stub = is_stub
        taken = set(_RESERVED)
        self._entities = {
            entity.name: _class_name(entity.name, "", taken) for entity in document.entities
        }
        self._drafts = {
            entity.name: _class_name(entity.name, "Draft", taken) for entity in document.entities
        }
        self._values = {
            entity.name: _class_name(entity.name, "Values", taken) for entity in document.entities
        }
        self._variables = {
            route.name: _class_name(route.name, "Variables", taken)
            for route in document.routes
            if route.variables
        }

    def parts(self) -> Iterator[list[str]]:
        """Returns the classes of the module, each as lines."""
        if self._document.routes:
            yield ['T = TypeVar("T")']
        for entity in self._document.entities:
            yield self._entity(entity)
            yield self._values_of(entity)
            yield self._draft(entity)
        if self._document.entities:
            yield self._any_object()
        for route in self._document.routes:
            if route.variables:
                yield self._variables_of(route)
        yield self._client("Client", is_async=False)
        yield self._client("AsyncClient", is_async=True)

    def _entity(self, entity: Entity) -> list[str]:
        return [
            f"class {self._entities[entity.name]}(TypedObject, entity={_text(entity.name)}):",
            f'    """An object of the entity {_documented(entity.name)}."""',
            "",
            *self._attributes(self._read_types([entity]), Object, "Attribute[{}]"),
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
                found.setdefault(attribute.name, []).append(_type_of(attribute.type))
            for relationship in entity.relationships:
                target = self._entities[relationship.entity]
                read = f"TypedObjects[{target}]" if relationship.many else f"{target} | None"
                found.setdefault(relationship.name, []).append(read)
        return {name: _union(types) for name, types in found.items()}

    def _set_types(self, entity: Entity) -> dict[str, str]:
        """Returns the types that the attributes and relationships of a draft take."""
        types = {attribute.name: _type_of(attribute.type) for attribute in entity.attributes}
        for relationship in entity.relationships:
            target = relationship.entity
            linked = f"{self._entities[target]} | {self._drafts[target]}"
            types[relationship.name] = (
                f"Sequence[{linked}]" if relationship.many else f"{linked} | None"
            )
        return types

    def _draft(self, entity: Entity) -> list[str]:
        name, base = self._drafts[entity.name], f"TypedDraft[{self._entities[entity.name]}]"
        ways = [_Signature((f"**values: Unpack[{self._values[entity.name]}]",), "None")]
        return [
            f"class {name}({base}, entity={_text(entity.name)}):",
            f'    """A draft of the entity {_documented(entity.name)}."""',
            "",
            *self._attributes(self._set_types(entity), Draft, "{}"),
            "",
            *self._method("update", ways, "**values: Any", "**values"),
        ]

    def _attributes(self, types: dict[str, str], base: type, pattern: str) -> list[str]:
        """Returns the declarations of attributes. A name that Python or the base class uses for
        something else is left out: it is reached by key.
        """
        lines = []
        for name, kind in types.items():
            if not _is_plain(name):
                lines.append(f"    # {_text(name)} is not a name in Python. Use it as a key.")
            elif hasattr(base, name):
                lines.append(f"    # {_text(name)} is a member of the base. Use it as a key.")
            else:
                lines.append(f"    {name}: {pattern.format(kind)}")
        return lines

    def _values_of(self, entity: Entity) -> list[str]:
        return _typed_dict(
            self._values[entity.name],
            f"The values of a draft of {_documented(entity.name)}, each of which may be missing.",
            self._set_types(entity),
            total=False,
        )

    def _variables_of(self, route: Route) -> list[str]:
        return _typed_dict(
            self._variables[route.name],
            f"The variables of the route {_documented(route.name)}.",
            {variable.name: _variable_type(variable) for variable in route.variables},
            total=True,
        )

    def _client(self, name: str, *, is_async: bool) -> list[str]:
        lines = [
            f"class {name}(restway.{name}):",
            f'    """A restway.{name} that knows the entities and routes of the document."""',
        ]
        for verb in _VERBS:
            ways = self._by_path(verb)
            if ways:
                forward = ("target: Any, **options: Any", "target, **options")
                lines += ["", *self._method(verb.lower(), ways, *forward, is_async=is_async)]
        by_name = self._by_name()
        if by_name:
            given = "route: Any, /, method: Any = None, **options: Any"
            passed = "route, method, **options"
            lines += ["", *self._method("route", by_name, given, passed, is_async=is_async)]
        drafts = self._of_drafts()
        if drafts:
            forward = ("of: Any, /, **values: Any", "of, **values")
            lines += ["", *self._method("draft", drafts, *forward)]
        return lines

    def _by_path(self, verb: str) -> list[_Signature]:
        """Returns the ways to call a verb: with a path of the document, with an object or a draft,
        and with any other path.
        """
        options, into_options = _options(verb), _into_options(verb)
        ways: list[_Signature] = []
        paths = set()
        for route in self._document.routes:
            if verb in route.methods and route.path not in paths:
                paths.add(route.path)
                target = f"target: Literal[{_text(route.path)}]"
                ways.append(
                    _Signature(
                        (target, *self._keywords(route), options),
                        self._response(route.answers[verb]),
                    )
                )
                if route.variables:
                    keywords = (*self._keywords(route), "into: type[T]")
                    ways.append(_Signature((target, *keywords, into_options), "T"))
        if not ways:
            return []
        for entity in self._document.entities:
            serving = self._document.serving(entity.name, verb)
            if serving:
                target = f"target: {self._entities[entity.name]} | {self._drafts[entity.name]}"
                answered = [name for route in serving for name in route.answers[verb]]
                ways.append(_Signature((target, options), self._response(answered)))
        target = "target: restway.Target"
        result = "TypedResponse[AnyObject | Any]" if self._entities else "TypedResponse[Any]"
        ways.append(_Signature((target, options), result))
        ways.append(_Signature((target, "*", "into: type[T]", into_options), "T"))
        return ways

    def _by_name(self) -> list[_Signature]:
        """Returns the ways to call `route`. A route whose methods answer with different entities
        has one for each group of methods.
        """
        ways = []
        for route in self._document.routes:
            named = f"route: Literal[{_text(route.name)}]"
            keywords = self._keywords(route)
            groups: dict[tuple[str, ...], list[str]] = {}
            for method in route.methods:
                groups.setdefault(route.answers[method], []).append(method)
            for answered, methods in groups.items():
                chosen = f"method: {_literal(methods)}"
                if route.methods[0] in methods:
                    chosen += " | None = None"
                parameters = (named, "/", chosen, *keywords, _options("POST"))
                ways.append(_Signature(parameters, self._response(answered)))
            chosen = f"method: {_literal(route.methods)} | None = None"
            keywords = (*(keywords or ("*",)), "into: type[T]")
            ways.append(_Signature((named, "/", chosen, *keywords, _into_options("POST")), "T"))
        return ways

    def _of_drafts(self) -> list[_Signature]:
        return [
            _Signature(
                (
                    f"of: Literal[{_text(entity.name)}] | {self._entities[entity.name]}",
                    "/",
                    f"**values: Unpack[{self._values[entity.name]}]",
                ),
                self._drafts[entity.name],
            )
            for entity in self._document.entities
        ]

    def _keywords(self, route: Route) -> tuple[str, ...]:
        """Returns the parameters for the variables of a route."""
        if not route.variables:
            return ()
        kind = self._variables[route.name]
        if any(variable.required for variable in route.variables):
            return ("*", f"variables: {kind}")
        return ("*", f"variables: {kind} | None = None")

    def _response(self, entities: Iterable[str]) -> str:
        kinds = _union([self._entities[name] for name in entities])
        return f"TypedResponse[{kinds or 'Any'}]"

    def _method(
        self,
        name: str,
        ways: Sequence[_Signature],
        given: str,
        passed: str,
        *,
        is_async: bool = False,
    ) -> list[str]:
        """Returns a method with all ways to call it."""
        start = "async def" if is_async else "def"
        lines = []
        for way in ways:
            if len(ways) > 1:
                lines.append("    @overload")
            lines += [
                f"    {start} {name}(",
                "        self,",
                *(f"        {parameter}," for parameter in way.parameters),
                f"    ) -> {way.result}: ...",
            ]
        if self._is_stub:
            return lines
        if len(ways) == 1:
            lines[-1] = lines[-1][: -len(" ...")]
            return [*lines, *_body(name, ways[0], is_async)]
        return [
            *lines,
            f"    def {name}(self, {given}) -> Any:",
            f"        return super().{name}({passed})",
        ]


def _body(name: str, way: _Signature, is_async: bool) -> list[str]:
    """Returns the body of a method that can be called in one way."""
    arguments = _passed(way.parameters)
    if way.result == "None":
        return [f"        super().{name}({arguments})"]
    return [
        f"        call: Any = super().{name}",
        f"        answer: {way.result} = {'await ' if is_async else ''}call({arguments})",
        "        return answer",
    ]


def _passed(parameters: Iterable[str]) -> str:
    """Returns the arguments that pass all parameters on."""
    passed, by_keyword = [], False
    for parameter in parameters:
        name = parameter.partition(":")[0]
        if name == "*":
            by_keyword = True
        elif name != "/":
            passed.append(f"{name}={name}" if by_keyword and name[0] != "*" else name)
    return ", ".join(passed)


def _options(method: str) -> str:
    kind = "BodyCallOptions" if method in WRITING_METHODS else "CallOptions"
    return f"**options: Unpack[{kind}]"


def _into_options(method: str) -> str:
    kind = "BodyCallIntoOptions" if method in WRITING_METHODS else "CallIntoOptions"
    return f"**options: Unpack[{kind}]"


def _literal(words: Iterable[str]) -> str:
    return f"Literal[{', '.join(map(_text, words))}]"


def _variable_type(variable: Variable) -> str:
    kind = _VARIABLE_TYPES.get(variable.type, "Variable")
    return kind if variable.required else f"NotRequired[{kind}]"


def _typed_dict(name: str, text: str, types: dict[str, str], *, total: bool) -> list[str]:
    """Returns a TypedDict. Keys that are no names in Python need the form of a call."""
    option = "" if total else ", total=False"
    if all(_is_plain(key) for key in types):
        fields = [f"    {key}: {kind}" for key, kind in types.items()]
        return [f"class {name}(TypedDict{option}):", f'    """{text}"""', "", *fields]
    return [
        f"# {text}",
        f"{name} = TypedDict(",
        f"    {_text(name)},",
        "    {",
        *(f"        {_text(key)}: {_text(kind)}," for key, kind in types.items()),
        "    },",
        *([] if total else ["    total=False,"]),
        ")",
    ]


def _union(types: Iterable[str]) -> str:
    """Returns a union that has each type once, with None at its end."""
    parts = [part for kind in types for part in kind.split(" | ")]
    found = dict.fromkeys(part for part in parts if part != "None")
    return " | ".join([*found, *(["None"] if "None" in parts else [])])


def _class_name(name: str, suffix: str, taken: set[str]) -> str:
    """Returns the name of a class for a name of the document, which no other class has."""
    words = [word for word in re.split(r"\W+|_+", name, flags=re.ASCII) if word]
    made = "".join(word[0].upper() + word[1:] for word in words) + suffix
    if not made[:1].isalpha():
        made = f"_{made}"
    while made in taken or keyword.iskeyword(made):
        made += "_"
    taken.add(made)
    return made


def _is_plain(name: str) -> bool:
    """Returns whether a name of the document can be written as a name in a class."""
    return name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("__")


def _text(text: str) -> str:
    """Writes a text as Python does, with double quotes."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


def _documented(name: str) -> str:
    """Returns a name of the document for a docstring."""
    return name if _is_plain(name) else _text(name).replace("\\", "\\\\").replace('"', "'")
