"""Edits that wait for the server: what a program sees of them."""

from __future__ import annotations

import asyncio
import json
import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import restway
from restway import ChangeKind, ChangeSource, Reachability

from .graph import STORES
from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "entities": {
        "Note": {
            "identity": "id",
            "fullText": ["title"],
            "attributes": {
                "id": {"type": "int"},
                "title": {"type": "string"},
                "body": "body",
            },
            "relationships": {
                "owner": {"entity": "User", "byIdentity": True},
                "tags": {"entity": "Tag", "many": True, "byIdentity": True},
            },
        },
        "User": {"identity": "id", "attributes": {"id": {"type": "int"}}},
        "Tag": {"identity": "id", "attributes": {"id": {"type": "int"}}},
    },
    "outbox": {"intervalMilliseconds": -1},
    "routes": {
        "note": {
            "method": ["GET", "PATCH", "DELETE"],
            "path": "notes/:id",
            "entity": "Note",
            "response": {"entity": "Note"},
            "request": {"entity": "Note", "changedOnly": True},
            "offline": True,
        },
    },
}
FIRST: dict[str, Any] = {"id": 1, "title": "one", "body": "b1", "owner": 3, "tags": [7]}


options: dict[str, Any] = {}
"""The options of the clients of a test, which say where the store is."""


@pytest.fixture(params=STORES, autouse=True)
def each_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[None]:
    options["outbox_path"] = tmp_path / "outbox.db"
    if request.param == "sqlite":
        options["store_path"] = tmp_path / "objects.db"
    yield
    options.clear()


@pytest.fixture
def client(peer: Peer) -> Iterator[restway.Client]:
    api = restway.API.from_json(DOCUMENT)
    with restway.Client(api, base_url=peer.url, timeout=30, **options) as client:
        answer(peer, FIRST)
        client.get("notes/1")
        yield client
        client.close()


def answer(peer: Peer, body: object, status: int = 200) -> None:
    peer.respond(json.dumps(body).encode(), status=status)


def found(client: Any) -> restway.Object:
    """Returns the note as a client of any kind has it."""
    note: restway.Object | None = client.store.find("Note", 1)
    assert note is not None
    return note


def edit(client: restway.Client, **values: Any) -> None:
    """Stores a PATCH."""
    client.set_reachability(Reachability.UNREACHABLE)
    with pytest.raises(restway.QueuedError):
        client.patch(client.draft(found(client), **values))


def test_searches_find_the_texts_that_wait(client: restway.Client, peer: Peer) -> None:
    def search(word: str) -> int:
        return client.store.query("Note").filter("match ?", word).count()

    edit(client, title="broken roof")
    answer(peer, {**FIRST, "title": "wet cellar"})
    client.get("notes/1")
    assert (search("roof"), search("cellar"), search("one")) == (1, 0, 0)
    client.outbox.drop_all()
    assert (search("roof"), search("cellar"), search("one")) == (0, 1, 0)


def test_what_waits_is_seen_over_the_values_of_the_server(
    client: restway.Client, peer: Peer
) -> None:
    edit(client, title="mine", owner=None, tags=[])
    answer(peer, {**FIRST, "title": "two", "body": "b2", "owner": 4})
    client.get("notes/1")
    note = found(client)
    assert (note.title, note.body, note.owner, list(note.tags)) == ("mine", "b2", None, [])
    confirmed = client.store.confirmed(note)
    assert confirmed is not None and confirmed.same_as(note)
    assert (confirmed.title, confirmed.owner.identity) == ("two", 4)
    pending = client.store.pending(note)
    assert list(pending) == ["title", "owner", "tags"]
    assert pending["title"] == restway.PendingValue("mine", "one")
    assert pending["owner"].mine is None and pending["owner"].base.identity == 3
    assert not pending["tags"].mine and pending["tags"].base[0].identity == 7
    assert pending and not pending.deletes and len(pending) == 3
    assert "body" not in pending and pending.get("body") is None
    with pytest.raises(KeyError):
        pending["body"]
    assert repr(pending) == "<Pending title, owner, tags of Note 1>"
    client.outbox.drop_all()
    assert found(client).title == "two"
    assert not client.store.pending(note)
    assert repr(client.store.pending(note)) == "<Pending nothing of Note 1>"
    assert pending["title"].mine == "mine"


def test_a_query_finds_what_waits(client: restway.Client) -> None:
    query = client.store.query("Note")
    assert query.pending().count() == 0 and query.pending(False).count() == 1
    edit(client, title="mine")
    assert [note.title for note in query.pending()] == ["mine"]
    assert not query.pending(False).all() and len(query.pending().pending(None)) == 1
    assert repr(query.pending()) == "<Query Note, pending>"
    assert repr(query.pending(False).pending_deletes("show")) == (
        "<Query Note, not pending, pending deletes: show>"
    )


def test_a_deletion_that_waits_hides_the_object(client: restway.Client) -> None:
    note = found(client)
    client.set_reachability(Reachability.UNREACHABLE)
    with pytest.raises(restway.QueuedError):
        client.delete(note)
    query = client.store.query("Note")
    assert client.store.find("Note", 1) is None and not query.all()
    assert query.pending_deletes("show").all() == [note]
    assert not query.pending_deletes("hide") and not query.pending_deletes(None)
    assert client.store.confirmed(note) == note
    pending = client.store.pending(note)
    assert pending.deletes and pending and not list(pending)
    assert repr(pending) == "<Pending its deletion of Note 1>"
    client.outbox.drop_all()
    assert query.all() == [note] and not client.store.pending(note)
    with pytest.raises(ValueError, match="no visibility: 'never'; there are show, hide"):
        query.pending_deletes("never")  # type: ignore[arg-type]


def test_the_document_can_show_objects_that_are_to_be_deleted(peer: Peer) -> None:
    kind = {"kind": "memory", "pendingDeletes": "show"}
    api = restway.API.from_json({**DOCUMENT, "store": kind})
    with restway.Client(api, base_url=peer.url, timeout=30, **options) as client:
        answer(peer, FIRST)
        client.get("notes/1")
        note = found(client)
        client.set_reachability(Reachability.UNREACHABLE)
        with pytest.raises(restway.QueuedError):
            client.delete(note)
        assert client.store.find("Note", 1) == note
        query = client.store.query("Note")
        assert query.count() == 1 and query.pending_deletes("hide").count() == 0
        client.close()


def test_changes_say_their_source_and_the_end_of_edits(
    client: restway.Client, peer: Peer
) -> None:
    told: queue.Queue[restway.Change] = queue.Queue()
    client.observe(lambda changes: told.put(changes[0]), "Note")
    edit(client, title="mine")
    change = told.get(timeout=30)
    assert change.source is ChangeSource.LOCAL and change.pending_changed
    answer(peer, {**FIRST, "title": "two", "body": "b2"})
    client.get("notes/1")
    change = told.get(timeout=30)
    assert change.source is ChangeSource.SERVER and not change.pending_changed
    assert change.attributes == ("body",)
    answer(peer, {**FIRST, "title": "mine", "body": "b2"})
    client.outbox.flush(wait=True)
    change = told.get(timeout=30)
    assert change.kind is ChangeKind.UPDATED and change.source is ChangeSource.SERVER
    assert change.pending_changed and change.attributes == () and change.relationships == ()
    edit(client, title="refused")
    assert told.get(timeout=30).source is ChangeSource.LOCAL
    answer(peer, {}, 422)
    client.outbox.flush(wait=True)
    change = told.get(timeout=30)
    assert change.source is ChangeSource.TAKEN_BACK and change.pending_changed
    assert change.object.title == "mine"
    client.close()


def test_an_object_that_only_the_program_knows_is_not_confirmed(client: restway.Client) -> None:
    note = client.draft("Note", title="new").insert()
    assert client.store.confirmed(note) is None and not client.store.pending(note)
    client.store.delete(note)
    assert client.store.confirmed(note) is None and not client.store.pending(note)
    for function in (client.store.confirmed, client.store.pending):
        with pytest.raises(TypeError, match="Object"):
            function("Note")  # type: ignore[arg-type]


def test_a_store_tells_what_waits_after_its_client(peer: Peer) -> None:
    api = restway.API.from_json(DOCUMENT)
    with restway.Client(api, base_url=peer.url, timeout=30, **options) as client:
        answer(peer, FIRST)
        client.get("notes/1")
        note = found(client)
        edit(client, title="mine")
        store = client.store
        client.close()
    assert store.pending(note)["title"].mine == "mine"
    confirmed = store.confirmed(note)
    assert confirmed is not None and confirmed.title == "one"


def seen_while_in_flight(client: Any, peer: Peer) -> list[str]:
    """Returns a list that gets the title that the store has when the next request has come."""
    titles: list[str] = []
    peer.heard = lambda: titles.append(client.store.find("Note", 1).title)
    return titles


def test_an_optimistic_edit_is_seen_and_taken_back(client: restway.Client, peer: Peer) -> None:
    titles = seen_while_in_flight(client, peer)
    answer(peer, {}, 422)
    with pytest.raises(restway.UnprocessableError):
        client.patch(client.draft(found(client), title="mine"), optimistic=True)
    assert titles == ["mine"] and found(client).title == "one"
    with pytest.raises(restway.UnprocessableError):
        client.patch(client.draft(found(client), title="mine"))
    assert titles == ["mine", "one"]
    answer(peer, {**FIRST, "title": "mine"})
    request = restway.Request.draft(
        "PATCH", client.draft(found(client), title="mine"), optimistic=True
    )
    client.perform(request)
    assert titles[2:] == ["mine"] and found(client).title == "mine"
    assert not client.store.pending(found(client))


def test_an_optimistic_deletion_is_seen_and_taken_back(
    client: restway.Client, peer: Peer
) -> None:
    note = found(client)
    counts: list[int] = []
    peer.heard = lambda: counts.append(client.store.count("Note"))
    answer(peer, {}, 403)
    with pytest.raises(restway.ForbiddenError):
        client.delete(note, optimistic=True)
    assert counts == [0] and client.store.count("Note") == 1


def test_an_optimistic_edit_with_asyncio(peer: Peer) -> None:
    async def run() -> None:
        api = restway.API.from_json(DOCUMENT)
        async with restway.AsyncClient(api, base_url=peer.url, timeout=30, **options) as client:
            answer(peer, FIRST)
            await client.get("notes/1")
            note = found(client)
            titles = seen_while_in_flight(client, peer)
            answer(peer, {}, 422)
            with pytest.raises(restway.UnprocessableError):
                await client.patch(client.draft(note, title="mine"), optimistic=True)
            assert titles == ["mine"]
            assert client.store.find("Note", 1) == note
            assert not client.store.pending(note) and client.store.confirmed(note) == note

    asyncio.run(run())


@pytest.mark.parametrize("backend", ["trio", "asyncio"])
def test_an_optimistic_edit_with_anyio(peer: Peer, backend: str) -> None:
    anyio = pytest.importorskip("anyio")
    pytest.importorskip("trio")
    from restway.anyio import AnyioClient

    async def run() -> None:
        api = restway.API.from_json(DOCUMENT)
        async with AnyioClient(api, base_url=peer.url, timeout=30, **options) as client:
            answer(peer, FIRST)
            await client.get("notes/1")
            note = found(client.client)
            titles = seen_while_in_flight(client.client, peer)
            answer(peer, {}, 422)
            with pytest.raises(restway.UnprocessableError):
                draft = client.client.draft(note, title="mine")
                await client.patch(draft, optimistic=True)
            assert titles == ["mine"] and found(client.client) == note

    anyio.run(run, backend=backend)
