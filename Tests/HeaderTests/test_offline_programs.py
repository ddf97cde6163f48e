"""The programs about work without a network print in each language what their pages in docs say,
and the examples of the pages are parts of the programs.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from textwrap import indent

import pytest
from tree import ROOT, Stage, output

EXAMPLES = ROOT / "examples"

#: The pages of the programs, and the arguments of their runs.
PROGRAMS = {
    "inspection": ("WORKING-OFFLINE", ["field", "office"]),
    "conflicts": ("CONFLICTS", [""]),
}
DIALECTS = [
    (".c", "gcc", "c99"),
    (".c", "clang", "c2x"),
    (".c", "g++", "c++11"),
    (".cpp", "g++", "c++17"),
    (".cpp", "clang++", "c++20"),
]
#: The languages of blocks, and the programs that have these blocks.
SOURCES = {
    "c": "{name}.c",
    "cpp": "{name}.cpp",
    "python": "{name}.py",
    "swift": "swift/Sources/{name}/{type}.swift",
}


def _blocks(name: str, language: str) -> list[str]:
    page = (ROOT / "docs" / f"{PROGRAMS[name][0]}.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def _printed(name: str, stage: Stage, folder: Path, *program: str | Path) -> str:
    """Runs a program with a demo API of its own, once for each of its arguments."""
    words = shlex.join(map(str, program))
    runs = "; ".join(f"{words} {argument}" for argument in PROGRAMS[name][1])
    return output(
        EXAMPLES / "with-demo-api", "sh", "-e", "-c", runs,
        env={**stage.environment, "INSPECTIONS": str(folder)}, cwd=ROOT,
    )


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(("suffix", "compiler", "standard"), DIALECTS)
def test_the_compiled_programs_print_what_the_page_says(
    name: str, suffix: str, compiler: str, standard: str, stage: Stage, tmp_path: Path
) -> None:
    stage.compile(compiler, standard, EXAMPLES / f"{name}{suffix}", tmp_path / name)
    printed = _printed(name, stage, tmp_path, tmp_path / name)
    assert printed == "".join(_blocks(name, "text"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_in_python_prints_what_the_page_says(
    name: str, stage: Stage, tmp_path: Path
) -> None:
    printed = _printed(name, stage, tmp_path, sys.executable, EXAMPLES / f"{name}.py")
    assert printed == "".join(_blocks(name, "text"))


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("language", SOURCES)
def test_the_examples_of_the_page_are_parts_of_the_program(name: str, language: str) -> None:
    source = EXAMPLES / SOURCES[language].format(name=name, type=name.capitalize())
    program = source.read_text(encoding="utf-8")
    blocks = _blocks(name, language)
    if language == "swift":  # there, functions are members of a type
        blocks = [indent(block, "    ") for block in blocks]
    assert [block for block in blocks if f"\n{block}" not in program] == []
    assert language != "python" or len(blocks) > 2


def test_a_conflict_on_a_screen_needs_few_lines() -> None:
    shown = {
        language: min(block.count("\n") for block in _blocks("conflicts", language)
                      if re.search("show_?conflicts", block, re.IGNORECASE))
        for language in SOURCES
    }
    assert shown["python"] <= 15
    assert shown["c"] <= 40
