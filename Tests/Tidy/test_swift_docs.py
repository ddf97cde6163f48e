"""Public declarations of the Swift modules have DocC comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from source_tree import SOURCES, expect_none, name_of, swift_code, swift_files

_MODULES = (SOURCES / "Restway",)

_DECLARATION = re.compile(
    r"^[ \t]*(?:@\w+(?:\([^)]*\))?[ \t]+)*public[ \t]+(?:\w+\(set\)[ \t]+)?"
    r"(?:(?:static|final|mutating|nonmutating|class|indirect|nonisolated|convenience|required"
    r"|override)[ \t]+)*"
    r"(?:func|var|let|init|struct|class|enum|actor|protocol|subscript|typealias|macro)\b"
)
_EXTENSION = re.compile(r"^(?:public )?extension (?P<type>[\w.]+)")

#: Declarations that only fulfil a protocol, whose comment DocC shows for them.
_WITNESSES = re.compile(
    r"public (?:static |mutating )?(?:"
    r"func (?:==|hash\(into|encode\(to|makeAsyncIterator\(|next\(\)|appendLiteral\()"
    r"|init\((?:from decoder|literalCapacity|stringInterpolation|\w+Literal)\b"
    r"|init\?\(attribute:"
    r"|var (?:description|debugDescription): String \{"
    r"|var errorDescription: String\? \{"
    r"|var customMirror: Mirror \{"
    r"|var (?:startIndex|endIndex): Int \{"
    r"|var attribute: Object\.Value \{"
    r"|subscript\(position: Int\)"
    r"|typealias (?:Element|Failure|AsyncIterator) ="
    r")"
)
#: Protocols whose extension has default implementations of their documented requirements.
_DEFAULTS = {"RouteType": re.compile(r"public var \w+: [^{]+ \{")}


def _is_witness(line: str, extended: str) -> bool:
    default = _DEFAULTS.get(extended)
    return bool(_WITNESSES.search(line) or (default and default.search(line)))


def _is_commented(lines: list[str], number: int) -> bool:
    """Says whether a comment ends above a line, or above the attributes in front of the line."""
    above = number - 1
    while above >= 0 and lines[above].lstrip().startswith("@"):
        above -= 1
    return above >= 0 and lines[above].lstrip().startswith("///")


def _undocumented(text: str, code: str) -> Iterator[tuple[int, str]]:
    """Yields the number and the text of each public declaration without a comment.

    `code` is `text` with comments and strings blanked.
    """
    lines = text.split("\n")
    extended = ""
    for index, line in enumerate(code.split("\n")):
        if line and not line[0].isspace():
            found = _EXTENSION.match(line)
            extended = found["type"] if found else ""
        if not _DECLARATION.match(line) or _is_witness(line, extended):
            continue
        if not _is_commented(lines, index):
            yield index + 1, lines[index].strip()


def _files() -> list[Path]:
    return [path for folder in _MODULES for path in swift_files(folder)]


def test_public_declarations_have_comments() -> None:
    assert all(swift_files(folder) for folder in _MODULES)
    expect_none(
        f"{name_of(path)}:{number}: {line}"
        for path in _files()
        for number, line in _undocumented(path.read_text(encoding="utf-8"), swift_code(path))
    )


@pytest.mark.parametrize(
    "text",
    [
        "public struct Issue {}",
        "    public let name: String",
        "    public private(set) var fields: [Field]",
        "    @discardableResult\n    public func send() {}",
        "    // No comment of DocC.\n    public static func file() {}",
        "extension Request {\n    public var method: Method { .get }\n}",
        "/// A plugin.\npublic struct Plugin {\n    public let description: String\n}",
    ],
)
def test_a_declaration_without_a_comment_is_found(text: str) -> None:
    assert list(_undocumented(text, text))


@pytest.mark.parametrize(
    "text",
    [
        "/// An issue.\npublic struct Issue {}",
        "    /// Sends it.\n    @discardableResult\n    public func send() {}",
        "    package func send() {}",
        "    public typealias Element = Data",
        "    public init(stringLiteral value: String) {}",
        "extension RouteType {\n    public var method: Method { .get }\n}",
    ],
)
def test_comments_and_witnesses_are_recognised(text: str) -> None:
    assert not list(_undocumented(text, text))
