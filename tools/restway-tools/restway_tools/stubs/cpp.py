"""Writes the entities that a document describes as structs of C++, for `restway.hpp`."""

from __future__ import annotations

from typing import Any

from .identifiers import identifier, literal
from .model import Document, Entity

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

_OF_STRUCTS = ("entity", "visit", "Self", "Visit", "restway", "std")
"""The names that a struct uses for itself."""


def write_header(document: Document, name: str) -> str:
    """Returns the text of a header with a struct for each entity, in a namespace of this name."""
    taken = {"restway", "std"}
    structs = [_struct(entity, identifier(entity.name, taken)) for entity in document.entities]
    body = "\n\n".join("\n".join(lines) for lines in structs)
    space = identifier(name, {"restway", "std"})
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
    fields = [(one, identifier(one.name, taken)) for one in entity.attributes]
    visits = [f"        visit({literal(one.name)}, self.{field});" for one, field in fields]
    return [
        f"// The attributes of an object of the entity {literal(entity.name)}.",
        f"struct {name} {{",
        f"    static constexpr std::string_view entity = {literal(entity.name)};",
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
