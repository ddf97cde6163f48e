"""The comments of the public headers have one order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from source_tree import ROOT, expect_none, name_of

HEADERS = sorted((ROOT / "Include" / "restway").glob("*.h"))

#: First the effect, the parameters and the statuses; prose may follow; then threads and blocking,
#: at the very end.
_TAGS = re.compile(r"@param\b|@return\b|\bThreads:|\bBlocks:")
_ORDER = ["@param", "@return", "Threads:", "Blocks:"]
_FUNCTION = re.compile(
    r"/\*\*(?P<comment>(?:(?!\*/).)*)\*/\s*RESTWAY_(?:API|INLINE)\s(?P<declaration>[^;{]*)[;{]",
    re.DOTALL,
)


def _documented() -> Iterator[tuple[Path, str, str, str]]:
    """Returns header, name, comment and declaration of every function with a comment of its own."""
    for header in HEADERS:
        for match in _FUNCTION.finditer(header.read_text()):
            name = re.search(r"\b(restway_\w+)\s*\(", match["declaration"])
            if name:
                yield header, name[1], match["comment"], match["declaration"]


def test_the_comments_are_found_here() -> None:
    assert len(list(_documented())) > 70


def test_comments_keep_the_order() -> None:
    wrong = []
    for header, name, comment, _ in _documented():
        ranks = [_ORDER.index(tag) for tag in _TAGS.findall(comment)]
        if ranks != sorted(ranks):
            wrong.append(f"{name_of(header)}: {name}")
    expect_none(wrong)


def test_comments_start_with_the_effect() -> None:
    expect_none(
        f"{name_of(header)}: {name}"
        for header, name, comment, _ in _documented()
        if comment.lstrip(" *\n").startswith(("@", "Threads:", "Blocks:"))
    )


def test_parameters_are_described_in_their_order() -> None:
    wrong = []
    for header, name, comment, declaration in _documented():
        arguments = declaration[declaration.index("(") + 1 : declaration.rindex(")")]
        names = [re.split(r"[\s*]+", part.strip())[-1] for part in arguments.split(",")]
        described = re.findall(r"@param\s+(\w+)", comment)
        if [word for word in names if word in described] != described:
            wrong.append(f"{name_of(header)}: {name}: {described}")
    expect_none(wrong)


def test_statuses_are_listed() -> None:
    """Every function that returns a status lists its statuses, or refers to a function that does.
    """
    expect_none(
        f"{name_of(header)}: {name}"
        for header, name, comment, declaration in _documented()
        if "RESTWAY_MUST_USE" in declaration and "@return" not in comment
    )
