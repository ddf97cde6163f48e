"""What all objects of an entity have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import _ffi as native
from .shapes import Converter

if TYPE_CHECKING:
    from .._hints import Secrets
    from .._object import Object
    from .._response import Response


class Layout:
    """The attributes and relationships that all objects of an entity have."""

    __slots__ = ("cells_bytes", "converters", "kind", "names", "positions", "relationships")

    def __init__(
        self,
        names: tuple[str, ...],
        relationships: dict[str, bool],
        converters: dict[str, Converter],
        kind: type[Object],
    ) -> None:
        self.names = names
        self.positions = {name: position for position, name in enumerate(names)}
        self.relationships = relationships
        """The names of the relationships, and whether each leads to many objects."""
        self.converters = converters
        """What makes the values of lists and maps, for attributes that need it."""
        self.kind = kind
        """The class of the objects."""
        self.cells_bytes = len(names) * native.CELL.size
        """The size of the values of one object."""


class Layouts(dict["bytes | None", Layout]):
    """The layouts of one client's entities, by name, and the store, in which relationships are
    resolved.

    Each layout is read once, from the first object. `response_of` makes a response from the
    response of an error: the module of errors cannot do it itself, because the module of responses
    imports it.
    """

    __slots__ = ("response_of", "secrets", "store")

    def __init__(
        self,
        store: native.StoreHandle,
        response_of: Callable[[native.ResponseHandle, Layouts], Response],
        secrets: Secrets | None = None,
    ) -> None:
        """`store` is owned. `secrets` says which values a `repr` does not show."""
        super().__init__()
        self.secrets = secrets
        self.store = store
        self.response_of = response_of
