"""The interface as data, and the files that are generated from it, match the headers."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from interface import (
    INTERFACE_FILE,
    Function,
    callbacks,
    functions,
    inline_functions,
    interface_text,
    unions,
)
from tree import ROOT

#: The folders whose files are generated, each by its `generate.py`. `make generate` runs them all.
FOLDERS = ("Include", "Sources", "bindings/python", "bindings/rust")
WRITE = "make generate"


def _generator(folder: str) -> ModuleType:
    path = ROOT / folder / "generate.py"
    spec = importlib.util.spec_from_file_location(f"generate_{path.parent.name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


#: The content of each generated file.
MODULES: dict[Path, str] = {
    path: text for folder in FOLDERS for path, text in _generator(folder).generated().items()
}


def _function(data: dict[str, Any]) -> tuple[str, str, list[tuple[str, str]]]:
    return data["name"], data["result"], [(p["type"], p["name"]) for p in data["parameters"]]


def _declared(function: Function) -> tuple[str, str, list[tuple[str, str]]]:
    return function.name, function.result, [(p.type, p.name) for p in function.parameters]


def test_the_interface_is_that_of_the_headers() -> None:
    stored = INTERFACE_FILE.read_text() if INTERFACE_FILE.exists() else ""
    if stored != interface_text():
        pytest.fail(
            f"{INTERFACE_FILE.relative_to(ROOT)} is stale: the headers say something else. "
            f"Write it anew, and what is made from it: {WRITE}",
            pytrace=False,
        )


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_the_modules_are_those_of_the_interface(path: Path) -> None:
    stored = path.read_text() if path.exists() else ""
    if stored != MODULES[path]:
        pytest.fail(
            f"{path.relative_to(ROOT)} is stale: {INTERFACE_FILE.relative_to(ROOT)} says something "
            f"else. Write it anew: {WRITE}",
            pytrace=False,
        )


def test_the_interface_is_complete() -> None:
    data = json.loads(INTERFACE_FILE.read_text())
    assert [_function(each) for each in data["functions"]] == [_declared(f) for f in functions()]
    assert [_function(each) for each in data["inline"]] == [
        _declared(f) for f in inline_functions()
    ]
    assert [_function(each) for each in data["callbacks"]] == [_declared(c) for c in callbacks()]
    assert data["enums"]["restway_status"]["values"]["RESTWAY_OK"] == 0
    assert data["constants"]["RESTWAY_CLIENT_LOAD_PLUGINS"] == 0x100
    assert "restway_client" in data["handles"]
    fields = data["structs"]["restway_value"]["fields"]
    assert [field["name"] for field in fields] == ["kind", "length", "as"]


def test_the_rust_package_has_the_version_of_the_library() -> None:
    manifest = (ROOT / "bindings" / "rust" / "Cargo.toml").read_text()
    version = json.loads(INTERFACE_FILE.read_text())["version"]
    assert f'\nversion = "{version}"\n' in manifest


def test_the_members_of_unions_are_known() -> None:
    assert [member.name for member in unions()["restway_value"]["as"]] == [
        "integer", "real", "text", "bytes", "object", "list",
    ]
