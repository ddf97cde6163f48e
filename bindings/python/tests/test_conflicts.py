"""Conflicts: changes that do not fit what somebody else has changed at the server."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from collections.abc import Iterator
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any

import pytest

import restway
from restway import ConflictKind, OutboxState, Reachability

from .graph import STORES
from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "entities": {
        "Note": {
            "identity": "id",
            "version": {"attribute": "rev"},
            "conflicts": {"attributes": {"stars": "ask"}},
            "attributes": {
                "id": {"type": "int"},
                "rev": {"type": "string"},
                "title": {"type": "string"},
                "stars": {"type": "int"},
                "due": {"type": "date"},
                "words": {"type": ["string"]},
            },
            "relationships": {"tags": {"entity": "Tag", "many": True, "byIdentity": True}},
        },
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
FIRST: dict[str, Any] = {
    "id": 1, "rev": "a", "title": "one", "stars": 1, "due": None, "words": ["x"], "tags": [7],
}
SECOND: dict[str, Any] = {
    "id": 1, "rev": "b", "title": "two", "stars": 2, "due": "2030-01-02T00:00:00Z",
    "words": ["y"], "tags": [8],
}

options: dict[str, Any] = {}
"""The options of the clients of a test, which say where the store is."""


@pytest.fixture(params=STORES, autouse=True)
def each_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[None]:
    options["outbox_path"] = tmp_path / "outbox.db"
    if request.param == "sqlite":
        options["store_path"] = tmp_path / "objects.db"
    yield
    options.clear()


def make(peer: Peer) -> restway.Client:
    api = restway.API.from_json(DOCUMENT)
    return restway.Client(api, base_url=peer.url, timeout=30, **options)


@pytest.fixture
def client(peer: Peer) -> Iterator[restway.Client]:
    with make(peer) as client:
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


def meet(client: restway.Client, peer: Peer, theirs: dict[str, Any] = SECOND) -> None:
    """Lets the server have other values, and the outbox compare them."""
    answer(peer, theirs)
    client.get("notes/1")
    client.outbox.flush(wait=True, force=True, timeout=30)


def test_a_conflict_has_three_sides(client: restway.Client, peer: Peer) -> None:
    edit(client, title="mine", tags=[])
    meet(client, peer)
    (conflict,) = client.outbox.conflicts()
    assert conflict.kind is ConflictKind.ATTRIBUTES
    assert list(conflict) == ["title", "tags"] and len(conflict) == 2 and conflict
    assert conflict["title"] == restway.ConflictValue("one", "mine", "two")
    tags = conflict["tags"]
    assert [[tag.identity for tag in side] for side in tags] == [[7], [], [8]]
    assert "stars" not in conflict
    with pytest.raises(KeyError):
        conflict["stars"]
    assert conflict.theirs is not None
    assert (conflict.base.stars, conflict.mine.stars, conflict.theirs.stars) == (2, 2, 2)
    assert repr(conflict) == "<Conflict ATTRIBUTES of Note 1: title, tags>"
    (item,) = client.outbox.items()
    assert (item.id, item.state) == (conflict.item_id, OutboxState.PARKED)
    assert client.outbox.counts().parked == 1 and len(client.outbox) == 1
    assert not client.outbox.needs_flushing
    assert found(client).title == "mine"
    query = client.store.query("Note")
    assert [query.conflicted(each).count() for each in (True, False, None)] == [1, 0, 1]
    with pytest.raises(TypeError):
        pickle.dumps(conflict)
    client.close()
    assert conflict["title"].mine == "mine"
    with pytest.raises(restway.ClosedError):
        conflict.resolve("mine")


@pytest.mark.parametrize(("side", "kept"), [("mine", "mine"), ("theirs", "two")])
def test_a_side_is_chosen_in_one_step(
    side: restway.Side, kept: str, client: restway.Client, peer: Peer
) -> None:
    edit(client, title="mine")
    meet(client, peer)
    (conflict,) = client.outbox.conflicts()
    answer(peer, {**SECOND, "rev": "c", "title": kept})
    count = len(peer.requests)
    conflict.resolve(side)
    client.outbox.flush(wait=True, force=True, timeout=30)
    sent = peer.requests[count:]
    assert len(sent) == (side == "mine")
    assert all(b'If-Match: "b"' in request for request in sent)
    assert found(client).title == kept
    assert client.outbox.conflicts() == [] and client.store.query("Note").conflicted().count() == 0
    with pytest.raises(restway.UsageError):
        conflict.resolve(side)


def test_values_are_chosen_and_the_rest_stays_parked(client: restway.Client, peer: Peer) -> None:
    edit(client, title="mine", due=datetime(2029, 1, 1, tzinfo=timezone.utc), words=["z"], tags=[])
    meet(client, peer)
    (conflict,) = client.outbox.conflicts()
    seven = conflict.base.tags[0]
    conflict.choose("mine", "words")
    conflict.resolve(due=date(2031, 2, 3), tags=[seven])
    (rest,) = client.outbox.conflicts()
    assert list(rest) == ["title"] and rest.item_id != conflict.item_id
    answer(peer, {**SECOND, "rev": "c", "due": "2031-02-03T00:00:00Z", "words": ["z"], "tags": [7]})
    client.outbox.flush(wait=True, force=True, timeout=30)
    body = json.loads(peer.requests[-1].partition(b"\r\n\r\n")[2])
    assert body.keys() == {"due", "words", "tags"}
    assert (body["words"], body["tags"]) == (["z"], [7]) and body["due"].startswith("2031-02-03")
    assert found(client).title == "mine"
    client.outbox.drop(rest.item_id)
    assert found(client).title == "two"


def test_wrong_choices_are_refused(client: restway.Client, peer: Peer) -> None:
    edit(client, title="mine")
    meet(client, peer)
    (conflict,) = client.outbox.conflicts()
    with pytest.raises(restway.UnknownAttributeError, match="titel"):
        conflict.choose("mine", "titel")
    with pytest.raises(restway.UsageError, match="not in conflict"):
        conflict.choose("mine", "stars")
    with pytest.raises(restway.UsageError, match="title"):
        conflict.choose(title=3)
    with pytest.raises(ValueError, match="side"):
        conflict.choose("ours")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        conflict.choose(title=object())
    with pytest.raises(restway.UsageError, match="no choice"):
        conflict.resolve()
    assert client.outbox.conflicts()[0].item_id == conflict.item_id


def test_an_object_that_one_side_has_deleted(client: restway.Client, peer: Peer) -> None:
    client.set_reachability(Reachability.UNREACHABLE)
    with pytest.raises(restway.QueuedError):
        client.delete(found(client))
    meet(client, peer)
    (conflict,) = client.outbox.conflicts()
    assert conflict.kind is ConflictKind.I_DELETE
    assert list(conflict) == [] and conflict.theirs is not None and conflict.theirs.title == "two"
    assert repr(conflict) == "<Conflict I_DELETE of Note 1: as a whole>"
    with pytest.raises(restway.UsageError, match="as a whole"):
        conflict.choose("mine", "title")
    conflict.resolve("theirs")
    assert client.outbox.conflicts() == [] and found(client).title == "two"
    edit(client, title="mine")
    client.set_reachability(Reachability.UNKNOWN)
    answer(peer, {}, status=404)
    client.outbox.flush(wait=True, force=True, timeout=30)
    (conflict,) = client.outbox.conflicts()
    assert (conflict.kind, conflict.theirs) == (ConflictKind.THEY_DELETED, None)
    conflict.resolve("theirs")
    assert client.store.find("Note", 1) is None


def test_a_conflict_survives_the_end_of_the_program(peer: Peer) -> None:
    with make(peer) as client:
        answer(peer, FIRST)
        client.get("notes/1")
        edit(client, title="mine")
        meet(client, peer)
        client.close()
    with make(peer) as client:
        if "store_path" not in options:
            client.get("notes/1")
        (conflict,) = client.outbox.conflicts()
        assert conflict["title"] == restway.ConflictValue("one", "mine", "two")
        conflict.resolve("theirs")
        assert client.outbox.counts().parked == 0
        assert found(client).title == "two"
        client.close()


def test_a_resolver_decides(client: restway.Client, peer: Peer) -> None:
    asked: list[restway.Conflict] = []

    @client.resolver("Note")
    def add(conflict: restway.Conflict) -> None:
        asked.append(conflict)
        conflict.resolve(stars=conflict["stars"].mine + conflict["stars"].theirs)

    assert callable(add)
    edit(client, stars=5)
    meet(client, peer)
    assert b'"stars":7' in peer.requests[-1]
    assert [(conflict.item_id, list(conflict)) for conflict in asked] == [(0, ["stars"])]
    assert client.outbox.conflicts() == []
    client.set_resolver(None, "Note")
    edit(client, stars=6)
    meet(client, peer, {**SECOND, "rev": "d", "stars": 9})
    assert len(asked) == 1
    assert [list(conflict) for conflict in client.outbox.conflicts()] == [["stars"]]


def test_a_resolver_that_fails_parks_everything(
    client: restway.Client, peer: Peer, caplog: pytest.LogCaptureFixture
) -> None:
    @client.resolver()
    def fail(conflict: restway.Conflict) -> None:
        conflict.choose("mine")
        raise LookupError("nobody knows")

    edit(client, stars=5)
    meet(client, peer)
    assert client.outbox.conflicts()[0]["stars"] == restway.ConflictValue(1, 5, 2)
    restway.flush_log()
    assert "nobody knows" in caplog.text


def test_a_resolver_is_a_plain_function(client: restway.Client) -> None:
    async def decide(_: restway.Conflict) -> None: ...

    with pytest.raises(TypeError, match="plain function"):
        client.set_resolver(decide)
    with pytest.raises(TypeError, match="callable"):
        client.set_resolver(3)  # type: ignore[arg-type]
    with pytest.raises(restway.UnknownEntityError, match="Nota"):
        client.resolver("Nota")(print)


def test_a_client_without_an_outbox_has_no_conflicts(peer: Peer) -> None:
    document = {key: value for key, value in DOCUMENT.items() if key not in ("outbox", "routes")}
    with restway.Client(document, base_url=peer.url, environment=None) as client:
        with pytest.raises(restway.ConfigError, match="outbox"):
            client.outbox.conflicts()
        with pytest.raises(restway.ConfigError, match="outbox"):
            client.set_resolver(print)


def test_the_error_of_a_call_has_its_conflict(client: restway.Client, peer: Peer) -> None:
    draft = client.draft(found(client), title="mine")
    answer(peer, SECOND)
    client.get("notes/1")
    with pytest.raises(restway.PreconditionFailedError) as caught:
        client.patch(draft, offline=False)
    conflict = caught.value.conflict
    assert conflict is not None
    assert conflict["title"] == restway.ConflictValue("one", "mine", "two")
    assert conflict.item_id == 0
    with pytest.raises(restway.UsageError, match="not parked"):
        conflict.resolve("mine")
    assert client.outbox.conflicts() == [] and found(client).title == "two"
    assert copy.copy(caught.value).conflict is None
    with pytest.raises(restway.NotFoundError) as other:
        answer(peer, {}, status=404)
        client.get("elsewhere")
    assert other.value.conflict is None


def test_an_async_client_lists_and_resolves(peer: Peer) -> None:
    async def main() -> None:
        api = restway.API.from_json(DOCUMENT)
        async with restway.AsyncClient(api, base_url=peer.url, **options) as client:
            answer(peer, FIRST)
            await client.get("notes/1")
            client.set_reachability(Reachability.UNREACHABLE)
            with pytest.raises(restway.QueuedError):
                await client.patch(client.draft(found(client), title="mine"))
            answer(peer, SECOND)
            await client.get("notes/1")
            await client.outbox.flush(force=True, timeout=30)
            (conflict,) = client.outbox.conflicts()
            conflict.resolve("theirs")
            assert client.outbox.conflicts() == [] and found(client).title == "two"

    asyncio.run(main())


def test_the_version_of_an_object(client: restway.Client, peer: Peer) -> None:
    assert client.store.version(found(client)) == "a"
    answer(peer, {"id": 2, "title": "without"})
    other = client.get("notes/2").objects[0]
    assert client.store.version(other) is None
    with pytest.raises(TypeError):
        client.store.version("Note")  # type: ignore[arg-type]
