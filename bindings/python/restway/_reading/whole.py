"""Functions of objects and of sequences of objects: dictionaries, JSON and values of all that they
hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _ffi as native
from .._ffi.conversion import ObjectReference
from .._handles import check
from .._handles import name as name_bytes
from .columns import Column, read_columns
from .tables import Tabular
from .text import typed, written
from .values import ObjectValue

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from .layout import Layout, Layouts


def _plain(entity: str, identity: Any, absent: list[str], values: dict[str, Any]) -> dict[str, Any]:
    return values


class WholeObject(ObjectReference):
    """The base of `Object` that reads an object as a whole."""

    __slots__ = ()

    _layouts: Layouts

    if TYPE_CHECKING:  # what `Object` adds, and the modules below it use

        @property
        def entity(self) -> str: ...
        @property
        def store_key(self) -> int: ...
        def is_a(self, entity: str) -> bool: ...
        def related(self, relationship: str) -> Sequence[WholeObject]: ...
        def _known(self) -> Layout: ...
        def _read(self) -> bytearray: ...
        def _object_at(self, address: int) -> WholeObject: ...
        def __getitem__(self, name: str) -> Any: ...
        def __contains__(self, name: object) -> bool: ...
        def __iter__(self) -> Iterator[str]: ...

    def to_dict(self, depth: int = 1) -> dict[str, Any]:
        """Returns the attributes and relationships that have been received, by name, with the same
        types as reading them one by one.

        A related object is a dict, a relationship to many a list of dicts. `depth` says how many
        relationships are followed, one behind the other: with 0 the dict has attributes only. An
        object inside itself has its identity attribute alone. Raises MappingError for a value that
        Python cannot hold.
        """
        store, lib = self._layouts.store, native.lib
        read: dict[str, Any] = typed(
            lib.restway_object_json, self._handle, store, depth=depth, make=_plain
        )
        return read

    def to_json(self, depth: int = 1) -> str:
        """Returns what `to_dict` returns as JSON: dates in ISO 8601, bytes in base64, and null for
        numbers that JSON does not have (NaN).
        """
        store = self._layouts.store
        return written(native.lib.restway_object_json, self._handle, store, depth=depth)

    def to_value(self, depth: int = 1) -> ObjectValue:
        """Returns the attributes and relationships as a plain value, which belongs to no store and
        can be pickled. `depth` is as in `to_dict`. Pickling an object pickles `to_value()`.
        """
        store, lib = self._layouts.store, native.lib
        read: ObjectValue = typed(
            lib.restway_object_json, self._handle, store, depth=depth, make=ObjectValue
        )
        return read

    def is_known(self, attribute: str) -> bool:
        """Returns whether the API document lists the value of an attribute under `values`, and in a
        list or a map every value. None, and every value of an attribute without listed values,
        count as known. Raises UnknownAttributeError.

            if not issue.is_known("state"):
                print("a state of a newer server:", issue.state)
        """
        known, name = native.truth_out(), name_bytes(attribute)
        check(native.lib.restway_object_is_known_value, self._handle, name, native.ref(known))
        return bool(known.value)

    def __reduce__(self) -> Any:
        return self.to_value().__reduce__()


class WholeObjects(Tabular):
    """The base of `Objects` that reads a sequence as a whole."""

    __slots__ = ()

    _handle: native.ListHandle
    _layouts: Layouts
    _range: range

    def to_dicts(self, depth: int = 1) -> list[dict[str, Any]]:
        """Returns each object as `Object.to_dict` does, read in one call."""
        read: list[dict[str, Any]] = self._typed(depth, _plain)
        return read

    def to_values(self, depth: int = 1) -> list[ObjectValue]:
        """Returns each object as `Object.to_value` does, read in one call. Pickling the sequence
        pickles this list.
        """
        read: list[ObjectValue] = self._typed(depth, ObjectValue)
        return read

    def to_json(self, depth: int = 1) -> str:
        """Returns a JSON list of the objects, each as `Object.to_json` writes it."""
        if self._range.step == 1:
            arguments = self._arguments(self._range)
            return written(native.lib.restway_list_json, *arguments, depth=depth)
        one_by_one = (self._arguments(self._range[at : at + 1]) for at in range(len(self._range)))
        texts = [written(native.lib.restway_list_json, *each, depth=depth) for each in one_by_one]
        return f"[{','.join(text[1:-1] for text in texts)}]"

    def _typed(self, depth: int, make: Any) -> Any:
        step, span = self._range.step, self._range
        if step != 1:
            span = range(min(span, default=0), max(span, default=-1) + 1)
        arguments = self._arguments(span)
        read = typed(native.lib.restway_list_json, *arguments, depth=depth, make=make)
        return read if step == 1 else read[::step]

    def _read_columns(self, names: Sequence[str], days: Collection[str]) -> dict[str, Column]:
        """Reads attributes as columns; returns {} if the objects must be read one by one. `days`
        are the attributes whose dates are read without their time.
        """
        span = self._range
        if not span or span.step != 1:
            return {}
        return read_columns(names, days, self._handle, span.start, len(span))

    def _arguments(self, span: range) -> tuple[Any, ...]:
        return self._handle, span.start, len(span), self._layouts.store

    def _export(self, depth: int, schema: Any, array: Any) -> None:
        if self._range.step != 1:
            raise ValueError("a table is made of consecutive objects, not of a slice with a step")
        arguments = self._arguments(self._range)
        check(native.lib.restway_list_arrow, *arguments, depth, schema, array)

    def __reduce__(self) -> Any:
        return list, (self.to_values(),)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, _: object) -> Any:
        return self


class WholeQuery(Tabular):
    """The base of `Query` that reads all objects that a query finds as a whole."""

    __slots__ = ()

    _handle: native.QueryHandle
    _layouts: Layouts

    if TYPE_CHECKING:

        def all(self) -> WholeObjects:
            """Returns the objects that the query finds."""

    def to_dicts(self, depth: int = 1) -> list[dict[str, Any]]:
        """Returns the objects that the query finds as dicts; see `Object.to_dict`."""
        return self.all().to_dicts(depth)

    def _export(self, depth: int, schema: Any, array: Any) -> None:
        store, export = self._layouts.store, native.lib.restway_store_query_arrow
        check(export, store, self._handle, depth, schema, array)
