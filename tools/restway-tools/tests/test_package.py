"""The package as a whole: what it uses of the package `restway`, its version, and its programs."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import restway
import restway_tools
from test_stubs import PACKAGES

pytestmark = pytest.mark.no_library

PACKAGE = Path(restway_tools.__file__).parent
PROJECT = (PACKAGE.parent / "pyproject.toml").read_text("utf-8")


def of_restway(path: Path) -> Iterator[str]:
    """Returns the names that a module uses of the package `restway`."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{one.name}" for one in node.names]
        yield from (name for name in names if name.partition(".")[0] == "restway")


def test_only_public_names_of_restway_are_used() -> None:
    used = {name for path in PACKAGE.rglob("*.py") for name in of_restway(path)}
    assert "restway.API" in used
    assert used <= {f"restway.{name}" for name in restway.__all__}


def test_both_packages_have_one_version() -> None:
    assert f'\nversion = "{restway.__version__}"\n' in PROJECT
    assert f'\ndependencies = ["restway == {restway.__version__}"]\n' in PROJECT
    other = (Path(restway.__file__).parents[1] / "pyproject.toml").read_text("utf-8")
    assert f'\nversion = "{restway.__version__}"\n' in other
    assert '\ntools = ["restway-tools"]\n' in other


def test_every_package_is_installed() -> None:
    listed = re.search(r"^packages = \[(.*)\]$", PROJECT, re.M)
    assert listed is not None
    folders = {str(path.parent.relative_to(PACKAGE.parent)) for path in PACKAGE.rglob("*.py")}
    named = re.findall(r'"([\w.]+)"', listed[1])
    assert set(named) == {name.replace(os.sep, ".") for name in folders}


def test_files_and_packages_stay_small() -> None:
    paths = list(PACKAGE.rglob("*.py"))
    assert max(len(path.read_text("utf-8").splitlines()) for path in paths) <= 800
    assert max(Counter(path.parent for path in paths).values()) <= 40


def without_library(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, "PYTHONPATH": PACKAGES, "RESTWAY_LIBRARY": "/nowhere/librestway.so"},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("name", ["openapi", "stubs"])
def test_a_program_says_how_it_is_used_without_the_library(name: str) -> None:
    module = f"restway_tools.{name}"
    assert f'\nrestway-{name} = "{module}.__main__:main"\n' in PROJECT
    done = without_library(module, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: restway-{name} [-h]")


def test_an_import_needs_no_library(tmp_path: Path) -> None:
    file = tmp_path / "empty.json"
    file.write_text('{"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": {}}')
    done = without_library("restway_tools.openapi", str(file))
    assert done.returncode == 0, done.stderr
    assert '"restway": 1' in done.stdout
    assert "the library was not found, so the document was not loaded" in done.stderr
