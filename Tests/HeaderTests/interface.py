"""The interface of the library as data: every function with its parameters, every struct with its
fields, by type. It is read from the headers, so a new function is in every list from its first day.

    python Tests/HeaderTests/interface.py

writes it as JSON to `Include/restway.api.json`, which the bindings are generated from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import contracts
import meanings
import options
import plugin_interface
import statuses
from declarations import (
    OF_BINDINGS,
    all_callbacks,
    all_constants,
    all_enums,
    all_functions,
    all_inline_functions,
    all_structs,
    group_comments,
    type_comments_of_all,
)
from tree import INCLUDE

#: The interface as data, for generators of bindings.
INTERFACE_FILE = INCLUDE / "restway.api.json"

#: The integer types of the headers: whether they are signed, and their size in bits.
INTEGERS = {
    "int32_t": (True, 32), "uint32_t": (False, 32), "int64_t": (True, 64),
    "uint64_t": (False, 64), "size_t": (False, 64),
}
#: The sizes of all types of fields and parameters, in bytes.
SIZES = {**{name: bits // 8 for name, (_, bits) in INTEGERS.items()}, "double": 8}

_OPAQUE = re.compile(r"^typedef struct (restway_\w+) \1;", re.MULTILINE)


@cache
def handle_types() -> frozenset[str]:
    """Returns the opaque types, which handles point to."""
    texts = [header.read_text() for header in OF_BINDINGS]
    return frozenset(name for text in texts for name in _OPAQUE.findall(text)) - set(all_structs())


@dataclass(frozen=True)
class Variable:
    """A parameter or a field: its type ("const char *") and its name."""

    name: str
    type: str

    @property
    def pointee(self) -> str:
        """The type that it points to, without const: "restway_api" for `const restway_api *`."""
        words = self.type.replace("const", " ").replace("struct ", " ").split()
        return "".join(words)[:-1] if self.type.endswith("*") else ""

    @property
    def handle(self) -> str:
        """The opaque type, for a single handle parameter; otherwise ""."""
        return self.pointee if self.pointee in handle_types() else ""

    @property
    def handles(self) -> str:
        """The opaque type, for a parameter that is an array of handles; otherwise ""."""
        element = self.pointee[:-1] if self.pointee.endswith("*") else ""
        return element if element in handle_types() and "const *" in self.type else ""

    @property
    def integer(self) -> str:
        """The integer type; an enum has 32 bits. "" for other types."""
        if self.type in all_enums():
            return "uint32_t"
        return self.type if self.type in INTEGERS else ""


@dataclass(frozen=True)
class Function:
    """A function: its result and its parameters."""

    name: str
    result: str
    parameters: tuple[Variable, ...]

    @property
    def answers_a_status(self) -> bool:
        return self.result == "restway_status"

    @property
    def handle_parameters(self) -> tuple[Variable, ...]:
        return tuple(p for p in self.parameters if p.handle or p.handles)

    @property
    def integer_parameters(self) -> tuple[Variable, ...]:
        return tuple(p for p in self.parameters if p.integer)


def _variable(text: str) -> Variable:
    match = re.fullmatch(r"(.*?)\s*(\w+)", text.strip(), re.DOTALL)
    assert match, text
    return Variable(match[2], " ".join(match[1].split()))


@cache
def functions() -> tuple[Function, ...]:
    return tuple(_function(f.name, f.result, f.parameters) for f in all_functions())


@cache
def inline_functions() -> tuple[Function, ...]:
    """Returns the functions that the headers contain, which no binding can call."""
    return tuple(_function(f.name, f.result, f.parameters) for f in all_inline_functions())


@cache
def callbacks() -> tuple[Function, ...]:
    """Returns the types of functions that the library calls."""
    return tuple(_function(*found) for found in all_callbacks())


def _function(name: str, result: str, parameters: str) -> Function:
    words = [] if parameters == "void" else parameters.split(", ")
    return Function(name, result, tuple(map(_variable, words)))


@cache
def structs() -> dict[str, tuple[Variable, ...]]:
    """Returns the fields of every struct. A union is one field of the type "union"; an array has a
    type like "uint64_t[4]".
    """
    found = {}
    for name, body in all_structs().items():
        flat = re.sub(r"union\s*\{.*?\}", "union", body, flags=re.DOTALL)
        flat = re.sub(r"(\w+)\[(\d+)\]", r"[\2] \1", flat)
        words = [word for word in flat.split(";") if word.strip()]
        found[name] = tuple(_variable(word.replace(" [", "[")) for word in words)
    return found


@cache
def unions() -> dict[str, dict[str, tuple[Variable, ...]]]:
    """Returns the members of the unions inside structs, by the names of the struct and the field.
    """
    found: dict[str, dict[str, tuple[Variable, ...]]] = {}
    for name, body in all_structs().items():
        for members, field in re.findall(r"union\s*\{(.*?)\}\s*(\w+)", body, re.DOTALL):
            words = [word for word in members.split(";") if word.strip()]
            found.setdefault(name, {})[field] = tuple(map(_variable, words))
    return found


@cache
def enums() -> dict[str, dict[str, int]]:
    """Returns the constants of every enum, without those that only pin its size."""
    found = {}
    for name, lines in all_enums().items():
        pairs = [line.split(" = ") for line in lines]
        found[name] = {key: int(value, 0) for key, value in pairs if not key.endswith("_PIN_")}
    return found


def size_of(field: Variable) -> int:
    """Returns a size in bytes: a type that is not a number is as large as a pointer."""
    element, _, count = field.type.rstrip("]").partition("[")
    return SIZES.get(element.strip(), 8) * int(count or 1)


def functions_of_handles() -> list[Function]:
    """Returns the functions that can return RESTWAY_E_FORKED: they return a status and take a
    handle.
    """
    return [f for f in functions() if f.answers_a_status and f.handle_parameters]


def integer_parameters() -> Iterator[tuple[Function, Variable]]:
    for function in functions():
        for parameter in function.integer_parameters:
            yield function, parameter


def extremes(integer: str) -> list[int]:
    """Returns the limits of a type, and the limits of the types with which it may be confused."""
    is_signed, bits = INTEGERS[integer]
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else (0, (1 << bits) - 1)
    ends = [0, 1, -1]
    for other in (32, 64):
        ends += [-(1 << (other - 1)), (1 << (other - 1)) - 1, (1 << (other - 1)), (1 << other) - 1]
    return sorted({end for end in ends if low <= end <= high})


def interface() -> dict[str, Any]:
    """Returns the interface for programs, in the form of `Include/restway.api.json`."""
    constants = all_constants()
    parts = [constants[f"RESTWAY_VERSION_{part}"] for part in ("MAJOR", "MINOR", "PATCH")]
    since = contracts.type_versions()
    return {
        "version": ".".join(map(str, parts)),
        "abi": constants["RESTWAY_ABI_VERSION"],
        "handles": {
            name: meanings.documented(meanings.handles()[name]) for name in sorted(handle_types())
        },
        "enums": {
            name: {"since": since[name], **_type_doc(name), "values": values, **_docs(name)}
            for name, values in enums().items()
        },
        "statuses": statuses.statuses(),
        "flags": {prefix: flags_data(prefix) for prefix in flag_prefixes()},
        "constants": constants,
        "callbacks": [_callback_data(callback) for callback in callbacks()],
        "structs": {
            name: {
                "since": since[name],
                "sized": fields[0].name == "struct_size",
                **_type_doc(name),
                "fields": [_field_data(name, field, fields) for field in fields],
            }
            for name, fields in structs().items()
        },
        "functions": [function_data(function) for function in functions()],
        "inline": [_inline_data(function) for function in inline_functions()],
        **{f"plugin_{part}": data for part, data in plugin_interface.interface().items()},
    }


def _type_doc(name: str) -> dict[str, str]:
    return meanings.documented(meanings.plain(type_comments_of_all()[name]))


def _docs(enum: str) -> dict[str, dict[str, str]]:
    said = {name: meanings.shown(meanings.members()[enum][name]) for name in enums()[enum]}
    return {"docs": {name: doc for name, doc in said.items() if doc}}


@cache
def flag_prefixes() -> tuple[str, ...]:
    """Returns the prefixes of the flags that a parameter or a field takes, in the order of the
    constants.
    """
    values = [v for f in functions() for v in described_parameters(f)]
    values += [(f, meanings.members()[n][f.name]) for n, fs in structs().items() for f in fs]
    found = {str(meanings.integer(v.type, text).get("flags", "")) for v, text in values}
    return tuple(sorted(filter(None, found), key=_first_flag))


def _first_flag(prefix: str) -> int:
    found = [index for index, name in enumerate(all_constants()) if name.startswith(prefix)]
    assert found, f"no header defines flags that begin with {prefix}"
    return found[0]


def flags_data(prefix: str) -> dict[str, Any]:
    values = {n: value for n, value in all_constants().items() if n.startswith(prefix)}
    said = {name: meanings.shown(meanings.constants()[name]) for name in values}
    doc = meanings.documented(meanings.plain(group_comments().get(prefix, "")))
    return {**doc, "values": values, "docs": {name: doc for name, doc in said.items() if doc}}


def described_parameters(function: Function) -> list[tuple[Variable, str]]:
    """Returns the parameters of a function with what its comment says about each."""
    return [(p, contracts.described(function.name, p.name)) for p in function.parameters]


def value_data(value: Variable, text: str, others: Sequence[Variable]) -> dict[str, Any]:
    """Returns what all values have: the meaning of an integer, the length of what a pointer leads
    to, and the documentation.
    """
    return {
        **meanings.integer(value.type, text),
        **meanings.length(value, text, others),
        **meanings.documented(text),
    }


def _callback_data(callback: Function) -> dict[str, Any]:
    return {
        "name": callback.name,
        "since": contracts.comments()[callback.name].since,
        "kind": contracts.callback_kind(callback.name),
        "thread": contracts.callback_thread(callback.name),
        "result": callback.result,
        **meanings.documented(contracts.comments()[callback.name].effect),
        **_result_data(callback),
        "parameters": [
            asdict(p)
            | meanings.argument(callback.name, p, p.handle)
            | value_data(p, meanings.of_callback(callback.name, p.name), callback.parameters)
            for p in callback.parameters
        ],
    }


def _result_data(callback: Function) -> dict[str, Any]:
    said = contracts.comments()[callback.name].result
    meaning = meanings.integer(callback.result, said) | meanings.documented(said)
    return {} if callback.result == "void" else {"returns": {"ownership": "value", **meaning}}


def function_data(function: Function) -> dict[str, Any]:
    name, result = function.name, function.result
    data: dict[str, Any] = {
        "name": name,
        "since": contracts.comments()[name].since,
        "result": result,
        **meanings.documented(contracts.comments()[name].effect),
        "returns": contracts.returned(name, result) | meanings.result(function),
        "parameters": [
            asdict(p)
            | contracts.parameter(name, p.name, p.type, p.handle, result).data()
            | value_data(p, text, function.parameters)
            for p, text in described_parameters(function)
        ],
        "threads": contracts.comments()[name].threads,
        "blocks": contracts.blocks(name),
    }
    if function.parameters and function.parameters[-1].name == "out_error":
        statuses, is_open = contracts.statuses(name, bool(function.handle_parameters))
        data |= {"statuses": statuses, "completes": is_open}
    return data


def _inline_data(function: Function) -> dict[str, Any]:
    return {
        "name": function.name,
        "result": function.result,
        **meanings.documented(contracts.inline_comments()[function.name].effect),
        "parameters": [asdict(parameter) for parameter in function.parameters],
    }


def _field_data(struct: str, field: Variable, others: Sequence[Variable]) -> dict[str, Any]:
    said = meanings.members()[struct]
    data = asdict(field) | value_data(field, said.get(field.name, ""), others)
    if field.type != "union":
        return data
    members = unions()[struct][field.name]
    return {**data, "members": [_member_data(member, said[member.name]) for member in members]}


def _member_data(member: Variable, text: str) -> dict[str, Any]:
    is_owned = re.search(r"[Oo]wned by the caller \(\+1\)", text) is not None
    owned = {"ownership": "owned", "release": f"{member.handle}_release"} if is_owned else {}
    return asdict(member) | owned | value_data(member, text, ())


def interface_text() -> str:
    """Returns the content of `Include/restway.api.json`."""
    sections = options.completed(interface()).items()
    return "{\n" + ",\n".join(_section(*item) for item in sections) + "\n}\n"


def without_docs(data: Any) -> Any:
    """Returns an interface without its documentation."""
    if isinstance(data, dict):
        kept = {key: each for key, each in data.items() if key not in ("doc", "docs")}
        return {key: without_docs(each) for key, each in kept.items()}
    return [without_docs(each) for each in data] if isinstance(data, list) else data


def _section(name: str, content: Any) -> str:
    """Writes one line for each item, so that a changed item is a changed line."""
    if not isinstance(content, (dict, list)):
        return f'"{name}": {json.dumps(content)}'
    if isinstance(content, dict):
        lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in content.items()]
    else:
        lines = [json.dumps(value) for value in content]
    opening, closing = "{}" if isinstance(content, dict) else "[]"
    return f'"{name}": {opening}\n  ' + ",\n  ".join(lines) + f"\n{closing}"


if __name__ == "__main__":
    INTERFACE_FILE.write_text(interface_text())
