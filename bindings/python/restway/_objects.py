"""Lists of objects, as sequences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from . import _native as native
from ._boundary import check
from ._enums import Domain, Status
from ._exceptions import UnknownAttributeError
from ._object import Layouts, Object
from ._values import decode

_ROWS_AT_ONCE = 1024
"""How many objects `values` reads in one call."""


class Objects(Sequence[Object]):
    """Objects of a response, a relationship or a query, in their order.

    Each is made when it is asked for.
    """

    __slots__ = ("_handle", "_layouts", "_range")

    def __init__(self, handle: native.ListHandle, span: range | None, layouts: Layouts) -> None:
        """For this package. `handle` is owned, `span` are indices of it; None takes all."""
        self._handle = handle
        self._range = range(native.lib.restway_list_count(handle)) if span is None else span
        self._layouts = layouts

    def values(self, *names: str) -> Iterator[tuple[Any, ...]]:
        """The attributes `names` of each object, as tuples; all attributes when none is named.

        Quicker than the same from the objects: no `Object` is made, and many are read in one call.
        Raises UnknownAttributeError at once.
        """
        if not self:
            return iter(())
        columns = self._columns(names)
        return self._rows(columns)

    def _columns(self, names: Sequence[str]) -> list[int]:
        known = self[0]._known()
        if not names:
            return list(range(len(known.names)))
        for name in names:
            if name not in known.positions:
                raise UnknownAttributeError(
                    f"{self[0].entity} has no attribute {name!r}",
                    status=Status.UNKNOWN_ATTRIBUTE,
                    domain=Domain.USAGE,
                    field=name,
                )
        return [known.positions[name] for name in names]

    def _rows(self, columns: list[int]) -> Iterator[tuple[Any, ...]]:
        indices, width, layouts = native.index_array(columns), len(columns), self._layouts

        def object_at(address: int) -> Object:
            return Object.retained(address, layouts)

        at_once = _ROWS_AT_ONCE if abs(self._range.step) == 1 else 1
        for start in range(0, len(self._range), at_once):
            span = self._range[start : start + at_once]
            low, high = min(span), max(span)
            buffer = native.values((high - low + 1) * width)
            check(
                native.lib.restway_list_read,
                self._handle,
                low,
                high - low + 1,
                indices,
                width,
                buffer,
            )
            cells = native.cells(buffer) if width else []
            for index in span:
                row = cells[(index - low) * width : (index - low + 1) * width]
                yield tuple([decode(cell, object_at) for cell in row])

    @overload
    def __getitem__(self, index: int) -> Object: ...
    @overload
    def __getitem__(self, index: slice) -> Objects: ...
    def __getitem__(self, index: int | slice) -> Object | Objects:
        if isinstance(index, slice):
            return Objects(self._handle, self._range[index], self._layouts)
        handle = native.lib.restway_list_object(self._handle, self._range[index])
        return Object.retained(handle, self._layouts)

    def __len__(self) -> int:
        return len(self._range)

    def __iter__(self) -> Iterator[Object]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        shown = ", ".join(repr(item) for item in self[:3])
        return f"<Objects {len(self)}: [{shown}{', …' if len(self) > 3 else ''}]>"
