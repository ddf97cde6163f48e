"""The package as such: its walls, its sizes, its types."""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import restway

pytestmark = pytest.mark.no_library

PACKAGE = Path(restway.__file__).parent
FOLDER = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("wrong", ['{"restway": 1}', b"{}", 0, None, {}])
def test_what_stands_for_a_handle_is_made_of_nothing_else(wrong: Any) -> None:
    """Anything else would be taken for an address."""
    ways = {
        "API": "API.load, API.from_json or API.empty",
        "Request": "Request.path, Request.route, Request.object or Request.draft",
    }
    makes: list[tuple[str, tuple[Any, ...]]] = [
        ("API", ()),
        ("Request", ()),
        ("Response", ({},)),
        ("Call", (None,)),
    ]
    for kind, others in makes:
        way = ways.get(kind, "the library makes it")
        with pytest.raises(TypeError, match=f"^{kind} is not made of .*: (use )?{way}$"):
            getattr(restway, kind)(wrong, *others)


def test_only_the_native_modules_know_ctypes() -> None:
    knowing = {
        path.name
        for path in PACKAGE.glob("*.py")
        if re.search(r"^\s*(import|from) ctypes", path.read_text("utf-8"), re.M)
    }
    assert knowing == {
        "_native.py",
        "_prototypes.py",
        "_prototypes_auth.py",
        "_prototypes_batch.py",
        "_prototypes_objects.py",
        "_prototypes_outbox.py",
        "_structures.py",
        "_structures_auth.py",
        "_structures_batch.py",
        "_structures_body.py",
        "_structures_outbox.py",
    }


def test_files_stay_small() -> None:
    lengths = {
        path.name: len(path.read_text("utf-8").splitlines()) for path in PACKAGE.glob("*.py")
    }
    assert max(lengths.values()) <= 400
    assert statistics.median(lengths.values()) <= 150


def test_all_is_what_the_package_has() -> None:
    assert restway.__all__ == sorted(restway.__all__, key=restway.__all__.index)
    for name in restway.__all__:
        assert hasattr(restway, name)


def test_everything_public_has_a_docstring() -> None:
    for name in restway.__all__:
        thing = getattr(restway, name)
        if inspect.isclass(thing) and not hasattr(thing, "__args__"):  # no alias
            assert thing.__doc__, name
            for member, value in vars(thing).items():
                if not member.startswith("_") and callable(value):
                    assert value.__doc__, f"{name}.{member}"


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="needs mypy")
def test_inferred_types_are_those_of_the_contract(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file=",
            f"--cache-dir={tmp_path}",
            str(FOLDER / "tests" / "typing_contract.py"),
        ],
        cwd=FOLDER,
        env={**os.environ, "MYPYPATH": str(FOLDER)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
