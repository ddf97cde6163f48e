"""The comments of options state a default and a range, and the interface has both."""

from __future__ import annotations

import json
from typing import Any

import pytest
from interface import INTERFACE_FILE, interface
from options import completed, fields, option, option_structs

INTERFACE = interface()


def _by_name(interface: dict[str, Any]) -> dict[str, Any]:
    return {f"{name}.{field['name']}": field["option"] for name, field in fields(interface)}


OPTIONS = _by_name(completed(interface()))


def _read(stated: str, c_type: str = "int64_t") -> dict[str, Any]:
    return option(f"The limit. {stated}", c_type, INTERFACE)


def test_every_struct_that_programs_fill_has_options() -> None:
    found = option_structs(INTERFACE)
    assert {"restway_client_options", "restway_tls_options", "restway_cookie"} <= set(found)
    assert not {"restway_progress", "restway_page", "restway_cache_counts"} & set(found)


def test_the_interface_has_defaults_and_ranges() -> None:
    stored = json.loads(INTERFACE_FILE.read_text())
    assert _by_name(stored) == OPTIONS
    depth = OPTIONS["restway_client_options.nesting_depth_max"]
    assert depth == {"kind": "number", "minimum": 1, "maximum": 2048, "default": 512}
    cache = OPTIONS["restway_client_options.cache_bytes_max"]
    assert (cache["minimum"], cache["maximum"], cache["unit"]) == (1 << 16, 1 << 50, "bytes")
    assert cache["default"] == 100 << 20
    saved = OPTIONS["restway_client_options.save_bytes_max"]
    assert (saved["minusOne"], saved["default"]) == ("sets no limit", None)
    assert OPTIONS["restway_client_options.file_mode"]["default"] == 0o600
    assert OPTIONS["restway_cookie.flags"]["bits"] == 7
    assert OPTIONS["restway_network_options.tls_count"]["of"] == "tls"


def test_every_length_is_of_an_array() -> None:
    for key, found in OPTIONS.items():
        if found["kind"] == "length":
            array = OPTIONS[f"{key.partition('.')[0]}.{found['of']}"]
            assert array["kind"] in ("texts", "structs")


@pytest.mark.parametrize(
    ("stated", "c_type"),
    [
        ("", "int64_t"),
        ("Default: 5.", "int64_t"),
        ("Range: 1 or more.", "int64_t"),
        ("Default: 5 or so. Range: 1 to 9.", "int64_t"),
        ("Default: 5. Range: some.", "int64_t"),
        ("Default: 5. Range: 1 to 3,000,000,000.", "int32_t"),
        ("Default: NULL. Range: 1 to 9.", "int64_t"),
        ("Default: 5. Range: text.", "const char *"),
        ("Default: NULL. Range: a restway_clock.", "restway_client *"),
        ("Default: 0. Range: RESTWAY_NOTHING_* bits.", "uint32_t"),
        ("Default: RESTWAY_IP_ANY. Range: a restway_delivery.", "uint32_t"),
    ],
)
def test_a_field_without_default_and_range_is_refused(stated: str, c_type: str) -> None:
    with pytest.raises(ValueError, match=r"the lines|has the form|of the kind|at most|no |range"):
        _read(stated, c_type)


@pytest.mark.parametrize(
    "stated",
    [
        "Default: 10. Range: 1 to 9.",
        "Default: 0. Range: 1 to 9.",
        "Default: 1 KiB. Range: 2 KiB or more.",
        "Default: -1. Range: 1 or more; -1 sets no limit.",
    ],
)
def test_a_default_out_of_the_range_is_refused(stated: str) -> None:
    with pytest.raises(ValueError, match="out of the range"):
        _read(stated)


def test_a_default_in_the_range_is_read() -> None:
    assert _read("Default: 9. Range: 1 to 9.")["default"] == 9
    assert _read("Default: 2 s. Range: 1 s or more.") == {
        "kind": "number", "minimum": 1, "maximum": (1 << 63) - 1, "unit": "s", "default": 2
    }
    assert _read("Default: 0, any age. Range: 1 s or more.")["default"] == 0
    assert _read("Default: no limit. Range: 1 or more; -1 allows none.")["default"] is None
