"""Attributes whose values come from the path of the request, in pages and in batches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import restway

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "batch": {"path": "/batch"},
    "entities": {
        "Thing": {
            "identity": ["owner", "id"],
            "attributes": {
                "id": {"type": "int"},
                "owner": {"type": "string", "from": {"variable": "owner"}},
                "shelf": {"type": "int", "from": {"variable": "shelf"}},
                "name": "name",
            },
            "relationships": {"parts": {"entity": "Part", "many": True}},
        },
        "Part": {
            "identity": "id",
            "attributes": {
                "id": {"type": "int"},
                "owner": {"type": "string", "from": {"variable": "owner"}},
                "name": "name",
            },
        },
    },
    "routes": {
        "numbered": {
            "path": "owners/:owner/shelves/:shelf/things",
            "response": {"entity": "Thing", "keyPath": "list"},
            "pages": {"page": "page"},
        },
        "linked": {
            "path": "linked/:owner/:shelf",
            "response": {"entity": "Thing", "keyPath": "list"},
            "pages": {"next": "link"},
        },
        "thing": {
            "method": ["GET", "PATCH"],
            "path": "owners/:owner/things/:id",
            "entity": "Thing",
            "response": {"entity": "Thing"},
        },
    },
}


class ThingPeer(Peer):
    """Answers with three pages of two things, to batches, and with single things."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = self._prepare

    def _prepare(self) -> None:
        target, body = self.targets[-1], self.requests[-1].partition(b"\r\n\r\n")[2]
        if target == "/batch":
            items = [item["uri"] for item in json.loads(body)["batch"]]
            answers = [{"code": 200, "body": json.dumps(self._answer(uri))} for uri in items]
            self.respond(json.dumps(answers).encode())
            return
        headers = {}
        path, _, query = target.partition("?")
        if path.startswith("/linked/") and query != "page=3":
            headers["Link"] = f'<{path}?page={int(query[5:] or 1) + 1}>; rel="next"'
        self.respond(json.dumps(self._answer(target)).encode(), headers=headers)

    def _answer(self, target: str) -> Any:
        path, _, query = target.partition("?")
        last = path.rpartition("/")[2]
        if not path.startswith("/linked/") and last != "things":
            return {"id": int(last), "name": "single", "parts": [10 * int(last)]}
        first = 2 * int(query[5:] or 1) - 1
        things = [{"id": id, "parts": [{"id": 10 * id}]} for id in (first, first + 1)]
        return {"list": things if first < 6 else []}

    @property
    def targets(self) -> list[str]:
        return [request.split()[1].decode() for request in self.requests]


@pytest.fixture
def peer() -> Iterator[ThingPeer]:
    made = ThingPeer()
    with made:
        yield made


@pytest.fixture(params=["memory", "file"])
def client(
    peer: ThingPeer, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[restway.Client]:
    api = restway.API.from_json(DOCUMENT)
    path = str(tmp_path / "objects.db") if request.param == "file" else None
    with restway.Client(api, base_url=peer.url, store_path=path) as made:
        yield made


def values(things: Any) -> list[tuple[Any, ...]]:
    """Returns the attributes of things, and the owners of their parts."""
    return [
        (thing.owner, thing["shelf"], thing.id, [part.owner for part in thing.parts])
        for thing in things
    ]


@pytest.mark.parametrize("route", ["numbered", "linked"])
def test_the_objects_of_each_page_have_the_variables_of_the_path(
    client: restway.Client, peer: ThingPeer, route: str
) -> None:
    variables = {"owner": "ann", "shelf": 4}
    pages = client.pages(route, variables=variables)
    found = [values(page.objects) for page in pages.pages]
    assert found[:3] == [
        [("ann", 4, first + step, ["ann"]) for step in (0, 1)] for first in (1, 3, 5)
    ]
    assert [page for page in found[3:] if page] == []
    assert len(peer.requests) >= 3
    things = client.store.query("Thing").where(owner="ann", shelf=4).order_by("id")
    assert [thing.identity for thing in things] == [("ann", id) for id in range(1, 7)]


def test_pages_of_two_owners_are_different_objects(client: restway.Client) -> None:
    for owner, shelf in [("ann", 1), ("bob", 2), ("ann", 3)]:
        variables = {"owner": owner, "shelf": shelf}
        assert len(list(client.pages("linked", variables=variables))) == 6
    assert client.store.count("Thing") == 12
    assert {thing["shelf"] for thing in client.store.query("Thing").where(owner="ann")} == {3}
    assert {thing["shelf"] for thing in client.store.query("Thing").where(owner="bob")} == {2}


def test_each_answer_of_a_batch_has_the_variables_of_its_own_request(
    client: restway.Client, peer: ThingPeer
) -> None:
    with client.batch() as batch:
        batch.get("owners/ann/things/1")
        batch.route("thing", variables={"owner": "bob", "id": 1})
        batch.get("linked/ann/5?page=2")
        batch.route("numbered", variables={"owner": "cem", "shelf": 6})
    assert peer.targets == ["/batch"]
    ann, bob = (batch.response(place).object for place in (0, 1))
    assert ann is not None and bob is not None
    assert [thing.identity for thing in (ann, bob)] == [("ann", 1), ("bob", 1)]
    assert not ann.same_as(bob) and "shelf" not in ann
    assert values(batch.response(2).objects) == [("ann", 5, 3, ["ann"]), ("ann", 5, 4, ["ann"])]
    assert values(batch.response(3).objects) == [("cem", 6, 1, ["cem"]), ("cem", 6, 2, ["cem"])]
    assert client.store.count("Thing") == 6


def test_an_object_that_a_batch_only_names_has_the_variable_and_is_not_loaded(
    client: restway.Client,
) -> None:
    with client.batch() as batch:
        batch.get("owners/ann/things/7")
        batch.get("owners/ann/things/8")
    assert client.store.count("Part") == 0
    parts = client.store.query("Part").unloaded().order_by("id")
    assert [(part.id, part.owner, part.is_loaded) for part in parts] == [
        (70, "ann", False),
        (80, "ann", False),
    ]


def test_a_later_request_takes_the_values_of_an_object_of_a_page(
    client: restway.Client, peer: ThingPeer
) -> None:
    thing = next(iter(client.pages("numbered", variables={"owner": "ann", "shelf": 4})))
    client.get(thing)
    assert peer.targets[-1] == "/owners/ann/things/1"
    with client.batch() as batch:
        batch.get(thing)
    named = json.loads(peer.requests[-1].partition(b"\r\n\r\n")[2])
    assert named == {"batch": [{"method": "GET", "uri": "/owners/ann/things/1"}]}
    renamed = batch.response(0).object
    assert renamed is not None and renamed.same_as(thing)
    assert (renamed["shelf"], renamed.name) == (4, "single")
