"""The ctypes declarations match the header."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from enum import IntEnum
from pathlib import Path
from typing import Any

import pytest

from restway import _enums as enums
from restway import _ffi
from restway._ffi import prototypes, structures
from restway._ffi.owned import OWNED

from .header import FOLDER, Field, parse

pytestmark = pytest.mark.no_library

HEADER = parse()

HANDLES = {
    "restway" + re.sub("([A-Z])", r"_\1", kind.__name__[: -len("Handle")]).lower(): kind
    for kind in _ffi.Handle.__subclasses__()
}
ENUMERATIONS: dict[str, tuple[type[IntEnum], str]] = {
    "restway_status": (enums.Status, "RESTWAY_E_"),
    "restway_domain": (enums.Domain, "RESTWAY_DOMAIN_"),
    "restway_log_level": (enums.LogLevel, "RESTWAY_LOG_"),
    "restway_value_kind": (enums.ValueKind, "RESTWAY_VALUE_"),
    "restway_delivery": (enums.Delivery, "RESTWAY_DELIVERY_"),
    "restway_change_kind": (enums.ChangeKind, "RESTWAY_CHANGE_"),
    "restway_change_source": (enums.ChangeSource, "RESTWAY_CHANGE_SOURCE_"),
    "restway_conflict_kind": (enums.ConflictKind, "RESTWAY_CONFLICT_"),
    "restway_conflict_side": (enums.ConflictSide, "RESTWAY_CONFLICT_"),
    "restway_attribute_type": (enums.AttributeType, "RESTWAY_TYPE_"),
    "restway_section": (enums.Section, "RESTWAY_SECTION_"),
    "restway_policy": (enums.Policy, "RESTWAY_POLICY_"),
    "restway_comparison": (enums.Comparison, "RESTWAY_COMPARISON_"),
    "restway_event_kind": (enums.EventKind, "RESTWAY_EVENT_"),
    "restway_auth_mode": (enums.AuthMode, "RESTWAY_AUTH_"),
    "restway_reachability": (enums.Reachability, "RESTWAY_REACHABILITY_"),
    "restway_offline": (enums.Offline, "RESTWAY_OFFLINE_"),
    "restway_outbox_state": (enums.OutboxState, "RESTWAY_OUTBOX_"),
    "restway_outbox_reason": (enums.OutboxReason, "RESTWAY_OUTBOX_REASON_"),
    "restway_serialization": (enums.Serialization, "RESTWAY_SERIALIZATION_"),
    "restway_digest": (enums.Digest, "RESTWAY_DIGEST_"),
    "restway_attempt_reason": (enums.AttemptReason, "RESTWAY_ATTEMPT_"),
    "restway_stream_format": (enums.StreamFormat, "RESTWAY_STREAM_"),
    "restway_tls_version": (enums.TlsVersion, "RESTWAY_TLS_"),
    "restway_ip_version": (enums.IpVersion, "RESTWAY_IP_"),
    "restway_phase": (enums.Phase, "RESTWAY_PHASE_"),
    "restway_http_version": (enums.HttpVersion, "RESTWAY_HTTP_"),
    "restway_upload_protocol": (enums.UploadProtocol, "RESTWAY_UPLOAD_"),
    "restway_cache_mode": (enums.CacheMode, "RESTWAY_CACHE_"),
    "restway_cache_state": (enums.CacheState, "RESTWAY_CACHE_STATE_"),
    "restway_http_class": (enums.StatusClass, "RESTWAY_HTTP_CLASS_"),
    "restway_lifecycle_kind": (enums.LifecycleKind, "RESTWAY_LIFECYCLE_"),
}
STRUCTURES = {
    "restway_value": structures.Value,
    "restway_client_options": structures.ClientOptions,
    "restway_timings": structures.Timings,
    "restway_statistics": structures.Statistics,
    "restway_event": structures.Event,
    "restway_tls_options": structures.TlsOptions,
    "restway_network_options": structures.NetworkOptions,
    "restway_credential": structures.Credential,
    "restway_attempt": structures.Attempt,
    "restway_progress": structures.Progress,
    "restway_page": structures.Page,
    "restway_page_options": structures.PageOptions,
    "restway_body_reader": structures.BodyReader,
    "restway_body_receiver": structures.BodyReceiver,
    "restway_event_receiver": structures.EventReceiver,
    "restway_stream_event": structures.StreamEvent,
    "restway_log_record": structures.LogRecord,
    "restway_span": structures.Span,
    "restway_span_attribute": structures.SpanAttribute,
    "restway_outbox_counts": structures.OutboxCounts,
    "restway_rate": structures.Rate,
    "restway_cookie": structures.Cookie,
    "restway_cache_note": structures.CacheNote,
    "restway_cache_counts": structures.CacheCounts,
    "restway_map_options": structures.MapOptions,
    "restway_cache_filter": structures.CacheFilter,
    "restway_cache_entry": structures.CacheEntry,
    "restway_call_info": structures.CallInfo,
    "restway_lifecycle_options": structures.LifecycleOptions,
}
UNIONS = {
    "restway_value": ("as", structures.ValueAs),
    "restway_event": ("payload", structures.EventPayload),
}
CALLBACKS = {
    "restway_changed_fn": structures.ChangedFn,
    "restway_query_changed_fn": structures.QueryChangedFn,
    "restway_lifecycle_fn": structures.LifecycleFn,
    "restway_destroy_fn": structures.DestroyFn,
    "restway_done_fn": structures.DoneFn,
    "restway_exclude_fn": structures.ExcludeFn,
    "restway_resolve_fn": structures.ResolveFn,
    "restway_modify_fn": structures.ModifyFn,
    "restway_intercept_fn": structures.InterceptFn,
    "restway_log_fn": structures.LogFn,
    "restway_span_fn": structures.SpanFn,
    "restway_authorize_fn": structures.AuthorizeFn,
    "restway_should_replay_fn": structures.ShouldReplayFn,
    "restway_refresh_fn": structures.RefreshFn,
    "restway_persist_fn": structures.PersistFn,
    "restway_attempt_fn": structures.AttemptFn,
    "restway_progress_fn": structures.ProgressFn,
    "restway_read_failure_fn": structures.ReadFailureFn,
    "restway_transform_fn": structures.TransformFn,
    "restway_hook_fn": structures.HookFn,
    "restway_validate_fn": structures.ValidateFn,
    "restway_parse_fn": structures.ParseFn,
    "restway_encode_fn": structures.EncodeFn,
    "restway_map_progress_fn": structures.MapProgressFn,
    "restway_body_head_fn": structures.BodyHeadFn,
    "restway_body_read_fn": structures.BodyReadFn,
    "restway_body_receive_fn": structures.BodyReceiveFn,
    "restway_body_rewind_fn": structures.BodyRewindFn,
    "restway_stream_event_fn": structures.StreamEventFn,
    "restway_batch_done_fn": structures.BatchDoneFn,
    "restway_batch_encode_fn": structures.BatchEncodeFn,
    "restway_batch_decode_fn": structures.BatchDecodeFn,
    "restway_outbox_item_fn": structures.OutboxItemFn,
    "restway_outbox_flushed_fn": structures.OutboxFlushedFn,
}
PLAIN: dict[str, Any] = {
    "void": None,
    "void *": ctypes.c_void_p,
    "char *": ctypes.c_char_p,
    "char **": ctypes.POINTER(ctypes.c_char_p),
    "double": ctypes.c_double,
    "size_t": ctypes.c_size_t,
    "size_t **": ctypes.POINTER(ctypes.POINTER(ctypes.c_size_t)),
    "size_t *": ctypes.POINTER(ctypes.c_size_t),
    "int32_t": ctypes.c_int32,
    "int32_t *": ctypes.POINTER(ctypes.c_int32),
    "int64_t": ctypes.c_int64,
    "int64_t **": ctypes.POINTER(ctypes.POINTER(ctypes.c_int64)),
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
    "int64_t *": ctypes.POINTER(ctypes.c_int64),
    "uint32_t *": ctypes.POINTER(ctypes.c_uint32),
    "uint8_t *": ctypes.POINTER(ctypes.c_uint8),
    # The structs of Arrow are passed by their addresses.
    "struct ArrowSchema *": ctypes.c_void_p,
    "struct ArrowArray *": ctypes.c_void_p,
    "struct ArrowArrayStream *": ctypes.c_void_p,
}


def expected(c_type: str) -> Any:
    """Returns the ctypes type that a C type of the header must have."""
    bare = c_type.replace("const ", "").replace("* *", "**").strip()
    if bare.endswith("]"):
        element, _, count = bare[:-1].partition("[")
        return expected(element) * int(count)  # ctypes makes equal arrays the same type
    if bare in PLAIN:
        return PLAIN[bare]
    base, _, stars = bare.partition(" ")
    if base in ENUMERATIONS:
        return {"": ctypes.c_uint32}[stars]
    if base in CALLBACKS:
        return {"": CALLBACKS[base]}[stars]
    if base in HANDLES:
        return {"*": HANDLES[base], "**": ctypes.POINTER(HANDLES[base])}[stars]
    structure: Any = STRUCTURES[base]
    pointer = ctypes.POINTER(structure)
    return {"": structure, "*": pointer, "**": ctypes.POINTER(pointer)}[stars]


def test_the_header_is_read_completely() -> None:
    declared = sum(
        path.read_text().count("RESTWAY_API RESTWAY_MUST_USE restway_")
        + sum(
            line.startswith("RESTWAY_API ") and "RESTWAY_MUST_USE" not in line
            for line in path.read_text().splitlines()
        )
        for path in FOLDER.glob("*.h")
    )
    assert len(HEADER.functions) == declared > 90


def test_prototypes_are_those_of_the_header() -> None:
    assert set(prototypes.PROTOTYPES) == set(HEADER.functions)


@pytest.mark.parametrize("function", sorted(HEADER.functions))
def test_prototype_equals_header(function: str) -> None:
    result, arguments = prototypes.PROTOTYPES[function]
    declared = HEADER.functions[function]
    assert result is expected(declared.result)
    assert list(arguments) == [expected(argument.type) for argument in declared.arguments]


@pytest.mark.parametrize("callback", sorted(HEADER.callbacks))
def test_callback_type_equals_header(callback: str) -> None:
    kind: Any = CALLBACKS[callback]
    declared = HEADER.callbacks[callback]
    assert kind._restype_ is expected(declared.result)
    assert list(kind._argtypes_) == [expected(argument.type) for argument in declared.arguments]


def test_every_handle_that_can_be_owned_names_its_release_function() -> None:
    assert set(HANDLES) == HEADER.handles
    releases = {
        kind: f"{name}_release"
        for name, kind in HANDLES.items()
        if f"{name}_release" in HEADER.functions
    }
    assert {kind: owned.release for kind, owned in OWNED.items()} == releases
    assert all(issubclass(owned, kind) for kind, owned in OWNED.items())


def test_the_header_has_no_other_structures_callbacks_and_enumerations() -> None:
    assert set(HEADER.structures) == set(STRUCTURES)
    assert set(HEADER.callbacks) == set(CALLBACKS)
    assert set(HEADER.enumerations) == set(ENUMERATIONS)


@pytest.mark.parametrize("enumeration", sorted(ENUMERATIONS))
def test_enumeration_equals_header(enumeration: str) -> None:
    kind, prefix = ENUMERATIONS[enumeration]
    declared = {
        name.replace("RESTWAY_OK", f"{prefix}OK")[len(prefix) :]: value
        for name, value in HEADER.enumerations[enumeration].items()
        if not name.endswith("_PIN_")
    }
    assert declared == {member.name: member.value for member in kind}


def test_macros_equal_header() -> None:
    flags = {f"RESTWAY_CLIENT_{flag.name}": flag.value for flag in enums.ClientFlag}
    flags.update(
        {f"RESTWAY_RELATIONSHIP_{flag.name}": flag.value for flag in enums.RelationshipFlag}
    )
    flags.update({f"RESTWAY_ROUTE_{flag.name}": flag.value for flag in enums.RouteFlag})
    flags.update({f"RESTWAY_CURL_{flag.name}": flag.value for flag in enums.CurlFlag})
    flags.update({f"RESTWAY_OUTBOX_{flag.name}": flag.value for flag in enums.OutboxFlag})
    flags.update({f"RESTWAY_MAP_{flag.name}": flag.value for flag in enums.MapFlag})
    flags.update({f"RESTWAY_SEND_{flag.name}": flag.value for flag in enums.SendFlag})
    flags.update({f"RESTWAY_SAVE_{flag.name}": flag.value for flag in enums.SaveFlag})
    flags.update({f"RESTWAY_UPLOAD_{flag.name}": flag.value for flag in enums.UploadFlag})
    flags.update({f"RESTWAY_CALL_{flag.name}": flag.value for flag in enums.CallFlag})
    flags.update({f"RESTWAY_CACHE_{flag.name}": flag.value for flag in enums.CacheFlag})
    prefixes = ("RESTWAY_CACHE_", "RESTWAY_CALL_", "RESTWAY_CLIENT_", "RESTWAY_CURL_",
        "RESTWAY_MAP_", "RESTWAY_OUTBOX_", "RESTWAY_RELATIONSHIP_", "RESTWAY_ROUTE_",
        "RESTWAY_SAVE_", "RESTWAY_SEND_", "RESTWAY_UPLOAD_")
    assert {
        name: value for name, value in HEADER.macros.items() if name.startswith(prefixes)
    } == flags
    assert HEADER.macros["RESTWAY_ABI_VERSION"] == enums.ABI_VERSION
    number = HEADER.macros["RESTWAY_VERSION_MINOR"] * 1000 + HEADER.macros["RESTWAY_VERSION_PATCH"]
    assert HEADER.macros["RESTWAY_VERSION_MAJOR"] * 1_000_000 + number >= _ffi.VERSION_NUMBER_MIN


@pytest.mark.parametrize("name", sorted(STRUCTURES))
def test_structure_fields_have_the_names_and_types_of_the_header(name: str) -> None:
    structure: Any = STRUCTURES[name]
    fields = dict(structure._fields_)
    found = {field.rstrip("_"): kind for field, kind in fields.items()}
    declared = [field for field in HEADER.structures[name] if field.type != "union"]
    if name in UNIONS:
        member, union = UNIONS[name]
        assert found.pop(member) is union
        assert Field("union", member) in HEADER.structures[name]
        members: Any = union._fields_
        found.update({f"{member}.{field}": kind for field, kind in members})
    assert list(found.items()) == [(field.name, expected(field.type)) for field in declared]


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_structure_layouts_are_those_of_the_c_compiler(tmp_path: Path) -> None:
    lines = []
    measured: dict[str, tuple[int, int]] = {}
    for name, structure in STRUCTURES.items():
        measured[name] = (0, ctypes.sizeof(structure))
        lines.append(f'printf("{name} 0 %zu\\n", sizeof({name}));')
        for field in HEADER.structures[name]:
            if "." in field.name:
                continue
            place = getattr(structure, "as_" if field.name == "as" else field.name)
            measured[f"{name}.{field.name}"] = (place.offset, place.size)
            lines.append(
                f'printf("{name}.{field.name} %zu %zu\\n", offsetof({name}, {field.name}),'
                f" sizeof((({name} *)0)->{field.name}));"
            )
    source = tmp_path / "layout.c"
    body = "\n".join(lines)
    source.write_text(
        f"#include <restway/restway.h>\n#include <stdio.h>\nint main(void) {{{body}}}"
    )
    program = tmp_path / "layout"
    subprocess.run(
        ["cc", "-std=c99", "-I", str(FOLDER.parent), str(source), "-o", str(program)], check=True
    )
    output = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    compiled = {
        words[0]: (int(words[1]), int(words[2])) for words in map(str.split, output.splitlines())
    }
    assert compiled == measured
