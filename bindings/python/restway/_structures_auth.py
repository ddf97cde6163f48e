"""The part of `_structures` that is about authentication, retries, progress and failures."""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char_p,
    c_double,
    c_int32,
    c_int64,
    c_size_t,
    c_uint32,
    c_void_p,
)

from ._structures import CallHandle, ErrorHandle, Handle, c_enum


class ExchangeHandle(Handle):
    """Only ever borrowed."""

    release = ""


class FailureHandle(Handle):
    """Only ever borrowed."""

    release = ""


class RefreshHandle(Handle):
    release = "restway_refresh_release"


class Credential(Structure):
    """`restway_credential`. NULL in a field keeps what there is."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("user", c_char_p),
        ("password", c_char_p),
        ("token", c_char_p),
        ("refresh_token", c_char_p),
        ("expires_in_milliseconds", c_int64),
    ]


class Attempt(Structure):
    """`restway_attempt`."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("reason", c_uint32),
        ("status", c_uint32),
        ("http_status", c_int32),
        ("reserved", c_int32),
        ("waited_microseconds", c_int64),
        ("took_microseconds", c_int64),
        ("api_code", c_char_p),
    ]


class Progress(Structure):
    """`restway_progress`; a total of -1 is not known."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("upload_done", c_int64),
        ("upload_total", c_int64),
        ("download_done", c_int64),
        ("download_total", c_int64),
        ("mapping_done", c_int64),
        ("mapping_total", c_int64),
        ("fraction", c_double),
    ]


AuthorizeFn = CFUNCTYPE(c_enum, c_void_p, ExchangeHandle)
ShouldReplayFn = CFUNCTYPE(c_int32, c_void_p, ErrorHandle)
RefreshFn = CFUNCTYPE(None, c_void_p, RefreshHandle)
PersistFn = CFUNCTYPE(None, c_void_p, POINTER(Credential))
AttemptFn = CFUNCTYPE(None, c_void_p, CallHandle, c_size_t, POINTER(Attempt))
ProgressFn = CFUNCTYPE(None, c_void_p, CallHandle, POINTER(Progress))
ReadFailureFn = CFUNCTYPE(None, c_void_p, FailureHandle)
