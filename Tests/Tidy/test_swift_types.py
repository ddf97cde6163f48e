"""A Swift file holds one type and is named after it; extensions are `Type+Topic.swift`."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

from source_tree import SOURCES, name_of, swift_code, swift_files

_TYPE = re.compile(
    r"^(?:(?:@\w+(?:\([^)]*\))?|package|public|internal|fileprivate|private|final|indirect)\s+)*"
    r"(?P<kind>struct|class|enum|protocol|extension)\s+(?P<name>\w+)",
    re.MULTILINE,
)
_PRIVATE = re.compile(r"\b(?:fileprivate|private)\b")


def _shown_types(path: Path) -> list[str]:
    """Top-level types that other files can see."""
    return [
        match["name"]
        for match in _TYPE.finditer(swift_code(path))
        if match["kind"] != "extension" and not _PRIVATE.search(match[0])
    ]


def _findings(path: Path) -> list[str]:
    types = _shown_types(path)
    found = []
    if len(types) > 1:
        found.append(f"{name_of(path)}: {', '.join(types)}")
    if types and "+" not in path.name and path.stem not in types:
        found.append(f"{name_of(path)}: named after none of {', '.join(types)}")
    return found


def test_types_are_found_here() -> None:
    assert _shown_types(SOURCES / "RestwaySupport" / "Lock.swift")


def test_files_are_named_after_their_type() -> None:
    """Only reported: a small type that belongs to another may share its file."""
    found = [line for path in swift_files(SOURCES) for line in _findings(path)]
    if found:
        warnings.warn("\n" + "\n".join(found), stacklevel=1)
