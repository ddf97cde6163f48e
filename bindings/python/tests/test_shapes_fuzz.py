"""Random documents with extended entities, unions, maps, lists, constants, defaults, formats and
empty elements: what becomes of random answers with wrong values at random places is known exactly.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import restway

from .shapes_model import Known, Shapes

SEEDS = range(int(os.environ.get("RESTWAY_SEEDS") or 60))
"""The seeds of the documents; a test that fails names its seed."""

ANSWERS = 8
"""How many answers change the objects of a document."""


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@pytest.mark.parametrize("seed", SEEDS)
def test_random_answers_become_what_the_rules_say(seed: int, kind: str, tmp_path: Path) -> None:
    made = Shapes(seed)
    document = {
        **made.document(),
        "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    }
    store = tmp_path / "objects.db" if kind == "sqlite" else None
    with restway.Client(restway.API.from_json(document), store_path=store) as client:
        for number in range(ANSWERS):
            entity, body = made.answer()
            response = client.map(entity, json.dumps(body))
            what = f"seed {seed}, answer {number}: {entity} {json.dumps(body)}"
            assert sorted(one.key_path for one in response.issues) == sorted(made.issues), what
            for (base, identity), known in made.objects.items():
                found = client.store.find(base, identity)
                assert found is not None, what
                assert _shown(found) == _expected(made, known), what
                for name, one in made.entities.items():
                    if one.root.name == base:
                        assert found.is_a(name) is (name in known.shapes), what
            for base in "ABC":
                count = sum(1 for key in made.objects if key[0] == base)
                assert client.store.query(base).unloaded(None).count() == count, what


def _expected(made: Shapes, known: Known, is_linked: bool = False) -> Any:
    """Returns an object of the model in the form of `_shown`."""
    if is_linked and "id" in known.values:
        return made.entity(known), repr(known.values["id"])
    links = {
        name: [None if one is None else _expected(made, one, True) for one in ends]
        for name, ends in known.links.items()
    }
    return made.entity(known), _text(known.values), links


def _shown(one: restway.Object, is_linked: bool = False) -> Any:
    """Returns an object: its entity, its values, and its links, where objects with an identity are
    named by it.
    """
    if is_linked and one.identity is not None:
        return one.entity, repr(one.identity)
    links = {
        name: [None if end is None else _shown(end, True) for end in one.places(name)]
        for name in one.relationships()
        if one.related_keys(name) is not None
    }
    return one.entity, _text(one.attributes()), links


def _text(values: dict[str, Any]) -> str:
    """Returns values as text, because `True == 1`; the keys of maps have no order."""
    return repr(
        [(name, sorted(one.items()) if isinstance(one, dict) else one)
         for name, one in sorted(values.items())]
    )  # fmt: skip


def test_the_random_documents_have_every_shape() -> None:
    documents = [Shapes(seed).document() for seed in range(60)]
    text = json.dumps(documents)
    for part in ("extends", "oneOf", '"map"', '"empty": "gap"', '"empty": "object"', '"constant"',
                 '"default"', '"closed"', '"values"', '["iso8601", "epoch"]', "numberText",
                 '"type": ["', '"type": {"*"', '"source": "in.'):  # fmt: skip
        assert part in text, part
    answers = [Shapes(seed) for seed in range(60)]
    for one in answers:
        one.answer()
    assert sum(len(one.issues) for one in answers) > 60
