"""What the release build knows of the paths taken (docs/decisions/0021)."""

from __future__ import annotations

import re

from source_tree import ROOT

_TRAINED = ROOT / "Sources" / "restway.proftext"


def _functions() -> list[str]:
    return [
        line
        for line in _TRAINED.read_text(encoding="utf-8").splitlines()
        if re.match(r"(\S+;)?\$s", line)
    ]


def test_it_is_of_paths_counted_in_the_compiler() -> None:
    lines = _TRAINED.read_text(encoding="utf-8").splitlines()
    assert next(line for line in lines if not line.startswith("#")) == ":ir"


def test_its_functions_name_no_folder_of_a_machine() -> None:
    assert [name for name in _functions() if "/" in name] == []


def test_it_knows_paths_of_every_module() -> None:
    modules = {
        folder.name
        for folder in (ROOT / "Sources").iterdir()
        if folder.name.startswith("Restway")
    }
    unknown = {
        module
        for module in modules
        if not any(f"$s{len(module)}{module}" in name for name in _functions())
    }
    assert unknown == set()
