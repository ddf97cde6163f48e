"""What the header says, for ctypes: handles, structures, callback types.

With `_prototypes` and `_native` the only modules that import ctypes. A test compares all of it with
the header.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    Union,
    c_char_p,
    c_double,
    c_int32,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, ClassVar

from ._releasing import Hindrances, hindrances

c_enum = c_uint32
"""How every enumeration of the header is passed."""


class Handle(c_void_p):
    """A reference to something of the library; falsy when it is NULL.

    A subclass of `c_void_p`, not `c_void_p` itself, so that ctypes hands out typed objects.
    """

    release: ClassVar[str]
    """The function that gives one reference back."""

    __slots__ = ("give_back",)

    give_back: Any
    """Set on a handle that owns its reference: called with it at the end of its life."""

    # The default is there also when this module is gone at the interpreter's end.
    def __del__(self, hindrances: Hindrances = hindrances) -> None:
        give_back = getattr(self, "give_back", None)
        if give_back is None:
            return  # a borrowed one
        if hindrances:
            hindrances.release(give_back, self)
        else:
            give_back(self)


class ErrorHandle(Handle):
    release = "restway_error_release"


class ApiHandle(Handle):
    release = "restway_api_release"


class ClientHandle(Handle):
    release = "restway_client_release"


class RequestHandle(Handle):
    release = "restway_request_release"


class CallHandle(Handle):
    release = "restway_call_release"


class ResponseHandle(Handle):
    release = "restway_response_release"


class ObjectHandle(Handle):
    release = "restway_object_release"


class ListHandle(Handle):
    release = "restway_list_release"


class StoreHandle(Handle):
    release = "restway_store_release"


class QueryHandle(Handle):
    release = "restway_query_release"


class ChangesHandle(Handle):
    release = "restway_changes_release"


class ObserverHandle(Handle):
    release = "restway_observer_release"


class ClockHandle(Handle):
    release = "restway_clock_release"


class AnswerHandle(Handle):
    release = ""


class RowsHandle(Handle):
    release = ""


class DraftHandle(Handle):
    release = "restway_draft_release"


class Value(Structure):
    """`restway_value`, a tagged value of 16 bytes."""


class ValueAs(Union):
    """The member `as` of `restway_value`."""

    _fields_ = [
        ("integer", c_int64),
        ("real", c_double),
        ("text", c_char_p),
        ("bytes", POINTER(c_uint8)),
        ("object", ObjectHandle),
        ("list", POINTER(Value)),
    ]


Value._fields_ = [("kind", c_uint32), ("length", c_uint32), ("as_", ValueAs)]


class ClientOptions(Structure):
    """`restway_client_options`. Zero in a field takes its default."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("environment", c_char_p),
        ("base_url", c_char_p),
        ("user_agent", c_char_p),
        ("delivery", c_uint32),
        ("flags", c_uint32),
        ("timeout_milliseconds", c_int64),
        ("connect_timeout_milliseconds", c_int64),
        ("idle_timeout_milliseconds", c_int64),
        ("body_bytes_max", c_int64),
        ("objects_max", c_int64),
        ("nesting_depth_max", c_int32),
        ("redirects_max", c_int32),
        ("connections_max", c_int32),
        ("connections_per_host_max", c_int32),
        ("ca_file", c_char_p),
        ("clock", ClockHandle),
        ("random_seed", c_uint64),
        ("store_path", c_char_p),
        ("transport", c_char_p),
        ("transport_options", c_char_p),
        ("outbox_path", c_char_p),
        ("busy_poll_microseconds", c_int64),
    ]


class Timings(Structure):
    """`restway_timings`, in microseconds; -1 is not known."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("queued_microseconds", c_int64),
        ("name_lookup_microseconds", c_int64),
        ("connect_microseconds", c_int64),
        ("tls_microseconds", c_int64),
        ("first_byte_microseconds", c_int64),
        ("exchange_microseconds", c_int64),
        ("decode_microseconds", c_int64),
        ("map_microseconds", c_int64),
        ("total_microseconds", c_int64),
        ("store_microseconds", c_int64),
    ]


class Statistics(Structure):
    """`restway_statistics`."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("object_count", c_int64),
        ("cached_object_count", c_int64),
        ("cached_byte_count", c_int64),
        ("file_byte_count", c_int64),
    ]


class OutboxItemHandle(Handle):
    release = "restway_outbox_item_release"


class OutboxItemsHandle(Handle):
    release = "restway_outbox_items_release"


class EventPayload(Union):
    """The member `payload` of `restway_event`."""

    _fields_ = [
        ("response", ResponseHandle),
        ("error", ErrorHandle),
        ("changes", ChangesHandle),
        ("items", OutboxItemsHandle),
    ]


class Event(Structure):
    """`restway_event`, 64 bytes."""

    _fields_ = [
        ("kind", c_uint32),
        ("status", c_uint32),
        ("token", c_uint64),
        ("call_id", c_uint64),
        ("payload", EventPayload),
        ("reserved", c_uint64 * 4),
    ]


DestroyFn = CFUNCTYPE(None, c_void_p)
DoneFn = CFUNCTYPE(None, c_void_p, CallHandle, c_enum, ResponseHandle, ErrorHandle)
ChangedFn = CFUNCTYPE(None, c_void_p, ChangesHandle)
ExcludeFn = CFUNCTYPE(c_int32, c_void_p, c_char_p, c_char_p, c_char_p, c_char_p)
InterceptFn = CFUNCTYPE(c_enum, c_void_p, RequestHandle)
TransformFn = CFUNCTYPE(c_enum, c_void_p, POINTER(Value), AnswerHandle)
HookFn = CFUNCTYPE(c_enum, c_void_p, RowsHandle, AnswerHandle)
LogFn = CFUNCTYPE(None, c_void_p, c_enum, c_char_p, c_char_p)


def number() -> Any:
    """Room for a `size_t`: pass `ref(it)`, read `it.value`."""
    return c_size_t()


def text_out() -> Any:
    """Room for a borrowed text: pass `ref(it)`, read `it.value`."""
    return c_char_p()


def texts_out(count: int) -> Any:
    """Room for `count` borrowed texts, for an `out_` parameter; None or bytes by index."""
    return (c_char_p * count)()


def kind_out() -> Any:
    """Room for a kind: pass `ref(it)`, read `it.value`."""
    return c_uint32()


def truth_out() -> Any:
    """Room for an `int32_t` that is 0 or 1: pass `ref(it)`, read `it.value`."""
    return c_int32()


def keys_out() -> Any:
    """Room for borrowed store keys: pass `ref(it)`, read `it[:count]`."""
    return POINTER(c_int64)()


def index_array(indices: Sequence[int]) -> Any:
    """Attribute indices, for the library to read."""
    return (c_uint32 * len(indices))(*indices)


def rows_out() -> Any:
    """Room for borrowed numbers of rows: pass `ref(it)`, read `it[:count]`."""
    return POINTER(c_size_t)()


def row_array(rows: Sequence[int]) -> Any:
    """Numbers of rows, for the library to read."""
    return (c_size_t * len(rows))(*rows)


def handle_array(kind: type[Handle], handles: Sequence[Handle | None]) -> Any:
    """Handles of one kind, or NULL, for the library to read while `handles` live."""
    return (kind * len(handles))(*(handle or kind() for handle in handles))
