"""Takes out of a document what the library refuses, so that every import can be loaded."""

from __future__ import annotations

from typing import Any

from .._api import API
from .._exceptions import LibraryError, Problem
from .notes import Report

_ROUNDS_MAX = 10
"""How often a document is checked again: a part may be refused only after others are gone."""


def drop_refused(document: dict[str, Any], report: Report) -> None:
    """Removes the routes, attributes and relationships that the library refuses, and notes them.

    Without the library nothing is removed, which is noted as well.
    """
    for _ in range(_ROUNDS_MAX):
        try:
            problems = API.check(document)
        except LibraryError:
            report.add("bent", "#", "the library was not found, so the document was not loaded")
            return
        dropped = [problem for problem in problems if _drop(document, problem, report)]
        if not dropped:
            break
    if not document["environments"]:
        document["environments"]["default"] = {"baseURL": "http://localhost"}
    if document.get("environment") not in document["environments"]:
        document.pop("environment", None)
        if len(document["environments"]) > 1:
            document["environment"] = next(iter(document["environments"]))


def _drop(document: dict[str, Any], problem: Problem, report: Report) -> bool:
    """Removes the part that a problem names; returns whether there was one."""
    path = problem.path or ""
    holders = [(document["routes"], "$.routes"), (document["environments"], "$.environments")]
    holders += [(document, "$")] if path.startswith(("$.auth", "$.errors")) else []
    for name, entity in document["entities"].items():
        for section in ("attributes", "relationships"):
            holders += [
                (entity.get(section, {}), f"{start}.{section}")
                for start in _paths("$.entities", name)
            ]
    for holder, start in holders:
        if not path.startswith(start):
            continue
        for name in list(holder):
            if any(_is_within(path, one) for one in _paths(start, name)):
                report.add("left out", f"#{start[1:]}.{name}", f"refused: {problem.message}")
                del holder[name]
                return True
    return False


def _paths(start: str, name: str) -> tuple[str, str]:
    """Returns the two forms in which problems write the path of a member."""
    return f"{start}.{name}", f"{start}[{name!r}]"


def _is_within(path: str, part: str) -> bool:
    return path == part or path.startswith((f"{part}.", f"{part}["))
