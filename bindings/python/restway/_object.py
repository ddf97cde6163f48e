"""Objects, which are immutable snapshots of entity instances, and sequences of objects."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any, Union, overload

from . import _ffi as native
from ._base.hints import Hinting, Unchangeable, no_attribute, object_text, position, require
from ._enums import ValueKind
from ._ffi.conversion import decode
from ._handles import check, make
from ._handles import name as name_bytes
from ._reading.layout import Layout
from ._reading.layout import Layouts as Layouts
from ._reading.rows import Row, first_row, list_rows, related_row
from ._reading.shapes import Converter, converters_of
from ._reading.whole import WholeObject, WholeObjects
from ._values import ReadsInto

Identity = Union[int, str, tuple[Union[int, str], ...], None]
"""The identity of an object within its entity, a tuple if it has several parts; None if it has no
identity.
"""


_new = object.__new__


class Object(Unchangeable, WholeObject):
    """A snapshot of one instance of an entity.

    It is immutable and usable from any thread. It outlives its client, whose store it keeps alive.

    The attributes of the entity are read by name (`enterprise.name`) or by key
    (`enterprise["name"]`), which also reaches those that share their name with a member of this
    class. An attribute that has never been received is None, and not `in` the object.

    | the attribute holds | Python gives |
    | --- | --- |
    | null, or nothing yet | None |
    | bool, integer, real, string, bytes | bool, int, float, str, bytes |
    | date | datetime, aware, in UTC; at both ends of Python's years with another offset |
    | a date that Python cannot hold (of the year 0) | None |
    | JSON | dict, list, ...: a new one at each reading |
    | a list or a map of values | list, dict: a new one at each reading |

    The relationships of the entity are read in the same way: a relationship to many gives a
    sequence of objects, a relationship to one gives an object or None. They lead to the newest
    snapshots in the store, without deleted objects; every read asks the store again.

    Two snapshots are equal if they are of one entity, and their identity, all attributes and all
    relationships are the same; equal snapshots have the same hash. A snapshot never changes, and
    neither does its hash. `same_as` asks whether two snapshots, an older and a newer one perhaps,
    show the same instance.
    """

    __slots__ = ("__weakref__", "_cells", "_handle", "_layout", "_layouts")

    _handle: native.ObjectHandle
    _layouts: Layouts
    _layout: Layout | None
    _cells: bytearray | None

    def __new__(cls, handle: native.ObjectHandle, layouts: Layouts) -> Object:
        """For this package: clients and stores make objects. `handle` is owned."""
        made = _new(_Unguarded)
        made._handle = handle
        made._layouts = layouts
        made._layout = made._cells = None
        made.__class__ = cls  # type: ignore[assignment]  # from here on it refuses changes
        return made

    @classmethod
    def retained(cls, handle: native.ObjectHandle | int, layouts: Layouts) -> Object:
        """For this package: returns an Object for a borrowed handle or its address."""
        return cls(native.own(native.lib.restway_object_retain(handle)), layouts)

    @property
    def entity(self) -> str:
        """The name of the object's entity."""
        return native.borrowed(native.lib.restway_object_entity(self._handle)) or ""

    def is_a(self, entity: str) -> bool:
        """Returns whether `entity`, or an entity that extends it, has brought the object.

            object.is_a("Enterprise")

        Several entities may describe one object, of which `entity` is the most specific one.
        """
        return bool(native.lib.restway_object_is_a(self._handle, name_bytes(entity)))

    @property
    def identity(self) -> Identity:
        """The identity of the object within its entity, or None.

            issue.identity  # ("octocat", "hello", 7), if the document names three attributes
        """
        value = native.values(1)
        check(native.lib.restway_object_identity, self._handle, value)
        identity = decode(native.cells(value)[0], self._object_at)
        return tuple(identity) if isinstance(identity, list) else identity

    @property
    def is_loaded(self) -> bool:
        """Whether an answer or a draft has brought the object, whatever values it has.

        It is False for an object that is known by its identity alone, because only links of other
        objects have named it. Lists, counts and queries leave such objects out, see
        `Query.unloaded`; relationships and `Store.find` give them:

            if issue.author and not issue.author.is_loaded:
                client.get("/users/:id", object=issue.author)
        """
        return bool(native.lib.restway_object_is_loaded(self._handle))

    @property
    def store_key(self) -> int:
        """The store key, a number that the store gave to the instance: positive, never reused.

        An object that no store keeps (`"keep": false` in the API document) has a number, too, which
        leads to nothing in a store.
        """
        key: int = native.lib.restway_object_store_key(self._handle)
        return key

    def same_as(self, other: Object) -> bool:
        """Returns whether both are snapshots of the same instance: of one entity, with one store
        key.

        The answer is the same before and after the instance gets its identity:

            draft = client.draft("Enterprise", name="Acme")
            before = draft.insert()
            after = client.post(draft).object
            assert after.same_as(before) and after != before
        """
        handle = require(other, Object)._handle
        return bool(native.lib.restway_object_is_same(self._handle, handle))

    def attributes(self) -> dict[str, Any]:
        """Returns the attributes that have been received, including null ones, in the document's
        order.
        """
        return {name: self[name] for name in self}

    def keys(self) -> list[str]:
        """Returns the names of the attributes that have been received, in the document's order."""
        return list(self)

    def relationships(self) -> list[str]:
        """Returns the names of the entity's relationships, in the document's order."""
        return list(self._known().relationships)

    def related(self, relationship: str) -> Objects:
        """Returns the objects that a relationship leads to, whether it leads to one or to many.

        Raises UnknownAttributeError.
        """
        handle = make(
            native.ListHandle,
            native.lib.restway_store_related,
            self._layouts.store,
            self._handle,
            name_bytes(relationship),
        )
        return Objects(handle, None, self._layouts)

    def related_keys(self, relationship: str) -> list[int] | None:
        """Returns the store keys of the objects that a relationship of this snapshot leads to. The
        key 0 is a gap.

        The result is None if the relationship has never been received, and an empty list if it is
        null or empty. Raises UnknownAttributeError.
        """
        kind, keys, count = native.kind_out(), native.keys_out(), native.number()
        check(
            native.lib.restway_object_related_keys,
            self._handle,
            name_bytes(relationship),
            native.ref(kind),
            native.ref(keys),
            native.ref(count),
        )
        return None if kind.value == ValueKind.ABSENT else keys[: count.value]

    def places(self, relationship: str) -> list[Object | None]:
        """Returns the objects that a relationship leads to, each in its place.

        A gap of a relationship with `"empty": "gap"` is None, and so is an object that the store
        no longer has. Raises UnknownAttributeError.

            [member and member.name for member in team.places("members")]  # ["Ann", None, "Bob"]
        """
        keys, found = self.related_keys(relationship) or [], list(self.related(relationship))
        if len(found) == len(keys) - keys.count(0):
            rest = iter(found)  # some of the objects may have a newer key
            return [next(rest) if key else None for key in keys]
        by_key = {related.store_key: related for related in found}
        return [by_key.get(key) for key in keys]

    def get(self, name: str, default: Any = None) -> Any:
        """Returns the attribute or relationship `name`; `default` if it has not been received or
        does not exist.
        """
        if name not in self:
            return default
        return self[name]

    def __getitem__(self, name: str) -> Any:
        """Returns the attribute or relationship `name`, None if it is absent; raises KeyError if
        the entity has no attribute or relationship of this name.

        Raises MappingError if Python cannot hold the value (a date after the year 9999).
        """
        position = self._known().positions.get(name)
        if position is None:
            if name in self._known().relationships:
                return self._followed(name)
            raise KeyError(self._no_attribute(name))
        return self._value(position, name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"Object has no attribute {name!r}")
        position = self._known().positions.get(name)
        if position is None:
            if name in self._known().relationships:
                return self._followed(name)
            raise AttributeError(self._no_attribute(name, Object))
        return self._value(position, name)

    def _value(self, position: int, name: str) -> Any:
        value = decode(native.cell_at(self._read(), position), self._object_at, name)
        convert = self._known().converters.get(name)
        return value if convert is None else convert(value)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        position = self._known().positions.get(name)
        if position is not None:
            return native.cell_at(self._read(), position)[0] != ValueKind.ABSENT
        return name in self._known().relationships and self.related_keys(name) is not None

    def __iter__(self) -> Iterator[str]:
        pairs = zip(self._known().names, native.cells(self._read()))
        return iter([name for name, cell in pairs if cell[0] != ValueKind.ABSENT])

    def _no_attribute(self, name: object, of: type | None = None) -> str:
        return no_attribute(self.entity, name, [*self._known().names, *self.relationships()], of)

    def __dir__(self) -> list[str]:
        known = self._known()
        return sorted({*super().__dir__(), *known.names, *known.relationships})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Object):
            return NotImplemented
        return bool(native.lib.restway_object_is_equal(self._handle, other._handle))

    def __hash__(self) -> int:
        number: int = native.lib.restway_object_hash(self._handle)
        return hash(number)

    def __repr__(self) -> str:
        return object_text(self)

    def __copy__(self) -> Object:
        return self

    def __deepcopy__(self, _: object) -> Object:
        return self

    def _object_at(self, address: int) -> Object:
        return Object.retained(address, self._layouts)

    def _followed(self, relationship: str) -> Objects | Object | None:
        """Returns the objects of a relationship that exists."""
        relationships = self._known().relationships
        if relationships[relationship]:
            return self.related(relationship)
        return self._one(native.size(list(relationships).index(relationship)))

    def _one(self, index: Any) -> Object | None:
        """Returns the object of a relationship to one; `index` is a `native.size`."""
        row = related_row(self._layouts, self._handle, index)
        return _made(row, self._layouts) if row else None

    def _known(self) -> Layout:
        layout = self._layout
        if layout is None:
            entity = native.lib.restway_object_entity(self._handle)
            layout = self._layouts.get(entity)
            if layout is None:
                layout = self._layouts[entity] = _layout_of(self._handle)
            _set_layout(self, layout)
        return layout

    def _read(self) -> bytearray:
        """Reads all values at once; they borrow from the handle, which lives as long as this
        object.
        """
        read = self._cells
        if read is None:
            count = len(self._known().names)
            buffer = native.values(count)
            check(native.lib.restway_object_read, self._handle, None, count, buffer)
            read = bytearray(buffer)
            _set_cells(self, read)
        return read


class _Unguarded(Object):
    """An object whose fields are being set. Its class is changed to `Object` or to a `Layout.kind`
    afterwards.
    """

    __slots__ = ()

    # Python sets fields directly only if both functions are those of `object`.
    __setattr__ = object.__setattr__
    __delattr__ = object.__delattr__


_set_layout: Any = vars(Object)["_layout"].__set__
_set_cells: Any = vars(Object)["_cells"].__set__


def first_object(response: native.ResponseHandle, layouts: Layouts) -> Object | None:
    """For this package: returns the first object of a response with its values, in one call."""
    row = first_row(response, layouts)
    return _made(row, layouts) if row else None


def _made(row: Row, layouts: Layouts) -> Object:
    handle, layout, cells = row
    if layout is None:
        return Object(handle, layouts)
    made = _new(_Unguarded)  # this is faster than `Object(handle, layouts)`
    made._handle = handle
    made._layouts = layouts
    made._layout = layout
    made._cells = cells
    made.__class__ = layout.kind
    return made


def _layout_of(handle: native.ObjectHandle) -> Layout:
    lib = native.lib
    names = _names(handle, lib.restway_object_attribute_count, lib.restway_object_attribute_name)
    relationships = _names(
        handle, lib.restway_object_relationship_count, lib.restway_object_relationship_name
    )
    are_many = {
        name: bool(lib.restway_object_relationship_is_many(handle, index))
        for index, name in enumerate(relationships)
    }
    converters = converters_of(handle, names)
    return Layout(names, are_many, converters, _kind_of(names, are_many, converters))


def _kind_of(
    names: tuple[str, ...], relationships: dict[str, bool], converters: dict[str, Converter]
) -> type[Object]:
    """Makes a class with a property for each attribute and relationship, which is faster than
    `__getattr__`.
    """
    properties = {
        name: _relationship(name, index, is_many)
        for index, (name, is_many) in enumerate(relationships.items())
    }
    for place, name in enumerate(names):
        attribute = _converted if name in converters else _attribute
        properties[name] = attribute(name, place)
    free = {
        name: made
        for name, made in properties.items()
        if not (name.startswith("__") or hasattr(Object, name))
    }
    return type(Object.__name__, (Object,), {"__slots__": (), **free})


def _relationship(name: str, index: int, is_many: bool) -> property:
    if is_many:
        return property(lambda self: self.related(name))
    place = native.size(index)

    def one(self: Object) -> Object | None:  # `_one` does this, too, with one more call
        row = related_row(self._layouts, self._handle, place)
        return _made(row, self._layouts) if row else None

    return property(one)


def _converted(name: str, position: int) -> property:
    return property(lambda self: self._value(position, name))


def _attribute(name: str, position: int) -> property:
    offset, cell_in, text_at = position * native.CELL.size, native.cell_in, native.text_at
    string, int64 = int(ValueKind.STRING), int(ValueKind.INT64)

    def value(self: Object) -> Any:
        cells = self._cells
        cell = cell_in(self._read() if cells is None else cells, offset)
        kind, length, word = cell
        # `decode` does this, too; most attributes need nothing else.
        if kind == string:
            return text_at(word, length)
        if kind == int64:
            return word
        return decode(cell, self._object_at, name)

    return property(value)


def _names(handle: native.ObjectHandle, count: Any, name_at: Any) -> tuple[str, ...]:
    return tuple(native.borrowed(name_at(handle, index)) or "" for index in range(count(handle)))


_ROWS_AT_ONCE = 1024
"""How many objects an iteration reads in one call at most."""

_ROWS_AT_FIRST = 64
"""How many objects an iteration reads in its first call. Each call reads twice as many."""


class Objects(Hinting, WholeObjects, ReadsInto, Sequence[Object]):
    """The objects of a response, a relationship or a query, in their order.

    An `Object` is made when it is read from the sequence. A sequence equals another one, or a list,
    that has equal objects in the same order.
    """

    __slots__ = ("_handle", "_layouts", "_range")

    def __init__(self, handle: native.ListHandle, span: range | None, layouts: Layouts) -> None:
        """For this package. `handle` is owned; `span` has indices in it, None takes all."""
        self._handle = handle
        self._range = range(native.lib.restway_list_count(handle)) if span is None else span
        self._layouts = layouts

    def values(self, *names: str) -> Iterator[tuple[Any, ...]]:
        """Returns the attributes `names` of each object as tuples; all attributes if no name is
        given.

        This is faster than reading the objects one by one: no `Object` is made, and many are read
        in one call, unless the objects are of entities that have nothing in common. Raises
        UnknownAttributeError at once.
        """
        from ._reading.tuples import tuples

        return tuples(self, names)

    @overload
    def __getitem__(self, index: int) -> Object: ...
    @overload
    def __getitem__(self, index: slice) -> Objects: ...
    def __getitem__(self, index: int | slice) -> Object | Objects:
        if isinstance(index, slice):
            return Objects(self._handle, self._range[index], self._layouts)
        return self._at(self._range[position(index, len(self._range), "objects")])

    def _at(self, place: int) -> Object:
        handle = native.lib.restway_list_object(self._handle, place)
        return Object.retained(handle, self._layouts)

    def __len__(self) -> int:
        return len(self._range)

    def __iter__(self) -> Iterator[Object]:
        if abs(self._range.step) != 1:
            yield from (self[index] for index in range(len(self)))
            return
        start, at_once = 0, _ROWS_AT_FIRST
        while start < len(self._range):
            span = self._range[start : start + at_once]
            capacity = len(self[start]._known().names)
            rows = list_rows(self._handle, min(span), len(span), capacity, self._layouts)
            for row in rows[:: span.step]:
                yield _made(row, self._layouts)
            start, at_once = start + len(span), min(2 * at_once, _ROWS_AT_ONCE)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Objects, list)):
            return NotImplemented
        return len(self) == len(other) and all(map(operator.eq, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        shown = ", ".join(repr(item) for item in self[:3])
        return f"<Objects {len(self)}: [{shown}{', …' if len(self) > 3 else ''}]>"
