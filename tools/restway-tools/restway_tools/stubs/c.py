"""Writes the entities that a document describes as structs of C, with the tables of fields by which
`restway/fields.h` fills them.
"""

from __future__ import annotations

import re
from typing import Any

from .identifiers import allowed, identifier, literal
from .model import Document, Entity
from .text import numbered

_FIELD_TYPES = {
    "any": ("restway_value ", "VALUE"),
    "bool": ("int32_t ", "BOOL"),
    "int": ("int64_t ", "INT64"),
    "double": ("double ", "DOUBLE"),
    "string": ("const char *", "STRING"),
    "date": ("int64_t ", "DATE"),
    "bytes": ("restway_bytes ", "BYTES"),
    "json": ("const char *", "JSON"),
}
"""The type of a member, as it stands before its name, and its RESTWAY_FIELD_ type."""


def write_c_header(document: Document, name: str) -> str:
    """Returns the text of a header with a struct and a table for each entity. This name begins
    their names.
    """
    prefix = identifier(name, {"restway"})
    taken: set[str] = set()
    entities = [
        _entity(one, _free_name(f"{prefix}_{_snake(one.name)}", taken))
        for one in document.entities
    ]
    body = "\n\n".join("\n".join(lines) for lines in entities)
    return "\n".join(
        [
            "// The entities of an API document, written by `restway-stubs --c`.",
            "//",
            "// Do not change this file: write it again when the document has changed.",
            f"#ifndef {prefix.upper()}_ENTITIES_H",
            f"#define {prefix.upper()}_ENTITIES_H",
            "",
            "#include <restway/restway.h>",
            "",
            *([body, ""] if body else []),
            "#endif",
            "",
        ]
    )


def _snake(name: str) -> str:
    """Returns the name of an entity as C writes names: "IssueComment" is "issue_comment"."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return allowed(parted).lower().strip("_") or "entity"


def _free_name(name: str, taken: set[str]) -> str:
    """Returns a name for a struct, whose tables have names that are not taken either. Names that
    end with `_t` belong to the C library.
    """
    for found in numbered(name):
        names = {found, f"{found}_fields", f"{found}_list"}
        if not names & taken and not found.endswith("_t"):
            taken |= names
            return found
    raise AssertionError("there is always another number")


def _field_type(declared: Any) -> tuple[str, str]:
    """Returns the types of a field. A list or a map of values is its JSON text."""
    return _FIELD_TYPES[declared if isinstance(declared, str) else "json"]


def _entity(entity: Entity, name: str) -> list[str]:
    """Returns the lines of the struct of an entity, and of its table."""
    taken = {"states"}
    fields = [(one, identifier(one.name, taken)) for one in entity.attributes]
    comment = f"// The attributes of an object of the entity {literal(entity.name)}."
    if not fields:
        return [
            comment,
            f"typedef struct {name} {{",
            "    char has_no_attributes;",
            f"}} {name};",
            "",
            f"static const restway_fields {name}_fields = {{",
            f"    {literal(entity.name)}, sizeof({name}), NULL, 0}};",
        ]
    return [
        comment,
        f"typedef struct {name} {{",
        *(f"    {_field_type(one.type)[0]}{field};" for one, field in fields),
        "    // RESTWAY_FIELD_ABSENT, RESTWAY_FIELD_SET or RESTWAY_FIELD_NULL.",
        "    struct {",
        *(f"        uint8_t {field};" for _, field in fields),
        "    } states;",
        f"}} {name};",
        "",
        f"static const restway_field {name}_list[] = {{",
        *(
            f"    RESTWAY_FIELD({name}, {field}, {literal(one.name)}, {_field_type(one.type)[1]}),"
            for one, field in fields
        ),
        "};",
        f"static const restway_fields {name}_fields =",
        f"    RESTWAY_FIELDS({name}, {literal(entity.name)}, {name}_list);",
    ]
