"""Where values come from: objects of the library, as dicts. The walk sees nothing else of them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, get_args

from .. import _ffi as native
from .._enums import ValueKind
from .._ffi.conversion import decode
from .fields import Mismatch
from .walk import OfEntity, is_mapping, kind_of, members

if TYPE_CHECKING:
    from .._reading.whole import WholeObject


class Shape:
    """The parts of an object that are read: the attributes and relationships for which a class has
    fields.
    """

    def __init__(self) -> None:
        self.parts: dict[str, Shape | None] = {}
        """The names that are read, and the shape of the objects to which they lead, if any."""
        self.dates: set[str] = set()
        """The attributes that are dates without a time."""
        self.nullable: set[str] = set()
        """The names that are None if the object has not received them."""
        self.maps: set[str] = set()
        """The names whose fields are mappings."""
        self.takes_rest = False
        """Whether all other attributes are read, too."""
        self.names_entities = False
        """Whether the objects may be of several classes, so that their entities are read, too."""
        self.rest: str | None = None
        """The name under which the other attributes stand, as a dict; None: beside the others."""


@lru_cache(maxsize=1024)
def shape_of(annotation: Any, rest: str | None) -> Shape | None:
    """Returns the shape of the classes in a type, such as `Issue` in `list[Issue]`; None if it has
    none.

    Args:
        rest: The name in the document of the field that takes unknown attributes.
    """
    made: dict[type, Shape] = {}
    return _shape(annotation, rest, made)


def _shape(annotation: Any, rest: str | None, made: dict[type, Shape]) -> Shape | None:
    classes = list(_classes(annotation))
    if len(classes) == 1:
        return _shape_of_class(classes[0], rest, made)
    if not classes:
        return None
    joined = Shape()
    joined.names_entities = True
    for each in classes:  # the walk finds out which of them fits
        shape = _shape_of_class(each, rest, made)
        joined.parts.update(shape.parts)
        joined.dates |= shape.dates
        joined.nullable |= shape.nullable
        joined.maps |= shape.maps
        joined.takes_rest |= shape.takes_rest
        joined.rest = joined.rest or shape.rest
    return joined


def _classes(annotation: Any) -> Iterable[type]:
    for member in members(annotation):
        if kind_of(member) is not None:
            yield member
        else:
            for argument in get_args(member):
                yield from _classes(argument)


def _shape_of_class(of: type, rest: str | None, made: dict[type, Shape]) -> Shape:
    if of in made:  # the class contains itself
        return made[of]
    shape = made[of] = Shape()
    kind = kind_of(of)
    assert kind is not None
    shape.takes_rest = kind.wants_all(of)
    for field in kind.fields(of):
        if field.name == rest:
            shape.takes_rest, shape.rest = True, rest
            continue
        types = members(field.type)
        shape.parts[field.name] = _shape(field.type, rest, made)
        if date in types and datetime not in types:
            shape.dates.add(field.name)
        if any(is_mapping(each) for each in types):
            shape.maps.add(field.name)
        if type(None) in types and field.is_required:
            shape.nullable.add(field.name)
    return shape


def read_object(item: WholeObject, shape: Shape, depth: int | None) -> dict[str, Any]:
    """Reads an object as a dict, with the objects to which its relationships lead inside it.

    Args:
        depth: How many relationships are followed, one behind the other. A relationship that lies
            deeper is missing in the dict, as is one that was not received. None follows all of
            them, but for a relationship to one that leads back to an object outside.

    Raises Mismatch if, without a depth, objects nest too deeply, or a relationship to many leads
    back to an object outside.
    """
    return _read(item, shape, depth, ())


def _read(
    item: WholeObject, shape: Shape, depth: int | None, outside: tuple[int, ...]
) -> dict[str, Any]:
    """Reads an object. `outside` has the store keys of the objects in which it is, if there is no
    depth.
    """
    known, cells = item._known(), item._read()
    found: dict[str, Any] = {}
    for name, part in shape.parts.items():
        position = known.positions.get(name)
        if position is not None:
            cell = native.cell_at(cells, position)
            if cell[0] != ValueKind.ABSENT:
                value = decode(cell, item._object_at, name)
                convert = known.converters.get(name)
                if convert is not None and value is not None:
                    value = convert(value)
                is_date = name in shape.dates and isinstance(value, datetime)
                found[name] = value.date() if is_date else value
        elif depth != 0 and name in known.relationships and name in item:
            try:
                linked = _linked(item, name, part or _WHOLE, depth, outside)
            except Mismatch as mismatch:
                mismatch.within(name)
                raise
            if linked is not _OUTSIDE:
                is_map = name in shape.maps and known.relationships[name]
                found[name] = _keyed(item, name, linked) if is_map else linked
        if name in shape.nullable:
            found.setdefault(name, None)
    if shape.takes_rest:
        others = {name: item[name] for name in item if name not in shape.parts}
        found.update(others if shape.rest is None else {shape.rest: others})
    if shape.names_entities:
        named = OfEntity(found)
        named.entity, named.is_a = item.entity, item.is_a
        return named
    return found


def _linked(
    item: WholeObject, name: str, shape: Shape, depth: int | None, outside: tuple[int, ...]
) -> Any:
    """Reads the objects to which a relationship leads, one or many."""
    linked = item[name]
    if linked is None:
        return None
    if depth is None:
        outside = (*outside, item.store_key)
    else:
        depth -= 1
    is_one = hasattr(linked, "entity")
    objects = [linked] if is_one else linked
    if outside and any(each.store_key in outside for each in objects):
        if is_one:
            return _OUTSIDE
        raise Mismatch("the list has an object that it is in; depth=... ends the circle")
    if len(outside) > _NESTING_MAX:
        raise Mismatch(f"the objects nest deeper than {_NESTING_MAX}; depth=... ends the reading")
    if is_one:
        return _read(linked, shape, depth, outside)
    return [_read(each, shape, depth, outside) for each in linked]


def _keyed(item: WholeObject, relationship: str, linked: list[Any]) -> Any:
    """Returns linked objects by their keys, if the document says that they are a map."""
    objects = item.related(relationship)
    key = item._layouts.key_of(item.entity, relationship)
    if key is None:
        return linked
    return {each[key]: values for each, values in zip(objects, linked)}


_NESTING_MAX = 64
"""How deep objects nest at most if a program gives no depth."""

_OUTSIDE = object()
"""Stands for an object that is not read because it is outside of the one that leads to it."""

_WHOLE = Shape()
"""The shape of linked objects whose field has no class: all attributes."""
_WHOLE.takes_rest = True
