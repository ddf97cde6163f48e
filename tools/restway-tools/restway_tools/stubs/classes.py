"""Writes the entities of a document as classes for `into=`: dataclasses, Structs of msgspec, models
of pydantic or subclasses of TypedDict.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .model import Attribute, Document, Entity
from .text import class_name, documented, free_name, imported, quoted, typed_dict

_TYPES = {
    "any": "Any", "bool": "bool", "int": "int", "double": "float", "string": "str",
    "date": "datetime", "bytes": "bytes", "json": "Any",
}
_WORDS = {
    "Any", "Literal", "Optional", "TypedDict", "Union", "bool", "bytes", "datetime", "dict",
    "float", "int", "list", "str",
}
"""The names in types. A field of the same name would stand for them inside of its class."""

_ENTITY = "__restway_entity__"
"""The member with the name of the entity, if a class cannot have this name. Reading needs it to
find the class of an object in a union.
"""

_OF_MODELS = {
    "construct", "copy", "dict", "fields", "from_orm", "json", "parse_file", "parse_obj",
    "parse_raw", "schema", "schema_json", "update_forward_refs", "validate",
}
"""The members of pydantic's models, beside those that begin with `model_`."""


class Style(NamedTuple):
    """How one kind of classes is written."""

    package: str
    """The module that is imported."""
    decorator: str | None
    base: str
    """The base of a class that extends no other."""
    field: str
    """The function that describes a field."""
    named: Callable[[str], str]
    """Returns the argument of this function that says which name the document has."""


STYLES = {
    "dataclass": Style(
        "dataclasses",
        "@dataclasses.dataclass",
        "",
        "dataclasses.field",
        lambda name: f'metadata={{"name": {quoted(name)}}}',
    ),
    "struct": Style(
        "msgspec", None, "msgspec.Struct", "msgspec.field", lambda name: f"name={quoted(name)}"
    ),
    "model": Style(
        "pydantic",
        None,
        "pydantic.BaseModel",
        "pydantic.Field",
        lambda name: f"alias={quoted(name)}",
    ),
}

KINDS = (*STYLES, "typed-dict")


class _Field(NamedTuple):
    name: str
    """The name in the document."""
    type: str
    default: str | None
    """None for a field that needs a value; "list" for an empty list."""


def write_classes(document: Document, kind: str) -> str:
    """Returns the text of a module with a class for each entity of a document."""
    taken = {*_WORDS, *(style.package for style in STYLES.values())}
    names = {entity.name: class_name(entity.name, "", taken) for entity in document.entities}
    if kind == "typed-dict":
        parts = [_typed_dict(entity, names) for entity in document.entities]
        marks = [  # a TypedDict declares no members
            f"setattr({name}, _ENTITY, {quoted(entity)})"
            for entity, name in names.items()
            if name != entity
        ]
        parts += [[f"_ENTITY = {quoted(_ENTITY)}", *marks]] if marks else []
    else:
        parts = _Classes(document, names, STYLES[kind], taken).parts()
    body = "\n\n\n".join("\n".join(part) for part in parts)
    between = "\n\n" if body.startswith("#") else "\n\n\n"  # a comment stands closer
    return f"{_head(body, kind)}{between if body else ''}{body}\n"


def _head(body: str, kind: str) -> str:
    used = set(re.findall(r"\w+", body))
    typing = [name for name in ("Any", "Literal", "Optional", "TypedDict", "Union") if name in used]
    package = STYLES[kind].package if kind in STYLES and body else None
    standard = ["import dataclasses"] if package == "dataclasses" else []
    if "datetime" in used:
        standard.append("from datetime import datetime")
    standard += [imported("typing", typing)] if typing else []
    other = [f"import {package}"] if package in ("msgspec", "pydantic") else []
    return "\n".join(
        [
            f'"""The entities of an API document, written by `restway-stubs --classes {kind}`.',
            "",
            "Do not change this file: write it again when the document has changed.",
            '"""',
            "",
            *_unchecked(body),
            "from __future__ import annotations",
            *(["", *standard] if standard else []),
            *(["", *other] if other else []),
        ]
    )


def _unchecked(body: str) -> list[str]:
    """Returns a comment with the rules of ruff that a module does not follow."""
    rules = [rule for rule, word in (("UP007", "Union["), ("UP045", "Optional[")) if word in body]
    if any(len(line) > 100 for line in body.splitlines()):
        rules.insert(0, "E501")
    reason = "# Python 3.9 does not evaluate `X | None` when the types of a class are read."
    return [reason, f"# ruff: noqa: {', '.join(rules)}", ""] if rules else []


def _fields(
    entity: Entity, names: dict[str, str], inherited: Entity | None, has_unions: bool = True
) -> list[_Field]:
    """Returns the fields of an entity, the identity first, without those that are inherited.

    Args:
        has_unions: Whether a field can have the type of several classes.
    """
    own = _names_of(entity) - (_names_of(inherited) if inherited else set())
    found = [_of_attribute(one, entity) for one in entity.attributes if one.name in own]
    for relationship in entity.relationships:
        if relationship.name in own:
            targets = [names[target] for target in relationship.entities]
            linked = f"Union[{', '.join(targets)}]" if has_unions else "Any"
            if len(targets) == 1:
                linked = targets[0]
            kind = f"list[{linked}]" if relationship.many else _optional(linked)
            default = "list" if relationship.many else "None"
            found.append(_Field(relationship.name, kind, default))
    return sorted(found, key=lambda each: each.default is not None)


def _names_of(entity: Entity) -> set[str]:
    attributes = {attribute.name for attribute in entity.attributes}
    return attributes | {relationship.name for relationship in entity.relationships}


def _of_attribute(attribute: Attribute, entity: Entity) -> _Field:
    kind = _type_of(attribute.type, attribute)
    if attribute.name in entity.identity:
        return _Field(attribute.name, kind, None)
    return _Field(attribute.name, _optional(kind), "None")


def _optional(kind: str) -> str:
    return kind if kind == "Any" else f"Optional[{kind}]"


def _type_of(declared: Any, attribute: Attribute) -> str:
    if isinstance(declared, list):
        return f"list[{_type_of(declared[0], attribute)}]"
    if isinstance(declared, dict):
        return f"dict[str, {_type_of(declared['*'], attribute)}]"
    if attribute.closed and attribute.values and declared in ("bool", "int", "string"):
        words = (quoted(one) if isinstance(one, str) else repr(one) for one in attribute.values)
        return f"Literal[{', '.join(words)}]"
    return _TYPES[declared]


def _typed_dict(entity: Entity, names: dict[str, str]) -> list[str]:
    text = f"An object of the entity {documented(entity.name)}."
    types = {each.name: each.type for each in _fields(entity, names, None)}
    return typed_dict(names[entity.name], text, types, total=False)


class _Classes:
    """The classes of a document in one style."""

    def __init__(
        self, document: Document, names: dict[str, str], style: Style, taken: set[str]
    ) -> None:
        self._document = document
        self._names = names
        self._style = style
        self._taken = {"": taken}
        """The names that the fields of a class cannot have, by the name of its entity."""

    def parts(self) -> list[list[str]]:
        entities = {entity.name: entity for entity in self._document.entities}
        parts = []
        for entity in self._document.base_first():
            base = entities[entity.bases[0]] if entity.bases else None
            parts.append(self._class(entity, base))
        if self._style.package == "pydantic" and parts:
            # A model may name classes that stand behind it.
            parts.append([f"{name}.model_rebuild()" for name in self._names.values()])
        return parts

    def _class(self, entity: Entity, base: Entity | None) -> list[str]:
        taken = set(self._taken[base.name if base else ""])
        # msgspec takes no union of two Structs without tags.
        found = _fields(entity, self._names, base, has_unions=self._style.package != "msgspec")
        fields = list(self._lines(found, taken))
        self._taken[entity.name] = taken
        bases = self._names[base.name] if base else self._style.base
        name = self._names[entity.name]
        if name != entity.name:
            mark = f"    {_ENTITY} = {quoted(entity.name)}"
            fields = [mark, "", *fields] if fields else [mark]
        return [
            *([self._style.decorator] if self._style.decorator else []),
            f"class {name}{f'({bases})' if bases else ''}:",
            f'    """An object of the entity {documented(entity.name)}."""',
            *(["", *fields] if fields else []),
        ]

    def _lines(self, fields: list[_Field], taken: set[str]) -> Iterator[str]:
        for each in fields:
            name = free_name(self._allowed(each.name, taken), taken)
            arguments = []
            if each.default == "list":
                arguments.append("default_factory=list")
            elif each.default is not None and name != each.name:
                arguments.append(f"default={each.default}")
            if name != each.name:
                arguments.append(self._style.named(each.name))
            value = f"{self._style.field}({', '.join(arguments)})" if arguments else each.default
            yield f"    {name}: {each.type}{f' = {value}' if value else ''}"

    def _allowed(self, name: str, taken: set[str]) -> str:
        """Returns a name for a field that is as close to the name in the document as possible."""
        is_model = self._style.package == "pydantic"
        plain = re.sub(r"\W", "_", name)
        if name.startswith("__") or is_model:
            plain = plain.lstrip("_")
        if not plain or plain[0].isdigit():
            plain = f"field_{plain}"
        is_member = is_model and (plain in _OF_MODELS or plain.startswith("model_"))
        if keyword.iskeyword(plain) or is_member or plain in self._taken[""]:
            plain += "_"
        return plain
