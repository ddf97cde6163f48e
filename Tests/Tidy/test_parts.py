"""The table of the parts of `.ci/run` in CONTRIBUTING.md has all parts, and no other ones."""

from __future__ import annotations

import re

from source_tree import ROOT, expect_none, name_of

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


#: Words with which a test starts threads, or makes a part of the library that does.
STARTS_THREADS = re.compile(
    r"\b(pthread_create|Thread|WorkerPool|concurrentPerform|Dispatch\w+|Task|withTaskGroup"
    r"|Client|CurlTransport|LoopbackServer)\b\s*[({]"
)


def test_what_the_thread_sanitizer_leaves_out_starts_no_thread() -> None:
    package = (ROOT / "Package.swift").read_text()
    modules = re.findall(r'module\(\s*"(\w+)"((?:(?!\bmodule\().)*)', package, re.DOTALL)
    left_out = [name for name, rest in modules if "testsStartThreads: false" in rest]
    assert len(left_out) > 5
    expect_none(
        name_of(path)
        for name in left_out
        for path in sorted((ROOT / "Tests" / f"{name}Tests").rglob("*.swift"))
        if STARTS_THREADS.search(path.read_text())
    )
