"""The README's examples compile and run as they are printed."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from tree import ROOT, Stage, output

LINES_MAX = {"c": 30, "cpp": 45, "python": 20}


def _example(language: str) -> str:
    """Returns the first fenced block of a language; the test fails if no block has this language.
    """
    readme = ROOT / "README.md"
    assert readme.exists(), "there is no README.md"
    match = re.search(rf"^```{language}\n(.*?)^```$", readme.read_text(), re.DOTALL | re.MULTILINE)
    assert match, f"README.md has no ```{language} block"
    return match[1]


@pytest.mark.parametrize(("compiler", "standard"), [("gcc", "c99"), ("g++", "c++11")])
def test_c_example(
    compiler: str, standard: str, stage: Stage, demo_url: str, tmp_path: Path
) -> None:
    source = tmp_path / "readme.c"
    source.write_text(_example("c"))
    stage.compile(compiler, standard, source, tmp_path / "readme")
    printed = output(tmp_path / "readme", env=stage.environment, cwd=ROOT)
    assert len(printed.splitlines()) == 5
    assert "Nordlicht Books Inc., " in printed


def test_c_example_never_prints_null(stage: Stage, demo_url: str, tmp_path: Path) -> None:
    """The objects of the document of this test have neither a name nor a city."""
    source = tmp_path / "readme.c"
    text = _example("c")
    assert '"enterprises?per_page=5"' in text
    document = tmp_path / "bare.json"
    document.write_text(
        '{"restway": 1, "environments": {"demo": {"baseURL": "http://127.0.0.1:1"}},'
        ' "entities": {"Bare": {"attributes": {"id": "id", "name": "no", "city": "no"}}},'
        ' "routes": {"all": {"path": "enterprises", "response":'
        ' {"entity": "Bare", "keyPath": "array_of_enterprises"}}}}'
    )
    source.write_text(text.replace("examples/demo-api/demo.restway.json", str(document)))
    stage.compile("gcc", "c99", source, tmp_path / "readme")
    printed = output(tmp_path / "readme", env=stage.environment, cwd=ROOT)
    assert printed == "(no name), (no city)\n" * 5


#: The example of the issues in C: its compilers, and its largest number of lines.
ISSUES = ROOT / "examples" / "issues.c"
ISSUES_LINES_MAX = 70


@pytest.mark.parametrize(
    ("compiler", "standard"), [("gcc", "c99"), ("clang", "c2x"), ("g++", "c++11")]
)
def test_c_issues(
    compiler: str, standard: str, stage: Stage, demo_url: str, tmp_path: Path
) -> None:
    stage.compile(compiler, standard, ISSUES, tmp_path / "issues")
    printed = output(tmp_path / "issues", env=stage.environment, cwd=ROOT)
    assert "1: The window does not open\n" in printed
    assert "12: The clock is an hour late\nAdd a dark theme, and a light one\n" in printed
    assert printed.endswith("422\ntitle: is missing\nstate: is not one of open, closed\n")
    assert len(ISSUES.read_text().splitlines()) <= ISSUES_LINES_MAX


def test_cpp_example(stage: Stage, demo_url: str, tmp_path: Path) -> None:
    text = _example("cpp")
    assert text == (ROOT / "examples" / "issues.cpp").read_text()
    source = tmp_path / "readme.cpp"
    source.write_text(text)
    stage.compile("g++", "c++17", source, tmp_path / "readme")
    printed = output(tmp_path / "readme", env=stage.environment, cwd=ROOT)
    assert "1: The window does not open\n" in printed
    assert printed.endswith("422\ntitle: is missing\nstate: is not one of open, closed\n")


def test_python_example(stage: Stage, demo_url: str, tmp_path: Path) -> None:
    source = tmp_path / "readme.py"
    source.write_text(_example("python"))
    assert output(sys.executable, source, demo_url, env=stage.environment, cwd=ROOT).strip()


@pytest.mark.parametrize("language", sorted(LINES_MAX))
def test_examples_are_short(language: str) -> None:
    assert len(_example(language).splitlines()) <= LINES_MAX[language]
