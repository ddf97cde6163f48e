"""Reads functions, callbacks, structures and constants from the C headers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[3] / "Include" / "restway"


class Field(NamedTuple):
    type: str
    name: str


class Function(NamedTuple):
    result: str
    arguments: tuple[Field, ...]


class Header(NamedTuple):
    functions: dict[str, Function]
    callbacks: dict[str, Function]
    structures: dict[str, tuple[Field, ...]]
    enumerations: dict[str, dict[str, int]]
    handles: frozenset[str]
    macros: dict[str, int]


def _clean(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"\\\n", " ", text)
    return re.sub(r"^\s*#.*$", "", text, flags=re.M)


def _field(text: str) -> Field:
    found = re.fullmatch(r"(.*?)(\w+)(\[\d+\])?", " ".join(text.split()))
    assert found, text
    return Field(_type(found[1]) + (found[3] or ""), found[2])


def _type(text: str) -> str:
    """`const  char * *` -> `const char **`, `struct x *` -> `x *`."""
    words = " ".join(text.replace("*", " * ").split()).replace("* *", "**")
    return re.sub(r"\bstruct (?=restway_)", "", words)


def _arguments(text: str) -> tuple[Field, ...]:
    return () if text.strip() == "void" else tuple(_field(part) for part in text.split(","))


def _structure(body: str) -> tuple[Field, ...]:
    """Returns the fields. The fields of a union are named `union.name`, and the union itself is a
    field too.
    """
    fields: list[Field] = []
    union = re.search(r"union\s*\{(.*?)\}\s*(\w+)\s*;", body, re.S)
    if union:
        body = body.replace(union[0], f"union {union[2]};")
    for part in filter(str.strip, body.split(";")):
        fields.append(_field(part))
    if union:
        for part in filter(str.strip, union[1].split(";")):
            field = _field(part)
            fields.append(Field(field.type, f"{union[2]}.{field.name}"))
    return tuple(fields)


def parse(folder: Path = FOLDER) -> Header:
    # Python does not use the tables of plugins, nor headers that contain functions for C.
    tables = ("plugin.", "plugin_")
    paths = [path for path in sorted(folder.glob("*.h")) if not path.name.startswith(tables)]
    texts = [path.read_text("utf-8") for path in paths]
    raw = "\n".join(text for text in texts if "\nRESTWAY_INLINE " not in text)
    text = _clean(raw)
    functions = {
        found[2]: Function(_type(found[1]), _arguments(found[3]))
        for found in re.finditer(
            r"RESTWAY_API\s+(?:RESTWAY_MUST_USE\s+)?([\w\s*]+?)(restway_\w+)\(([^)]*)\)\s*;", text
        )
    }
    callbacks = {
        found[2]: Function(_type(found[1]), _arguments(found[3]))
        for found in re.finditer(r"typedef ([\w\s*]+?)\(\*(\w+)\)\(([^)]*)\)\s*;", text)
    }
    structures = {
        found[1]: _structure(found[2])
        for found in re.finditer(r"typedef struct (\w+) \{(.*?)\n\} \1;", text, re.S)
    }
    enumerations = {
        found[1]: {
            constant: int(value, 0)
            for constant, value in re.findall(r"(RESTWAY_\w+) = (\w+)", found[2])
        }
        for found in re.finditer(r"typedef enum RESTWAY_OPEN_ENUM (\w+) \{(.*?)\} \1;", text, re.S)
    }
    handles = frozenset(re.findall(r"typedef struct (\w+) \1;", text))
    macros = {
        found[1]: int(found[2], 0)
        for found in re.finditer(r"^#define (RESTWAY_\w+) (\d\w*?)u?(?:\s|$)", raw, re.M)
    }
    return Header(functions, callbacks, structures, enumerations, handles, macros)
