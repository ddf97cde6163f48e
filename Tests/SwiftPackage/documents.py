"""Writes the Swift blocks of the documents as targets of a package, so that a build compiles them.

    python3 Tests/SwiftPackage/documents.py FOLDER MANIFESTS

FOLDER receives one folder for each document and group: `SWIFT`, `SWIFT-tracker`. A block belongs to
the group that follows its language (```swift tracker), or to the blocks without a group. It sees
the declarations and the constants of the blocks of its group before it; a constant may be declared
again. `preludes/GROUP.swift` has what the blocks use and the document does not show.

A block of the group `manifest` is a part of a Package.swift, and becomes one in MANIFESTS. Blocks
of the group `traits` need the traits of the package.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"
DOCUMENTS = [*sorted(DOCS.glob("SWIFT*.md")), DOCS / "COMING-FROM.md"]
PRELUDES = HERE / "preludes"

_BLOCK = re.compile(r"^```swift(?: (?P<group>[\w-]+))?\n(?P<code>.*?)^```$", re.M | re.S)
_DECLARATION = re.compile(
    r"(?:@\w+(?:\([^)\n]*\))?\s+)*"
    r"(?:(?:public|package|internal|fileprivate|private|final|indirect|nonisolated)\s+)*"
    r"(?:struct|enum|class|actor|protocol|extension|func|typealias|import|prefix|infix|macro)\b"
)
_ATTRIBUTE = re.compile(r"@\w+(?:\([^\n]*\))?\s*$")


@dataclass
class Group:
    """The blocks of a group, divided into what stands in a file and what runs in a function."""

    imports: list[str] = field(default_factory=list)
    declarations: list[str] = field(default_factory=list)
    statements: list[list[str]] = field(default_factory=list)

    def add(self, place: str, code: str) -> None:
        """Adds a block. `place` is where it begins, for the messages of the compiler."""
        body: list[str] = []
        for is_declaration, lines in pieces(code):
            if not is_declaration:
                body += lines
            elif lines[0].startswith("import "):
                self.imports += lines
            else:
                self.declarations += [f"// {place}", *lines, ""]
        self.statements.append([f"// {place}", *body])

    def source(self) -> str:
        """Returns the source: the declarations, and a function in which each block is inside of the
        block before it.
        """
        imports = sorted({"import Restway", *self.imports})
        lines = [*imports, "", *self.declarations, "func document() async throws {"]
        for depth, body in enumerate(self.statements):
            lines += [f"{'    ' * depth}do {{", *body]
        lines += ["}"] * len(self.statements)
        return "\n".join([*lines, "}", ""])


def pieces(code: str) -> Iterator[tuple[bool, list[str]]]:
    """Returns the declarations and statements of a block, each as lines, and whether it declares
    something that stands outside of functions.
    """
    piece: list[str] = []
    depth = 0
    waits_for_declaration = False
    for line in code.rstrip().split("\n"):
        if depth == 0 and not waits_for_declaration and piece:
            yield _declares(piece), piece
            piece = []
        piece.append(line)
        plain = re.sub(r'"(?:\\.|[^"\\])*"|//.*$', "", line)
        depth += sum({"{": 1, "(": 1, "[": 1}.get(letter, 0) for letter in plain)
        depth -= sum({"}": 1, ")": 1, "]": 1}.get(letter, 0) for letter in plain)
        waits_for_declaration = depth == 0 and _ATTRIBUTE.fullmatch(line.strip()) is not None
    if piece:
        yield _declares(piece), piece


def _declares(piece: list[str]) -> bool:
    return _DECLARATION.match("\n".join(piece)) is not None


def groups_of(document: Path) -> dict[str, Group]:
    """Returns the blocks of a document by their groups."""
    text = document.read_text("utf-8")
    groups: dict[str, Group] = {}
    for block in _BLOCK.finditer(text):
        line = text.count("\n", 0, block.start()) + 2
        groups.setdefault(block["group"] or "", Group()).add(
            f"docs/{document.name}:{line}", block["code"]
        )
    return groups


def manifest(code: str) -> str:
    """Returns the Package.swift that a part of one belongs to."""
    return (
        "// swift-tools-version: 6.2\nimport PackageDescription\n"
        f'let package = Package(name: "documents",\n{code.rstrip()}\n)\n'
    )


def main(folder: Path, manifests: Path) -> None:
    """Writes the targets and the manifests."""
    for document in DOCUMENTS:
        for group, blocks in groups_of(document).items():
            if group == "manifest":
                continue
            target = folder / "-".join(filter(None, (document.stem, group)))
            target.mkdir(parents=True, exist_ok=True)
            (target / "Blocks.swift").write_text(blocks.source(), "utf-8")
            prelude = PRELUDES / f"{target.name}.swift"
            if prelude.exists():
                (target / "Prelude.swift").write_text(prelude.read_text("utf-8"), "utf-8")
        text = document.read_text("utf-8")
        for number, block in enumerate(_BLOCK.finditer(text)):
            if block["group"] == "manifest":
                package = manifests / f"{document.stem}-{number}"
                package.mkdir(parents=True, exist_ok=True)
                (package / "Package.swift").write_text(manifest(block["code"]), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
