"""Limits on the sizes of lines, and what sizes.py finds."""

from __future__ import annotations

import subprocess

from sizes import parts_of, stored_fields, with_nested
from source_tree import ROOT, SOURCES, expect_none, lines_of, name_of, swift_code, text_files

COLUMNS_MAX = 100
#: The program in Swift that lists, changes and refuses issues, as the formatter writes it.
SAMPLE_LINES_MAX = 35
_COLUMN_SUFFIXES = {
    ".swift", ".c", ".h", ".cpp", ".hpp", ".py", ".sh", ".map", ".in", ".toml", ".rs", "",
}


def test_the_sample_in_swift_is_short() -> None:
    sample = ROOT / "examples" / "swift" / "Sources" / "issues" / "Issues.swift"
    assert len(lines_of(sample)) - 1 <= SAMPLE_LINES_MAX
    written = subprocess.run(
        ["swift", "format", "--configuration", ROOT / ".swift-format", sample],
        capture_output=True, check=True,
    ).stdout
    assert sample.read_bytes() == written


def test_lines_are_short() -> None:
    expect_none(
        f"{name_of(path)}:{number}: {len(line)} columns"
        for path in text_files()
        if path.suffix in _COLUMN_SUFFIXES and path.name != "LICENSE"
        for number, line in enumerate(lines_of(path), start=1)
        if len(line) > COLUMNS_MAX
    )


def test_types_and_fields_are_found() -> None:
    parts = list(parts_of(swift_code(SOURCES / "RestwayThreads" / "Lock.swift")))
    (lock,) = (part for part in parts if part.name == "Lock")
    assert lock.kind == "struct"
    assert stored_fields(lock) == ["storage"]
    assert [part.name for part in with_nested(lock)] == ["Lock", "Lock.Storage"]
