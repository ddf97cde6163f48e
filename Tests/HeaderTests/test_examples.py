"""The examples compile with the flags of pkg-config, as C and as C++, and print correct results."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tree import ROOT, Stage, language, output, run

EXAMPLES = sorted((ROOT / "bindings" / "c" / "examples").glob("*.c"))
DIALECTS = [("gcc", "c99"), ("clang", "c99"), ("g++", "c++11"), ("clang++", "c++20")]
C_DIALECTS = [dialect for dialect in DIALECTS if language(dialect[0]) == "c"]
#: The other pkg-config packages of an example. Their headers are C, so these examples are C, too.
FOREIGN = {"glib": ["glib-2.0"], "libuv": ["libuv"]}
RUNS = [
    (example, *dialect)
    for example in EXAMPLES
    for dialect in (C_DIALECTS if example.stem in FOREIGN else DIALECTS)
]


def _compiled(example: Path, compiler: str, standard: str, stage: Stage, tmp_path: Path) -> Path:
    program = tmp_path / example.stem
    stage.compile(compiler, standard, example, program, *FOREIGN.get(example.stem, []))
    return program


def test_the_examples_are_here() -> None:
    names = ["background.c", "companies.c", "epoll.c", "glib.c", "libuv.c"]
    assert [example.name for example in EXAMPLES] == names


@pytest.mark.parametrize(
    ("example", "compiler", "standard"), RUNS, ids=[f"{what.name}-{how}" for what, how, _ in RUNS]
)
def test_c_examples_run(
    example: Path, compiler: str, standard: str, stage: Stage, demo_url: str, tmp_path: Path
) -> None:
    program = _compiled(example, compiler, standard, stage, tmp_path)
    assert "Nordlicht Books Inc." in output(program, env=stage.environment)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_c_examples_say_what_is_wrong(example: Path, stage: Stage, tmp_path: Path) -> None:
    program = _compiled(example, "gcc", "c99", stage, tmp_path)
    nobody = {**stage.environment, "RESTWAY_DEMO_URL": "http://127.0.0.1:9/v2"}
    result = run(program, env=nobody)
    assert result.returncode == 1
    assert "127.0.0.1" in result.stderr


def test_python_example_runs(stage: Stage, demo_url: str) -> None:
    text = output(sys.executable, ROOT / "examples" / "companies.py", env=stage.environment)
    assert "Nordlicht Books Inc." in text
