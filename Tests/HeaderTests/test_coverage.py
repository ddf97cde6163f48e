"""The C harness leaves no function of the headers out."""

from __future__ import annotations

import re

from declarations import all_functions
from tree import ROOT


def test_the_harness_calls_every_function() -> None:
    sources = (ROOT / "Tests" / "CHarness").glob("*.c")
    called = set(re.findall(r"\b(restway_\w+)\s*\(", "\n".join(s.read_text() for s in sources)))
    assert {function.name for function in all_functions()} - called == set()
