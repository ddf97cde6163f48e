"""The part of `_prototypes` that is about the outbox."""

from __future__ import annotations

from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from typing import Any

from ._structures import (
    ClientHandle,
    DestroyFn,
    ErrorHandle,
    ObjectHandle,
    OutboxItemHandle,
    OutboxItemsHandle,
    RequestHandle,
    ResponseHandle,
    c_enum,
)
from ._structures_outbox import OutboxCountsStructure, OutboxFlushedFn, OutboxItemFn

_error_out = POINTER(ErrorHandle)
_size_out = POINTER(c_size_t)

OUTBOX_PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    # outbox.h
    "restway_client_set_reachability": (c_enum, (ClientHandle, c_enum, _error_out)),
    "restway_client_reachability": (c_enum, (ClientHandle,)),
    "restway_request_set_lane": (c_enum, (RequestHandle, c_char_p, _error_out)),
    "restway_error_outbox_id": (c_int64, (ErrorHandle,)),
    "restway_outbox_item_retain": (OutboxItemHandle, (OutboxItemHandle,)),
    "restway_outbox_item_release": (None, (OutboxItemHandle,)),
    "restway_outbox_item_id": (c_int64, (OutboxItemHandle,)),
    "restway_outbox_item_state": (c_enum, (OutboxItemHandle,)),
    "restway_outbox_item_method": (c_char_p, (OutboxItemHandle,)),
    "restway_outbox_item_path": (c_char_p, (OutboxItemHandle,)),
    "restway_outbox_item_lane": (c_char_p, (OutboxItemHandle,)),
    "restway_outbox_item_key": (c_char_p, (OutboxItemHandle,)),
    "restway_outbox_item_body": (c_void_p, (OutboxItemHandle, _size_out)),
    "restway_outbox_item_created": (c_int64, (OutboxItemHandle,)),
    "restway_outbox_item_attempts": (c_int64, (OutboxItemHandle,)),
    "restway_outbox_item_next_attempt": (c_int64, (OutboxItemHandle,)),
    "restway_outbox_item_last_error": (c_char_p, (OutboxItemHandle,)),
    "restway_outbox_item_response": (ResponseHandle, (OutboxItemHandle,)),
    "restway_outbox_items_count": (c_size_t, (OutboxItemsHandle,)),
    "restway_outbox_items_item": (OutboxItemHandle, (OutboxItemsHandle, c_size_t)),
    "restway_outbox_items_json": (c_char_p, (OutboxItemsHandle, _size_out)),
    "restway_outbox_items_error": (ErrorHandle, (OutboxItemsHandle,)),
    "restway_outbox_items_retain": (OutboxItemsHandle, (OutboxItemsHandle,)),
    "restway_outbox_items_release": (None, (OutboxItemsHandle,)),
    "restway_outbox_list": (c_enum, (ClientHandle, POINTER(OutboxItemsHandle), _error_out)),
    "restway_outbox_find": (
        c_enum,
        (ClientHandle, c_int64, POINTER(OutboxItemHandle), _error_out),
    ),
    "restway_outbox_counts_init": (
        c_enum,
        (POINTER(OutboxCountsStructure), c_size_t, _error_out),
    ),
    "restway_outbox_count": (c_enum, (ClientHandle, POINTER(OutboxCountsStructure), _error_out)),
    "restway_outbox_needs_flushing": (c_enum, (ClientHandle, POINTER(c_int32), _error_out)),
    "restway_outbox_has_pending": (
        c_enum,
        (ClientHandle, ObjectHandle, POINTER(c_int32), _error_out),
    ),
    "restway_outbox_flush": (
        c_enum,
        (ClientHandle, c_uint32, OutboxFlushedFn, c_void_p, DestroyFn, _error_out),
    ),
    "restway_client_set_outbox_observer": (
        c_enum,
        (ClientHandle, OutboxItemFn, OutboxFlushedFn, c_void_p, DestroyFn, _error_out),
    ),
    "restway_outbox_retry": (c_enum, (ClientHandle, c_int64, _error_out)),
    "restway_outbox_edit": (
        c_enum,
        (ClientHandle, c_int64, c_void_p, c_size_t, c_char_p, _error_out),
    ),
    "restway_outbox_drop": (c_enum, (ClientHandle, c_int64, _size_out, _error_out)),
    "restway_outbox_drop_all": (c_enum, (ClientHandle, _size_out, _error_out)),
}
"""Of each function: its result and its arguments, in the order of the header."""
