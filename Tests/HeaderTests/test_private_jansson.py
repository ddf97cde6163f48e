"""The library has its own Jansson (docs/decisions/0022): a program with another Jansson, or with
functions of the same names, and the library do not affect each other.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tree import ROOT, Stage, output

DOCUMENT = ROOT / "examples" / "demo-api" / "demo.restway.json"
SOURCES = Path(__file__).parent


def _archive() -> Path:
    return Path(output("pkg-config", "--variable=libdir", "jansson").strip(), "libjansson.a")


pytestmark = pytest.mark.skipif(
    not _archive().exists(), reason="this system has no archive of Jansson"
)


def _printed(
    stage: Stage, folder: Path, name: str, compiled_with: list[str], *packages: str
) -> list[str]:
    program = folder / name
    stage.compile("gcc", "c99", SOURCES / f"{name}.c", program, *packages, words=compiled_with)
    printed = output(
        program, str(DOCUMENT), os.environ["RESTWAY_DEMO_URL"], env=stage.environment
    )
    return printed.splitlines()


def test_needs_no_jansson_of_the_system(stage: Stage) -> None:
    assert "libjansson" not in output("readelf", "-dW", stage.library)


def test_functions_of_the_same_names_are_not_called(stage: Stage, tmp_path: Path) -> None:
    lines = _printed(stage, tmp_path, "strangers", ["-rdynamic"])
    assert len(lines) == 1
    assert int(lines[0]) > 0


def test_the_allocator_of_the_hosts_jansson_is_the_hosts(stage: Stage, tmp_path: Path) -> None:
    lines = _printed(stage, tmp_path, "neighbours", [], "jansson")
    assert lines == ["allocated by the library: 0", "read by the host: 3 of 3", "left: 0"]
