"""The options of the headers as data: the default and the range of each field of the structs that
programs fill, which the comments of the fields state in two lines.

    Default: 60,000 ms.
    Range: 1 ms or more; -1 sets no limit.

A default is a number with its unit, a constant, `NULL`, `no limit` or `required`. Words that
explain it may follow after a comma. A range is one of RANGES. docs/ABI.md describes the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import meanings

Json = dict[str, Any]

#: The units of numbers, with what one unit is in the unit of the field.
UNITS = {
    "ms": 1, "s": 1, "byte": 1, "bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
    "TiB": 1 << 40, "PiB": 1 << 50,
}
#: The largest and the smallest number of each type of fields.
LIMITS = {
    "int32_t": (-(1 << 31), (1 << 31) - 1), "uint32_t": (0, (1 << 32) - 1),
    "int64_t": (-(1 << 63), (1 << 63) - 1), "uint64_t": (0, (1 << 64) - 1),
    "size_t": (0, (1 << 63) - 1),
}

_NUMBER = r"(-?\d[\d,]*)(?: (ms|s|bytes?|[KMGTP]iB))?"
#: The forms of ranges, each with the kind of its fields.
RANGES = {
    "permissions": r"0\d+ to 0\d+",
    "length": rf"{_NUMBER}(?: to {_NUMBER}| or more), the length of (\w+)",
    "number": rf"(?:any number|{_NUMBER}(?: to {_NUMBER}| or more)?)(?:; -1 (.+))?",
    "text": r"text(?: that is not empty)?(?:, .+)?",
    "flags": r"(?:(RESTWAY_\w+_)\*|`1 << (restway_\w+)`) bits",
    "texts": r"an array of texts",
    "structs": r"an array of (restway_\w+)",
    "function": r"a function",
    "pointer": r"any pointer",
    "member": r"a (restway_\w+)",
}


def completed(interface: Json) -> Json:
    """Adds `option` to each field of the structs that programs fill.

    Raises ValueError for a field whose comment has no default or no range, and for a default out of
    the range.
    """
    for name in option_structs(interface):
        comments = meanings.members()[name]
        for field in interface["structs"][name]["fields"][1:]:
            try:
                field["option"] = option(comments.get(field["name"], ""), field["type"], interface)
            except ValueError as error:
                raise ValueError(f"{name}.{field['name']}: {error}") from None
    return interface


def option_structs(interface: Json) -> list[str]:
    """Returns the structs with a size that programs give to functions."""
    structs = interface["structs"]
    pointed = {
        parameter["type"].removeprefix("const ").removesuffix(" *")
        for function in interface["functions"]
        for parameter in function["parameters"]
        if parameter["type"].startswith("const ")
    }
    found = {name for name, each in structs.items() if each["sized"] and name in pointed}
    while True:
        words = {
            word
            for name in found
            for field in structs[name]["fields"]
            for word in field["type"].split()
        }
        more = {word for word in words if word in structs and structs[word]["sized"]} - found
        if not more:
            return [name for name in structs if name in found]
        found |= more


def option(comment: str, c_type: str, interface: Json) -> Json:
    """Reads the default and the range of a field with this comment."""
    found = re.search(r"(?:^|\. |\) )Default: (.+)\. Range: (.+)\.$", comment)
    if not found:
        raise ValueError('its comment does not end with the lines "Default: ..." and "Range: ..."')
    data = _range(found[2], c_type, interface)
    data["default"] = _default(found[1], data, interface)
    return data


def _range(text: str, c_type: str, interface: Json) -> Json:
    matches = {kind: re.fullmatch(form, text) for kind, form in RANGES.items()}
    kind, found = next(((kind, match) for kind, match in matches.items() if match), ("", None))
    if found is None:
        raise ValueError(f"no range has the form {text!r}")
    data: Json = {"kind": kind}
    if kind == "permissions":
        low, _, high = text.partition(" to ")
        data |= {"minimum": int(low, 8), "maximum": int(high, 8)}
    elif kind in ("number", "length"):
        data |= _numbers(*found.groups(), is_open="any" in text or "or more" in text, of=c_type)
        if kind == "length":
            data["of"] = data.pop("minusOne")
    elif kind == "text":
        data["mayBeEmpty"] = "not empty" not in text
    elif kind == "flags":
        prefix, enum = found.groups()
        data |= _bits(prefix, enum, interface)
    elif kind in ("member", "structs"):
        name = found[1]
        known = name in interface["enums"] or name in c_type.replace("*", " ").split()
        if not known:
            raise ValueError(f"the field is no {name}")
        data["type"] = name
        if name in interface["enums"]:
            data["kind"] = "enum"
    return data


def _numbers(
    low: str | None, low_unit: str | None, high: str | None, high_unit: str | None,
    minus_one: str | None, *, is_open: bool, of: str,
) -> Json:
    lowest, highest = LIMITS[of]
    minimum = _number(low, low_unit) if low else lowest
    maximum = highest if is_open else _number(high, high_unit) if high else minimum
    if maximum > highest:
        raise ValueError(f"a number of its type is at most {highest}")
    data: Json = {"minimum": minimum, "maximum": maximum}
    if low_unit:
        data["unit"] = low_unit if low_unit in ("ms", "s") else "bytes"
    return data | ({"minusOne": minus_one} if minus_one else {})


def _bits(prefix: str | None, enum: str | None, interface: Json) -> Json:
    if enum:
        values = interface["enums"][enum]["values"].values()
        return {"type": enum, "bits": sum(1 << value for value in values)}
    bits = {n: value for n, value in interface["constants"].items() if n.startswith(str(prefix))}
    if not bits:
        raise ValueError(f"no constant begins with {prefix}")
    return {"constants": list(bits), "bits": sum(bits.values())}


def _default(text: str, data: Json, interface: Json) -> int | str | None:
    """Returns the default: a number, the name of a constant, or None for `NULL`, `no limit` and
    `required`.
    """
    kind = data["kind"]
    if text == "required":
        data["required"] = True
        return None
    stated = re.match(rf"(?:NULL|no limit|RESTWAY_\w+|{_NUMBER})(?=, |$)", text)
    if not stated:
        raise ValueError(f"no default has the form {text!r}")
    word = stated[0]
    if word.startswith("RESTWAY_"):
        if kind != "enum" or word not in interface["enums"][data["type"]]["values"]:
            raise ValueError(f"the default {word} is out of the range")
        return word
    if (word == "NULL") != (kind not in ("number", "length", "flags", "permissions", "enum")):
        raise ValueError(f"the default {word} is not of the kind {kind}")
    if word == "NULL":
        return None
    if word == "no limit":
        if "maximum" not in data:
            raise ValueError("a number alone can have no limit")
        return None
    number = int(word, 8) if kind == "permissions" else _number(stated[1], stated[2])
    # 0 says that the program sets nothing.
    is_meant = number == 0 and (text != word or kind in ("length", "flags"))
    if not is_meant and not data.get("minimum", 0) <= number <= data.get("maximum", 0):
        raise ValueError(f"the default {word} is out of the range")
    return number


def _number(digits: str, unit: str | None) -> int:
    return int(digits.replace(",", "")) * UNITS[unit or "bytes"]


def fields(interface: Json) -> Iterator[tuple[str, Json]]:
    """Returns the fields that are options, each with its struct."""
    for name, struct in interface["structs"].items():
        for field in struct["fields"]:
            if "option" in field:
                yield name, field
