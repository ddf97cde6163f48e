"""The writable fields: checks that name the key path of a wrong value.

A field that is missing or null takes its default, so a complete PUT, a PATCH with null and a POST
with the bare minimum follow one rule. Unknown fields are ignored.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Callable

from .content import JSONObject
from .errors import invalid_field

#: A function that returns the value to store, or raises a 422 that names the given key path.
Check = Callable[[Any, str], Any]

TEXT_CHARACTERS_MAX = 10_000
LIST_ITEMS_MAX = 10_000
INTEGER_MAX = 2**63 - 1
_INSTANT = re.compile(
    r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)", re.ASCII
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


@dataclass(frozen=True)
class Field:
    """One key of an object."""

    check: Check
    default: Callable[[], Any] = lambda: None
    required: bool = False


class Schema:
    """The writable fields of an object; calling it checks an object inside another one."""

    def __init__(self, fields: Mapping[str, Field]) -> None:
        self._fields = fields

    def __call__(self, value: Any, where: str) -> JSONObject:
        if not isinstance(value, dict):
            raise invalid_field(where, "an object is expected")
        prefix = f"{where}." if where else ""
        result: JSONObject = {}
        for name, field in self._fields.items():
            given = value.get(name)
            if given is not None:
                result[name] = field.check(given, prefix + name)
            elif field.required:
                raise invalid_field(prefix + name, "is required")
            else:
                result[name] = field.default()
        return result


def merge_patch(current: JSONObject, patch: JSONObject) -> JSONObject:
    """Returns `current` with a JSON merge patch applied: objects are merged, other values are
    replaced.
    """
    result = dict(current)
    for name, value in patch.items():
        earlier = result.get(name)
        if isinstance(value, dict) and isinstance(earlier, dict):
            result[name] = merge_patch(earlier, value)
        else:
            result[name] = value
    return result


def text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise invalid_field(where, "a string is expected")
    if len(value) > TEXT_CHARACTERS_MAX:
        raise invalid_field(where, f"longer than {TEXT_CHARACTERS_MAX} characters")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise invalid_field(where, "a lone surrogate is not text") from error
    return value


def nonempty_text(value: Any, where: str) -> str:
    if not text(value, where).strip():
        raise invalid_field(where, "must not be empty")
    return str(value)


def choice(words: Sequence[str]) -> Check:
    def check(value: Any, where: str) -> str:
        if value not in words:
            raise invalid_field(where, f"must be one of {', '.join(words)}")
        return str(value)

    return check


def email(value: Any, where: str) -> str:
    local, at, domain = text(value, where).rpartition("@")
    if not (local and at and domain):
        raise invalid_field(where, "an e-mail address is expected")
    return str(value)


def boolean(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise invalid_field(where, "true or false is expected")
    return value


def integer(minimum: int, maximum: int = INTEGER_MAX) -> Check:
    def check(value: Any, where: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise invalid_field(where, "an integer is expected")
        if not minimum <= value <= maximum:
            raise invalid_field(where, f"must be from {minimum} to {maximum}")
        return value

    return check


def number(minimum: float, maximum: float) -> Check:
    def check(value: Any, where: str) -> float:
        # JSON may contain 1e999, which Python reads as infinity.
        if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
            raise invalid_field(where, "a number is expected")
        if not minimum <= value <= maximum:
            raise invalid_field(where, f"must be from {minimum:g} to {maximum:g}")
        return value

    return check


def day(value: Any, where: str) -> str:
    """A date such as 2001-05-17."""
    if not _DAY.fullmatch(text(value, where)):
        raise invalid_field(where, "a date such as 2001-05-17 is expected")
    try:
        date.fromisoformat(value)
    except ValueError as error:
        raise invalid_field(where, str(error)) from error
    return str(value)


def instant(value: Any, where: str) -> str:
    """An ISO 8601 instant with Z or an offset, kept as it was written."""
    try:
        _moment(text(value, where))
    except ValueError as error:
        raise invalid_field(where, str(error)) from error
    return str(value)


def instant_key(name: str) -> Callable[[JSONObject], datetime | None]:
    """Returns a sort key, so that instants with different offsets are compared by their time."""
    return lambda value: None if value[name] is None else _moment(value[name])


def _moment(written: str) -> datetime:
    match = _INSTANT.fullmatch(written)
    if match is None:
        raise ValueError("an instant such as 2024-03-01T10:15:30.123Z is expected")
    day_part, minutes, seconds, fraction, offset = match.groups()
    if offset == "Z":
        offset = "+00:00"
    elif ":" not in offset:
        offset = f"{offset[:3]}:{offset[3:]}"
    microseconds = (fraction or "").ljust(6, "0")[:6]
    return datetime.fromisoformat(f"{day_part}T{minutes}{seconds or ':00'}.{microseconds}{offset}")


def list_of(check: Check) -> Check:
    def check_list(value: Any, where: str) -> list[Any]:
        if not isinstance(value, list):
            raise invalid_field(where, "an array is expected")
        if len(value) > LIST_ITEMS_MAX:
            raise invalid_field(where, f"more than {LIST_ITEMS_MAX} items")
        return [check(item, f"{where}[{index}]") for index, item in enumerate(value)]

    return check_list


def reference(kind: str, exists: Callable[[int], bool]) -> Check:
    """Checks the id of an object that must exist when it is written."""

    def check(value: Any, where: str) -> int:
        identity: int = integer(1)(value, where)
        if not exists(identity):
            raise invalid_field(where, f"there is no {kind} with id {identity}")
        return identity

    return check
