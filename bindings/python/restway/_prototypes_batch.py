"""The part of `_prototypes` that is about batches."""

from __future__ import annotations

from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_void_p
from typing import Any

from ._structures import (
    CallHandle,
    ClientHandle,
    DestroyFn,
    DoneFn,
    ErrorHandle,
    RequestHandle,
    ResponseHandle,
    c_enum,
)
from ._structures_batch import (
    BatchDecodeFn,
    BatchDoneFn,
    BatchEncodeFn,
    BatchHandle,
    BatchReaderHandle,
    BatchWriterHandle,
)

_error_out = POINTER(ErrorHandle)
_size_out = POINTER(c_size_t)

BATCH_PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    # batch.h
    "restway_batch_create": (c_enum, (ClientHandle, POINTER(BatchHandle), _error_out)),
    "restway_batch_retain": (BatchHandle, (BatchHandle,)),
    "restway_batch_release": (None, (BatchHandle,)),
    "restway_batch_add": (
        c_enum,
        (BatchHandle, RequestHandle, DoneFn, c_void_p, DestroyFn, POINTER(CallHandle), _error_out),
    ),
    "restway_batch_count": (c_size_t, (BatchHandle,)),
    "restway_batch_send": (c_enum, (BatchHandle, BatchDoneFn, c_void_p, DestroyFn, _error_out)),
    "restway_batch_wait": (c_enum, (BatchHandle, c_int64, _error_out)),
    "restway_batch_is_complete": (c_int32, (BatchHandle,)),
    "restway_batch_response": (
        c_enum,
        (BatchHandle, c_size_t, POINTER(ResponseHandle), _error_out),
    ),
    "restway_batch_cancel": (None, (BatchHandle,)),
    "restway_batch_writer_count": (c_size_t, (BatchWriterHandle,)),
    "restway_batch_writer_method": (c_char_p, (BatchWriterHandle, c_size_t)),
    "restway_batch_writer_uri": (c_char_p, (BatchWriterHandle, c_size_t)),
    "restway_batch_writer_body": (c_void_p, (BatchWriterHandle, c_size_t, _size_out)),
    "restway_batch_writer_header_count": (c_size_t, (BatchWriterHandle, c_size_t)),
    "restway_batch_writer_header_name": (c_char_p, (BatchWriterHandle, c_size_t, c_size_t)),
    "restway_batch_writer_header_value": (c_char_p, (BatchWriterHandle, c_size_t, c_size_t)),
    "restway_batch_writer_set_body": (
        c_enum,
        (BatchWriterHandle, c_void_p, c_size_t, c_char_p, _error_out),
    ),
    "restway_batch_reader_count": (c_size_t, (BatchReaderHandle,)),
    "restway_batch_reader_body": (c_void_p, (BatchReaderHandle, _size_out)),
    "restway_batch_reader_media_type": (c_char_p, (BatchReaderHandle,)),
    "restway_batch_reader_set_answer": (
        c_enum,
        (BatchReaderHandle, c_size_t, c_int32, c_void_p, c_size_t, _error_out),
    ),
    "restway_batch_reader_add_header": (
        c_enum,
        (BatchReaderHandle, c_size_t, c_char_p, c_char_p, _error_out),
    ),
    "restway_client_set_batch_format": (
        c_enum,
        (ClientHandle, BatchEncodeFn, BatchDecodeFn, c_void_p, DestroyFn, _error_out),
    ),
}
"""Of each function: its result and its arguments, in the order of the header."""
