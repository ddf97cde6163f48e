"""Compares a JSON value with the objects that the mapper made of it, scalar by scalar."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from typing import Any

from restway import Object

from .unions import member_of

NOT_DESCRIBED = "the description does not have the key"
NOT_FITTING = "the value does not fit its type"
REPEATED = "the example has the object again, with the value that arrived"
GAP = "null or an object without values in a list is no object"
NO_OBJECT = "there is no object"
SMALLER = "the example has the object again, in a shape without the key"
DIFFERS = "the object has another value"

_DATE = re.compile(
    r"(\d{4})-?(\d\d)-?(\d\d)"
    r"(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:?(?:\d\d)?)?)?"
)

_BASE64 = str.maketrans("-_", "+/")
"""The alphabet of RFC 4648, section 5, as that of section 4."""


@dataclass(frozen=True)
class Difference:
    """A value of an example that did not arrive as it is."""

    place: str
    reason: str


@dataclass
class Tally:
    """How many values were compared, and which differ."""

    equal: int = 0
    differences: list[Difference] = field(default_factory=list)

    @property
    def total(self) -> int:
        """The number of all values: scalars, and links of relationships."""
        return self.equal + len(self.differences)

    @property
    def share(self) -> float:
        """The share of the equal values, without those that the example itself contradicts."""
        counted = self.total - self.reasons[REPEATED]
        return self.equal / counted if counted else 1.0

    @property
    def reasons(self) -> Counter[str]:
        """How often each reason stands."""
        return Counter(one.reason for one in self.differences)

    def add(self, other: Tally) -> None:
        """Adds the numbers of another tally."""
        self.equal += other.equal
        self.differences += other.differences

    def count(self, place: str, reason: str | None, times: int = 1) -> None:
        """Counts values: equal ones without a reason, and others with one."""
        if reason is None:
            self.equal += times
        else:
            self.differences += [Difference(place, reason)] * times


def key_path(written: Any, name: str) -> tuple[str, ...]:
    """Returns the keys of a source or a key path of a document."""
    if written is None:
        return (name,)
    return tuple(written.split(".")) if isinstance(written, str) else tuple(written)


def joined_shapes(entities: dict[str, Any]) -> dict[str, Any]:
    """Returns the entities of a document, each with what it inherits, and with its `base`."""
    joined: dict[str, Any] = {}
    for name in entities:
        chain = [name]
        while "extends" in entities[chain[-1]]:
            chain.append(entities[chain[-1]]["extends"])
        one: dict[str, Any] = {"base": chain[-1]}
        for part in reversed(chain):
            written = entities[part]
            if "identity" in written:
                one["identity"] = written["identity"]
            for section in ("attributes", "relationships"):
                one[section] = {**one.get(section, {}), **written.get(section, {})}
        joined[name] = one
    return joined


class Comparison:
    """Compares examples with objects, by the entities of an API document."""

    def __init__(self, document: dict[str, Any], entities: dict[str, Any], tally: Tally) -> None:
        """`entities` are the joined shapes of the document, which all comparisons share."""
        self._entities = entities
        self._unions = document.get("unions", {})
        self._tally = tally
        self._occurrences: dict[tuple[str, Any], list[Any]] = {}

    def compare(self, entity: str, value: Any, objects: Sequence[Object], place: str) -> None:
        """Compares an object or a list of a body with the objects of a response."""
        self._collect_occurrences(entity, value)
        elements = value if isinstance(value, list) else [value]
        self._elements(
            entity, elements, list(objects), place, is_linked=False, others=[], contradicts=False
        )

    def _collect_occurrences(self, entity: str, value: Any) -> None:
        """Collects where each identity stands in the example."""
        if isinstance(value, list):
            for element in value:
                self._collect_occurrences(entity, element)
        elif isinstance(value, dict):
            entity = self._entity(entity, value)
            identity = self._identity(entity, value)
            if identity is not None:
                base = self._entities[entity]["base"]
                self._occurrences.setdefault((base, identity), []).append(value)
            for keys, one in self._relationships(entity):
                inside = _at(value, keys)
                if "map" in one and isinstance(inside, dict):
                    inside = list(inside.values())
                self._collect_occurrences(one["entity"], inside)

    def _entity(self, name: str, value: Any) -> str:
        """Returns the entity of a value, which may be one of a union."""
        return member_of(self._unions[name], value) if name in self._unions else name

    def _identity(self, entity: str, value: Any) -> Any:
        """Returns the identity that a value has, which is an object or the identity itself."""
        if isinstance(value, dict):
            name = self._entities[entity].get("identity")
            if not isinstance(name, str):
                return None
            sources = {attribute: keys for attribute, keys, _ in self._attributes(entity)}
            value = _at(value, sources[name])
        kind = self._identity_type(entity)
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            return None
        if kind == "int":
            return int(value) if re.fullmatch(r"-?\d+", str(value)) else None
        return str(value) if kind == "string" else value

    def _identity_type(self, entity: str) -> Any:
        definition = self._entities[entity]
        name = definition.get("identity")
        attribute = definition.get("attributes", {}).get(name) if isinstance(name, str) else None
        return attribute.get("type", "any") if isinstance(attribute, dict) else "any"

    def _attributes(self, entity: str) -> Iterator[tuple[str, tuple[str, ...], dict[str, Any]]]:
        for name, written in self._entities[entity].get("attributes", {}).items():
            if isinstance(written, dict):
                yield name, key_path(written.get("source"), name), written
            else:
                yield name, key_path(written, name), {}

    def _relationships(self, entity: str) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
        for name, written in self._entities[entity].get("relationships", {}).items():
            yield key_path(written.get("source"), name), {"name": name, **written}

    def _elements(
        self,
        entity: str,
        elements: list[Any],
        objects: list[Object],
        place: str,
        *,
        is_linked: bool,
        others: list[Any],
        contradicts: bool,
    ) -> None:
        """Compares the elements of a list with their objects, in order. A relationship links an
        object once, whatever its list has. `others` are the values that stand in the same place of
        an object that the example has several times; `contradicts` says whether the example has
        another list there.
        """
        found: dict[Any, Object] = {}
        waiting = iter(objects)
        name = entity
        for index, element in enumerate(elements):
            entity = self._entity(name, element)
            where = f"{place}/{index}" if len(elements) != 1 or is_linked else place
            if self._is_gap(entity, element):
                self._tally.count(where, GAP, max(1, scalars_in(element)))
                continue
            identity = self._identity(entity, element)
            if is_linked and identity is not None and (entity, identity) in found:
                one: Object | None = found[entity, identity]
            else:
                one = next(waiting, None)
                if one is not None and identity is not None:
                    found[entity, identity] = one
            self._one(entity, element, one, where, others, contradicts=contradicts)

    def _is_gap(self, entity: str, element: Any) -> bool:
        """Returns whether an element of a list makes no object."""
        if not isinstance(element, dict):
            return element is None
        known = {keys[0] for _, keys, _ in self._attributes(entity)}
        known |= {keys[0] for keys, _ in self._relationships(entity)}
        return not known & element.keys()

    def _one(
        self,
        entity: str,
        value: Any,
        one: Object | None,
        place: str,
        others: list[Any],
        *,
        contradicts: bool,
    ) -> None:
        """Compares one element, an object or an identity. `contradicts` says whether the example
        has another value in the same place of the same object.
        """
        if one is None:
            reason = REPEATED if contradicts else NO_OBJECT
            self._tally.count(place, reason, max(1, scalars_in(value)))
            return
        identity = self._identity(entity, value)
        if isinstance(value, dict):
            if identity is not None:
                others = self._occurrences[self._entities[entity]["base"], identity]
            self._members(entity, value, one, place, others)
        else:
            self._tally.count(place, None if one.identity == identity else DIFFERS)

    def _members(
        self, entity: str, value: dict[str, Any], one: Object, place: str, others: list[Any]
    ) -> None:
        known: set[str] = set()
        for name, keys, attribute in self._attributes(entity):
            known.add(keys[0])
            if _has(value, keys):
                where = f"{place}/{'/'.join(keys)}"
                there = [_at(other, keys) for other in others if _has(other, keys)]
                actual = one.get(name)
                if name not in one and len(there) < len(others) and _at(value, keys) is not None:
                    self._tally.count(where, SMALLER, max(1, scalars_in(_at(value, keys))))
                else:
                    self._attribute(attribute, _at(value, keys), actual, where, there)
        for keys, relationship in self._relationships(entity):
            known.add(keys[0])
            if _has(value, keys):
                where = f"{place}/{'/'.join(keys)}"
                there = [_at(other, keys) for other in others if _has(other, keys)]
                self._relationship(relationship, _at(value, keys), one, where, there)
        for key, member in value.items():
            if key not in known:
                self._tally.count(f"{place}/{key}", NOT_DESCRIBED, max(1, scalars_in(member)))

    def _attribute(
        self, attribute: dict[str, Any], expected: Any, actual: Any, place: str, others: list[Any]
    ) -> None:
        type_name = attribute.get("type", "any")
        is_json = type_name in ("any", "json") or not isinstance(type_name, str)
        times = max(1, scalars_in(expected)) if is_json else 1
        if not _is_allowed(attribute, expected):
            self._tally.count(place, NOT_FITTING, times)
        elif not _fits(type_name, expected):
            self._tally.count(place, NOT_FITTING, max(1, scalars_in(expected)))
        elif _is_equal(type_name, expected, actual, is_json):
            self._tally.count(place, None, times)
        else:
            won = any(_is_equal(type_name, other, actual, is_json) for other in others)
            self._tally.count(place, REPEATED if won else DIFFERS, times)

    def _relationship(
        self, written: dict[str, Any], value: Any, one: Object, place: str, others: list[Any]
    ) -> None:
        related = list(one.related(written["name"]))
        entity = written["entity"]
        if not isinstance(value, list) and "map" not in written:
            entity = self._entity(entity, value)
        contradicts = any(not same_json(other, value) for other in others)
        if value is None or value in ({}, []):
            reason = REPEATED if contradicts else DIFFERS
            self._tally.count(place, reason if related else None)
        elif "map" in written:
            self._map(written, value, related, place, others)
        elif isinstance(value, list):
            elements = value if written.get("many") else value[:1]
            others = [each for other in others if isinstance(other, list) for each in other]
            self._elements(
                entity, elements, related, place, is_linked=True, others=others,
                contradicts=contradicts,
            )
        elif self._is_gap(entity, value):
            self._tally.count(place, NOT_DESCRIBED, max(1, scalars_in(value)))
        else:
            found = related[0] if related else None
            self._one(entity, value, found, place, others, contradicts=contradicts)


    def _map(
        self,
        written: dict[str, Any],
        value: Any,
        related: list[Object],
        place: str,
        others: list[Any],
    ) -> None:
        """Compares the entries of a map with their objects, which have the keys."""
        if not isinstance(value, dict):
            self._tally.count(place, NOT_FITTING, max(1, scalars_in(value)))
            return
        waiting = iter(related)
        for key, element in value.items():
            where = f"{place}/{key}"
            one = next(waiting, None) if element is not None else None
            there = [_at(other, [key]) for other in others if _has(other, [key])]
            if element is None:
                self._tally.count(where, None)
            else:
                if one is not None:
                    self._tally.count(where, None if one.get(written["map"]) == key else DIFFERS)
                contradicts = any(not same_json(other, element) for other in there)
                self._one(written["entity"], element, one, where, there, contradicts=contradicts)


def _is_allowed(attribute: dict[str, Any], value: Any) -> bool:
    """Returns whether an attribute takes a value: it may have a constant, or a closed list."""
    if "constant" in attribute:
        return same_json(attribute["constant"], value)
    is_closed = attribute.get("closed") is True and value is not None
    return not is_closed or any(same_json(one, value) for one in attribute["values"])


def _is_equal(type_name: Any, expected: Any, actual: Any, is_json: bool) -> bool:
    if expected is None or is_json:
        return same_json(expected, actual)
    return bool(_converted(type_name, expected) == actual)


def _fits(type_name: Any, value: Any) -> bool:
    """Returns whether a value of JSON fits a type, with each of its elements."""
    if value is None:
        return True
    if isinstance(type_name, list):
        return isinstance(value, list) and all(_fits(type_name[0], one) for one in value)
    if isinstance(type_name, dict):
        is_map = isinstance(value, dict)
        return is_map and all(_fits(type_name["*"], one) for one in value.values())
    return type_name in ("any", "json") or _converted(type_name, value) is not None


def _converted(type_name: str, value: Any) -> Any:
    """Returns the value of an attribute for a value of JSON; None if it does not fit the type."""
    if type_name == "bool":
        return value if isinstance(value, bool) else None
    if isinstance(value, bool):
        return None
    if type_name in ("int", "double"):
        if type_name == "double":
            return value if isinstance(value, (int, float)) else None
        is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        return value if is_whole and -(2**63) <= value < 2**63 else None
    if not isinstance(value, str):
        return None
    if type_name == "date":
        return read_date(value)
    if type_name == "bytes":
        try:
            digits = re.sub(r"\s", "", value).rstrip("=").translate(_BASE64)
            return base64.b64decode(digits + "=" * (-len(digits) % 4), validate=True)
        except ValueError:
            return None
    return value


def read_date(text: str) -> datetime | None:
    """Returns the moment that a text of ISO 8601 names; without a zone it is UTC."""
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    try:
        date(int(year), int(month), int(day))
        moment = datetime(
            int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0),
            int(((fraction or "") + "000000")[:6]), timezone.utc,
        )  # fmt: skip
    except ValueError:
        return None
    if zone and zone != "Z":
        digits = zone[1:].replace(":", "") + "00"
        offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:4]))
        moment += offset if zone[0] == "-" else -offset
    return moment


def same_json(expected: Any, actual: Any) -> bool:
    """Returns whether two values are the same JSON: true is no number, 1 and 1.0 are one."""
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if isinstance(expected, dict) and isinstance(actual, dict):
        return expected.keys() == actual.keys() and all(
            same_json(member, actual[key]) for key, member in expected.items()
        )
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(map(same_json, expected, actual))
    return bool(expected == actual)


def scalars_in(value: Any) -> int:
    """Returns how many scalars a value has; null is one."""
    if isinstance(value, dict):
        return sum(map(scalars_in, value.values()))
    if isinstance(value, list):
        return sum(map(scalars_in, value))
    return 1


def _at(value: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _has(value: Any, keys: Sequence[str]) -> bool:
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True
