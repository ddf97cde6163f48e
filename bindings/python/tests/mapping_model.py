"""A model of the mapping rules, written as plainly as possible, to compare the library with.

It is not fast and uses no code of the library. It supports one descriptor without a key path, and
the types any, bool, int, double, string and json.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

JSON = Any
"""A value that `json.loads` returns."""

MISSING: JSON = object()
"""The value of an attribute that is missing, or counts as missing because it does not fit."""


@dataclass
class Row:
    """The values that the payload has for one object, or the object itself."""

    entity: str
    values: dict[str, JSON] = field(default_factory=dict)
    links: dict[str, JSON] = field(default_factory=dict)
    """By relationship a row, a list of rows, or None."""


class Model:
    """A store that responses change."""

    def __init__(self, document: dict[str, JSON]) -> None:
        self.entities = document["entities"]
        self.entity = document["responses"][0]["entity"]
        self.objects: list[Row] = []
        self._places: dict[int, int] = {}
        self._rows: list[tuple[int, Row]] = []

    def map(self, body: JSON) -> None:
        """Maps one response into the store."""
        self._places, self._rows = {}, []
        self._number(body)
        for element in body if isinstance(body, list) else [body]:
            if isinstance(element, dict):
                self._row(self.entity, element)
        self._commit([row for _, row in sorted(self._rows, key=lambda pair: pair[0])])

    # Read

    def _number(self, value: JSON) -> None:
        """Numbers the objects of the payload."""
        if isinstance(value, dict):
            self._places[id(value)] = len(self._places)
        if isinstance(value, (dict, list)):
            for inner in value.values() if isinstance(value, dict) else value:
                self._number(inner)

    def _row(self, entity: str, value: dict[str, JSON]) -> Row | JSON:
        """Returns the row of an object; None if the object yields no object, MISSING if it is
        unknown.
        """
        definition, row, is_known = self.entities[entity], Row(entity), False
        first, place = len(self._rows), self._places[id(value)]
        for name, attribute in definition["attributes"].items():
            found = _at(value, attribute["source"])
            if found is not MISSING and found is not None:
                is_identity = definition.get("identity") == name
                found = _fitting(found, attribute["type"], is_identity)
            if found is not MISSING:
                row.values[name] = found
        for name, relationship in definition["relationships"].items():
            found = self._links(relationship, _at(value, relationship["source"]), place)
            if found is None and relationship["many"] and relationship["policy"] == "merge":
                is_known = True  # it changes nothing
            elif found is not MISSING:
                row.links[name] = found
        if not row.values and not row.links:
            return None if is_known else MISSING
        self._rows.insert(first, (place, row))
        return row

    def _links(self, relationship: dict[str, JSON], value: JSON, place: int) -> JSON:
        """Returns the rows that a relationship leads to; None for null."""
        entity, many = relationship["entity"], relationship["many"]
        if value is MISSING or value is None:
            return value
        if isinstance(value, list):
            elements = value if many else value[:1]
            found = [self._end(entity, element, place) for element in elements]
            if many:
                rows = [row for row in found if row is not MISSING and row is not None]
                return rows if rows or MISSING not in found else MISSING
            return found[0] if found else None
        row = self._end(entity, value, place)
        if not many or row is MISSING:
            return row
        return [] if row is None else [row]

    def _end(self, entity: str, value: JSON, place: int) -> Row | JSON:
        """Returns the row of one object or identity; None for no object, MISSING for a value that
        does not fit.
        """
        if value is None or value == {}:
            return None
        if isinstance(value, list):
            return MISSING
        if isinstance(value, dict):
            return self._row(entity, value)
        name = self.entities[entity].get("identity")
        if name is None:
            return MISSING
        identity = _fitting(value, self.entities[entity]["attributes"][name]["type"], True)
        if identity is MISSING:
            return MISSING
        stub = Row(entity, {name: identity})
        self._rows.append((place, stub))
        return stub

    # Commit

    def _commit(self, rows: list[Row]) -> None:
        kept = self._kept(rows)
        told = [kept.get(id(row)) or self._object(row) for row in rows]
        objects = {id(row): item for row, item in zip(rows, told)}
        replaced: list[Row] = []
        for row, item in zip(rows, told):
            item.values.update(row.values)
            for name, found in row.links.items():
                relationship = self.entities[row.entity]["relationships"][name]
                before = _many(item.links.get(name))
                after = _once([objects[id(other)] for other in _many(found)])
                if relationship["policy"] == "merge" and relationship["many"]:
                    after = _once(before + after)
                if relationship["policy"] == "replace":
                    replaced += [old for old in before if not _holds(after, old)]
                item.links[name] = after if relationship["many"] else _first(after)
        gone = [old for old in replaced if not _holds(told, old)]
        self.objects = [item for item in self.objects if not _holds(gone, item)]

    def _kept(self, rows: list[Row]) -> dict[int, Row]:
        """Returns the objects without identity that stay, by the rows that equal them."""
        kept: dict[int, Row] = {}
        for row in rows:
            if self.identity(row) is not None and (item := self._found(row)) is not None:
                self._compare(row, item, kept, set())
        return kept

    def _compare(self, row: Row, item: Row, kept: dict[int, Row], compared: set[int]) -> None:
        for name, found in row.links.items():
            before = _many(item.links.get(name))
            nested = [
                (place, other)
                for place, other in enumerate(_many(found))
                if self.identity(other) is None and id(other) not in kept
            ]
            for place, other in nested:
                if place < len(before):
                    self._keep(other, before[place], kept)
            for _, other in nested:
                for old in before:
                    if id(other) not in kept:
                        self._keep(other, old, kept)
            for place, other in nested:
                if id(other) not in kept and place < len(before) and id(other) not in compared:
                    compared.add(id(other))
                    self._compare(other, before[place], kept, compared)

    def _keep(self, row: Row, item: Row, kept: dict[int, Row]) -> None:
        trial = dict(kept)
        if _holds(self.objects, item) and self._equals(row, item, trial):
            kept.update(trial)

    def _equals(self, row: Row, item: Row, kept: dict[int, Row]) -> bool:
        if id(row) in kept:
            return kept[id(row)] is item
        if self.identity(row) is not None:
            return self._found(row) is item
        if (
            _holds(list(kept.values()), item)
            or (row.entity, row.values) != (item.entity, item.values)
            or repr(sorted(row.values.items())) != repr(sorted(item.values.items()))
            or row.links.keys() != item.links.keys()
        ):
            return False
        kept[id(row)] = item
        ends = [(_many(row.links[name]), _many(item.links[name])) for name in row.links]
        return all(
            len(own) == len(its)
            and all(self._equals(one, other, kept) for one, other in zip(own, its, strict=True))
            for own, its in ends
        )

    def _found(self, row: Row) -> Row | None:
        """Returns the object with the identity of a row."""
        identity = self.identity(row)
        for item in self.objects:
            its = self.identity(item)
            if item.entity == row.entity and type(its) is type(identity) and its == identity:
                return item
        return None

    def _object(self, row: Row) -> Row:
        """Returns the object of a row: the object with the row's identity, or a new one."""
        identity = self.identity(row)
        if identity is not None and (found := self._found(row)) is not None:
            return found
        item = Row(row.entity)
        if identity is not None:
            item.values[self.entities[row.entity]["identity"]] = identity
        self.objects.append(item)
        return item

    def identity(self, row: Row) -> JSON:
        return row.values.get(self.entities[row.entity].get("identity"))

    # Comparison

    def contents(self) -> Counter[str]:
        """Returns each object as text; objects without identity appear where they are linked, too.
        """
        return Counter(str(self._shown(item)) for item in self.objects)

    def _shown(self, item: Row) -> JSON:
        shown: dict[str, JSON] = {"": item.entity}
        shown.update((name, repr(value)) for name, value in item.values.items())
        for name, found in item.links.items():
            ends = [self._end_shown(other) for other in _many(found) if _holds(self.objects, other)]
            many = self.entities[item.entity]["relationships"][name]["many"]
            shown[name] = ends if many else _first(ends)
        return sorted(shown.items())

    def _end_shown(self, item: Row) -> JSON:
        identity = self.identity(item)
        return self._shown(item) if identity is None else repr(identity)


def _at(value: dict[str, JSON], source: str) -> JSON:
    """Returns the value at a key path: null below null, and nothing below a value that is not an
    object.
    """
    found: JSON = value
    for key in source.split("."):
        if found is None:
            return None
        if not isinstance(found, dict) or key not in found:
            return MISSING
        found = found[key]
    return found


def _fitting(value: JSON, kind: str, is_identity: bool) -> JSON:
    """Converts a value to its type; returns MISSING if it does not fit."""
    is_int = isinstance(value, int) and not isinstance(value, bool)
    if is_int and not -(2**63) <= value < 2**63 and kind != "json":
        return MISSING
    if is_identity and not isinstance(value, (str, float)) and not is_int:
        return MISSING
    if is_identity and kind == "int" and isinstance(value, str):
        number = _number(value)
        return MISSING if isinstance(number, str) else _fitting(number, "int", True)
    if is_identity and kind == "string" and isinstance(value, (int, float)):
        whole = _fitting(value, "int", True)
        return MISSING if whole is MISSING else str(whole)
    if kind == "int" and isinstance(value, float) and math.isfinite(value):
        return int(value) if value == int(value) and abs(value) < 2**63 else MISSING
    if kind == "double" and is_int:
        return float(value)
    if is_identity and isinstance(value, float):
        return MISSING
    fits = {
        "any": True,
        "json": True,
        "bool": isinstance(value, bool),
        "int": is_int,
        "double": isinstance(value, float),
        "string": isinstance(value, str),
    }
    return value if fits[kind] else MISSING


def _number(text: str) -> JSON:
    """Returns the number that a text represents, or the text itself."""
    if re.fullmatch(r"-?[0-9]+", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", text) else text


def _first(ends: list[JSON]) -> JSON:
    return ends[0] if ends else None


def _many(found: JSON) -> list[Row]:
    return found if isinstance(found, list) else [] if found is None else [found]


def _holds(rows: list[Row], row: Row) -> bool:
    return any(other is row for other in rows)


def _once(rows: list[Row]) -> list[Row]:
    kept: list[Row] = []
    for row in rows:
        if not _holds(kept, row):
            kept.append(row)
    return kept
