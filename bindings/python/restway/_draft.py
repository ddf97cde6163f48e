"""Drafts: mutable copies of objects, or new objects, made to be sent."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timezone
from typing import Any, NoReturn, Union

from . import _ffi as native
from ._base.hints import no_attribute, not_pickled
from ._exceptions import UsageError
from ._ffi.conversion import encode, is_beyond_64_bits, number_of
from ._handles import check, make
from ._handles import name as name_bytes
from ._object import Layouts, Object, Objects
from ._reading.shapes import given

Linked = Union[Object, "Draft"]
"""The types that a relationship of a draft may lead to."""


class Draft:
    """A mutable copy of an object, or a new object, made to be sent.

        draft = client.draft("Enterprise", name="Acme")
        draft.city = "Lyon"
        draft.add("employees", person)
        enterprise = client.post(draft).objects[0]

    It is usable from any thread: a thread that reads or sends it never sees half of a change. An
    attribute or relationship has the value that was last set, otherwise the value of the object
    that the draft was made from. Attributes and relationships are read and set by name
    (`draft.name`) or by key (`draft["name"]`), which also reaches those that share their name with
    a member of this class. `del` removes one from the draft: it is not sent, and the store keeps
    its value. A `date` is midnight in UTC for an attribute of type date, and text for any other.

    Setting raises AttributeError (KeyError by key) for a name that the entity does not have, and
    UsageError for a value that does not fit. Once a server has accepted the draft, it is a draft of
    the object in the answer.
    """

    __slots__ = ("__weakref__", "_handle", "_layouts")

    _handle: native.DraftHandle
    _layouts: Layouts

    def __init__(self, handle: native.DraftHandle, layouts: Layouts) -> None:
        """For this package: clients make drafts. `handle` is owned."""
        object.__setattr__(self, "_handle", handle)
        object.__setattr__(self, "_layouts", layouts)

    @property
    def entity(self) -> str:
        """The name of the entity."""
        return native.borrowed(native.lib.restway_draft_entity(self._handle)) or ""

    @property
    def store_key(self) -> int:
        """The store key of the draft's object; 0 as long as the object is in no store."""
        key: int = native.lib.restway_draft_store_key(self._handle)
        return key

    @property
    def changed(self) -> list[str]:
        """The changed attributes and relationships: those that were set and differ from the object
        that the draft was made from, in the order of the document; in a draft of a new object, all
        that were set.
        """
        count = native.number()
        function = native.lib.restway_draft_changes
        capacity = 16
        while True:
            names = native.texts_out(capacity)
            check(function, self._handle, names, capacity, native.ref(count))
            if count.value <= capacity:
                return [native.borrowed(names[index]) or "" for index in range(count.value)]
            capacity = count.value

    def update(self, **values: Any) -> None:
        """Sets several attributes and relationships, one after the other."""
        for key, value in values.items():
            self[key] = value

    def add(self, name: str, *targets: Any) -> None:
        """Adds objects or drafts to a relationship, or values to an attribute that is a list. A
        relationship to one then leads to the last of them.

        A draft stands for its object. Raises UnknownAttributeError, UsageError (another entity,
        another store, a value that does not fit).
        """
        lib = native.lib
        if name in self._known_positions() and not _have_objects(targets):
            self._change(lib.restway_draft_add_value, name, targets)
        else:
            self._link(lib.restway_draft_add, lib.restway_draft_add_draft, name, targets)

    def remove(self, name: str, *targets: Any) -> None:
        """Removes objects or drafts from a relationship, or all elements that equal the values from
        an attribute that is a list; raises as `add` does.
        """
        lib = native.lib
        if name in self._known_positions() and not _have_objects(targets):
            self._change(lib.restway_draft_remove_value, name, targets)
        else:
            self._link(lib.restway_draft_remove, lib.restway_draft_remove_draft, name, targets)

    def revert(self, *names: str) -> None:
        """Undoes the changes of these attributes and relationships, or all changes.

        Raises UnknownAttributeError.
        """
        if not names:
            check(native.lib.restway_draft_revert, self._handle, None)
        for text in names:
            check(native.lib.restway_draft_revert, self._handle, name_bytes(text))

    def snapshot(self) -> Object:
        """Returns an object with the present values of the draft. Links to drafts whose object is
        in no store are left out.
        """
        function = native.lib.restway_draft_snapshot
        return Object(make(native.ObjectHandle, function, self._handle), self._layouts)

    def insert(self) -> Object:
        """Puts the draft, and the drafts that its relationships lead to, into the store; returns
        the stored object.

        A new object becomes an unsent object; for an existing object the changes are stored. The
        draft still counts as changed, as no server has received it. Raises NoObjectError (the
        object has been deleted), StoreError.
        """
        function = native.lib.restway_draft_insert
        return Object(make(native.ObjectHandle, function, self._handle), self._layouts)

    def __getitem__(self, key: str) -> Any:
        return self.snapshot()[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._known(key)
        if isinstance(value, Draft):
            value = [value]
        if isinstance(value, (list, tuple, Objects)) and key in self._relationships():
            self._lead(key, list(value))
            return
        set_value(native.lib.restway_draft_set, self._handle, self.snapshot(), key, value)

    def _known_positions(self) -> dict[str, int]:
        return self.snapshot()._known().positions

    def _change(self, function: Any, attribute: str, values: tuple[Any, ...]) -> None:
        for value in values:
            check(function, self._handle, name_bytes(attribute), native.ref(encode(value)))

    def __delitem__(self, key: str) -> None:
        self._known(key)
        check(native.lib.restway_draft_unset, self._handle, name_bytes(key))

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__"):
            raise AttributeError(f"Draft has no attribute {key!r}")
        return getattr(self.snapshot(), key) if self._has(key) else self._missing(key)

    def __setattr__(self, key: str, value: Any) -> None:
        if not self._has(key):
            self._missing(key)
        self[key] = value

    def __delattr__(self, key: str) -> None:
        if not self._has(key):
            self._missing(key)
        del self[key]

    def __contains__(self, key: object) -> bool:
        return key in self.snapshot()

    def __iter__(self) -> Iterator[str]:
        return iter(self.snapshot())

    def __dir__(self) -> list[str]:
        snapshot = self.snapshot()._known()
        return sorted({*super().__dir__(), *snapshot.names, *snapshot.relationships})

    def __repr__(self) -> str:
        return f"<Draft of {repr(self.snapshot())[1:]}"

    def __reduce__(self) -> Any:
        raise not_pickled(Draft)

    def _lead(self, relationship: str, targets: list[Linked]) -> None:
        """Sets a whole relationship in one step, so that no other thread sees a part of it."""
        for target in targets:
            _require_linked(target)
        objects = [target._handle if isinstance(target, Object) else None for target in targets]
        drafts = [target._handle if isinstance(target, Draft) else None for target in targets]
        check(
            native.lib.restway_draft_relate,
            self._handle,
            name_bytes(relationship),
            native.handle_array(native.ObjectHandle, objects),
            native.handle_array(native.DraftHandle, drafts),
            len(targets),
        )

    def _link(
        self, add_object: Any, add_draft: Any, relationship: str, targets: tuple[Linked, ...]
    ) -> None:
        for target in targets:
            if isinstance(target, Draft):
                check(add_draft, self._handle, name_bytes(relationship), target._handle)
            else:
                _require_linked(target)
                check(add_object, self._handle, name_bytes(relationship), target._handle)

    def _relationships(self) -> dict[str, bool]:
        return self.snapshot()._known().relationships

    def _has(self, key: str) -> bool:
        layout = self.snapshot()._known()
        return key in layout.positions or key in layout.relationships

    def _known(self, key: str) -> None:
        if not self._has(key):
            raise KeyError(self._no_attribute(key))

    def _missing(self, key: str) -> NoReturn:
        raise AttributeError(self._no_attribute(key, Draft))

    def _no_attribute(self, key: object, of: type | None = None) -> str:
        known = self.snapshot()._known()
        if isinstance(key, str) and hasattr(Draft, key):
            return f"{key!r} of a draft cannot be set; {self.entity} has no attribute of that name"
        return no_attribute(self.entity, key, [*known.names, *known.relationships], of)


def set_value(function: Any, handle: native.Handle, like: Object, key: str, value: Any) -> None:
    """For this package: gives a function of the library a value for an attribute or a relationship.

    Args:
        function: Called with the handle, the name, the value and the place of an error.
        like: An object of the entity.
    """
    shaped = given(value) if key in like._known().converters else value
    try:
        check(function, handle, name_bytes(key), native.ref(encode(shaped)))
    except UsageError:
        # The library takes a date and a Decimal as text, which an attribute of type date or of
        # numbers refuses.
        other: Any = number_of(value)
        if isinstance(value, date) and not isinstance(value, datetime):
            other = datetime.combine(value, time.min, timezone.utc)
        if other is None and is_beyond_64_bits(value):
            raise ValueError(
                f"{value} does not fit into 64 bits; give it as a str, for an attribute of "
                "type string with the transform numberText"
            ) from None
        if other is None:
            raise
        check(function, handle, name_bytes(key), native.ref(encode(other)))


def _require_linked(target: object) -> None:
    if not isinstance(target, (Object, Draft)):
        raise TypeError(f"expected an Object or a Draft, not {type(target).__name__}")


def _have_objects(targets: tuple[Any, ...]) -> bool:
    """Returns whether these are for a relationship and not values of a list."""
    return any(isinstance(target, (Object, Draft)) for target in targets)
