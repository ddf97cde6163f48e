"""What the header says, for ctypes: the functions.

With `_structures` and `_native` the only modules that import ctypes. A test compares all of it with
the header.
"""

from __future__ import annotations

from ctypes import (
    POINTER,
    c_char_p,
    c_double,
    c_int32,
    c_int64,
    c_size_t,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any

from ._prototypes_auth import AUTH_PROTOTYPES
from ._prototypes_batch import BATCH_PROTOTYPES
from ._prototypes_objects import OBJECT_PROTOTYPES
from ._prototypes_outbox import OUTBOX_PROTOTYPES
from ._structures import (
    AnswerHandle,
    ApiHandle,
    CallHandle,
    ChangedFn,
    ChangesHandle,
    ClientHandle,
    ClientOptions,
    DestroyFn,
    DoneFn,
    DraftHandle,
    ErrorHandle,
    Event,
    ExcludeFn,
    HookFn,
    InterceptFn,
    ListHandle,
    LogFn,
    ObjectHandle,
    ObserverHandle,
    RequestHandle,
    ResponseHandle,
    RowsHandle,
    StoreHandle,
    Timings,
    TransformFn,
    Value,
    c_enum,
)
from ._structures_body import BODY_PROTOTYPES

_error_out = POINTER(ErrorHandle)
_size_out = POINTER(c_size_t)
_sizes_out = POINTER(POINTER(c_size_t))
_json = (c_char_p, c_size_t)
_changed = (ChangesHandle, c_size_t, POINTER(c_uint32), c_size_t)
_observe = (ChangedFn, c_void_p, DestroyFn, POINTER(ObserverHandle), _error_out)
_setter = (RequestHandle, c_char_p, POINTER(Value), _error_out)

PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    # base.h
    "restway_status_name": (c_char_p, (c_enum,)),
    "restway_debug_live_handles": (c_int64, ()),
    # version.h
    "restway_version_number": (c_int32, ()),
    "restway_version_string": (c_char_p, ()),
    "restway_abi_version": (c_int32, ()),
    # error.h
    "restway_error_retain": (ErrorHandle, (ErrorHandle,)),
    "restway_error_release": (None, (ErrorHandle,)),
    "restway_error_status": (c_enum, (ErrorHandle,)),
    "restway_error_domain": (c_enum, (ErrorHandle,)),
    "restway_error_message": (c_char_p, (ErrorHandle,)),
    "restway_error_http_status": (c_int32, (ErrorHandle,)),
    "restway_error_transport_code": (c_int32, (ErrorHandle,)),
    "restway_error_is_retryable": (c_int32, (ErrorHandle,)),
    "restway_error_api_code": (c_char_p, (ErrorHandle,)),
    "restway_error_api_message": (c_char_p, (ErrorHandle,)),
    "restway_error_field": (c_char_p, (ErrorHandle,)),
    "restway_error_response": (ResponseHandle, (ErrorHandle,)),
    "restway_error_detail_count": (c_size_t, (ErrorHandle,)),
    "restway_error_detail_path": (c_char_p, (ErrorHandle, c_size_t)),
    "restway_error_detail_message": (c_char_p, (ErrorHandle, c_size_t)),
    # value.h: not called from Python, which builds its values itself
    "restway_value_null": (Value, ()),
    "restway_value_bool": (Value, (c_int32,)),
    "restway_value_int64": (Value, (c_int64,)),
    "restway_value_double": (Value, (c_double,)),
    "restway_value_date": (Value, (c_int64,)),
    "restway_value_string": (Value, (c_char_p,)),
    # log.h
    "restway_log_set": (c_enum, (c_enum, LogFn, c_void_p, DestroyFn, _error_out)),
    # plugins.h
    "restway_plugin_load": (c_enum, (c_char_p, c_char_p, _error_out)),
    "restway_plugin_count": (c_size_t, ()),
    "restway_plugin_name": (c_char_p, (c_size_t,)),
    "restway_plugin_version": (c_char_p, (c_size_t,)),
    "restway_plugin_licence": (c_char_p, (c_size_t,)),
    "restway_plugin_description": (c_char_p, (c_size_t,)),
    "restway_plugin_path": (c_char_p, (c_size_t,)),
    # api.h
    "restway_api_load": (c_enum, (*_json, POINTER(ApiHandle), _error_out)),
    "restway_api_load_file": (c_enum, (c_char_p, POINTER(ApiHandle), _error_out)),
    "restway_api_check": (c_enum, (*_json, _error_out)),
    "restway_api_retain": (ApiHandle, (ApiHandle,)),
    "restway_api_release": (None, (ApiHandle,)),
    "restway_api_add_entity": (c_enum, (ApiHandle, c_char_p, *_json, _error_out)),
    "restway_api_add_route": (c_enum, (ApiHandle, c_char_p, *_json, _error_out)),
    "restway_api_add_response": (c_enum, (ApiHandle, *_json, _error_out)),
    "restway_api_add_request": (c_enum, (ApiHandle, *_json, _error_out)),
    "restway_api_join_routes": (c_enum, (ApiHandle, c_char_p, c_char_p, c_char_p, _error_out)),
    "restway_api_route_property": (
        c_enum,
        (ApiHandle, c_char_p, c_char_p, POINTER(c_char_p), _size_out, _error_out),
    ),
    # mapping.h
    "restway_answer_set_value": (c_enum, (AnswerHandle, POINTER(Value), _error_out)),
    "restway_answer_set_message": (c_enum, (AnswerHandle, c_char_p, _error_out)),
    "restway_api_add_transform": (
        c_enum,
        (ApiHandle, c_char_p, TransformFn, TransformFn, c_void_p, DestroyFn, _error_out),
    ),
    "restway_api_add_attribute": (
        c_enum,
        (ApiHandle, c_char_p, c_char_p, c_char_p, c_enum, c_char_p, c_char_p, _error_out),
    ),
    "restway_api_add_relationship": (
        c_enum,
        (ApiHandle, c_char_p, c_char_p, c_char_p, c_char_p, c_uint32, c_enum, _error_out),
    ),
    "restway_api_set_identity": (c_enum, (ApiHandle, c_char_p, c_char_p, _error_out)),
    # hook.h
    "restway_rows_count": (c_size_t, (RowsHandle,)),
    "restway_rows_entity": (c_char_p, (RowsHandle, c_size_t)),
    "restway_rows_result_count": (c_size_t, (RowsHandle,)),
    "restway_rows_own_result": (c_size_t, (RowsHandle,)),
    "restway_rows_result": (c_enum, (RowsHandle, c_size_t, _sizes_out, _size_out, _error_out)),
    "restway_rows_get": (c_enum, (RowsHandle, c_size_t, c_char_p, POINTER(Value), _error_out)),
    "restway_rows_set": (c_enum, (RowsHandle, c_size_t, c_char_p, POINTER(Value), _error_out)),
    "restway_rows_related": (
        c_enum,
        (RowsHandle, c_size_t, c_char_p, _sizes_out, _size_out, _error_out),
    ),
    "restway_rows_relate": (
        c_enum,
        (RowsHandle, c_size_t, c_char_p, POINTER(c_size_t), c_size_t, _error_out),
    ),
    "restway_rows_relate_objects": (
        c_enum,
        (RowsHandle, c_size_t, c_char_p, POINTER(ObjectHandle), c_size_t, _error_out),
    ),
    "restway_api_add_hook": (
        c_enum,
        (ApiHandle, c_char_p, HookFn, c_void_p, DestroyFn, _error_out),
    ),
    # client.h
    "restway_client_options_init": (c_enum, (POINTER(ClientOptions), c_size_t, _error_out)),
    "restway_client_create": (
        c_enum,
        (ApiHandle, POINTER(ClientOptions), POINTER(ClientHandle), _error_out),
    ),
    "restway_client_retain": (ClientHandle, (ClientHandle,)),
    "restway_client_release": (None, (ClientHandle,)),
    "restway_client_close": (None, (ClientHandle,)),
    "restway_client_store": (StoreHandle, (ClientHandle,)),
    "restway_client_send": (
        c_enum,
        (
            ClientHandle,
            RequestHandle,
            DoneFn,
            c_void_p,
            DestroyFn,
            POINTER(CallHandle),
            _error_out,
        ),
    ),
    "restway_client_perform": (
        c_enum,
        (ClientHandle, RequestHandle, c_int64, POINTER(ResponseHandle), _error_out),
    ),
    "restway_client_process": (c_enum, (ClientHandle, c_int64, _size_out, _error_out)),
    "restway_client_descriptor": (c_int32, (ClientHandle,)),
    "restway_client_drain": (
        c_enum,
        (ClientHandle, POINTER(Event), c_size_t, _size_out, _error_out),
    ),
    "restway_client_set_interceptor": (
        c_enum,
        (ClientHandle, InterceptFn, c_void_p, DestroyFn, _error_out),
    ),
    "restway_client_set_exclusion": (
        c_enum,
        (ClientHandle, ExcludeFn, c_void_p, DestroyFn, _error_out),
    ),
    "restway_request_to_curl": (
        c_enum,
        (RequestHandle, ClientHandle, c_uint32, c_char_p, c_size_t, _size_out, _error_out),
    ),
    # event.h
    "restway_event_release": (None, (POINTER(Event),)),
    # change.h
    "restway_changes_retain": (ChangesHandle, (ChangesHandle,)),
    "restway_changes_release": (None, (ChangesHandle,)),
    "restway_changes_count": (c_size_t, (ChangesHandle,)),
    "restway_changes_kind": (c_uint32, (ChangesHandle, c_size_t)),
    "restway_changes_object": (ObjectHandle, (ChangesHandle, c_size_t)),
    "restway_changes_before": (ObjectHandle, (ChangesHandle, c_size_t)),
    "restway_changes_attributes": (c_size_t, _changed),
    "restway_changes_relationships": (c_size_t, _changed),
    # observer.h
    "restway_client_observe": (c_enum, (ClientHandle, c_char_p, *_observe)),
    "restway_client_observe_object": (c_enum, (ClientHandle, ObjectHandle, *_observe)),
    "restway_observer_remove": (None, (ObserverHandle,)),
    "restway_observer_retain": (ObserverHandle, (ObserverHandle,)),
    "restway_observer_release": (None, (ObserverHandle,)),
    # request.h
    "restway_request_create": (
        c_enum,
        (c_char_p, c_char_p, POINTER(RequestHandle), _error_out),
    ),
    "restway_request_create_route": (
        c_enum,
        (c_char_p, c_char_p, POINTER(RequestHandle), _error_out),
    ),
    "restway_request_create_object": (
        c_enum,
        (c_char_p, ObjectHandle, POINTER(RequestHandle), _error_out),
    ),
    "restway_request_create_draft": (
        c_enum,
        (c_char_p, DraftHandle, POINTER(RequestHandle), _error_out),
    ),
    "restway_request_set_object": (c_enum, (RequestHandle, ObjectHandle, _error_out)),
    "restway_request_set_draft": (c_enum, (RequestHandle, DraftHandle, _error_out)),
    "restway_request_retain": (RequestHandle, (RequestHandle,)),
    "restway_request_release": (None, (RequestHandle,)),
    "restway_request_set_variable": (c_enum, _setter),
    "restway_request_set_parameter": (c_enum, _setter),
    "restway_request_set_parameters_json": (c_enum, (RequestHandle, *_json, _error_out)),
    "restway_request_set_header": (c_enum, (RequestHandle, c_char_p, c_char_p, _error_out)),
    "restway_request_set_body": (
        c_enum,
        (RequestHandle, c_void_p, c_size_t, c_char_p, _error_out),
    ),
    "restway_request_set_timeout": (c_enum, (RequestHandle, c_int64, _error_out)),
    "restway_request_set_priority": (c_enum, (RequestHandle, c_int32, _error_out)),
    # draft.h
    "restway_draft_create": (
        c_enum,
        (StoreHandle, c_char_p, POINTER(DraftHandle), _error_out),
    ),
    "restway_draft_copy": (
        c_enum,
        (StoreHandle, ObjectHandle, POINTER(DraftHandle), _error_out),
    ),
    "restway_draft_retain": (DraftHandle, (DraftHandle,)),
    "restway_draft_release": (None, (DraftHandle,)),
    "restway_draft_entity": (c_char_p, (DraftHandle,)),
    "restway_draft_store_key": (c_int64, (DraftHandle,)),
    "restway_draft_set": (c_enum, (DraftHandle, c_char_p, POINTER(Value), _error_out)),
    "restway_draft_add": (c_enum, (DraftHandle, c_char_p, ObjectHandle, _error_out)),
    "restway_draft_add_draft": (c_enum, (DraftHandle, c_char_p, DraftHandle, _error_out)),
    "restway_draft_remove": (c_enum, (DraftHandle, c_char_p, ObjectHandle, _error_out)),
    "restway_draft_remove_draft": (c_enum, (DraftHandle, c_char_p, DraftHandle, _error_out)),
    "restway_draft_relate": (
        c_enum,
        (
            DraftHandle,
            c_char_p,
            POINTER(ObjectHandle),
            POINTER(DraftHandle),
            c_size_t,
            _error_out,
        ),
    ),
    "restway_draft_unset": (c_enum, (DraftHandle, c_char_p, _error_out)),
    "restway_draft_revert": (c_enum, (DraftHandle, c_char_p, _error_out)),
    "restway_draft_changes": (
        c_enum,
        (DraftHandle, POINTER(c_char_p), c_size_t, _size_out, _error_out),
    ),
    "restway_draft_snapshot": (c_enum, (DraftHandle, POINTER(ObjectHandle), _error_out)),
    "restway_draft_insert": (c_enum, (DraftHandle, POINTER(ObjectHandle), _error_out)),
    # call.h
    "restway_call_retain": (CallHandle, (CallHandle,)),
    "restway_call_release": (None, (CallHandle,)),
    "restway_call_cancel": (None, (CallHandle,)),
    "restway_call_is_complete": (c_int32, (CallHandle,)),
    "restway_call_id": (c_uint64, (CallHandle,)),
    "restway_call_wait": (c_enum, (CallHandle, c_int64, POINTER(ResponseHandle), _error_out)),
    # response.h
    "restway_timings_init": (c_enum, (POINTER(Timings), c_size_t, _error_out)),
    "restway_response_timings": (c_enum, (ResponseHandle, POINTER(Timings), _error_out)),
    "restway_response_retain": (ResponseHandle, (ResponseHandle,)),
    "restway_response_release": (None, (ResponseHandle,)),
    "restway_response_status": (c_int32, (ResponseHandle,)),
    "restway_response_url": (c_char_p, (ResponseHandle,)),
    "restway_response_header": (c_char_p, (ResponseHandle, c_char_p)),
    "restway_response_header_count": (c_size_t, (ResponseHandle,)),
    "restway_response_header_name": (c_char_p, (ResponseHandle, c_size_t)),
    "restway_response_header_value": (c_char_p, (ResponseHandle, c_size_t)),
    "restway_response_trailer": (c_char_p, (ResponseHandle, c_char_p)),
    "restway_response_trailer_count": (c_size_t, (ResponseHandle,)),
    "restway_response_trailer_name": (c_char_p, (ResponseHandle, c_size_t)),
    "restway_response_trailer_value": (c_char_p, (ResponseHandle, c_size_t)),
    "restway_response_body": (c_void_p, (ResponseHandle, _size_out)),
    "restway_response_json": (c_char_p, (ResponseHandle, _size_out)),
    "restway_response_is_mapped": (c_int32, (ResponseHandle,)),
    "restway_response_object_count": (c_size_t, (ResponseHandle,)),
    "restway_response_object": (ObjectHandle, (ResponseHandle, c_size_t)),
    "restway_response_read": (
        c_enum,
        (
            ResponseHandle,
            c_size_t,
            POINTER(Value),
            c_size_t,
            POINTER(c_size_t),
            POINTER(c_char_p),
            POINTER(ObjectHandle),
            _error_out,
        ),
    ),
    "restway_response_list": (ListHandle, (ResponseHandle,)),
    "restway_response_result_count": (c_size_t, (ResponseHandle,)),
    "restway_response_result": (
        c_enum,
        (ResponseHandle, c_size_t, _size_out, _size_out, _error_out),
    ),
    "restway_response_issue_count": (c_size_t, (ResponseHandle,)),
    "restway_response_issue_key_path": (c_char_p, (ResponseHandle, c_size_t)),
    "restway_response_issue_reason": (c_char_p, (ResponseHandle, c_size_t)),
    **OBJECT_PROTOTYPES,
    **AUTH_PROTOTYPES,
    **BODY_PROTOTYPES,
    **BATCH_PROTOTYPES,
    **OUTBOX_PROTOTYPES,
}
"""Of each function: its result and its arguments, in the order of the headers."""

QUICK = frozenset(
    {
        "restway_request_create",
        "restway_response_read",
        "restway_response_status",
        "restway_response_object",
        "restway_response_retain",
        "restway_object_retain",
        "restway_object_entity",
        "restway_object_read",
        "restway_object_store_key",
    }
)
"""Functions that wait for nobody and call nobody: they keep the interpreter's lock, which giving up
and taking again would take longer than what they do."""
