"""Schema and loader agree about every document that differs from a good one by one change."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from documents import DEMO_FILE, JSON, corpus, disagreement

Place = tuple[str | int, ...]

#: Values of each kind, and values at the limits of some part of a document.
VALUES: tuple[JSON, ...] = (
    None, True, 0.5, -2, -1, 0, 1, 99, 100, 599, 600, 86_400_000, 86_400_001,
    "", "a", " ", "GET", "int", [], [1], ["a"], [{}], {}, {"a": "a"}, {"a": {}},
)
#: The last key does not belong to Restway: where keys are fixed, programs may use it.
KEYS = ("unknown", "", "$schema", "X-upper", "x-yours")


def places(value: JSON, place: Place = ()) -> Iterator[Place]:
    """Returns the place of a value and of all values inside it."""
    yield place
    members: Iterator[tuple[str | int, JSON]] = iter(())
    if isinstance(value, dict):
        members = iter(value.items())
    elif isinstance(value, list):
        members = iter(enumerate(value))
    for key, member in members:
        yield from places(member, (*place, key))


def at(document: JSON, place: Place) -> JSON:
    for key in place:
        document = document[key]
    return document


def mutations(document: JSON) -> Iterator[tuple[str, JSON]]:
    """Returns the change, and the changed document."""
    for place in places(document):
        value = at(document, place)
        if place:
            changed = copy.deepcopy(document)
            del at(changed, place[:-1])[place[-1]]
            yield f"without {place}", changed
        for other in VALUES:
            yield f"{json.dumps(other)} at {place}", replaced(document, place, other)
        if isinstance(value, dict):
            for key in KEYS:
                for new in ({}, *list(value.values())[:1]):
                    changed = replaced(document, place, {**value, key: new})
                    yield f"{key!r}: {json.dumps(new)} added to {place}", changed
        if isinstance(value, list) and value:
            yield f"the first of {place} twice", replaced(document, place, [value[0], *value])


def replaced(document: JSON, place: Place, value: JSON) -> JSON:
    if not place:
        return value
    changed = copy.deepcopy(document)
    at(changed, place[:-1])[place[-1]] = copy.deepcopy(value)
    return changed


def name_of(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", corpus("good"), ids=name_of)
def test_schema_and_loader_agree_about_every_mutation(path: Path) -> None:
    findings = [
        f"{change}: {how}"
        for change, document in mutations(json.loads(path.read_bytes()))
        if (how := disagreement(document)) is not None
    ]
    assert not findings, "\n" + "\n".join(findings)


def test_schema_and_loader_agree_about_the_demo_document_without_a_part() -> None:
    document = json.loads(DEMO_FILE.read_bytes())
    findings = [
        f"{change}: {how}"
        for change, mutated in mutations(document)
        if change.startswith("without") and (how := disagreement(mutated)) is not None
    ]
    assert not findings, "\n" + "\n".join(findings)
