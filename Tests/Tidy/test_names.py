"""A function whose name asks (`isSent`, `mayStore`) answers with a Bool, and changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from source_tree import SOURCES, expect_none, name_of, swift_code, swift_files

_QUESTION = re.compile(
    r"\bfunc\s+((?:is|are|has|was|were|may|must|can|does|should|will)[A-Z]\w*)[^(]*\("
)
_CHANGE = re.compile(rf"\bmutating\s+{_QUESTION.pattern}")


def _functions(code: str) -> Iterator[tuple[int, str, str]]:
    """Yields line, name, and what stands behind the parameters of each function that asks."""
    for match in _QUESTION.finditer(code):
        end = match.end()
        depth = 1
        while depth:
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        behind = re.split(r"[{}]|\n\s*\n|\n\s*(?:func|var|let|static)\b", code[end:], maxsplit=1)[0]
        yield code.count("\n", 0, match.start()) + 1, match[1], behind


def test_functions_that_ask_answer() -> None:
    expect_none(
        f"{name_of(path)}:{line}: {name} returns no Bool"
        for path in swift_files(SOURCES)
        for line, name, behind in _functions(swift_code(path))
        if not re.search(r"->\s*Bool\b", behind)
    )


def test_functions_that_ask_change_nothing() -> None:
    expect_none(
        f"{name_of(path)}: {match[1]} is mutating"
        for path in swift_files(SOURCES)
        for match in _CHANGE.finditer(swift_code(path))
    )


def test_a_question_is_found() -> None:
    code = "func isSent(to a: (Int) -> Bool)\nfunc mayGo<T>(\n  _ b: T\n) throws -> Bool { true }"
    (first, second) = _functions(code)
    assert (first[0], first[1], "Bool" in first[2]) == (1, "isSent", False)
    assert (second[0], second[1], "Bool" in second[2]) == (2, "mayGo", True)
