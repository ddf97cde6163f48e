"""Unions whose members extend other entities, maps of shapes, and defaults that shapes inherit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import restway

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Board": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}},
            "relationships": {
                "entries": {"entity": "Entry", "many": True},
                "people": {"entity": "Member", "many": True, "map": "nick"},
            },
        },
        "Admin": {"extends": "Member", "attributes": {"rights": {"type": "string"}}},
        "User": {
            "identity": "id",
            "attributes": {
                "id": {"type": "int"},
                "nick": {"type": "string"},
                "state": {"type": "string", "default": "new"},
            },
        },
        "Member": {
            "extends": "User",
            "attributes": {"plan": {"type": "string", "default": "free"}},
        },
        "Bot": {"extends": "User", "attributes": {"token": {"type": "string"}}},
        "Task": {"identity": "id", "attributes": {"id": {"type": "int"}}},
    },
    "unions": {"Entry": {"oneOf": ["Member", "Bot", "Task"], "discriminator": "type"}},
    "routes": {
        "board": {
            "path": "board",
            "method": ["GET", "POST"],
            "entity": "Board",
            "response": {"entity": "Board"},
            "request": {"nulls": "omit"},
        }
    },
}
ENTRIES = [
    {"type": "Member", "id": 1, "nick": "ann"},
    {"type": "Task", "id": 1},
    {"type": "Bot", "id": 2, "token": "t"},
]


@pytest.fixture(params=["memory", "file"])
def client(
    request: pytest.FixtureRequest, tmp_path: Path, peer: Peer
) -> Iterator[restway.Client]:
    document = {**DOCUMENT, "environments": {"local": {"baseURL": peer.url}}}
    if request.param == "file":
        document["store"] = {"kind": "sqlite", "path": str(tmp_path / "objects.db")}
    with restway.Client(restway.API.from_json(document)) as made:
        yield made


def mapped(client: restway.Client, entity: str, body: Any) -> restway.Response:
    return client.map(entity, json.dumps(body).encode())


def named(objects: Any) -> list[tuple[str, int]]:
    return [(item.entity, item.id) for item in objects]


def test_a_relationship_leads_to_the_families_of_the_members(client: restway.Client) -> None:
    (board,) = mapped(client, "Board", {"id": 9, "entries": ENTRIES}).objects
    assert named(board.entries) == [("Member", 1), ("Task", 1), ("Bot", 2)]
    mapped(client, "Admin", {"id": 1, "rights": "all"})
    mapped(client, "Entry", {"type": "Member", "id": 2})
    assert named(board.entries) == [("Admin", 1), ("Task", 1), ("Member", 2)]
    both = board.entries[2]
    assert both.is_a("Bot") and both.is_a("Member") and both.token == "t"
    assert (both.plan, both.state) == ("free", "new")
    assert named(client.store.all("User")) == [("Admin", 1), ("Member", 2)]


def test_a_map_of_a_shape_has_its_keys_and_defaults(client: restway.Client) -> None:
    people = {"ann": {"id": 1, "plan": "pro"}, "bob": {"id": 2}}
    (board,) = mapped(client, "Board", {"id": 9, "people": people}).objects
    assert [(one.nick, one.plan, one.state) for one in board.people] == [
        ("ann", "pro", "new"),
        ("bob", "free", "new"),
    ]


@dataclass
class Member:
    id: int
    plan: str | None


@dataclass
class Bot:
    id: int
    token: str | None


@dataclass
class Task:
    id: int


@dataclass
class Board:
    id: int
    entries: list[Member | Bot | Task] = field(default_factory=list)


def test_an_object_becomes_the_class_of_a_shape(client: restway.Client) -> None:
    mapped(client, "Admin", {"id": 1, "rights": "all", "plan": "pro"})
    (board,) = mapped(client, "Board", {"id": 9, "entries": ENTRIES}).into(list[Board])
    assert board.entries == [Member(1, "pro"), Task(1), Bot(2, "t")]


def test_a_draft_is_written_as_the_nearest_member(client: restway.Client, peer: Peer) -> None:
    mapped(client, "Admin", {"id": 1, "rights": "all"})
    known = mapped(client, "Entry", ENTRIES).objects[0]
    admin = client.draft("Admin", rights="some")
    board = client.draft("Board", entries=[known, admin], people=[client.draft("Admin", nick="n")])
    entries = [{"id": 1, "type": "Member"}, {"id": 7, "type": "Member"}]
    peer.respond(json.dumps({"id": 9, "entries": entries}).encode())
    answer = client.post(board).objects[0]
    sent = json.loads(peer.requests[-1].partition(b"\r\n\r\n")[2])
    assert sent == {
        "entries": [
            {"id": 1, "nick": "ann", "state": "new", "plan": "free", "type": "Member"},
            {"rights": "some", "type": "Member"},
        ],
        "people": {"n": {}},
    }
    assert named(answer.entries) == [("Admin", 1), ("Admin", 7)]
    assert answer.entries[1].rights == "some"


def test_a_struct_of_a_table_is_of_the_most_specific_member(client: restway.Client) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    mapped(client, "Admin", {"id": 1, "rights": "all"})
    table = mapped(client, "Board", {"id": 9, "entries": ENTRIES}).objects.to_arrow(depth=1)
    assert isinstance(table, pyarrow.Table)
    ann = {"id": 1, "nick": "ann", "state": "new", "plan": "free"}
    bot = {"id": 2, "nick": None, "state": "new", "token": "t"}
    assert table.column("entries").to_pylist()[0] == [
        {"Member": ann, "Bot": None, "Task": None},
        {"Member": None, "Bot": None, "Task": {"id": 1}},
        {"Member": None, "Bot": bot, "Task": None},
    ]
