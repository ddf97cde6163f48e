"""Relationships and answers whose objects are of several entities."""

from __future__ import annotations

import json
import pickle
import queue
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
        "Sprint": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}, "name": {"type": "string"}},
            "relationships": {
                "items": {"entity": "Item", "many": True},
                "top": {"entity": "Item"},
            },
        },
        "Bug": {
            "identity": "id",
            "attributes": {
                "id": {"type": "int"},
                "title": {"type": "string"},
                "severity": {"type": "int"},
            },
        },
        "Story": {
            "identity": "id",
            "attributes": {
                "id": {"type": "int"},
                "title": {"type": "string"},
                "points": {"type": "int"},
            },
            "relationships": {
                "next": {"entity": {"oneOf": ["Bug", "Story"], "discriminator": "type"}}
            },
        },
    },
    "unions": {
        "Item": {
            "oneOf": ["Bug", "Story"],
            "discriminator": {
                "keyPath": "type",
                "values": {"bug": "Bug", "user_story": "Story"},
            },
        }
    },
    "routes": {
        "items": {
            "path": "items",
            "response": {"entity": "Item", "keyPath": "items"},
            "pages": {"page": "page"},
        },
        "sprint": {
            "method": ["GET", "POST"],
            "path": "sprint",
            "entity": "Sprint",
            "response": {"entity": "Sprint"},
        },
    },
}
ITEMS = [
    {"type": "bug", "id": 1, "title": "crash", "severity": 3},
    {"title": "sign in", "id": 1, "points": 5, "type": "user_story"},
    {"id": 2, "type": "bug"},
]
SPRINT = {"id": 9, "name": "s", "items": ITEMS, "top": {"id": 1, "type": "user_story"}}


@pytest.fixture(params=["memory", "file"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[restway.Client]:
    document = dict(DOCUMENT)
    if request.param == "file":
        document["store"] = {"kind": "sqlite", "path": str(tmp_path / "objects.db")}
    with restway.Client(restway.API.from_json(document)) as made:
        yield made


def mapped(client: restway.Client, body: Any, entity: str = "Sprint") -> restway.Response:
    return client.map(entity, json.dumps(body).encode())


def named(objects: Any) -> list[tuple[str, int]]:
    return [(item.entity, item.id) for item in objects]


MIXED = [("Bug", 1), ("Story", 1), ("Bug", 2)]


def test_an_object_says_of_which_entity_it_is(client: restway.Client) -> None:
    assert named(mapped(client, ITEMS, "Item").objects) == MIXED
    (sprint,) = mapped(client, SPRINT).objects
    assert named(sprint.items) == MIXED
    assert sprint.items[0].severity == 3 and sprint.items[1].points == 5
    assert (sprint.top.entity, sprint.top.title) == ("Story", "sign in")
    assert named(client.store.all("Bug")) == [("Bug", 1), ("Bug", 2)]


def test_a_value_that_fits_no_entity_is_an_issue_with_its_place(client: restway.Client) -> None:
    response = mapped(client, {"id": 9, "items": [{"type": "x"}, *ITEMS], "top": 1})
    assert [issue.key_path for issue in response.issues] == ["items[0]", "top"]
    assert "stands for Bug or Story, found \"x\"" in response.issues[0].reason
    assert "does not say whether it identifies Bug or Story" in response.issues[1].reason
    assert named(response.objects[0].items) == MIXED
    with restway.Client(client.api, strict_mapping=True) as strict, pytest.raises(
        restway.MappingError
    ):
        mapped(strict, {"id": 9, "top": {"type": "x"}})


def test_dicts_json_and_pickles_hold_the_objects_of_each_entity(client: restway.Client) -> None:
    (sprint,) = mapped(client, SPRINT).objects
    items = [
        {"id": 1, "title": "crash", "severity": 3},
        {"id": 1, "title": "sign in", "points": 5},
        {"id": 2},
    ]
    assert sprint.to_dict() == {"id": 9, "name": "s", "items": items, "top": items[1]}
    assert sprint.items.to_dicts() == items
    value = pickle.loads(pickle.dumps(sprint))
    assert [item.entity for item in value["items"]] == ["Bug", "Story", "Bug"]


@dataclass
class Bug:
    id: int
    title: str | None


@dataclass
class Story:
    id: int
    title: str | None
    next: Bug | Story | None = None


@dataclass
class Sprint:
    id: int
    top: Bug | Story
    items: list[Bug | Story] = field(default_factory=list)


def test_objects_become_the_class_with_the_name_of_their_entity(client: restway.Client) -> None:
    (sprint,) = mapped(client, SPRINT).into(list[Sprint])
    assert sprint.items == [Bug(1, "crash"), Story(1, "sign in"), Bug(2, None)]
    assert sprint.top == Story(1, "sign in")
    response = mapped(client, ITEMS, "Item")
    assert response.into(list[Story | Bug])[:2] == [Bug(1, "crash"), Story(1, "sign in")]


def test_queries_follow_unions(client: restway.Client) -> None:
    other = {"id": 8, "top": {"type": "bug", "id": 2, "title": "crash"}}
    mapped(client, [SPRINT, other, {"id": 7}])
    store = client.store

    def found(condition: str, *values: Any) -> list[int]:
        return sorted(item.id for item in store.query("Sprint").filter(condition, *values))

    assert found("items.title = ?", "sign in") == [9]
    assert found("top.title = ?", "crash") == [8]
    assert found("top.title in ? and name = ?", ["crash", "sign in"], "s") == [9]
    assert found("not top.title = ?", "crash") == [7, 9]
    assert found("items.id = ? and items.title like ?", 2, "%in") == [9]
    assert found("top is null") == [7]
    assert found("items is not null") == [9]
    with pytest.raises(restway.UnknownAttributeError, match='Bug has no attribute "points"'):
        found("top.points = ?", 5)


def test_a_query_through_a_union_is_observed(client: restway.Client) -> None:
    mapped(client, SPRINT)
    query = client.store.query("Sprint").filter("top.title = ?", "done")
    told: queue.Queue[list[int]] = queue.Queue()

    def tell(changes: restway.QueryChanges) -> None:
        told.put([item.id for item in changes.objects])

    with client.observe_query(tell, query) as observer:
        assert not observer.objects
        mapped(client, {"type": "user_story", "id": 1, "title": "done"}, "Item")
        assert told.get(timeout=30) == [9]


def test_a_draft_links_objects_of_each_entity_and_sends_the_discriminator(
    peer: Peer, tmp_path: Path
) -> None:
    api = restway.API.from_json(DOCUMENT)
    with restway.Client(api, base_url=peer.url, timeout=30) as client:
        bug, story, _ = mapped(client, ITEMS, "Item").objects
        draft = client.draft("Sprint", name="new", items=[bug, client.draft("Story", points=1)])
        draft.top = story
        with pytest.raises(restway.UsageError, match="Item"):
            draft.top = client.draft("Sprint")
        items = [{"id": 1, "type": "bug"}, {"id": 7, "type": "user_story"}]
        peer.respond(json.dumps({"id": 1, "items": items}).encode())
        sprint = client.post(draft).objects[0]
        sent = json.loads(peer.requests[-1].partition(b"\r\n\r\n")[2])
        assert sent == {
            "name": "new",
            "items": [
                {"id": 1, "title": "crash", "severity": 3, "type": "bug"},
                {"points": 1, "type": "user_story"},
            ],
            "top": {"id": 1, "title": "sign in", "points": 5, "type": "user_story"},
        }
        assert named(sprint.items) == [("Bug", 1), ("Story", 7)]
        assert sprint.items[1].points == 1


def test_an_answer_from_the_cache_and_a_list_of_pages_mix_entities(peer: Peer) -> None:
    document = {**DOCUMENT, "cache": {}}
    with restway.Client(restway.API.from_json(document), base_url=peer.url, timeout=30) as client:
        body = json.dumps({"items": ITEMS}).encode()
        peer.respond(body, headers={"Cache-Control": "max-age=60"})
        assert named(client.route("items").objects) == MIXED
        assert named(client.route("items").objects) == MIXED
        pages = client.list("items")
        pages.load_more()
        assert named(pages.objects) == MIXED


def test_a_file_keeps_the_links_also_of_an_entity_that_became_a_union(tmp_path: Path) -> None:
    store = {"kind": "sqlite", "path": str(tmp_path / "objects.db")}
    single = json.loads(json.dumps({**DOCUMENT, "store": store}))
    for name in ("items", "top"):
        single["entities"]["Sprint"]["relationships"][name]["entity"] = "Bug"
    with restway.Client(restway.API.from_json(single)) as client:
        mapped(client, {"id": 9, "items": [{"id": 1, "title": "old"}, 2], "top": 2})
    document = {**DOCUMENT, "store": store}
    with restway.Client(restway.API.from_json(document)) as client:
        sprint = client.store.find("Sprint", 9)
        assert sprint is not None
        assert named(sprint.items) == [("Bug", 1), ("Bug", 2)]
        assert named([sprint.top]) == [("Bug", 2)]
        mapped(client, SPRINT)
    with restway.Client(restway.API.from_json(document)) as client:
        sprint = client.store.find("Sprint", 9)
        assert sprint is not None
        assert named(sprint.items) == MIXED and named([sprint.top]) == [("Story", 1)]
        query = client.store.query("Sprint").filter("top.title = ?", "sign in")
        assert [item.id for item in query] == [9]


def test_tables_have_a_struct_for_each_entity(client: restway.Client) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = mapped(client, [SPRINT, {"id": 8, "top": None}]).objects.to_arrow(depth=1)
    assert isinstance(table, pyarrow.Table)
    bug = {"id": 1, "title": "crash", "severity": 3}
    story = {"id": 1, "title": "sign in", "points": 5}
    assert table.column("top").to_pylist() == [{"Bug": None, "Story": story}, None]
    assert table.column("items").to_pylist()[0][:2] == [
        {"Bug": bug, "Story": None},
        {"Bug": None, "Story": story},
    ]


def test_functions_relate_entities_to_a_union() -> None:
    api = restway.API.from_json(DOCUMENT)
    api.add_entity("Board", {})
    api.add_relationship("Board", "pinned", "Item", many=True)
    with pytest.raises(restway.UnknownEntityError, match="Itm"):
        api.add_relationship("Board", "other", "Itm")
    with pytest.raises(restway.RestwayError, match="a union"):
        api.add_entity("Item", {})
    with restway.Client(api) as client:
        (board,) = mapped(client, {"pinned": ITEMS}, "Board").objects
        assert named(board.pinned) == MIXED
