"""The README's examples compile and run as they are printed."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tree import ROOT, Stage, output

README = ROOT / "README.md"
LINES_MAX = {"c": 17, "python": 12, "json": 15}
#: Two screens.
README_LINES_MAX = 125
#: Where the document of the README finds its server.
SERVER = "http://127.0.0.1:8080/v2"


def _example(language: str) -> str:
    """Returns the first fenced block of a language; the test fails if no block has this language.
    """
    match = re.search(rf"^```{language}\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
    assert match, f"README.md has no ```{language} block"
    return match[1]


def _save(name: str, text: str, folder: Path) -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with the document of the README, whose server is a demo API for this test alone,
    because programs change its issues.
    """
    document = _example("json")
    assert SERVER in document
    server = str(ROOT / "examples" / "demo-api")
    command = [sys.executable, server, "--port", "0", "--exit-with-stdin"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as api:
        assert api.stdout is not None
        url = api.stdout.readline().strip()
        _save("tracker.json", document.replace(SERVER, url), tmp_path)
        yield tmp_path


@pytest.mark.parametrize(("compiler", "standard"), [("gcc", "c99"), ("g++", "c++11")])
def test_c_example(compiler: str, standard: str, stage: Stage, folder: Path) -> None:
    source = _save("issue.c", _example("c"), folder)
    stage.compile(compiler, standard, source, folder / "issue")
    printed = output(folder / "issue", env=stage.environment, cwd=folder)
    assert printed == "Crash when the disk is full\n"


def test_c_example_never_prints_null(stage: Stage, folder: Path) -> None:
    document = folder / "tracker.json"
    document.write_text(document.read_text().replace('"title": "title"', '"title": "no"'))
    source = _save("issue.c", _example("c"), folder)
    stage.compile("gcc", "c99", source, folder / "issue")
    assert output(folder / "issue", env=stage.environment, cwd=folder) == "?\n"


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


#: The same in C++.
CPP_ISSUES = ROOT / "examples" / "issues.cpp"
CPP_ISSUES_LINES_MAX = 45


def test_cpp_issues(stage: Stage, demo_url: str, tmp_path: Path) -> None:
    stage.compile("g++", "c++17", CPP_ISSUES, tmp_path / "issues")
    printed = output(tmp_path / "issues", env=stage.environment, cwd=ROOT)
    assert "1: The window does not open\n" in printed
    assert printed.endswith("422\ntitle: is missing\nstate: is not one of open, closed\n")
    assert len(CPP_ISSUES.read_text().splitlines()) <= CPP_ISSUES_LINES_MAX


def test_python_example(stage: Stage, folder: Path) -> None:
    source = _save("readme.py", _example("python"), folder)
    printed = output(sys.executable, source, env=stage.environment, cwd=folder)
    assert "1 The window does not open grace\n" in printed
    assert "title='The clock is an hour early'" in printed


def test_python_example_without_a_server(stage: Stage, folder: Path) -> None:
    """The change of the example waits in the file if the server has gone."""
    text = _example("python").replace('client.get("issues").objects', "[]")
    text = text.replace("client.draft(issue,", 'client.draft("Issue", number=12,')
    document = folder / "tracker.json"
    document.write_text(re.sub(r'"http://[^"]*"', '"http://127.0.0.1:1/"', document.read_text()))
    source = _save("readme.py", text, folder)
    printed = output(sys.executable, source, env=stage.environment, cwd=folder)
    assert printed.startswith("The server cannot be reached.")
    assert (folder / "waiting.db").exists()


@pytest.mark.parametrize("language", sorted(LINES_MAX))
def test_examples_are_short(language: str) -> None:
    assert len(_example(language).splitlines()) <= LINES_MAX[language]


def test_the_readme_fits_on_two_screens() -> None:
    assert len(README.read_text().splitlines()) <= README_LINES_MAX
