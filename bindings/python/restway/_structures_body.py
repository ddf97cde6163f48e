"""The part of `_structures` that is about bodies which are read while they are sent."""

from __future__ import annotations

from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int64, c_size_t, c_void_p, memmove
from typing import Any

from ._structures import AnswerHandle, DestroyFn, ErrorHandle, RequestHandle, c_enum

BodyReadFn = CFUNCTYPE(
    c_enum, c_void_p, c_void_p, c_size_t, POINTER(c_size_t), AnswerHandle
)
BodyRewindFn = CFUNCTYPE(c_enum, c_void_p, AnswerHandle)


class BodyReader(Structure):
    """`restway_body_reader`."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("context", c_void_p),
        ("read", BodyReadFn),
        ("rewind", BodyRewindFn),
        ("destroy", DestroyFn),
    ]


def write(target: int, content: memoryview) -> None:
    """Copies `content` into memory of the library."""
    memmove(target, content.tobytes(), len(content))


_reader = POINTER(BodyReader)
_error_out = POINTER(ErrorHandle)

BODY_PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    # body.h
    "restway_body_reader_init": (c_enum, (_reader, c_size_t, _error_out)),
    "restway_request_set_body_reader": (
        c_enum,
        (RequestHandle, _reader, c_int64, c_char_p, _error_out),
    ),
}
"""Of each function: its result and its arguments, in the order of the header."""
