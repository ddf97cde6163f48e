"""The part of `_prototypes` that is about authentication, retries, progress and failures."""

from __future__ import annotations

from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_void_p
from typing import Any

from ._structures import (
    CallHandle,
    ClientHandle,
    ClockHandle,
    DestroyFn,
    ErrorHandle,
    RequestHandle,
    ResponseHandle,
    c_enum,
)
from ._structures_auth import (
    Attempt,
    AttemptFn,
    AuthorizeFn,
    Credential,
    ExchangeHandle,
    FailureHandle,
    PersistFn,
    Progress,
    ProgressFn,
    ReadFailureFn,
    RefreshFn,
    RefreshHandle,
    ShouldReplayFn,
)

_error_out = POINTER(ErrorHandle)
_size_out = POINTER(c_size_t)
_credential = POINTER(Credential)


def _setter(function: Any) -> tuple[Any, tuple[Any, ...]]:
    """Sets a callback of a client."""
    return c_enum, (ClientHandle, function, c_void_p, DestroyFn, _error_out)


AUTH_PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    # auth.h
    "restway_credential_init": (c_enum, (_credential, c_size_t, _error_out)),
    "restway_client_set_credential": (c_enum, (ClientHandle, _credential, _error_out)),
    "restway_exchange_method": (c_char_p, (ExchangeHandle,)),
    "restway_exchange_url": (c_char_p, (ExchangeHandle,)),
    "restway_exchange_header": (c_char_p, (ExchangeHandle, c_char_p)),
    "restway_exchange_body": (c_void_p, (ExchangeHandle, _size_out)),
    "restway_exchange_attempt": (c_int32, (ExchangeHandle,)),
    "restway_exchange_set_header": (
        c_enum,
        (ExchangeHandle, c_char_p, c_char_p, _error_out),
    ),
    "restway_exchange_add_parameter": (
        c_enum,
        (ExchangeHandle, c_char_p, c_char_p, _error_out),
    ),
    "restway_client_set_authorize": _setter(AuthorizeFn),
    "restway_client_set_should_replay": _setter(ShouldReplayFn),
    "restway_refresh_retain": (RefreshHandle, (RefreshHandle,)),
    "restway_refresh_release": (None, (RefreshHandle,)),
    "restway_refresh_succeed": (c_enum, (RefreshHandle, _credential, _error_out)),
    "restway_refresh_fail": (c_enum, (RefreshHandle, c_char_p, c_int32, _error_out)),
    "restway_client_set_refresh": _setter(RefreshFn),
    "restway_client_set_persist": _setter(PersistFn),
    "restway_request_set_auth": (c_enum, (RequestHandle, c_enum, _error_out)),
    # failure.h
    "restway_failure_error": (ErrorHandle, (FailureHandle,)),
    "restway_failure_replace": (
        c_enum,
        (FailureHandle, c_char_p, c_char_p, c_char_p, c_int32, _error_out),
    ),
    "restway_client_set_failure_reader": _setter(ReadFailureFn),
    # progress.h
    "restway_progress_init": (c_enum, (POINTER(Progress), c_size_t, _error_out)),
    "restway_call_progress": (c_enum, (CallHandle, POINTER(Progress), _error_out)),
    "restway_request_set_progress": (
        c_enum,
        (RequestHandle, c_int64, ProgressFn, c_void_p, DestroyFn, _error_out),
    ),
    # retry.h
    "restway_client_set_retry": (c_enum, (ClientHandle, c_char_p, c_size_t, _error_out)),
    "restway_request_set_idempotency_key": (c_enum, (RequestHandle, c_char_p, _error_out)),
    "restway_attempt_init": (c_enum, (POINTER(Attempt), c_size_t, _error_out)),
    "restway_response_attempt_count": (c_size_t, (ResponseHandle,)),
    "restway_response_attempt": (
        c_enum,
        (ResponseHandle, c_size_t, POINTER(Attempt), _error_out),
    ),
    "restway_error_attempt_count": (c_size_t, (ErrorHandle,)),
    "restway_error_attempt": (c_enum, (ErrorHandle, c_size_t, POINTER(Attempt), _error_out)),
    "restway_client_set_attempt_observer": _setter(AttemptFn),
    "restway_clock_create": (c_enum, (POINTER(ClockHandle), _error_out)),
    "restway_clock_retain": (ClockHandle, (ClockHandle,)),
    "restway_clock_release": (None, (ClockHandle,)),
    "restway_clock_advance": (c_enum, (ClockHandle, c_int64, _error_out)),
    "restway_clock_next_milliseconds": (c_int64, (ClockHandle,)),
}
"""Of each function: its result and its arguments, in the order of the headers."""
