"""Lists long files, functions and types of Swift, and types with many stored fields.

A number proves nothing: such a file or type may hold two concerns, and a reader decides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from source_tree import (
    SOURCES,
    closing_brace,
    code_files,
    lines_of,
    name_of,
    swift_code,
    swift_files,
)

FILE_LINES = 500
FUNCTION_LINES = 60
TYPE_LINES = 600
STORED_FIELDS = 12
#: A case of a flat switch: its label, one statement, and sometimes a second one.
FLAT_CASE_LINES_MAX = 3

_FUNCTION = re.compile(r"\b(func\b[^{};]*?|init[?!]?\s*(?:<[^{>]*>)?\([^{};]*?|deinit\s*)\{")
_CASE = re.compile(r"^\s*(?:case|default|@unknown default)\b", re.MULTILINE)
_MODIFIERS = (
    r"(?:(?:@\w+(?:\([^)]*\))?|package|public|internal|fileprivate|private(?:\(set\))?|final"
    r"|indirect|weak|unowned|lazy|nonisolated(?:\(unsafe\))?)\s+)*"
)
_TYPE = re.compile(
    rf"^[ \t]*{_MODIFIERS}(?P<kind>struct|class|enum|actor|protocol|extension)\s+"
    r"(?P<name>[A-Z][\w.]*)[^{}]*\{",
    re.MULTILINE,
)
_FIELD = re.compile(
    rf"^[ \t]*{_MODIFIERS}(?:let|var)\s+(?P<name>\w+)(?P<rest>[^\n]*)$", re.MULTILINE
)


class _Part(NamedTuple):
    """One declaration or extension of a type."""

    name: str
    kind: str
    lines: int
    body: str


def parts_of(code: str) -> Iterator[_Part]:
    """Yields the types and extensions at the first level of a text."""
    position = 0
    while match := _TYPE.search(code, position):
        end = closing_brace(code, match.end() - 1)
        body = code[match.end() : end]
        yield _Part(match["name"], match["kind"], body.count("\n") + 1, body)
        position = end + 1


def with_nested(part: _Part) -> Iterator[_Part]:
    yield part
    for inner in parts_of(part.body):
        yield from with_nested(inner._replace(name=f"{part.name}.{inner.name}"))


def _own_lines(body: str) -> str:
    """Returns the text at the first level of a body; the content of nested braces is blanked."""
    depth = 0
    kept = []
    for letter in body:
        depth -= letter == "}"
        kept.append(letter if depth == 0 or letter == "\n" else " ")
        depth += letter == "{"
    return "".join(kept)


def stored_fields(part: _Part) -> list[str]:
    """Returns the names of the stored properties; a computed property has a brace and no initial
    value.
    """
    if part.kind not in {"struct", "class", "actor"}:
        return []
    return [
        match["name"]
        for match in _FIELD.finditer(_own_lines(part.body))
        if "{" not in match["rest"].split("=")[0]
    ]


#: The public Swift API, whose types may have the names of types of the core.
_FACE = SOURCES / "Restway"


def _all_parts() -> list[_Part]:
    """Returns the parts of all types; those of the public Swift API have its name in front."""
    core = [path for path in swift_files(SOURCES) if _FACE not in path.parents]
    face = [part for path in swift_files(_FACE) for part in parts_of(swift_code(path))]
    own = {part.name for part in face if part.kind != "extension"}
    return [part for path in core for part in parts_of(swift_code(path))] + [
        part._replace(name=f"Restway.{part.name}") if part.name in own else part for part in face
    ]


def _long_files() -> Iterator[str]:
    for path in code_files():
        if (count := len(lines_of(path)) - 1) > FILE_LINES:
            yield f"{name_of(path)}: {count} lines"


def _function_lengths(path: Path) -> Iterator[tuple[int, int]]:
    """Returns line and length of every function; the lines of a flat switch are not counted."""
    code = swift_code(path)
    for match in _FUNCTION.finditer(code):
        body = code[match.end() - 1 : closing_brace(code, match.end() - 1) + 1]
        count = body.count("\n") + 1
        for switch in re.finditer(r"\bswitch\b[^{]*\{", body):
            start = switch.end() - 1
            inside = body[start : closing_brace(body, start) + 1]
            cases = len(_CASE.findall(inside))
            if inside.count("\n") <= cases * FLAT_CASE_LINES_MAX:
                count -= inside.count("\n")
        yield code.count("\n", 0, match.start()) + 1, count


def _long_functions() -> Iterator[str]:
    for path in swift_files():
        for line, count in _function_lengths(path):
            if count > FUNCTION_LINES:
                yield f"{name_of(path)}:{line}: a function of {count} lines"


def _long_types() -> Iterator[str]:
    parts = _all_parts()
    ours = {part.name for part in parts if part.kind != "extension"}
    lines: Counter[str] = Counter()
    for part in parts:
        if part.name in ours:
            lines[part.name] += part.lines
    for name, count in sorted(lines.items()):
        if count > TYPE_LINES:
            yield f"{name}: {count} lines with all extensions"


def _types_of_many_fields() -> Iterator[str]:
    """Types inside types of the public Swift API list what structs of the C ABI list."""
    fields: Counter[str] = Counter()
    for part in _all_parts():
        for type_ in [part] if part.name.startswith("Restway.") else with_nested(part):
            fields[type_.name] = max(fields[type_.name], len(stored_fields(type_)))
    for name, count in sorted(fields.items()):
        if count > STORED_FIELDS:
            yield f"{name}: {count} stored fields"


if __name__ == "__main__":
    print("Look whether these hold two concerns:")
    for found in (_long_files, _long_functions, _long_types, _types_of_many_fields):
        for text in found():
            print(f"  {text}")
