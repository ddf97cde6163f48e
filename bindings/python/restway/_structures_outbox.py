"""The part of `_structures` that is about the outbox."""

from __future__ import annotations

from ctypes import CFUNCTYPE, Structure, c_int32, c_int64, c_size_t, c_void_p, sizeof
from typing import Any

from ._structures import ErrorHandle, OutboxItemHandle, OutboxItemsHandle, c_enum


class OutboxCountsStructure(Structure):
    """`restway_outbox_counts`."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("waiting", c_int64),
        ("sending", c_int64),
        ("blocked", c_int64),
        ("dead", c_int64),
    ]

    def __init__(self) -> None:
        super().__init__(struct_size=sizeof(OutboxCountsStructure))


OutboxItemFn = CFUNCTYPE(None, c_void_p, OutboxItemHandle, c_enum, ErrorHandle)
OutboxFlushedFn = CFUNCTYPE(None, c_void_p, OutboxItemsHandle, c_enum, ErrorHandle)
NULL_OUTBOX_ITEM = OutboxItemFn()
NULL_OUTBOX_FLUSHED = OutboxFlushedFn()


def flag() -> Any:
    """Room for an `int32_t`: pass `ref(it)`, read `it.value`."""
    return c_int32()
