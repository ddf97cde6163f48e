"""Makes kinds of schemas: `allOf` is joined, null is dropped, `oneOf` and `anyOf` become unions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .kinds import (
    MISSING,
    FreeKind,
    Kind,
    ListKind,
    MapKind,
    ObjectKind,
    Property,
    ScalarKind,
    ScalarType,
    UnionKind,
    joined,
)
from .reading import BrokenReference, Node

_STRING_FORMATS: dict[str, ScalarType] = {"date-time": "date", "date": "day", "byte": "bytes"}

_SUBSTANCE = {
    "$ref", "additionalProperties", "allOf", "anyOf", "const", "contentEncoding", "enum", "format",
    "items", "oneOf", "patternProperties", "prefixItems", "properties", "type",
}  # fmt: skip
"""The words of a schema that say something about the value: without them, it is a remark."""

_DEPTH_MAX = 60
"""How deep schemas may be nested in each other."""


@dataclass
class _Parts:
    """A schema together with the schemas of its `allOf`."""

    words: dict[str, Node] = field(default_factory=dict)
    """The words that count once: type, format, items ... A later word replaces an earlier one."""
    properties: dict[str, list[Node]] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    variants: list[list[Node]] = field(default_factory=list)
    """The lists of `oneOf` and `anyOf`."""


class Schemas:
    """The kinds of the schemas of a description, each schema read once."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[Path, tuple[str, ...]], Kind] = {}
        self._open: set[tuple[Path, tuple[str, ...]]] = set()
        self._incomplete: list[tuple[ObjectKind, Node, _Parts]] = []

    def kind(self, node: Node, name: str | None = None) -> Kind:
        """Returns the kind of a schema. A broken schema is noted, and may be any JSON."""
        kind = self._kind(node, name)
        while self._incomplete:  # objects lead to each other in long chains, so nothing recurses
            self._complete(*self._incomplete.pop())
        return kind

    def _kind(self, node: Node, name: str | None = None) -> Kind:
        if node.key in self._kinds:
            return self._kinds[node.key]
        if node.value is not None and not isinstance(node.value, (dict, bool)):
            node.note("left out", "a schema that is no object: any JSON")
            return FreeKind()
        if node.key in self._open or len(self._open) > _DEPTH_MAX:
            node.note("bent", "a schema that leads to itself without an object: any JSON")
            return FreeKind()
        self._open.add(node.key)
        try:
            kind = self._made(node, name)
        except BrokenReference as error:
            node.note("left out", f"a broken reference: {error}")
            kind = FreeKind()
        finally:
            self._open.discard(node.key)
        self._kinds.setdefault(node.key, kind)
        return self._kinds[node.key]

    def _made(self, node: Node, name: str | None) -> Kind:
        only = self._only_part(node)
        if only is not None:
            target = only.followed() if "$ref" in only.members else only
            return self._kind(target, _schema_name(only, target) or name)
        parts = _Parts()
        self._collect(node, parts, set())
        example = _example(node)
        variants = [
            alternatives for alternatives in map(_substantial, parts.variants) if alternatives
        ]
        if parts.properties:
            kind = ObjectKind(node.place, name, example=example)
            self._incomplete.append((kind, node, parts))
            return kind
        if variants:
            alternatives = [node for node in variants[0] if not _is_null(node)]
            kinds = [self._kind(alternative) for alternative in alternatives]
            kind_of_all = joined(kinds, node.place, name)
            if isinstance(kind_of_all, UnionKind) and kind_of_all not in kinds:
                kind_of_all.discriminator = _discriminator(node)
            return kind_of_all
        return self._plain(node, parts, example)

    def _only_part(self, node: Node) -> Node | None:
        """Returns the schema that stands for the whole of this one: the target of a reference, or
        the only part of an `allOf` that is no remark.
        """
        words = _SUBSTANCE & node.members.keys()
        if words == {"$ref"}:
            return node
        if words - {"type"} == {"allOf"}:
            parts = [part for part in node.get("allOf").elements() if not _is_remark(part)]
            if len(parts) == 1 and node.members.get("type") in (None, "object"):
                return parts[0]
        return None

    def _collect(self, node: Node, parts: _Parts, seen: set[Any]) -> None:
        """Adds what a schema and the schemas of its `allOf` say."""
        if node.key in seen or len(seen) > 1000:
            return
        seen.add(node.key)
        if "$ref" in node.members:
            self._collect(node.followed(), parts, seen)
        for part in node.get("allOf").elements():
            try:
                self._collect(part, parts, seen)
            except BrokenReference as error:
                part.note("left out", f"a broken reference: {error}")
        for word in node.members:
            if word == "properties":
                for key, member in _properties(node).items():
                    parts.properties.setdefault(key, []).append(member)
            elif word in ("oneOf", "anyOf"):
                parts.variants.append(list(node.get(word).elements()))
            elif word == "required" and isinstance(node.members[word], list):
                parts.required |= {key for key in node.members[word] if isinstance(key, str)}
            elif word not in ("$ref", "allOf"):
                parts.words[word] = node.get(word)

    def _complete(self, kind: ObjectKind, node: Node, parts: _Parts) -> None:
        """Gives an object its properties, also those of variants that stand beside them."""
        found: dict[str, list[Property]] = {}
        for part in node.get("allOf").elements():
            base = self._kind(part) if "$ref" in part.members else None
            if isinstance(base, ObjectKind) and base is not kind:
                kind.bases.append(base)
        for key, members in parts.properties.items():
            found[key] = [self._property(member, key in parts.required) for member in members]
        for alternatives in filter(None, map(_substantial, parts.variants)):
            others = _Parts()
            for alternative in alternatives:
                try:
                    self._collect(alternative, others, set())
                except BrokenReference as error:
                    alternative.note("left out", f"a broken reference: {error}")
            if others.properties:
                node.note("merged", "the properties of its variants are properties of the object")
            for key, members in others.properties.items():
                more = [self._property(member, False) for member in members]
                found.setdefault(key, []).extend(more)
        for key, several in found.items():
            kind.properties[key] = _joined_property(several, f"{node.place}/properties/{key}")
        free = parts.words.get("additionalProperties")
        if free is not None and (free.value is True or isinstance(free.value, dict)):
            free.note("left out", "free keys beside the properties of an object")

    def _property(self, node: Node, is_required: bool) -> Property:
        words = [node, *node.get("allOf").elements()]
        kind = self._kind(node)
        for part in list(words):
            target = part.followed_or_none() if "$ref" in part.members else None
            words += [target] if target is not None else []
        return Property(
            kind,
            node.place,
            is_required,
            is_read_only=any(part.flag("readOnly") for part in words),
            is_write_only=any(part.flag("writeOnly") for part in words),
            is_constant=any(map(_is_constant, words)) and not any(map(_is_nullable, words)),
            default=next((one.members["default"] for one in words if "default" in one.members),
                         MISSING),
        )

    def _plain(self, node: Node, parts: _Parts, example: Any) -> Kind:
        """Returns the kind of a schema without properties and variants."""
        types = _types(parts)
        if len(types) > 1:
            kinds = [self._of_type(node, parts, one, example) for one in types]
            return joined(kinds, node.place)
        return self._of_type(node, parts, types[0] if types else None, example)

    def _of_type(self, node: Node, parts: _Parts, type_name: str | None, example: Any) -> Kind:
        if type_name == "array" or (type_name is None and "items" in parts.words):
            items = parts.words.get("items")
            element = FreeKind() if items is None else self._kind(items)
            return ListKind(element, example)
        if type_name == "object" or (type_name is None and "additionalProperties" in parts.words):
            values = parts.words.get("additionalProperties")
            if values is not None and isinstance(values.value, dict) and values.value:
                return MapKind(self._kind(values), example)
            return FreeKind(example)
        if type_name is None:
            return FreeKind(example)
        return _scalar(node, parts, type_name, example)


def _discriminator(node: Node) -> tuple[str, dict[str, str]] | None:
    """Returns the property that tells variants apart, and the names of schemas by its values."""
    word = node.get("discriminator")
    key = word.text("propertyName")
    if not key:
        return None
    mapping = word.get("mapping").members
    return key, {
        value: target.rpartition("/")[2]
        for value, target in mapping.items()
        if value and isinstance(target, str)
    }


def _properties(node: Node) -> Node:
    """Returns the properties of a schema, which some descriptions keep behind a reference."""
    properties = node.get("properties")
    is_reference = isinstance(properties.members.get("$ref"), str)
    return properties.followed() if is_reference else properties


def _types(parts: _Parts) -> list[str]:
    """Returns the types that a schema names, or that its values show; null is no type here."""
    word = parts.words.get("type")
    given = word.value if word is not None else None
    if isinstance(given, str):
        given = [given]
    if isinstance(given, list):
        return [one for one in given if isinstance(one, str) and one != "null"]
    values = _enumeration(parts)
    names = {bool: "boolean", int: "integer", float: "number", str: "string"}
    if values and all(type(value) in names for value in values):
        return list(dict.fromkeys(names[type(value)] for value in values))
    if parts.words.keys() & {"pattern", "minLength", "maxLength", "contentEncoding"}:
        return ["string"]
    return ["string"] if _format(parts) in _STRING_FORMATS else []


def _format(parts: _Parts) -> str | None:
    word = parts.words.get("format")
    return word.value if word is not None and isinstance(word.value, str) else None


def _enumeration(parts: _Parts) -> tuple[Any, ...]:
    if "const" in parts.words:
        return (parts.words["const"].value,)
    word = parts.words.get("enum")
    values = word.value if word is not None and isinstance(word.value, list) else []
    return tuple(value for value in values if isinstance(value, (str, int, float)))


def _scalar(node: Node, parts: _Parts, type_name: str, example: Any) -> Kind:
    values = _enumeration(parts)
    if type_name == "boolean":
        return ScalarKind("bool", values, example)
    if type_name == "integer":
        return ScalarKind("int", values, example)
    if type_name == "number":
        return ScalarKind("double", values, example)
    if type_name == "string":
        encoding = parts.words.get("contentEncoding")
        is_base64 = encoding is not None and encoding.value in ("base64", "base64url")
        of_format = _STRING_FORMATS.get(_format(parts) or "", "string")
        return ScalarKind("bytes" if is_base64 else of_format, values, example)
    node.note("bent", f"an unknown type {type_name!r}: any JSON")
    return FreeKind(example)


def _example(node: Node) -> Any:
    for word in ("example", "default"):
        if word in node.members:
            return node.members[word]
    examples = node.members.get("examples")
    return examples[0] if isinstance(examples, list) and examples else MISSING


def _is_remark(node: Node) -> bool:
    return not _SUBSTANCE - {"type"} & node.members.keys() and node.members.get("type") in (
        None,
        "object",
    )


def _is_constant(node: Node) -> bool:
    """Returns whether a schema allows one value alone."""
    values = node.members.get("enum")
    is_single = isinstance(values, list) and len(values) == 1 and values[0] is not None
    return is_single or node.members.get("const") is not None


def _is_nullable(node: Node) -> bool:
    types, values = node.members.get("type"), node.members.get("enum")
    return (
        node.flag("nullable")
        or (isinstance(types, list) and "null" in types)
        or (isinstance(values, list) and None in values)
        or any(map(_is_null, [*node.get("anyOf").elements(), *node.get("oneOf").elements()]))
    )


def _is_null(node: Node) -> bool:
    return node.members.get("type") == "null" or node.members.get("enum") == [None]


def _substantial(alternatives: list[Node]) -> list[Node]:
    """Returns the variants, or nothing if all of them only restrict what stands beside them."""
    if all(_is_remark(node) and "type" not in node.members for node in alternatives):
        return []
    return alternatives


def _schema_name(reference: Node, target: Node) -> str | None:
    """Returns the name of a schema that a reference leads to: its last key, or its file's name."""
    if "$ref" not in reference.members:
        return None
    return target.keys[-1] if target.keys else target.file.stem


def _joined_property(properties: Sequence[Property], place: str) -> Property:
    """Returns a property that several schemas describe: the last one, unless they disagree."""
    if len(properties) == 1:
        return properties[0]
    kinds = [one.kind for one in properties]
    substantial = [kind for kind in kinds if not isinstance(kind, FreeKind)]
    kind = joined(substantial, place) if substantial else kinds[-1]
    return Property(
        kind,
        properties[-1].place,
        any(one.is_required for one in properties),
        any(one.is_read_only for one in properties),
        all(one.is_write_only for one in properties),
        properties[-1].is_constant,
        properties[-1].default,
    )
