"""Random API documents with the shapes that hand-written clients need, answers that fit them, wrong
values at random places, and a naive model that says exactly what becomes of them.

The model uses no code of the library. Values, defaults and issues are decided where a value is
made, so that nothing has to be found out about it afterwards.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

JSON = Any
"""A value that `json.loads` returns."""

MISSING: JSON = object()
"""Stands for a value that an answer does not have, or that does not fit."""

_MOMENT = datetime(2024, 2, 29, 12, 45, 10, tzinfo=timezone.utc)
_DAY = datetime(1999, 12, 31, tzinfo=timezone.utc)

_SAME = ["", "text", "näh \U0001f600"]

Pairs = list[tuple[JSON, Any]]
"""Values of JSON with the values that objects have for them."""


def _same(*values: JSON) -> Pairs:
    return [(value, value) for value in values]


_FORMS: list[tuple[dict[str, JSON], Pairs, list[JSON]]] = [
    ({"type": "int"}, [(7, 7), (-1, -1), (2.0, 2)], ["x", 1.5, True, {}, [1]]),
    ({"type": "double"}, [(1, 1.0), (-0.5, -0.5)], ["x", False, {}]),
    ({"type": "bool"}, _same(True, False), [1, "true", []]),
    ({"type": "string"}, _same(*_SAME), [5, True, {}, [""]]),
    ({"type": "bytes"}, [("AP8=", b"\x00\xff"), ("", b"")], ["***", 5]),
    ({"type": "date"}, [("2024-02-29T12:45:10Z", _MOMENT)], ["yesterday", True, {}]),
    (
        {"type": "date", "format": ["iso8601", "epoch"]},
        [("2024-02-29T13:45:10+01:00", _MOMENT), (1709210710, _MOMENT)], ["soon", True, []],
    ),
    (
        {"type": "date", "format": ["dd/MM/yyyy", "iso8601"]},
        [("31/12/1999", _DAY), ("1999-12-31", _DAY)], ["31.12.1999", False],
    ),
    (
        {"type": "int", "transform": ["plain", "numberText"]},
        [(3, 3), ("4", 4)], ["four", True, {}],
    ),
    (
        {"type": "string", "values": ["S", "M"], "closed": True},
        _same("S", "M"), ["L", 1],
    ),
    ({"type": "string", "values": ["S", "M"]}, _same("S", "new"), [1, {}]),
    ({"type": "int", "values": [1, 2]}, _same(1, 9), ["1", {}]),
]  # fmt: skip
"""The forms of attributes, with values that fit and values that do not."""


@dataclass
class Attribute:
    """An attribute of an entity."""

    name: str
    written: dict[str, JSON]
    keys: list[str]
    fitting: Pairs
    wrong: list[JSON]
    wrapped: str = ""
    """`list` or `map` if it holds several values."""
    default: Any = MISSING
    constant: Any = MISSING


@dataclass
class Relationship:
    """A relationship of an entity."""

    name: str
    written: dict[str, JSON]
    targets: list[str]
    """The entities of its objects: the members of a union, or one."""


@dataclass
class Entity:
    """An entity; `parts` are the parts that it declares itself."""

    name: str
    base: Entity | None = None
    identity: str | None = None
    """The type of the identity of a base."""
    attributes: list[Attribute] = field(default_factory=list)
    relationships: list[Relationship] = field(default_factory=list)

    def chain(self) -> list[Entity]:
        """Returns the entity and all entities that it extends."""
        return [self, *(self.base.chain() if self.base is not None else [])]

    @property
    def root(self) -> Entity:
        """The base of the family."""
        return self.chain()[-1]


@dataclass(eq=False)
class Known:
    """An object of the model."""

    entity: str
    shapes: set[str] = field(default_factory=set)
    values: dict[str, Any] = field(default_factory=dict)
    links: dict[str, list[Known | None]] = field(default_factory=dict)
    """By relationship its objects; None is a gap."""


class Shapes:
    """A random document, the answers of its server, and the content of a store after them."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.entities: dict[str, Entity] = {}
        self._unions: dict[str, JSON] = {}
        self.objects: dict[tuple[str, JSON], Known] = {}
        self.issues: list[str] = []
        """The key paths of the issues of the last answer."""
        self._free: dict[str, list[JSON]] = {}
        self._families()
        self._order = self._random.sample(list(self.entities), len(self.entities))

    def document(self) -> dict[str, JSON]:
        """Returns the API document."""
        entities = {name: self._written(one) for name, one in self.entities.items()}
        return {
            "restway": 1, "entities": {name: entities[name] for name in self._order},
            "unions": self._unions,
        }  # fmt: skip

    def answer(self) -> tuple[str, JSON]:
        """Returns the entity and the body of an answer, and changes the objects as it does."""
        self.issues = []
        self._free = {name: self._identities(one) for name, one in self.entities.items()}
        named = [one for one in self.entities.values() if one.root.identity is not None]
        entity = self._random.choice(named)
        elements: list[JSON] = []
        for index in range(self._random.randint(1, 3)):
            if self._chance(0.1):
                elements.append(self._random.choice([5, "x", True, [], None]))
                if elements[-1] is not None:
                    self.issues.append(f"[{index}]")
            elif self._free[entity.root.name]:
                elements.append(self._object(entity, f"[{index}]")[0])
        return entity.name, elements

    def entity(self, known: Known) -> str:
        """Returns the entity of an object: of its shapes with the most bases, the first one in the
        document.
        """
        if not known.shapes:
            return known.entity
        depths = {name: len(self.entities[name].chain()) for name in known.shapes}
        return next(name for name in self._order if depths.get(name) == max(depths.values()))

    # The document

    def _families(self) -> None:
        # Relationships lead from families to later ones, so that every answer ends.
        for letter in "ABC":
            base = Entity(letter, None, self._random.choice(["int", "string"]))
            family = [base]
            for shape in range(self._random.randint(0, 3)):
                family.append(Entity(f"{letter}{shape}", self._random.choice(family)))
            for one in family:
                self.entities[one.name] = one
                for _ in range(self._random.randint(0, 3)):
                    one.attributes.append(self._attribute(f"{one.name}{len(one.attributes)}"))
        for name in ("Entry", "Seat"):
            one = self.entities[name] = Entity(name)
            one.attributes = [self._attribute(f"{name}{index}") for index in range(2)]
        number: dict[str, JSON] = {"type": "int"}
        self.entities["Seat"].attributes.append(Attribute("number", number, [], [], []))
        for one in self.entities.values():
            if one.root.identity is not None:
                for index in range(self._random.randint(0, 2)):
                    made = self._relationship(f"r{one.name}{index}", one)
                    if made is not None:
                        one.relationships.append(made)

    def _attribute(self, name: str) -> Attribute:
        form, fitting, wrong = self._random.choice(_FORMS)
        written = dict(form)
        keys = ["in", name] if self._chance(0.2) else [name]
        made = Attribute(name, written, keys, fitting, wrong)
        wrapped = self._random.choice(["", "", "list", "map"])
        if wrapped:
            made.wrapped = wrapped
            written["type"] = [form["type"]] if wrapped == "list" else {"*": form["type"]}
        elif self._chance(0.2) and form in ({"type": "string"}, {"type": "int"}):
            made.constant = written["constant"] = fitting[0][1]
        elif self._chance(0.4) and form["type"] in ("string", "int", "bool", "double"):
            made.default = written["default"] = fitting[-1][1]
        if keys != [name]:
            written["source"] = ".".join(keys)
        return made

    def _relationship(self, name: str, owner: Entity) -> Relationship | None:
        later = [
            one.name
            for one in self.entities.values()
            if one.root.identity is not None and one.root.name > owner.root.name
        ]
        kind = self._random.choice(["one", "many", "union", "map", "drop", "object", "gap"])
        if kind == "map":
            self.entities["Entry"].attributes[0] = Attribute("key", {"type": "string"}, [], [], [])
            return Relationship(name, {"entity": "Entry", "many": True, "map": "key"}, ["Entry"])
        if kind in ("drop", "object", "gap"):
            return Relationship(name, {"entity": "Seat", "many": True, "empty": kind}, ["Seat"])
        if not later:
            return None
        if kind != "union":
            target = self._random.choice(later)
            written = {"entity": target, **({"many": True} if kind == "many" else {})}
            return Relationship(name, written, [target])
        members = [self._random.choice([each for each in later if each[0] == letter])
                   for letter in sorted({each[0] for each in later})]  # fmt: skip
        union = f"U{name}"
        values = {f"is {member}": member for member in members}
        self._unions[union] = {
            "oneOf": members, "discriminator": {"keyPath": "is", "values": values},
        }  # fmt: skip
        many = {"many": True} if self._chance(0.5) else {}
        return Relationship(name, {"entity": union, **many}, members)

    def _written(self, one: Entity) -> dict[str, JSON]:
        attributes = {each.name: each.written for each in one.attributes}
        written: dict[str, JSON] = {"attributes": attributes}
        if one.base is not None:
            written["extends"] = one.base.name
        if one.identity is not None:
            written["identity"] = "id"
            attributes["id"] = {"type": one.identity}
        written["relationships"] = {each.name: each.written for each in one.relationships}
        return written

    # An answer

    def _object(self, entity: Entity, place: str) -> tuple[JSON, Known]:
        """Returns a new object of an answer, and the object of the store that it changes."""
        value: dict[str, JSON] = {}
        known = self._row(entity, value)
        parts = [(each, part) for each in entity.chain() for part in each.attributes]
        for _, attribute in parts:
            self._put(attribute, value, known, place)
        for each in entity.chain():
            for relationship in each.relationships:
                if self._chance(0.6):
                    self._link(relationship, value, known, f"{place}.{relationship.name}")
        if entity.name == "Seat":  # an object without any known value would be no object
            value["number"] = known.values["number"] = 7
        return value, known

    def _row(self, entity: Entity, value: dict[str, JSON]) -> Known:
        if entity.root.identity is None:
            return Known(entity.name)
        identity = value["id"] = self._free[entity.root.name].pop()
        return self._find(entity, identity)

    def _find(self, entity: Entity, identity: JSON) -> Known:
        known = self.objects.setdefault((entity.root.name, identity), Known(entity.root.name))
        known.values["id"] = identity
        known.shapes |= {each.name for each in entity.chain()}
        return known

    def _put(
        self, attribute: Attribute, value: dict[str, JSON], known: Known, place: str
    ) -> None:
        """Gives an attribute of an object a value or none, and says what becomes of it."""
        if not attribute.keys:  # the key of an entry, or the number of a seat
            return
        found, expected = MISSING, MISSING
        where = ".".join([place, *attribute.keys]).lstrip(".")
        if self._chance(0.8):
            found, expected = self._value(attribute, where)
            _nest(value, attribute.keys, found)
        name = attribute.name
        if attribute.constant is not MISSING:
            if found is not MISSING and expected != attribute.constant:
                self._add_once(where)
            known.values[name] = attribute.constant
        elif expected is not MISSING:
            known.values[name] = expected
        elif attribute.default is not MISSING:
            known.values.setdefault(name, attribute.default)

    def _add_once(self, where: str) -> None:
        if where not in self.issues:
            self.issues.append(where)

    def _value(self, attribute: Attribute, where: str) -> tuple[JSON, Any]:
        """Returns a value of JSON, and the value of the object; MISSING if it does not fit."""
        if self._chance(0.1):
            return None, None
        if not attribute.wrapped:
            return self._single(attribute, where)
        if self._chance(0.1):
            self.issues.append(where)
            return self._random.choice(["x", 5, {} if attribute.wrapped == "list" else []]), MISSING
        count = self._random.randint(0, 3)
        pairs: list[tuple[JSON, Any]] = []
        for index in range(count):
            if self._chance(0.1):
                pairs.append((None, None))
            else:
                inner = f"{where}[{index}]" if attribute.wrapped == "list" else where
                pairs.append(self._single(attribute, inner))
        kept = [(index, one) for index, (_, one) in enumerate(pairs) if one is not MISSING]
        if attribute.wrapped == "list":
            expected: Any = [one for _, one in kept]
            found: JSON = [one for one, _ in pairs]
        else:
            expected = {f"k{index}": one for index, one in kept}
            found = {f"k{index}": one for index, (one, _) in enumerate(pairs)}
        return found, MISSING if pairs and not kept else expected

    def _single(self, attribute: Attribute, where: str) -> tuple[JSON, Any]:
        if self._chance(0.15):
            self.issues.append(where)
            return self._random.choice(attribute.wrong), MISSING
        return self._random.choice(attribute.fitting)

    def _link(
        self, one: Relationship, value: dict[str, JSON], known: Known, place: str
    ) -> None:
        """Gives a relationship of an object a value, and links what it leads to."""
        if self._chance(0.1):
            value[one.name] = None
            known.links[one.name] = []
        elif self._chance(0.1):
            value[one.name] = [1] if "map" in one.written else True
            self.issues.append(place)
        elif "map" in one.written:
            self._link_map(one, value, known, place)
        elif "many" in one.written:
            self._link_many(one, value, known, place)
        else:
            found, end = self._end(one, place)
            value[one.name] = found
            if found == {}:
                known.links[one.name] = []
            elif end is not None:
                known.links[one.name] = [end]

    def _link_map(
        self, one: Relationship, value: dict[str, JSON], known: Known, place: str
    ) -> None:
        entries: dict[str, JSON] = {}
        ends: list[Known | None] = []
        for key in self._random.sample(["k", "l.m", "ü", "z"], self._random.randint(0, 3)):
            if self._chance(0.15):
                entries[key] = None
                continue
            entries[key], end = self._object(self.entities["Entry"], f"{place}.{key}")
            end.values["key"] = key
            ends.append(end)
        value[one.name], known.links[one.name] = entries, ends

    def _link_many(
        self, one: Relationship, value: dict[str, JSON], known: Known, place: str
    ) -> None:
        elements: list[JSON] = []
        ends: list[Known | None] = []
        is_wrong = False
        for index in range(self._random.randint(0, 3)):
            if self._chance(0.2):
                elements.append(self._random.choice([None, {}]))
                if one.written.get("empty") == "object":
                    ends.append(self._empty(self.entities["Seat"]))
                elif one.written.get("empty") == "gap":
                    ends.append(None)
                continue
            found, end = self._end(one, f"{place}[{index}]")
            elements.append(found)
            if end is not None:
                ends.append(end)
            elif found != {}:
                is_wrong = True
        value[one.name] = elements
        if ends or not is_wrong:
            known.links[one.name] = ends

    def _empty(self, entity: Entity) -> Known:
        known = Known(entity.name)
        for one in entity.attributes:
            given = one.constant if one.constant is not MISSING else one.default
            if given is not MISSING:
                known.values[one.name] = given
        return known

    def _end(self, one: Relationship, place: str) -> tuple[JSON, Known | None]:
        """Returns a value that stands for an object, and the object; None if it does not fit."""
        entity = self.entities[self._random.choice(one.targets)]
        is_union = "U" in str(one.written["entity"])
        free = self._free.get(entity.root.name, []) if entity.root.identity else [0]
        if self._chance(0.15) or not free:
            self.issues.append(place)
            return True, None
        if is_union and self._chance(0.15):
            self.issues.append(place)
            return {"is": "unknown", "id": free[-1]}, None
        if not is_union and entity.root.identity is not None and self._chance(0.3):
            identity = free.pop()
            return identity, self._find(entity, identity)
        value, known = self._object(entity, place)
        if is_union:
            value["is"] = f"is {entity.name}"
        return value, known

    def _identities(self, entity: Entity) -> list[JSON]:
        """Returns the identities that objects of an answer may have, each once."""
        identities: list[JSON] = [1, 2, 3, 4]
        self._random.shuffle(identities)
        return [str(one) for one in identities] if entity.root.identity == "string" else identities

    def _chance(self, share: float) -> bool:
        return self._random.random() < share


def _nest(value: dict[str, JSON], keys: list[str], inner: JSON) -> None:
    for key in keys[:-1]:
        value = value.setdefault(key, {})
    value[keys[-1]] = inner
