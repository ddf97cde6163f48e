"""Limits on the sizes of files, functions and lines."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from source_tree import (
    ROOT,
    closing_brace,
    code_files,
    expect_none,
    lines_of,
    name_of,
    swift_code,
    swift_files,
    text_files,
)

FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 60
COLUMNS_MAX = 100
#: The program in Swift that lists, changes and refuses issues, as the formatter writes it.
SAMPLE_LINES_MAX = 35
#: A case of a flat switch: its label, one statement, and sometimes a second one.
FLAT_CASE_LINES_MAX = 3

_FUNCTION = re.compile(r"\b(func\b[^{};]*?|init[?!]?\s*(?:<[^{>]*>)?\([^{};]*?|deinit\s*)\{")
_CASE = re.compile(r"^\s*(?:case|default|@unknown default)\b", re.MULTILINE)
_COLUMN_SUFFIXES = {
    ".swift", ".c", ".h", ".cpp", ".hpp", ".py", ".sh", ".map", ".in", ".toml", ".rs", "",
}


def test_files_are_short() -> None:
    expect_none(
        f"{name_of(path)}: {len(lines_of(path)) - 1} lines"
        for path in code_files()
        if len(lines_of(path)) - 1 > FILE_LINES_MAX
    )


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


def test_functions_are_short() -> None:
    expect_none(
        f"{name_of(path)}:{line}: {count} lines"
        for path in swift_files()
        for line, count in _function_lengths(path)
        if count > FUNCTION_LINES_MAX
    )


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
