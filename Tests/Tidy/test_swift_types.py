"""Limits on Swift types: their lines, over all extensions, and their stored fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from source_tree import SOURCES, closing_brace, expect_none, swift_code, swift_files

TYPE_LINES_MAX = 600
STORED_FIELDS_MAX = 12

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


def _parts(code: str) -> Iterator[_Part]:
    """Yields the types and extensions at the first level of a text."""
    position = 0
    while match := _TYPE.search(code, position):
        end = closing_brace(code, match.end() - 1)
        body = code[match.end() : end]
        yield _Part(match["name"], match["kind"], body.count("\n") + 1, body)
        position = end + 1


def _with_nested(part: _Part) -> Iterator[_Part]:
    yield part
    for inner in _parts(part.body):
        yield from _with_nested(inner._replace(name=f"{part.name}.{inner.name}"))


def _own_lines(body: str) -> str:
    """Returns the text at the first level of a body; the content of nested braces is blanked."""
    depth = 0
    kept = []
    for letter in body:
        depth -= letter == "}"
        kept.append(letter if depth == 0 or letter == "\n" else " ")
        depth += letter == "{"
    return "".join(kept)


def _stored_fields(part: _Part) -> list[str]:
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
    face = [part for path in swift_files(_FACE) for part in _parts(swift_code(path))]
    own = {part.name for part in face if part.kind != "extension"}
    return [part for path in core for part in _parts(swift_code(path))] + [
        part._replace(name=f"Restway.{part.name}") if part.name in own else part for part in face
    ]


def test_types_and_fields_are_found_here() -> None:
    parts = list(_parts(swift_code(SOURCES / "RestwayThreads" / "Lock.swift")))
    (lock,) = (part for part in parts if part.name == "Lock")
    assert lock.kind == "struct"
    assert _stored_fields(lock) == ["storage"]
    assert [part.name for part in _with_nested(lock)] == ["Lock", "Lock.Storage"]


def test_types_are_short_over_all_their_extensions() -> None:
    parts = _all_parts()
    ours = {part.name for part in parts if part.kind != "extension"}
    lines: Counter[str] = Counter()
    for part in parts:
        if part.name in ours:
            lines[part.name] += part.lines
    expect_none(
        f"{name}: {count} lines, of {TYPE_LINES_MAX} at most"
        for name, count in sorted(lines.items())
        if count > TYPE_LINES_MAX
    )


def test_types_have_few_stored_fields() -> None:
    """Types inside types of the public Swift API list what structs of the C ABI list."""
    fields: Counter[str] = Counter()
    for part in _all_parts():
        for type_ in [part] if part.name.startswith("Restway.") else _with_nested(part):
            fields[type_.name] = max(fields[type_.name], len(_stored_fields(type_)))
    expect_none(
        f"{name}: {count} stored fields, of {STORED_FIELDS_MAX} at most"
        for name, count in sorted(fields.items())
        if count > STORED_FIELDS_MAX
    )
