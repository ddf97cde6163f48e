"""The C and C++ sources that are published are formatted by clang-format, as .clang-format says.

The headers of C without inline functions are written by hand: their declarations break where a
reader expects it, which clang-format does not know.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from declarations import INLINE
from tree import INCLUDE, ROOT, output

#: Comes from Tests/requirements.txt, so that its version is the same everywhere.
FORMATTER = Path(sys.executable).with_name("clang-format")
SOURCES = sorted(
    [
        *(INCLUDE / "restway" / name for name in INLINE),
        INCLUDE / "restway.hpp",
        *(INCLUDE / "restway" / "cpp").glob("*.hpp"),
        *(ROOT / "examples").glob("*.c"),
        *(ROOT / "examples").glob("*.cpp"),
        *(ROOT / "examples" / "plugin-template").glob("c*/*.[ch]"),
        *(ROOT / "examples" / "plugin-template").glob("c*/*.[ch]pp"),
        *(ROOT / "bindings" / "c" / "examples").glob("*.c"),
    ]
)
DOCUMENTS = ["README.md", "docs/C.md", "docs/CPP.md"]
SUFFIXES = {"c": "c", "cpp": "cpp"}


def _formatted(path: Path) -> str:
    return output(FORMATTER, f"--style=file:{ROOT / '.clang-format'}", path)


def test_the_sources_are_found_here() -> None:
    names = {source.name for source in SOURCES}
    assert {"issues.c", "issues.cpp", "client.hpp", "short.h", "companies.c", "mapper.c"} <= names


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_a_source_is_formatted(source: Path) -> None:
    assert source.read_text() == _formatted(source)


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("kind", SUFFIXES)
def test_the_programs_of_a_document_are_formatted(
    document: str, kind: str, tmp_path: Path
) -> None:
    text = (ROOT / document).read_text()
    blocks = re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    for block in (block for block in blocks if "int main(" in block):
        source = tmp_path / f"program.{SUFFIXES[kind]}"
        source.write_text(block)
        assert block == _formatted(source)


def test_the_check_can_fail(tmp_path: Path) -> None:
    source = tmp_path / "bad.c"
    source.write_text("int  main(void) {return 0;}\n")
    assert _formatted(source) != source.read_text()
