"""Takes out of a document what the library refuses, so that every import can be loaded."""

from __future__ import annotations

from typing import Any

from restway import API, LibraryError, Problem

from .notes import Report

_ROUNDS_MAX = 10
"""How often a document is checked again: a part may be refused only after others are gone."""


Places = dict[tuple[str, str], str]
"""The places of entities and routes in the description, by section and name."""


def drop_refused(document: dict[str, Any], places: Places, report: Report) -> None:
    """Removes the parts that the library refuses, and notes them: routes, attributes,
    relationships, environments, `auth` and `errors`.

    Without the library nothing is removed, which is noted as well.
    """
    for _ in range(_ROUNDS_MAX):
        try:
            problems = API.check(document)
        except LibraryError:
            report.add("bent", "#", "the library was not found, so the document was not loaded")
            return
        dropped = [problem for problem in problems if _drop(document, problem, places, report)]
        if not dropped:
            break
    environments = document.get("environments", {})
    if not environments:
        document.pop("environments", None)
    if document.get("environment") not in environments:
        document.pop("environment", None)
        if len(environments) > 1:
            document["environment"] = next(iter(environments))


def _drop(document: dict[str, Any], problem: Problem, places: Places, report: Report) -> bool:
    """Removes the part that a problem names; returns whether there was one."""
    path = problem.path or ""
    for section in ("auth", "errors"):
        if section in document and _is_within(path, f"$.{section}"):
            del document[section]
            report.add("left out", "#", f"{section}: refused: {problem.message}")
            return True
    for section in ("routes", "environments"):
        name = _named(document.get(section, {}), path, f"$.{section}")
        if name is not None:
            del document[section][name]
            place = places.get((section, name), "#")
            report.add("left out", place, f"{section}: refused: {problem.message}")
            return True
    entity = _named(document["entities"], path, "$.entities")
    if entity is None:
        return False
    for section in ("attributes", "relationships"):
        members = document["entities"][entity].get(section, {})
        for start in _paths("$.entities", entity):
            name = _named(members, path, f"{start}.{section}")
            if name is not None:
                del members[name]
                if document["entities"][entity].get("identity") == name:
                    del document["entities"][entity]["identity"]
                place = places.get(("entities", entity), "#")
                report.add("left out", place, f"{name!r}: refused: {problem.message}")
                return True
    return False


def _named(members: dict[str, Any], path: str, start: str) -> str | None:
    """Returns the member in which the path of a problem lies."""
    for name in members:
        if any(_is_within(path, one) for one in _paths(start, name)):
            return name
    return None


def _paths(start: str, name: str) -> tuple[str, str]:
    """Returns the two forms in which problems write the path of a member."""
    return f"{start}.{name}", f"{start}[{name!r}]"


def _is_within(path: str, part: str) -> bool:
    return path == part or path.startswith((f"{part}.", f"{part}["))
