"""The properties that all objects of an entity have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from .. import _ffi as native
from .shapes import Converter

if TYPE_CHECKING:
    from .._base.hints import Secrets


class Described(Protocol):
    """An API document."""

    def json(self, pointer: str = "") -> Any: ...


class Layout:
    """The attributes and relationships that all objects of an entity have."""

    __slots__ = ("cells_bytes", "converters", "kind", "names", "positions", "relationships")

    def __init__(
        self,
        names: tuple[str, ...],
        relationships: dict[str, bool],
        converters: dict[str, Converter],
        kind: type[Any],
    ) -> None:
        self.names = names
        self.positions = {name: position for position, name in enumerate(names)}
        self.relationships = relationships
        """The names of the relationships, and whether each leads to many objects."""
        self.converters = converters
        """The functions that make values of lists and maps, for the attributes that need them."""
        self.kind = kind
        """The class of the objects."""
        self.cells_bytes = len(names) * native.CELL.size
        """The size of the values of one object."""


class Layouts(dict["bytes | None", Layout]):
    """The layouts of one client's entities, by name, and the store, in which relationships are
    resolved.

    Each layout is read once, from the first object. `response_of` and `conflict_of` make the
    response and the conflict of an error: the module of errors cannot do it itself, because their
    modules import it.
    """

    __slots__ = ("_api", "_keys", "conflict_of", "response_of", "secrets", "store")

    def __init__(
        self,
        store: native.StoreHandle,
        response_of: Callable[[native.ResponseHandle, Layouts], Any],
        conflict_of: Callable[[native.ConflictHandle, Layouts], Any],
        api: Described,
        secrets: Secrets,
    ) -> None:
        """`store` is owned. `secrets` says which values a `repr` does not show."""
        super().__init__()
        self._api = api
        self.secrets = secrets
        self.store = store
        self.response_of = response_of
        self.conflict_of = conflict_of
        self._keys: dict[tuple[str, str], str | None] = {}

    def of_store(self, store: native.StoreHandle) -> Layouts:
        """Returns the layouts of the same client for the objects of another store."""
        return Layouts(
            store, self.response_of, self.conflict_of, self._api, self.secrets
        )

    def key_of(self, entity: str, relationship: str) -> str | None:
        """Returns the attribute of the linked objects that has their key, if a relationship is a
        map.
        """
        place = entity, relationship
        if place not in self._keys:
            self._keys[place] = self._key_of(*place)
        return self._keys[place]

    def _key_of(self, entity: str | None, relationship: str) -> str | None:
        while entity is not None:
            described = self._api.json(f"/entities/{_member(entity)}") or {}
            rule = described.get("relationships", {}).get(relationship)
            if rule is not None:
                key = rule.get("map") if isinstance(rule, dict) else None
                return self._declared_key(rule["entity"]) if key is True else key
            entity = described.get("extends")
        return None

    def _declared_key(self, entity: str | None) -> str | None:
        """Returns the attribute of an entity that is declared to come from the key of a map."""
        while entity is not None:
            described = self._api.json(f"/entities/{_member(entity)}") or {}
            for name, rule in described.get("attributes", {}).items():
                if isinstance(rule, dict) and "key" in rule.get("from", {}):
                    return str(name)
            entity = described.get("extends")
        return None


def _member(name: str) -> str:
    """Returns a name as a part of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")
