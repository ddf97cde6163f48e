"""The field inspection prints in each language what docs/WORKING-OFFLINE.md says, and the examples
of the page are parts of its program in Python.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
from tree import ROOT, Stage, output

EXAMPLES = ROOT / "examples"
PAGE = (ROOT / "docs" / "WORKING-OFFLINE.md").read_text(encoding="utf-8")
DIALECTS = [
    ("inspection.c", "gcc", "c99"),
    ("inspection.c", "clang", "c2x"),
    ("inspection.c", "g++", "c++11"),
    ("inspection.cpp", "g++", "c++17"),
    ("inspection.cpp", "clang++", "c++20"),
]


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def _printed(stage: Stage, folder: Path, *program: str | Path) -> str:
    """Runs a program at the site, and again in the office, with a demo API of its own."""
    words = shlex.join(map(str, program))
    return output(
        EXAMPLES / "with-demo-api", "sh", "-e", "-c", f"{words} field; {words} office",
        env={**stage.environment, "INSPECTIONS": str(folder)}, cwd=ROOT,
    )


@pytest.mark.parametrize(("source", "compiler", "standard"), DIALECTS)
def test_the_compiled_programs_print_what_the_page_says(
    source: str, compiler: str, standard: str, stage: Stage, tmp_path: Path
) -> None:
    stage.compile(compiler, standard, EXAMPLES / source, tmp_path / "inspection")
    assert _printed(stage, tmp_path, tmp_path / "inspection") == "".join(_blocks("text"))


def test_the_program_in_python_prints_what_the_page_says(stage: Stage, tmp_path: Path) -> None:
    printed = _printed(stage, tmp_path, sys.executable, EXAMPLES / "inspection.py")
    assert printed == "".join(_blocks("text"))


def test_the_examples_of_the_page_are_parts_of_the_program() -> None:
    program = (EXAMPLES / "inspection.py").read_text(encoding="utf-8")
    blocks = _blocks("python")
    assert len(blocks) > 5
    assert [block for block in blocks if f"\n{block}" not in program] == []
