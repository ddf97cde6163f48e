"""Room that the library fills, used again and again."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from . import _native as native
from ._structures import Event, Value

_CELL_BYTES = native.CELL.size


class CellBuffer:
    """Room for values, to be used again and again."""

    def __init__(self, capacity: int) -> None:
        memory = bytearray(capacity * native.CELL.size)
        self.array: Any = (Value * capacity).from_buffer(memory)
        """For the library to fill."""
        self._memory = memory

    def copy(self, count: int) -> bytearray:
        """The first `count` values as they are, for `native.cell_at`."""
        return self._memory[: count * _CELL_BYTES]


_EVENT = struct.Struct("=IIQQQ32x")


class EventBuffer:
    """Room for events."""

    def __init__(self, capacity: int) -> None:
        memory = bytearray(capacity * _EVENT.size)
        self.array: Any = (Event * capacity).from_buffer(memory)
        """For the library to fill."""
        self._view = memoryview(memory)

    def read(self, count: int) -> Iterator[tuple[int, int, int, int, int]]:
        """Kind, status, token, call id and the payload's address of the first `count` events."""
        return _EVENT.iter_unpack(self._view[: count * _EVENT.size])

    def release(self, index: int) -> None:
        """Releases the payload of one event, of whatever kind."""
        native.lib.restway_event_release(native.ref(self.array[index]))
