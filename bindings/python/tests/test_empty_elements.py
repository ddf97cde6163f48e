"""Null and `{}` in the list of a relationship: dropped, objects without values, or gaps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import restway

from .peer import Peer


def document(empty: str, path: Path | None) -> dict[str, Any]:
    store = {"kind": "sqlite", "path": str(path)} if path else {"kind": "memory"}
    return {
        "restway": 1,
        "store": store,
        "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
        "entities": {
            "Team": {
                "identity": "id",
                "attributes": {"id": {"type": "int"}},
                "relationships": {
                    "seats": {"entity": "Person", "many": True, "empty": empty}
                },
            },
            "Person": {"identity": "id", "attributes": {"id": {"type": "int"}, "name": "name"}},
        },
        "routes": {"teams": {"method": "POST", "path": "teams", "entity": "Team",
                             "request": {"entity": "Team"}}},
    }


TEAM = json.dumps({"id": 1, "seats": [{"id": 7}, None, {"id": 8}, {}]}).encode()


@pytest.mark.parametrize("kind", ["memory", "file"])
@pytest.mark.parametrize(
    ("empty", "places", "written"),
    [
        ("drop", [7, 8], [{"id": 7}, {"id": 8}]),
        ("object", [7, None, 8, None], [{"id": 7}, {}, {"id": 8}, {}]),
        ("gap", [7, "gap", 8, "gap"], [{"id": 7}, None, {"id": 8}, None]),
    ],
)
def test_empty_elements_keep_their_places(
    peer: Peer, tmp_path: Path, kind: str, empty: str, places: list[Any], written: list[Any]
) -> None:
    api = restway.API.from_json(document(empty, tmp_path / "s.db" if kind == "file" else None))
    with restway.Client(api, base_url=peer.url, timeout=30) as client:
        client.map("Team", TEAM)
        team = client.store.find("Team", 1)
        assert team is not None
        assert [seat.id if seat else "gap" for seat in team.places("seats")] == places
        assert len(team.seats) == len([place for place in places if place != "gap"])
        assert [key == 0 for key in team.related_keys("seats") or []] == [
            place == "gap" for place in places
        ]
        peer.respond(b"")
        client.post(client.draft(team))
        assert json.loads(peer.requests[-1].partition(b"\r\n\r\n")[2])["seats"] == written


def test_gaps_outlive_the_process_and_deleted_objects(tmp_path: Path) -> None:
    described = document("gap", tmp_path / "objects.db")
    with restway.Client(restway.API.from_json(described)) as client:
        client.map("Team", TEAM)
    with restway.Client(restway.API.from_json(described)) as client:
        team = client.store.find("Team", 1)
        assert team is not None
        first = team.places("seats")[0]
        assert first is not None and [seat and seat.id for seat in team.places("seats")] == [
            7, None, 8, None,
        ]
        client.store.delete(first)
        assert [seat and seat.id for seat in team.places("seats")] == [None, None, 8, None]
