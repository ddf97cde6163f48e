"""The plugins that ship pass the plugin checker."""

from __future__ import annotations

from pathlib import Path

import pytest
from checker import ROOT, TOOL, check

PLUGINS = sorted((TOOL.parent.parent / "lib" / "restway" / "plugins").glob("*.so"))
#: Checks that may be skipped for a mapper: options and writing.
_MAY_BE_SKIPPED = {"options.accepted", "options.unknown", "options.types"}
_OF_WRITERS = {"encode.order", "encode.errors", "encode.trip", "encode.again"}


def test_there_are_some() -> None:
    assert {"simdjson", "msgpack"} <= {path.stem for path in PLUGINS}, ROOT


@pytest.mark.parametrize("name", ["simdjson", "msgpack"])
def test_it_passes_every_check(name: str) -> None:
    (path,) = [path for path in PLUGINS if path.stem == name]
    report = check(Path(path))
    assert report.failed() == {}
    skipped = {check for check, _, result, _ in report.results if result == "skipped"}
    assert skipped == _MAY_BE_SKIPPED | (set() if name == "msgpack" else _OF_WRITERS)
