"""Plain values of objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class ObjectValue:
    """The values of an object, without the object: it belongs to no store, and can be pickled.

    It has the attributes and the related objects of an `Object`, read in the same way, by name or
    by key. Related objects are values, too, as deep as the value was made (`Object.to_value`).
    Unpickling an `Object` gives such a value:

        with concurrent.futures.ProcessPoolExecutor() as pool:
            sizes = pool.map(size, client.get("enterprises").objects)  # `size` gets values

    Two values are equal if their entities and all that they hold are equal.
    """

    __slots__ = ("_absent", "_entity", "_identity", "_values")

    _entity: str
    _identity: int | str | tuple[int | str, ...] | None
    _absent: frozenset[str]
    _values: dict[str, Any]

    def __init__(
        self,
        entity: str,
        identity: int | str | tuple[int | str, ...] | None,
        absent: list[str],
        values: Mapping[str, Any],
    ) -> None:
        """For this package: `Object.to_value` makes values."""
        self._entity = entity
        self._identity = tuple(identity) if isinstance(identity, list) else identity
        self._absent = frozenset(absent)
        self._values = dict(values)

    @property
    def entity(self) -> str:
        """The name of the object's entity."""
        return self._entity

    @property
    def identity(self) -> int | str | tuple[int | str, ...] | None:
        """The identity of the object within its entity, or None; a tuple of several parts."""
        return self._identity

    def keys(self) -> list[str]:
        """Returns the names of the attributes and relationships that the value holds."""
        return list(self._values)

    def get(self, name: str, default: Any = None) -> Any:
        """Returns an attribute or a relationship; `default` if the value does not hold it."""
        return self._values.get(name, default)

    def __getitem__(self, name: str) -> Any:
        """Returns an attribute or a relationship. An attribute that had never been received is
        None; raises KeyError for a name that the value does not hold.
        """
        if name in self._absent:
            return None
        if name not in self._values:
            raise KeyError(self._unknown(name))
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"ObjectValue has no attribute {name!r}")
        try:
            return self[name]
        except KeyError:
            raise AttributeError(self._unknown(name)) from None

    def _unknown(self, name: str) -> str:
        return (
            f"this value of {self._entity} has no {name!r}; it holds "
            f"{', '.join(self._values) or 'nothing'}"
        )

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._values, *self._absent})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ObjectValue):
            return NotImplemented
        return self._entity == other._entity and self._values == other._values

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        return ObjectValue, (self._entity, self._identity, list(self._absent), self._values)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._values.items())
        return f"ObjectValue({self._entity}: {shown})"
