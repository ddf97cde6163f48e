"""Observed queries: what came, went and moved."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import restway

from .graph import DOCUMENT, STORES, make_client, receive
from .peer import Peer

MEMBERS = [
    {"id": 1, "name": "Ada", "score": 5},
    {"id": 2, "name": "Bob", "score": 3},
    {"id": 3, "name": "Cleo", "score": 1},
    {"id": 4, "name": "Dan"},
]


@pytest.fixture(params=STORES)
def client(
    peer: Peer, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[restway.Client]:
    options = {"store_path": tmp_path / "objects.db"} if request.param == "sqlite" else {}
    with make_client(peer, delivery="process", **options) as client:
        receive(client, peer, "members", *MEMBERS)
        client.process()
        yield client


def scored(store: restway.Store) -> restway.Query:
    return store.query("Member").filter("score is not null").order_by("-score")


def change(client: Any, identity: int, **values: Any) -> None:
    found = client.store.find("Member", identity)
    assert found is not None
    draft = client.draft(found)
    draft.update(**values)
    draft.insert()


def ids(objects: restway.Objects) -> list[object]:
    return [one.identity for one in objects]


def applied(changes: restway.QueryChanges, rows: list[object]) -> list[object]:
    """Applies a difference as the documentation shows it."""
    rows = list(rows)
    for place in sorted([*changes.deletions, *(old for old, _ in changes.moves)], reverse=True):
        del rows[place]
    for place in sorted([*changes.insertions, *(new for _, new in changes.moves)]):
        rows.insert(place, changes.objects[place].identity)
    return rows


def test_what_came_went_and_moved_is_told(client: restway.Client) -> None:
    told: list[restway.QueryChanges] = []
    observer = client.observe_query(told.append, scored(client.store))
    assert ids(observer.objects) == [1, 2, 3]
    change(client, 3, score=9)
    change(client, 4, score=4)
    change(client, 2, score=None)
    assert client.process() == 1
    [changes] = told
    assert ids(changes.objects) == [3, 1, 4] == applied(changes, ids(observer.objects))
    assert changes.deletions == (1,) and changes.insertions == (2,)
    assert changes.moves == ((2, 0),) and changes.updates == (0,)
    assert "1 went, 1 came, 1 moved, 1 updated" in repr(changes)
    change(client, 1, name="Ada L.")
    client.process()
    assert told[1].updates == (1,) and not told[1].moves and not told[1].deletions
    observer.remove()
    change(client, 1, name="Ada")
    assert client.process() == 0 and len(told) == 2
    assert repr(observer).startswith("<QueryObserver")


def test_the_same_result_is_not_told(client: restway.Client, peer: Peer) -> None:
    told: list[restway.QueryChanges] = []
    with client.observe_query(told.append, scored(client.store).limit(2)):
        change(client, 3, score=2)
        assert client.process() == 0
        receive(client, peer, "teams", {"id": 1, "name": "Team"})
        assert client.process() == 0 and told == []


def test_a_related_object_changes_the_result(client: restway.Client, peer: Peer) -> None:
    receive(client, peer, "teams", {"id": 1, "members": [1, 2]}, {"id": 2, "members": [4]})
    told: list[restway.QueryChanges] = []
    teams = client.store.query("Team").filter("members.score > ?", 4)
    with client.observe_query(told.append, teams) as observer:
        assert ids(observer.objects) == [1]
        change(client, 4, score=8)
        client.process()
        assert [ids(one.objects) for one in told] == [[1, 2]]


def test_a_query_of_another_client_is_refused(client: restway.Client, peer: Peer) -> None:
    with make_client(peer) as other, pytest.raises(restway.UsageError, match="another api"):
        client.observe_query(print, other.store.query("Member"))


def test_an_async_client_is_told_by_its_loop(peer: Peer) -> None:
    async def run() -> None:
        api = restway.API.from_json(DOCUMENT)
        async with restway.AsyncClient(api, base_url=peer.url, timeout=30) as client:
            told: asyncio.Queue[restway.QueryChanges] = asyncio.Queue()
            observer = client.observe_query(told.put_nowait, scored(client.store))
            assert ids(observer.objects) == []
            client.draft("Member", id=9, name="Eve", score=1).insert()
            changes = await told.get()
            assert changes.insertions == (0,) and ids(changes.objects) == [9]
            observer.remove()

    asyncio.run(run())
