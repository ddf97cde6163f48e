"""Relationships whose JSON is an object with free keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import restway

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Team": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}},
            "relationships": {
                "members": {"entity": "Person", "source": "people", "many": True, "map": "nick"}
            },
        },
        "Person": {
            "identity": "nick",
            "attributes": {"nick": {"type": "string"}, "age": {"type": "int"}},
        },
    },
    "routes": {
        "teams": {"method": "POST", "path": "teams", "entity": "Team",
                  "request": {"entity": "Team"}, "response": {"entity": "Team"}},
    },
}
PEOPLE = {"ann": {"age": 31}, "bob": {"age": 27}, "eve": {}}


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_maps_of_objects_are_read_and_written(peer: Peer, tmp_path: Path, kind: str) -> None:
    document = dict(DOCUMENT)
    if kind == "file":
        document["store"] = {"kind": "sqlite", "path": str(tmp_path / "objects.db")}
    api = restway.API.from_json(document)
    with restway.Client(api, base_url=peer.url, timeout=30) as client:
        response = client.map("Team", json.dumps({"id": 1, "people": PEOPLE}).encode())
        assert not response.issues
        team = client.store.find("Team", 1)
        assert team is not None
        assert [(one.nick, one.age) for one in team.members] == [
            ("ann", 31), ("bob", 27), ("eve", None),
        ]
        bob = client.store.find("Person", "bob")
        assert bob is not None and bob.age == 27
        draft = client.draft(team)
        draft.add("members", client.draft("Person", nick="joe", age=5))
        draft.remove("members", bob)
        peer.respond(b'{"id": 1, "people": {"ann": {"age": 32}, "joe": {"age": 5}}}')
        (answered,) = client.post(draft).objects
        sent = json.loads(peer.requests[-1].partition(b"\r\n\r\n")[2])
        assert sent == {"id": 1, "people": {"ann": {"age": 31}, "eve": {}, "joe": {"age": 5}}}
        assert [(one.nick, one.age) for one in answered.members] == [("ann", 32), ("joe", 5)]


def test_an_object_without_a_key_is_not_sent(peer: Peer) -> None:
    document = json.loads(json.dumps(DOCUMENT))
    del document["entities"]["Person"]["identity"]
    api = restway.API.from_json(document)
    with restway.Client(api, base_url=peer.url, timeout=30) as client:
        draft = client.draft("Team", id=1)
        draft.add("members", client.draft("Person", age=5))
        with pytest.raises(restway.RestwayError, match="is sent with keys"):
            client.post(draft)
        assert not peer.requests
