"""Which object a request is about: answers without its identity, deletions by path, reserved
variables, and lines that a draft removes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import restway

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Task": {
            "identity": "id",
            "attributes": {"id": {"type": "string"}, "title": {}, "version": {"type": "int"}},
        },
        "Number": {"identity": "key", "attributes": {"key": {}, "version": {}}},
        "Settings": {"attributes": {"theme": {}, "version": {}}},
        "Order": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}},
            "relationships": {
                "lines": {"entity": "Line", "many": True, "policy": "replace"},
            },
        },
        "Line": {"identity": "id", "attributes": {"id": {"type": "int"}, "text": {}}},
    },
    "routes": {
        "full": {"path": "full/:id", "response": {"entity": "Task"}},
        "task": {"method": ["GET", "PUT", "PATCH"], "path": "tasks/:id", "entity": "Task",
                 "response": {"entity": "Task"}, "request": {"changedOnly": True}},
        "publish": {"method": "POST", "path": "tasks/:id/publish", "entity": "Task",
                    "response": {"entity": "Task"}},
        "number": {"path": "numbers/:number", "response": {"entity": "Number"}},
        "listed": {"path": "lists/:id/tasks", "response": {"entity": "Task"}},
        "settings": {"path": "settings", "entity": "Settings", "response": {"entity": "Settings"}},
        "tasks": {"path": "tasks", "response": {"entity": "Task"}},
        "clear": {"method": "DELETE", "path": "collections/:collection/tasks", "entity": "Task"},
        "clearNamed": {"method": "DELETE", "path": "buckets/:id/tasks", "entity": "Task"},
        "valid": {"method": "DELETE", "path": "tasks/:id/valid", "entity": "Task"},
        "plain": {"method": "DELETE", "path": "plain/:id/", "entity": "Task"},
        "reserved": {"method": "DELETE", "path": "reserved/{+id}", "entity": "Task",
                     "catchAll": True},
        "segment": {"method": "DELETE", "path": "segment{/id}", "entity": "Task"},
        "order": {"method": ["GET", "PATCH"], "path": "orders/:id", "entity": "Order",
                  "response": {"entity": "Order"}, "request": {"changedOnly": True}},
    },
}


@pytest.fixture(params=["memory", "file"])
def client(
    peer: Peer, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[restway.Client]:
    document = dict(DOCUMENT)
    if request.param == "file":
        document["store"] = {"kind": "sqlite", "path": str(tmp_path / "objects.db")}
    with restway.Client(document, base_url=peer.url, timeout=30) as made:
        yield made


def got(client: restway.Client, peer: Peer, route: str, value: Any, **options: Any) -> Any:
    peer.respond(json.dumps(value).encode())
    return client.route(route, **options)


About = Callable[[restway.Client, restway.Object], Any]

ABOUT: dict[str, About] = {
    "patch a draft": lambda client, task: client.patch(client.draft(task, title="b")),
    "put a draft": lambda client, task: client.put(client.draft(task, title="b")),
    "patch an object": lambda client, task: client.patch(task, json={"title": "b"}),
    "patch by route": lambda client, task: client.route(
        "task", "PATCH", variables={"id": "1"}, json={"title": "b"}
    ),
    "patch by path": lambda client, task: client.patch("tasks/1", json={"title": "b"}),
    "post by route": lambda client, task: client.route("publish", variables={"id": "1"}, json={}),
    "post about it": lambda client, task: client.perform(
        restway.Request.route("publish").about(task)
    ),
    "get the object": lambda client, task: client.get(task),
    "get by path": lambda client, task: client.get("tasks/1"),
}


@pytest.mark.parametrize("name", ABOUT)
def test_an_answer_without_the_identity_is_about_the_object(
    client: restway.Client, peer: Peer, name: str
) -> None:
    task = got(client, peer, "full", {"id": "1", "title": "a", "version": 1},
               variables={"id": "1"}).object
    peer.respond(b'{"version": 2}')
    answer = ABOUT[name](client, task)
    assert client.store.count("Task") == 1
    newest = client.store.newest(task)
    assert newest is not None and newest.version == 2
    assert answer.object.id == "1" and answer.object.store_key == task.store_key
    assert not answer.issues


def test_a_new_draft_becomes_the_object_that_its_path_or_identity_names(
    client: restway.Client, peer: Peer
) -> None:
    peer.respond(b'{"version": 2}')
    client.put(client.draft("Task", id="9", title="b"))
    nine = client.store.find("Task", "9")
    assert nine is not None and (nine.title, nine.version) == ("b", 2)
    client.post(client.draft("Task", title="c"), variables={"id": "x"})
    named = client.store.find("Task", "x")
    assert named is not None and (named.title, named.version) == ("c", 2)
    assert client.store.count("Task") == 2


def test_a_list_says_nothing_about_the_object_that_its_path_names(
    client: restway.Client, peer: Peer
) -> None:
    (task,) = got(client, peer, "listed", [{"version": 2}], variables={"id": "1"}).objects
    assert task.id is None
    assert client.store.find("Task", "1") is None


@pytest.mark.parametrize(("stored", "text"), [(7, "7"), ("7", "7"), ("a", "a")])
def test_the_store_knows_the_type_of_an_identity_without_a_type(
    client: restway.Client, peer: Peer, stored: Any, text: str
) -> None:
    got(client, peer, "number", {"key": stored, "version": 1}, variables={"number": text})
    answer = got(client, peer, "number", {"version": 2}, variables={"number": text})
    assert (answer.object.key, answer.object.version) == (stored, 2)
    assert client.store.count("Number") == 1


def test_an_object_that_exists_once_stays_one_object(client: restway.Client, peer: Peer) -> None:
    first = got(client, peer, "settings", {"theme": "dark", "version": 1}).object
    peer.respond(b'{"version": 2}')
    second = client.get(first).object
    assert second is not None
    assert (second.theme, second.version) == ("dark", 2)
    assert client.store.count("Settings") == 1


def identities(client: restway.Client) -> list[str]:
    return sorted(task.id for task in client.store.all("Task"))


@pytest.mark.parametrize(
    ("route", "variable", "left"),
    [
        ("clear", "collection", ["a", "b/c"]),
        ("clearNamed", "id", ["a", "b/c"]),
        ("valid", "id", ["a", "b/c"]),
        ("plain", "id", ["b/c"]),
        ("reserved", "id", ["b/c"]),
        ("segment", "id", ["b/c"]),
    ],
)
def test_a_deletion_removes_the_object_at_the_end_of_its_path(
    client: restway.Client, peer: Peer, route: str, variable: str, left: list[str]
) -> None:
    got(client, peer, "tasks", [{"id": "a"}, {"id": "b/c"}])
    peer.respond(b"", status=204)
    client.route(route, variables={variable: "a"})
    assert identities(client) == left


def test_a_deletion_reads_all_segments_of_a_reserved_variable(
    client: restway.Client, peer: Peer
) -> None:
    got(client, peer, "tasks", [{"id": "a"}, {"id": "b/c"}])
    peer.respond(b"", status=204)
    client.route("reserved", variables={"id": "b/c"})
    assert peer.requests[-1].startswith(b"DELETE /reserved/b/c HTTP")
    assert identities(client) == ["a"]


def test_an_identity_in_a_reserved_variable_names_no_other_resource(peer: Peer) -> None:
    document = {**DOCUMENT, "routes": {
        "tasks": DOCUMENT["routes"]["tasks"], "reserved": DOCUMENT["routes"]["reserved"]}}
    with restway.Client(document, base_url=peer.url, timeout=30) as client:
        tasks = got(client, peer, "tasks", [{"id": text} for text in ("a#b", "a?b", "a%62")])
        peer.respond(b"", status=204)
        lines = []
        for task in tasks.objects:
            client.delete(task)
            lines.append(peer.requests[-1].split(b" ")[1])
        assert lines == [b"/reserved/a%23b", b"/reserved/a%3Fb", b"/reserved/a%2562"]
        with client.scope(id="a?b") as scope:
            scope.route("reserved")
        assert peer.requests[-1].split(b" ")[1] == b"/reserved/a%3Fb"
        client.route("reserved", variables={"id": "a?b"})
        assert peer.requests[-1].split(b" ")[1] == b"/reserved/a?b"


@pytest.mark.parametrize("answer", [b"", b'{"id": 1, "lines": [{"id": 12, "text": "two"}]}'])
def test_a_line_that_the_program_removes_leaves_the_store(
    client: restway.Client, peer: Peer, answer: bytes
) -> None:
    lines = [{"id": 11, "text": "one"}, {"id": 12, "text": "two"}]
    order = got(client, peer, "order", {"id": 1, "lines": lines}, variables={"id": 1}).object
    draft = client.draft(order)
    draft.remove("lines", order.lines[0])
    peer.respond(answer, status=200 if answer else 204)
    client.patch(draft)
    assert [line.id for line in client.store.all("Line")] == [12]
    newest = client.store.newest(order)
    assert newest is not None and [line.id for line in newest.lines] == [12]


@pytest.mark.parametrize("kind", ["memory", "file"])
@pytest.mark.parametrize("answer", [b"", b'{"id": 1, "lines": [{"id": 11, "text": "kept"}]}'])
def test_a_stored_line_leaves_the_store_when_the_server_has_accepted_it(
    peer: Peer, tmp_path: Path, kind: str, answer: bytes
) -> None:
    order_route = {**DOCUMENT["routes"]["order"], "offline": True}
    document: dict[str, Any] = {
        **DOCUMENT,
        "routes": {**DOCUMENT["routes"], "order": order_route},
        "outbox": {"path": str(tmp_path / "outbox.db")},
    }
    if kind == "file":
        document["store"] = {"kind": "sqlite", "path": str(tmp_path / "objects.db")}
    with restway.Client(document, base_url=peer.url, timeout=30) as client:
        lines = [{"id": 11, "text": "one"}, {"id": 12, "text": "two"}]
        order = got(client, peer, "order", {"id": 1, "lines": lines}, variables={"id": 1}).object
        draft = client.draft(order)
        draft.remove("lines", order.lines[0])
        client.set_reachability(restway.Reachability.UNREACHABLE)
        with pytest.raises(restway.QueuedError) as queued:
            client.patch(draft)
        assert len(client.outbox) == 1
        assert [line.id for line in client.store.all("Line")] == [11, 12]
        peer.respond(answer, status=200 if answer else 204)
        client.set_reachability(restway.Reachability.REACHABLE)
        assert client.outbox.wait(queued.value, timeout=30).last_error is None
        left = [11] if answer else [12]
        assert len(client.outbox) == 0
        assert sorted(line.id for line in client.store.all("Line")) == ([11] if answer else [12])
        newest = client.store.newest(order)
        assert newest is not None and [line.id for line in newest.lines] == left
