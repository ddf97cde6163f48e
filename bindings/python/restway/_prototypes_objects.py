"""What the header says, for ctypes: objects, lists of them, and stores."""

from __future__ import annotations

from ctypes import (
    POINTER,
    c_char_p,
    c_double,
    c_int32,
    c_int64,
    c_size_t,
    c_uint32,
)
from typing import Any

from ._structures import (
    ErrorHandle,
    ListHandle,
    ObjectHandle,
    QueryHandle,
    Statistics,
    StoreHandle,
    Value,
    c_enum,
)

_error_out = POINTER(ErrorHandle)
_size_out = POINTER(c_size_t)

OBJECT_PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    # object.h
    "restway_object_retain": (ObjectHandle, (ObjectHandle,)),
    "restway_object_release": (None, (ObjectHandle,)),
    "restway_object_entity": (c_char_p, (ObjectHandle,)),
    "restway_object_store_key": (c_int64, (ObjectHandle,)),
    "restway_object_identity": (c_enum, (ObjectHandle, POINTER(Value), _error_out)),
    "restway_object_is_same": (c_int32, (ObjectHandle, ObjectHandle)),
    "restway_object_attribute_count": (c_size_t, (ObjectHandle,)),
    "restway_object_attribute_name": (c_char_p, (ObjectHandle, c_size_t)),
    "restway_object_attribute_index": (c_int32, (ObjectHandle, c_char_p)),
    "restway_object_get": (c_enum, (ObjectHandle, c_char_p, POINTER(Value), _error_out)),
    "restway_object_read": (
        c_enum,
        (ObjectHandle, POINTER(c_uint32), c_size_t, POINTER(Value), _error_out),
    ),
    "restway_object_string": (c_char_p, (ObjectHandle, c_char_p)),
    "restway_object_int64": (c_int64, (ObjectHandle, c_char_p, c_int64)),
    "restway_object_double": (c_double, (ObjectHandle, c_char_p, c_double)),
    "restway_object_relationship_count": (c_size_t, (ObjectHandle,)),
    "restway_object_relationship_name": (c_char_p, (ObjectHandle, c_size_t)),
    "restway_object_relationship_index": (c_int32, (ObjectHandle, c_char_p)),
    "restway_object_relationship_entity": (c_char_p, (ObjectHandle, c_size_t)),
    "restway_object_relationship_is_many": (c_int32, (ObjectHandle, c_size_t)),
    "restway_object_related_keys": (
        c_enum,
        (
            ObjectHandle,
            c_char_p,
            POINTER(c_uint32),
            POINTER(POINTER(c_int64)),
            _size_out,
            _error_out,
        ),
    ),
    # list.h
    "restway_list_retain": (ListHandle, (ListHandle,)),
    "restway_list_release": (None, (ListHandle,)),
    "restway_list_count": (c_size_t, (ListHandle,)),
    "restway_list_object": (ObjectHandle, (ListHandle, c_size_t)),
    "restway_list_read": (
        c_enum,
        (
            ListHandle,
            c_size_t,
            c_size_t,
            POINTER(c_uint32),
            c_size_t,
            POINTER(Value),
            _error_out,
        ),
    ),
    # store.h
    "restway_store_retain": (StoreHandle, (StoreHandle,)),
    "restway_store_release": (None, (StoreHandle,)),
    "restway_store_find": (
        c_enum,
        (StoreHandle, c_char_p, POINTER(Value), POINTER(ObjectHandle), _error_out),
    ),
    "restway_store_newest": (
        c_enum,
        (StoreHandle, ObjectHandle, POINTER(ObjectHandle), _error_out),
    ),
    "restway_store_related": (
        c_enum,
        (StoreHandle, ObjectHandle, c_char_p, POINTER(ListHandle), _error_out),
    ),
    "restway_store_related_one": (
        c_enum,
        (StoreHandle, ObjectHandle, c_char_p, POINTER(ObjectHandle), _error_out),
    ),
    "restway_store_all": (c_enum, (StoreHandle, c_char_p, POINTER(ListHandle), _error_out)),
    "restway_store_count": (c_enum, (StoreHandle, c_char_p, _size_out, _error_out)),
    "restway_store_is_unsent": (
        c_enum,
        (StoreHandle, ObjectHandle, POINTER(c_int32), _error_out),
    ),
    "restway_store_delete": (c_enum, (StoreHandle, ObjectHandle, _error_out)),
    "restway_store_delete_identity": (
        c_enum,
        (StoreHandle, c_char_p, POINTER(Value), _error_out),
    ),
    "restway_store_delete_all": (c_enum, (StoreHandle, c_char_p, _size_out, _error_out)),
    "restway_store_clear": (c_enum, (StoreHandle, _size_out, _error_out)),
    "restway_statistics_init": (c_enum, (POINTER(Statistics), c_size_t, _error_out)),
    "restway_store_statistics": (c_enum, (StoreHandle, POINTER(Statistics), _error_out)),
    # query.h
    "restway_query_create": (c_enum, (StoreHandle, c_char_p, POINTER(QueryHandle), _error_out)),
    "restway_query_retain": (QueryHandle, (QueryHandle,)),
    "restway_query_release": (None, (QueryHandle,)),
    "restway_query_add_condition": (
        c_enum,
        (QueryHandle, c_char_p, c_enum, POINTER(Value), _error_out),
    ),
    "restway_query_add_order": (c_enum, (QueryHandle, c_char_p, c_int32, _error_out)),
    "restway_query_set_limit": (c_enum, (QueryHandle, c_int64, _error_out)),
    "restway_query_set_offset": (c_enum, (QueryHandle, c_int64, _error_out)),
    "restway_store_query": (
        c_enum,
        (StoreHandle, QueryHandle, POINTER(ListHandle), _error_out),
    ),
    "restway_store_count_query": (c_enum, (StoreHandle, QueryHandle, _size_out, _error_out)),
}
