"""The table of the parts of `.ci/run` in CONTRIBUTING.md has all parts, and no other ones."""

from __future__ import annotations

import re

from source_tree import ROOT

#: What is built before the parts of `make test` run, and what `make tsan` adds.
BUILT = {"stage", "python-tools", "build-swift-asan", "build-harness"}
WITH_THREAD_SANITIZER = {"build-swift-tsan", "test-swift-tsan-1", "test-swift-tsan-2"}


def test_the_table_has_every_part() -> None:
    recipes = (ROOT / "make" / "tests.mk").read_text()
    parts = re.search(r"^PARTS := ((?:.*\\\n)*.*)$", recipes, re.MULTILINE)
    assert parts is not None
    named = set(parts[1].replace("\\\n", " ").split())
    assert len(named) > 10
    page = (ROOT / "CONTRIBUTING.md").read_text()
    rows = re.findall(r"^\| `([\w-]+)` \| [\d-]+ \| [\d-]+ \| \S", page, re.MULTILINE)
    assert sorted(rows) == sorted(named | BUILT | WITH_THREAD_SANITIZER)
