"""Requests that wait in the outbox for identities, with bodies in the format of a plugin."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
import restway
from checker import compile_bad
from conftest import MakePlugin, RunProgram
from msgpack_peer import Peer
from msgpack_things import THINGS, client_of

_THINGS: dict[str, Any] = THINGS
_THING = _THINGS["entities"]["Thing"]
DOCUMENT = {
    **_THINGS,
    "entities": {
        "Thing": {
            **_THING,
            "relationships": {
                "parent": {"entity": "Thing", "byIdentity": True},
                "parts": {"entity": "Thing", "many": True},
            },
        },
        # Its identity is a text, and goes as the number that the text spells.
        "Page": {
            "identity": "number",
            "attributes": {
                "number": {"type": "string", "transform": "numberText"},
                "title": {"type": "string"},
            },
        },
    },
    "outbox": {"path": "outbox.db"},
    "routes": {
        **{name: {**route, "offline": True} for name, route in _THINGS["routes"].items()},
        "pages": {"method": "POST", "path": "things/pages", "entity": "Page", "offline": True,
                  "response": {"entity": "Page"}},
        "page": {"method": "PUT", "path": "things/pages/:number", "entity": "Page",
                 "offline": True, "response": {"entity": "Page"}},
    },
}


def queued(client: restway.Client, draft: restway.Draft, method: str = "POST") -> int:
    """Sends a draft that has to be stored. Returns the number of its item."""
    with pytest.raises(restway.QueuedError) as caught:
        client.post(draft) if method == "POST" else client.put(draft)
    return caught.value.outbox_id


def bodies(client: restway.Client, peer: Peer) -> list[Any]:
    """Delivers everything. Returns the values of the bodies that the server got."""
    client.set_reachability(restway.Reachability.UNKNOWN)
    over = threading.Event()
    client.outbox.flush(lambda _: over.set())
    assert over.wait(30)
    assert [item.state for item in client.outbox.items()] == []
    return [value for _, _, _, value in peer.received]


@pytest.fixture(name="document")
def _document(tmp_path: Path) -> dict[str, Any]:
    return {**DOCUMENT, "outbox": {"path": str(tmp_path / "outbox.db")}}


def test_a_body_gets_the_identity_that_it_would_have_online(
    document: dict[str, Any], peer: Peer
) -> None:
    with client_of(document, peer) as client:
        client.set_reachability(restway.Reachability.UNREACHABLE)
        raw = [None, {"a": 2**40}]
        values = {"name": "x" * 300, "rating": 1.5, "data": b"\x00\xff", "raw": raw}
        first = client.draft("Thing", **values)
        queued(client, first)
        first["size"] = 2**63 - 1
        queued(client, first, "PUT")
        child = client.draft("Thing", name="child")
        child["parent"] = first
        queued(client, child)
        assert [item.state for item in client.outbox.items()] == [
            restway.OutboxState.WAITING, restway.OutboxState.BLOCKED, restway.OutboxState.BLOCKED,
        ]
        assert bodies(client, peer) == [
            values, {**values, "id": 1, "size": 2**63 - 1}, {"name": "child", "parent": 1},
        ]


def test_the_identity_has_the_form_of_its_attribute(
    document: dict[str, Any], peer: Peer
) -> None:
    with client_of(document, peer) as client:
        client.set_reachability(restway.Reachability.UNREACHABLE)
        page = client.draft("Page", title="one")
        queued(client, page)
        page["title"] = "two"
        queued(client, page, "PUT")
        peer.assigned = {"number": 12}
        assert bodies(client, peer) == [{"title": "one"}, {"number": 12, "title": "two"}]


def test_a_mapper_that_does_not_read_what_it_wrote_cannot_let_a_body_wait(
    make_plugin: MakePlugin, run_program: RunProgram, tmp_path: Path
) -> None:
    # The plugin writes a value as the list of its steps, and reads a number.
    program = """
restway.load_plugin(sys.argv[2])
route = {"method": "POST", "path": "things", "entity": "Thing", "offline": True}
document = api(
    dataMapper="number", outbox={"path": sys.argv[3]},
    entities={"Thing": {
        "identity": "id", "attributes": {"id": {"type": "int"}},
        "relationships": {"parent": {"entity": "Thing", "byIdentity": True}}}},
    routes={"things": route, "thing": {**route, "method": "PUT", "path": "things/:id"}})
with restway.Client(document) as client:
    client.set_reachability(restway.Reachability.UNREACHABLE)
    first = client.draft("Thing")
    error_of(client.post, first)
    error_of(client.put, first)
    second = client.draft("Thing")
    second["parent"] = first
    error_of(client.post, second)
    print(len(client.outbox.items()))
"""
    printed = run_program(program, make_plugin("WRITES"), tmp_path / "outbox.db").splitlines()
    assert printed[0].startswith("QueuedError ")
    for line in printed[1:3]:
        assert line == (
            "MissingVariableError Thing has no id yet, and the request may not wait for it: mapper "
            '"number" does not read the body as it wrote it'
        )
    assert printed[3] == "1"


def test_bodies_of_any_plugin_that_reads_what_it_writes_can_wait(
    run_program: RunProgram, tmp_path: Path
) -> None:
    program = """
import threading
restway.load_plugin(sys.argv[2])
document = api(
    dataMapper="tiny", outbox={"path": sys.argv[3]},
    entities={"Thing": {
        "identity": "id", "attributes": {"id": {"type": "int"}, "name": {"type": "string"}},
        "relationships": {"links": {"entity": "Thing", "many": True, "byIdentity": True}}}},
    routes={"things": {
        "method": "POST", "path": "things", "entity": "Thing", "offline": True,
        "response": {"entity": "Thing"}}})
with restway.Client(document) as client:
    client.set_reachability(restway.Reachability.UNREACHABLE)
    first = client.draft("Thing", name="acme corp")
    error_of(client.post, first)
    second = client.draft("Thing", name="acme")
    second.add("links", first)
    error_of(client.post, second)
    client.set_reachability(restway.Reachability.UNKNOWN)
    over = threading.Event()
    def flushed(items):
        for item in items:
            print(item.response.json()["body"])
        over.set()
    client.outbox.flush(flushed)
    over.wait(30)
"""
    plugin = compile_bad("mapper.c", tmp_path / "tiny.so")
    printed = run_program(program, plugin, tmp_path / "outbox.db").splitlines()
    assert [line.split(" ", 1)[0] for line in printed[:2]] == ["QueuedError", "QueuedError"]
    assert printed[2:] == ['{name "acme corp" } ', '{name "acme" links [1 ] } ']
