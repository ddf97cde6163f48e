"""Writes the entities that a document describes as structs of C++, for `restway.hpp`."""

from __future__ import annotations

import re
from typing import Any

from .model import Document, Entity
from .text import free_name

_FIELD_TYPES = {
    "any": "restway::value",
    "bool": "bool",
    "int": "std::int64_t",
    "double": "double",
    "string": "std::string",
    "date": "restway::date",
    "bytes": "restway::bytes",
    "json": "restway::json",
}

_KEYWORDS = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
    "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await",
    "co_return", "co_yield", "compl", "concept", "const", "const_cast", "consteval",
    "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for",
    "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept",
    "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public",
    "register", "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static",
    "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local",
    "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
    "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
}

_OF_STRUCTS = ("entity", "visit", "Self", "Visit", "restway", "std")
"""The names that a struct uses for itself."""


def write_header(document: Document, name: str) -> str:
    """Returns the text of a header with a struct for each entity, in a namespace of this name."""
    taken = {"restway", "std"}
    structs = [_struct(entity, _identifier(entity.name, taken)) for entity in document.entities]
    body = "\n\n".join("\n".join(lines) for lines in structs)
    space = _identifier(name, {"restway", "std"})
    return "\n".join(
        [
            "// The entities of an API document, written by `restway-stubs --cpp`.",
            "//",
            "// Do not change this file: write it again when the document has changed.",
            "#pragma once",
            "",
            "#include <restway.hpp>",
            "",
            f"namespace {space} {{",
            "",
            *([body, ""] if body else []),
            f"}} // namespace {space}",
            "",
        ]
    )


def _field_type(declared: Any) -> str:
    """Returns the type of a field. A list or a map of values is its JSON text."""
    return _FIELD_TYPES[declared if isinstance(declared, str) else "json"]


def _struct(entity: Entity, name: str) -> list[str]:
    """Returns the lines of the struct of an entity."""
    taken = {*_OF_STRUCTS, name}
    fields = [(one, _identifier(one.name, taken)) for one in entity.attributes]
    visits = [f"        visit({_literal(one.name)}, self.{field});" for one, field in fields]
    return [
        f"// The attributes of an object of the entity {_literal(entity.name)}.",
        f"struct {name} {{",
        f"    static constexpr std::string_view entity = {_literal(entity.name)};",
        "",
        *(f"    std::optional<{_field_type(one.type)}> {field};" for one, field in fields),
        *([""] if fields else []),
        "    // Calls a function with the name of each attribute and its field.",
        "    template <typename Self, typename Visit>",
        "    static void visit([[maybe_unused]] Self &self, [[maybe_unused]] Visit visit) {",
        *visits,
        "    }",
        "};",
    ]


def _identifier(name: str, taken: set[str]) -> str:
    """Returns a name that C++ allows and that is not taken, and takes it."""
    plain = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9_]", "_", name)) or "_"
    if plain[0].isdigit():
        plain = f"_{plain}"
    if plain in _KEYWORDS:
        plain += "_"
    return free_name(plain, taken)


def _literal(text: str) -> str:
    """Writes a text as a literal of C++."""
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if ord(character) < 32 or ord(character) == 127:
        return f"\\{ord(character):03o}"
    return character
