"""Conversion of values for the library, and back."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest

import restway
from restway import _ffi
from restway._enums import ValueKind
from restway._ffi import conversion as _values

pytestmark = pytest.mark.no_library

MOMENT = datetime(2026, 11, 21, 3, 4, 5, 678901, tzinfo=timezone.utc)


def through(value: object) -> Any:
    encoded = _values.encode(value)
    gc.collect()  # the memory that a value borrows must live as long as the value
    return _values.decode(_ffi.cells(encoded)[0], lambda address: address)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        0,
        -1,
        2**63 - 1,
        -(2**63),
        0.0,
        -2.5,
        1e308,
        "",
        "città €🙂",
        "a\0b",
        b"",
        b"\0\xff" * 50,
        MOMENT,
        datetime(1, 1, 1, tzinfo=timezone.utc),
        datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=timezone.utc),
        [],
        [1, "two", 3.0, None, b"x", MOMENT],
        {"a": [1, {"b": None}]},
        [[1], [2]],
        [{"a": 1}],
    ],
    ids=repr,
)
def test_value_comes_back_as_it_went(value: object) -> None:
    back = through(value)
    assert back == value
    assert type(back) is type(value)


def test_a_moment_of_another_zone_comes_back_in_utc() -> None:
    rome = datetime(2026, 11, 21, 12, 0, tzinfo=timezone(timedelta(hours=1)))
    assert through(rome) == rome
    assert through(rome).utcoffset() == timedelta(0)


def test_dates_inside_json_are_written_as_iso_8601() -> None:
    assert through({"at": MOMENT, "on": date(2026, 11, 21)}) == {
        "at": "2026-11-21T03:04:05.678901Z",
        "on": "2026-11-21",
    }


def test_a_long_list_keeps_its_texts_alive() -> None:
    def texts() -> Iterator[str]:
        return (f"text number {index}" for index in range(2000))

    encoded = _values.encode(list(texts()))
    gc.collect()
    decoded = _values.decode(_ffi.cells(encoded)[0], lambda address: address)
    assert decoded == list(texts())


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (NotImplemented, TypeError),
        ({1, 2}, TypeError),
        (datetime(2026, 11, 21), ValueError),
        ({"x": float("nan")}, ValueError),
        ({"x": NotImplemented}, TypeError),
        ("\ud800", ValueError),
    ],
    ids=repr,
)
def test_what_the_library_cannot_hold_is_refused(value: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        _values.encode(value)


@pytest.mark.parametrize("microseconds", [2**63 - 1, -(2**63), -62_167_219_200_000_000])
def test_a_date_that_python_cannot_hold_is_none(microseconds: int) -> None:
    cell = (int(ValueKind.DATE), 0, microseconds)
    assert _values.decode(cell, lambda address: address, "founded") is None


@pytest.mark.parametrize(
    "text", ["0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00+00:00"]
)
def test_a_date_of_another_time_zone_keeps_an_offset(text: str) -> None:
    given = datetime.fromisoformat(text)
    encoded = _values.encode(given)
    found = _values.decode(_ffi.cells(encoded)[0], lambda address: address)
    assert found == given and found.isoformat() == text
    assert _values.json_bytes(given).decode() == f'"{text}"'.replace("+00:00", "Z")



def test_json_deeper_than_python_parses_is_a_mapping_error() -> None:
    depth = 100_000
    with pytest.raises(restway.MappingError, match="deeper"):
        _values.json_value("[" * depth + "]" * depth)


def test_absent_and_kinds_of_newer_libraries_are_none() -> None:
    assert _values.decode((int(ValueKind.ABSENT), 0, 0), lambda address: address) is None
    assert _values.decode((4711, 8, 0), lambda address: address) is None
