"""The files of the repository, and Swift text without its strings and comments."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "Sources"

#: The folder of build results in a tree without git (a release archive).
_BUILT = {
    "build", ".build", ".build-release", ".build-asan", ".build-tsan", ".build-fuzz", "__pycache__",
}
_CODE = {".swift", ".c", ".h", ".cpp", ".hpp", ".py"}
_BINARY = {".png", ".gz", ".db", ".so", ".ico", ".pdf", ".der"}


@cache
def files() -> tuple[Path, ...]:
    """Returns every file that is tracked or could be; files that git ignores are left out."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )
    if listed.returncode == 0:
        found = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        found = [path for path in ROOT.rglob("*") if not _BUILT & set(path.parts)]
    return tuple(sorted({path for path in found if path.is_file() and not path.is_symlink()}))


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def text_files() -> list[Path]:
    """Returns the files that people read; fixtures and corpora are data, and may be wrong on
    purpose.
    """
    return [
        path
        for path in files()
        if path.suffix not in _BINARY and not {"Fixtures", "Corpus"} & set(path.parts)
    ]


def code_files() -> list[Path]:
    return [path for path in text_files() if path.suffix in _CODE]


def swift_files(folder: Path = ROOT) -> list[Path]:
    return [path for path in code_files() if path.suffix == ".swift" and folder in path.parents]


@cache
def lines_of(path: Path) -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8").split("\n"))


def expect_none(findings: Iterable[str]) -> None:
    """Fails with one line for each finding."""
    found = list(findings)
    assert not found, "\n" + "\n".join(found)


@cache
def swift_code(path: Path) -> str:
    """Returns Swift text with comments and string literals blanked; lines keep their numbers."""
    return _Scrubber(path.read_text(encoding="utf-8")).scrubbed()


def closing_brace(code: str, opening: int) -> int:
    """Returns the position of the brace that closes the brace at `opening`."""
    depth = 0
    for position in range(opening, len(code)):
        depth += {"{": 1, "}": -1}.get(code[position], 0)
        if depth == 0:
            return position
    return len(code) - 1


class _Scrubber:
    """Reads Swift text once, from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.kept: list[str] = []

    def scrubbed(self) -> str:
        while self.at < len(self.text):
            self._step()
        return "".join(self.kept)

    def _step(self) -> None:
        if self._sees("//"):
            self._blank_until("\n", including=False)
        elif self._sees("/*"):
            self._block_comment()
        elif self._sees('"') or self._sees('#"') or self._sees('##"'):
            self._string()
        else:
            self._keep(1)

    def _sees(self, word: str) -> bool:
        return self.text.startswith(word, self.at)

    def _keep(self, count: int) -> None:
        self.kept.append(self.text[self.at : self.at + count])
        self.at += count

    def _blank(self, count: int) -> None:
        passed = self.text[self.at : self.at + count]
        self.kept.append("".join("\n" if letter == "\n" else " " for letter in passed))
        self.at += count

    def _blank_until(self, word: str, including: bool) -> None:
        end = self.text.find(word, self.at)
        end = len(self.text) if end < 0 else end + (len(word) if including else 0)
        self._blank(end - self.at)

    def _block_comment(self) -> None:
        depth = 0
        while self.at < len(self.text):
            if self._sees("/*"):
                depth += 1
                self._blank(2)
            elif self._sees("*/"):
                depth -= 1
                self._blank(2)
                if depth == 0:
                    return
            else:
                self._blank(1)

    def _string(self) -> None:
        hashes = 0
        while self._sees("#"):
            hashes += 1
            self._blank(1)
        quotes = '"""' if self._sees('"""') else '"'
        escape = "\\" + "#" * hashes
        closing = quotes + "#" * hashes
        self._blank(len(quotes))
        while self.at < len(self.text):
            if self._sees(closing):
                self._blank(len(closing))
                return
            if self._sees(escape + "("):
                self._blank(len(escape) + 1)
                self._interpolation()
            elif self._sees(escape):
                self._blank(len(escape) + 1)
            else:
                self._blank(1)

    def _interpolation(self) -> None:
        depth = 1
        while self.at < len(self.text) and depth > 0:
            if self._sees('"'):
                self._string()
                continue
            depth += {"(": 1, ")": -1}.get(self.text[self.at], 0)
            self._blank(1)
