"""Transactions: changes of the program that a store takes together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import restway

from .graph import STORES, make_client, receive
from .peer import Peer

MEMBERS = [{"id": 7, "name": "Ada", "score": 1.5}, {"id": 8, "name": "Bob", "score": 2}]


@pytest.fixture(params=STORES)
def client(
    peer: Peer, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[restway.Client]:
    options = {"store_path": tmp_path / "objects.db"} if request.param == "sqlite" else {}
    with make_client(peer, delivery="process", **options) as client:
        receive(client, peer, "members", *MEMBERS)
        client.process()
        yield client


def member(client: restway.Client, identity: int) -> restway.Object:
    found = client.store.find("Member", identity)
    assert found is not None
    return found


def names(client: restway.Client) -> list[str]:
    return [member.name for member in client.store.all("Member")]


def test_a_block_is_one_transaction(client: restway.Client) -> None:
    told: list[restway.Changes] = []
    observer = client.observe(told.append)
    with client.store.transaction() as transaction:
        new = client.draft("Member", name="Cleo")
        transaction.insert(new)
        new.name = "later"
        changed = client.draft(member(client, 7))
        changed.name = "Ada L."
        transaction.insert(changed)
        assert transaction.delete(member(client, 8)) and not transaction.delete(member(client, 8))
        assert names(client) == ["Ada", "Bob"] and new.store_key == 0
        assert transaction.changes is None
    assert names(client) == ["Ada L.", "Cleo"] and new.store_key > 0
    changes = transaction.changes
    assert changes is not None
    kinds = restway.ChangeKind
    assert [one.kind for one in changes] == [kinds.INSERTED, kinds.UPDATED, kinds.DELETED]
    client.process()
    assert len(told) == 1 and [one.object for one in told[0]] == [one.object for one in changes]
    observer.remove()


def test_an_exception_drops_the_changes(client: restway.Client) -> None:
    with pytest.raises(KeyError), client.store.transaction() as transaction:
        transaction.insert(client.draft("Member", name="Cleo"))
        raise KeyError
    assert names(client) == ["Ada", "Bob"] and transaction.changes is None
    with client.store.transaction() as transaction:
        transaction.delete(member(client, 8))
        transaction.rollback()
    assert names(client) == ["Ada", "Bob"]


def test_a_failure_leaves_the_store_as_it_was(client: restway.Client) -> None:
    transaction = client.store.transaction()
    transaction.insert(client.draft("Member", name="Cleo"))
    transaction.insert(client.draft(member(client, 8)))
    assert client.store.delete(member(client, 8))
    with pytest.raises(restway.NoObjectError, match="Member"):
        transaction.commit()
    assert names(client) == ["Ada"]
    with pytest.raises(restway.UsageError, match="the transaction is over"):
        transaction.commit()


def test_a_transaction_is_used_once(client: restway.Client) -> None:
    transaction = client.store.transaction()
    assert transaction.commit() is None
    with pytest.raises(restway.UsageError, match="the transaction is over"):
        transaction.insert(client.draft("Member"))
    with pytest.raises(restway.UsageError, match="the transaction is over"):
        transaction.delete(member(client, 7))
    assert repr(transaction).startswith("<Transaction")


def test_a_deleted_object_is_not_changed(client: restway.Client) -> None:
    draft = client.draft(member(client, 8))
    with client.store.transaction() as transaction:
        transaction.delete(member(client, 8))
        with pytest.raises(restway.NoObjectError):
            transaction.insert(draft)
        transaction.insert(client.draft("Member", id=8, name="Bea"))
    assert names(client) == ["Ada", "Bea"]


def test_a_draft_of_another_client_is_refused(client: restway.Client, peer: Peer) -> None:
    with make_client(peer) as other, client.store.transaction() as transaction:
        with pytest.raises(restway.UsageError, match="another store"):
            transaction.insert(other.draft("Member"))
