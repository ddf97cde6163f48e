"""Unions of resources: how the entity of an object is told from its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .kinds import ObjectKind, ScalarKind, UnionKind

Members = Mapping[str, Sequence[ObjectKind]]
"""The shapes of each member of a union, by the name of its resource."""


def rule_of(target: UnionKind, members: Members) -> dict[str, Any] | None:
    """Returns the keys of a union in the API document that tell its members apart; None if nothing
    does.
    """
    types = {one.resource_type for several in members.values() for one in several}
    if len(types) == len(members) and all(types):
        return {}  # the types of JSON:API tell them apart
    return _by_discriminator(target, members) or _by_constants(members) or _by_keys(members)


def _by_discriminator(target: UnionKind, members: Members) -> dict[str, Any] | None:
    """Returns the rule of the description's own discriminator."""
    if target.discriminator is None:
        return None
    key, mapping = target.discriminator
    shapes = [(name, one) for name, several in members.items() for one in several]
    schemas = {one.name: name for name, one in shapes if one.name is not None}
    values = {value: schemas[name] for value, name in mapping.items() if name in schemas}
    for name, one in shapes:
        # A schema that the mapping leaves out is named by the values that it allows, or else by its
        # own name.
        if one.name not in mapping.values():
            own = [one.name] if one.name is not None else []
            for value in _constants(one, key) or own:
                if values.setdefault(value, name) != name:
                    return None
    return _discriminator(key, values, members)


def _by_constants(members: Members) -> dict[str, Any] | None:
    """Returns the rule of a property whose values are other ones in each member."""
    shapes = [one for several in members.values() for one in several]
    for key in shapes[0].properties:
        values: dict[str, str] = {}
        for name, several in members.items():
            for one in several:
                for value in _constants(one, key):
                    if values.setdefault(value, name) != name:
                        values = {}
                        break
        complete = all(_constants(one, key) for one in shapes)
        if complete and values and set(values.values()) == set(members):
            return _discriminator(key, values, members)
    return None


def _constants(shape: ObjectKind, key: str) -> list[str]:
    found = shape.properties.get(key)
    if found is None or not isinstance(found.kind, ScalarKind):
        return []
    texts = [_text(value) for value in found.kind.enumeration]
    return [text for text in texts if text]


def _text(value: Any) -> str:
    """Returns a string, an integer or a boolean as a discriminator names it, or else nothing."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (int, str)) else ""


def _discriminator(
    key: str, values: dict[str, str], members: Members
) -> dict[str, Any] | None:
    if set(values.values()) != set(members) or not key:
        return None
    return {"discriminator": {"keyPath": [key] if "." in key else key, "values": values}}


def _by_keys(members: Members) -> dict[str, Any] | None:
    """Returns the rule of the properties that each object of one member has, and no other one. One
    member may have no property of its own.
    """
    keys: dict[str, list[Any]] = {}
    for name, shapes in members.items():
        others = {
            key
            for other, several in members.items()
            if other != name
            for one in several
            for key in one.properties
        }
        own = [
            key
            for key, one in shapes[0].properties.items()
            if key and "\0" not in key and key not in others
            and all(key in each.properties and each.properties[key].is_required for each in shapes)
            and one.is_required
        ]
        if own:
            keys[name] = [[own[0]] if "." in own[0] else own[0]]
    rest = [name for name in members if name not in keys]
    if len(rest) > 1:
        return None
    return {"keys": keys, "default": rest[0]} if rest else {"keys": keys}


def member_of(union: Mapping[str, Any], value: Any) -> str:
    """Returns the entity of a value, as the library finds it out, or else the first one."""
    first: str = union.get("default", union["oneOf"][0])
    if not isinstance(value, dict):
        return first
    if "discriminator" in union:
        found = _at(value, union["discriminator"]["keyPath"])
        chosen: str = union["discriminator"]["values"].get(found, first)
        return chosen
    for name in union["oneOf"]:
        keys = union.get("keys", {}).get(name)
        if keys is not None and all(_has(value, key) for key in keys):
            return str(name)
    return first


def _at(value: dict[str, Any], key: str | list[str]) -> str:
    return _text(value.get(key if isinstance(key, str) else key[0]))


def _has(value: dict[str, Any], key: str | list[str]) -> bool:
    return (key if isinstance(key, str) else key[0]) in value
