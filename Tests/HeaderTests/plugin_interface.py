"""The interface of plugins as data: its constants, the tables of functions, and the function that a
plugin exports (restway/plugin.h). The rest of the interface is read by interface.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import meanings
from declarations import HEADERS, OF_PLUGINS, type_comments

_HEADERS = [header for header in HEADERS if header.name in OF_PLUGINS]
_STRUCT = re.compile(
    r"^(?:typedef )?struct (restway_plugin\w*) \{(.*?)^\}(?: \1)?;", re.DOTALL | re.MULTILINE
)
_MEMBER = re.compile(
    r"(?P<comment>/\*\*(?:(?!\*/).)*\*/)?\s*"
    r"(?:(?P<result>[\w\s*]+?)\(\*(?P<function>\w+)\)\((?P<parameters>[^)]*)\)"
    r"|(?P<type>[\w\s]+?[\s*]+(?:const \*)?)(?P<name>\w+)(?P<count>\[\d+\])?);",
    re.DOTALL,
)
_VALUE = re.compile(r"^#define (RESTWAY_PLUGIN_\w+) (?:\((1)ull << (\d+)\)|(\d+))", re.MULTILINE)
_PARAMETER = re.compile(r"@param\s+(\w+)\s+(.*?)(?=@param|@return|$)", re.DOTALL)
#: "RESTWAY_PLUGIN_ITEM_*." and "RESTWAY_PLUGIN_OK, or another result": the values of an integer.
_VALUES = re.compile(r"\b(RESTWAY_PLUGIN_\w+_)\*")
_RESULT = re.compile(r"\bRESTWAY_PLUGIN_(?:OK|LATER|FAILED)\b")


@dataclass(frozen=True)
class Variable:
    name: str
    type: str


def interface() -> dict[str, Any]:
    """Returns the sections of `Include/restway.api.json` that begin with `plugin_`."""
    text = "\n".join(header.read_text() for header in _HEADERS)
    return {
        "constants": dict(_constants(text)),
        "structs": {name: _struct(text, name, body) for name, body in _STRUCT.findall(text)},
        "functions": [_exported(text)],
    }


def _constants(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    docs = meanings.constants()
    for name, one, shift, number in _VALUE.findall(text):
        value = 1 << int(shift) if one else int(number)
        yield name, {"value": value} | meanings.documented(docs.get(name, ""))


def _struct(text: str, name: str, body: str) -> dict[str, Any]:
    found = list(_MEMBER.finditer(body))
    data = [Variable(m["name"], " ".join(m["type"].split())) for m in found if m["name"]]
    comments = type_comments(text)
    start = rf"(/\*\*(?:(?!\*/).)*\*/)\s*^struct {name} \{{"
    forward = re.search(start, text, re.DOTALL | re.MULTILINE)
    comment = comments.get(name) or (forward[1] if forward else "")
    return {
        "sized": bool(data) and data[0].name == "struct_size",
        **meanings.documented(meanings.plain(comment)),
        "fields": [_field(match, data) for match in found],
    }


def _field(match: re.Match[str], others: list[Variable]) -> dict[str, Any]:
    comment = meanings.plain(match["comment"] or "")
    if match["function"]:
        return _function(match["function"], match["result"], match["parameters"], comment)
    variable = Variable(match["name"], " ".join(match["type"].split()) + (match["count"] or ""))
    return {
        "name": variable.name,
        "type": variable.type,
        **_integer(variable.type, comment),
        **meanings.length(variable, comment, others),
        **meanings.documented(comment),
    }


def _function(name: str, result: str, parameters: str, comment: str) -> dict[str, Any]:
    effect, _, returned = comment.partition("@return")
    if not returned and "Returns " in effect:
        returned = effect.partition("Returns ")[2]
    described = {key: " ".join(text.split()) for key, text in _PARAMETER.findall(effect)}
    effect = re.split(r"@param|@return", effect)[0].strip()
    variables = [_variable(word) for word in " ".join(parameters.split()).split(", ")]
    return {
        "name": name,
        "type": "function",
        "result": " ".join(result.split()),
        **_values(returned),
        "parameters": [
            {
                "name": each.name,
                "type": each.type,
                **_integer(each.type, described.get(each.name, "")),
                **meanings.length(each, described.get(each.name, ""), variables),
                **meanings.documented(described.get(each.name, "")),
            }
            for each in variables
        ],
        **meanings.documented(effect),
    }


def _variable(text: str) -> Variable:
    match = re.fullmatch(r"(.*?)\s*(\w+)", text.strip(), re.DOTALL)
    assert match, text
    return Variable(match[2], " ".join(match[1].split()))


def _integer(kind: str, comment: str) -> dict[str, Any]:
    if kind.endswith("*") or "int" not in kind:
        return {}
    return _values(comment) or meanings.integer(kind, comment)


def _values(comment: str) -> dict[str, Any]:
    """Returns the constants that a comment names as the values of an integer: the prefixes of their
    names, or the names.
    """
    prefixes = list(dict.fromkeys(_VALUES.findall(comment)))
    if prefixes:
        return {"values": prefixes}
    return {"values": list(_results())} if _RESULT.search(comment) else {}


@cache
def _results() -> tuple[str, ...]:
    """Returns the results that all functions of a plugin share, which plugin_base.h defines."""
    (base,) = (header for header in _HEADERS if header.name == "plugin_base.h")
    names = (name for name, *_ in _VALUE.findall(base.read_text()))
    return tuple(name for name in names if "_ABI_" not in name)


def _exported(text: str) -> dict[str, Any]:
    match = re.search(
        r"(/\*\*(?:(?!\*/).)*\*/)\s*^int32_t (restway_plugin_v1)\(([^)]*)\);",
        text, re.DOTALL | re.MULTILINE,
    )
    assert match, "plugin.h declares no function for plugins"
    found = _function(match[2], "int32_t", match[3], meanings.plain(match[1]))
    del found["type"]
    return found
