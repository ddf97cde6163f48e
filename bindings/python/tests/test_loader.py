"""The places where the library is looked for, and the error if it is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import restway
from restway import _ffi

PACKAGE = Path(restway.__file__).parent


def run(code: str, path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if key != "RESTWAY_LIBRARY"}
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**clean, "PYTHONPATH": str(path), **environment},
        cwd=path,
        capture_output=True,
        text=True,
    )


@pytest.mark.no_library
def test_import_does_not_load_the_library() -> None:
    done = run("import restway", PACKAGE.parent, RESTWAY_LIBRARY="/nowhere/librestway.so")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.no_library
def test_library_error_lists_what_was_tried() -> None:
    code = (
        "import restway\n"
        "try:\n    restway.version()\n"
        "except ImportError as error:\n"
        "    assert isinstance(error, restway.LibraryError)\n"
        "    print(error, error.details)"
    )
    done = run(code, PACKAGE.parent, RESTWAY_LIBRARY="/nowhere/librestway.so")
    assert "$RESTWAY_LIBRARY: /nowhere/librestway.so: no such file" in done.stdout
    assert done.stdout.count("Problem(") == 1


@pytest.mark.no_library
def test_order_is_bundled_then_staged_then_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RESTWAY_LIBRARY", raising=False)
    assert [place for place, _ in _ffi.candidates()] == ["bundled", "staged build", "system"]
    monkeypatch.setenv("RESTWAY_LIBRARY", "/x.so")
    assert _ffi.candidates() == [("$RESTWAY_LIBRARY", "/x.so")]


@pytest.mark.no_library
def test_a_copy_outside_the_source_tree_does_not_look_for_a_staged_build(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "restway", ignore=shutil.ignore_patterns("__pycache__"))
    code = "from restway import _ffi; print([place for place, _ in _ffi.candidates()])"
    assert run(code, tmp_path).stdout.strip() == "['bundled', 'system']"


@pytest.mark.no_library
def test_a_library_that_is_not_restway_is_refused_with_the_reason() -> None:
    done = run("import restway; restway.version()", PACKAGE.parent, RESTWAY_LIBRARY="libc.so.6")
    assert "it has no function restway_abi_version" in done.stderr


def test_a_bundled_library_is_found_first(tmp_path: Path) -> None:
    restway.version()
    loaded = _ffi.lib.path
    if loaded is None or os.sep not in loaded:
        pytest.skip("the system's library has no path to copy from")
    shutil.copytree(PACKAGE, tmp_path / "restway", ignore=shutil.ignore_patterns("__pycache__"))
    os.symlink(loaded, tmp_path / "restway" / "librestway.so")
    code = "import restway, restway._ffi as n; restway.version(); print(n.lib.path)"
    assert run(code, tmp_path).stdout.strip() == str(tmp_path / "restway" / "librestway.so")


def test_version_is_that_of_the_package() -> None:
    assert restway.version() == restway.__version__
