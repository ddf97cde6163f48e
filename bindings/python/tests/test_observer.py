"""Observers receive every change of a client's store, in every delivery mode."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import restway
from restway import ChangeKind

from . import graph
from .graph import DOCUMENT, STORES, receive
from .peer import Peer

ADA, BOB = {"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}
SECONDS_MAX = 30.0


options: dict[str, Any] = {}
"""The options of the clients of a test, which say where the store is."""


@pytest.fixture(params=STORES, autouse=True)
def each_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[None]:
    if request.param == "sqlite":
        options["store_path"] = tmp_path / "objects.db"
    yield
    options.clear()


def make_client(peer: Peer, **more: Any) -> restway.Client:
    return graph.make_client(peer, **options, **more)


class Log:
    """Returns the changes that an observer received: "+1 ~2 -3" for each transaction."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._changed = threading.Condition()

    def __call__(self, changes: restway.Changes) -> None:
        signs = {ChangeKind.INSERTED: "+", ChangeKind.UPDATED: "~", ChangeKind.DELETED: "-"}
        text = " ".join(f"{signs[change.kind]}{change.object.identity}" for change in changes)
        with self._changed:
            self.texts.append(text)
            self._changed.notify_all()

    def wait(self, count: int) -> list[str]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.texts) >= count, SECONDS_MAX)
            return self.texts


def test_each_transaction_is_told_once(peer: Peer) -> None:
    everything, members = Log(), Log()
    with make_client(peer) as client:
        client.observe(everything)
        client.observe(members, "Member")
        receive(client, peer, "teams", {"id": 9, "members": [ADA, BOB]})
        receive(client, peer, "teams", {"id": 9, "members": [ADA, BOB]})
        receive(client, peer, "members", {"id": 1, "name": "Ada L."})
        client.store.delete_all("Team")
        assert everything.wait(3) == ["+9 +1 +2", "~1", "-9"]
        assert members.wait(2) == ["+1 +2", "~1"]


def test_an_answer_without_news_is_not_told(peer: Peer) -> None:
    document: dict[str, Any] = {
        "restway": 1,
        "entities": {
            "Order": {
                "identity": "id",
                "attributes": {"id": {"type": "int"}},
                "relationships": {"lines": {"entity": "Line", "many": True}},
            },
            "Line": {"attributes": {"text": {"type": "string"}}},
        },
        "routes": {"orders": {"path": "orders", "response": {"entity": "Order"}}},
    }
    log = Log()
    with restway.Client(
        restway.API.from_json(document), base_url=peer.url, timeout=30, **options
    ) as client:
        client.observe(log)
        for text in "aab":
            receive(client, peer, "orders", {"id": 1, "lines": [{"text": text}]})
        log.wait(2)
    # The close has told what was still to be told.
    assert len(log.texts) == 2
    assert log.texts[0].count("+") == 2 and "~1" in log.texts[1]


def test_a_change_says_what_differs(peer: Peer) -> None:
    seen: list[restway.Changes] = []
    with make_client(peer, delivery="process") as client:
        receive(client, peer, "teams", {"id": 9, "name": "Old", "chief": ADA})
        client.observe(seen.append, "Team")
        receive(client, peer, "teams", {"id": 9, "name": "New", "members": [2]})
        client.store.delete_all("Team")
        receive(client, peer, "teams", {"id": 9, "chief": 2})
        assert client.process() == 3
    updated, deleted, inserted = (changes[0] for changes in seen)
    assert updated.kind is ChangeKind.UPDATED
    assert updated.before is not None and updated.before.name == "Old"
    assert updated.object.name == "New" and updated.object.same_as(updated.before)
    assert updated.object != updated.before
    assert updated.attributes == ("name",) and updated.relationships == ("members",)
    assert deleted.kind is ChangeKind.DELETED and deleted.object.name == "New"
    assert inserted.kind is ChangeKind.INSERTED and inserted.before is None
    assert inserted.attributes == ("id",) and inserted.relationships == ("chief",)
    assert len(seen[0]) == 1 and seen[0][-1] == updated and seen[0][:] == [updated]
    assert repr(seen[1]).startswith("<Changes 1: [deleted <Team 9")
    with pytest.raises(IndexError):
        _ = seen[0][1]


def test_one_object_is_observed_also_when_it_comes_again(peer: Peer) -> None:
    log = Log()
    with make_client(peer) as client:
        ada, _ = receive(client, peer, "members", ADA, BOB)
        client.observe(log, ada)
        receive(client, peer, "members", {"id": 2, "name": "Bob B."}, {"id": 1, "name": "Ada L."})
        assert client.store.delete(ada)
        receive(client, peer, "members", ADA)
        receive(client, peer, "members", {"id": 1, "name": "Ada K."})
        assert log.wait(4) == ["~1", "-1", "+1", "~1"]


def test_changes_come_before_the_completion_of_their_call(peer: Peer) -> None:
    order: list[str] = []
    peer.respond(b'[{"id": 1}]')
    with make_client(peer, delivery="process") as client:
        client.observe(lambda _: order.append("changed"))
        client.send(restway.Request.route("members"), lambda _: order.append("done"))
        ran = 0
        while ran < 2:
            ran += client.process(SECONDS_MAX)
    assert order == ["changed", "done"]


def test_a_removed_observer_is_told_nothing_more(peer: Peer) -> None:
    log, other = Log(), Log()
    with make_client(peer, delivery="process") as client:
        observer = client.observe(log)
        with client.observe(other):
            receive(client, peer, "members", ADA)
            assert client.process() == 2
            receive(client, peer, "members", BOB)
            observer.remove()
            observer.remove()
            assert client.process() == 1
        receive(client, peer, "members", {"id": 3})
        assert client.process() == 0
        observer.close()
        observer.remove()
    assert log.texts == ["+1"] and other.texts == ["+1", "+2"]


def test_an_observer_may_remove_itself(peer: Peer) -> None:
    made: list[restway.Observer] = []
    log = Log()

    def once(changes: restway.Changes) -> None:
        log(changes)
        made[0].remove()

    with make_client(peer, delivery="process") as client:
        made.append(client.observe(once))
        for number in range(3):
            receive(client, peer, "members", {"id": number})
        assert client.process() == 1
    assert log.texts == ["+0"]


def test_what_an_observer_raises_is_reported(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)

    def fail(_: restway.Changes) -> None:
        raise LookupError("mine")

    log = Log()
    with make_client(peer, delivery="process") as client:
        client.observe(fail)
        client.observe(log)
        receive(client, peer, "members", ADA)
        assert client.process() == 2
    assert log.texts == ["+1"]
    assert [str(report.exc_value) for report in told] == ["mine"]
    told.clear()


def test_what_cannot_be_observed_is_refused(peer: Peer) -> None:
    with make_client(peer) as client:
        with pytest.raises(restway.UnknownEntityError, match='did you mean "Team"'):
            client.observe(print, "Tea")
        with pytest.raises(TypeError):
            client.observe(print, 5)  # type: ignore[arg-type]
        client.close()
        with pytest.raises(restway.ClosedError):
            client.observe(print)


def test_an_observer_does_not_keep_its_client(peer: Peer) -> None:
    client = make_client(peer)
    client.observe(Log(), "Team")
    observer = client.observe(Log())
    del client
    gc.collect()
    observer.remove()


def make_async(peer: Peer) -> restway.AsyncClient:
    return restway.AsyncClient(
        restway.API.from_json(DOCUMENT), base_url=peer.url, timeout=30, **options
    )


def test_asyncio_observers_are_called_by_the_loop(peer: Peer) -> None:
    peer.respond(b'[{"id": 1}, {"id": 2}]')

    async def main() -> list[str]:
        log, one, queue = Log(), Log(), asyncio.Queue[restway.Changes]()
        async with make_async(peer) as client:
            client.observe(log)
            client.observe(queue.put_nowait, "Member")
            response = await client.get("members")
            assert log.texts == ["+1 +2"]  # before the await returns
            assert len(queue.get_nowait()) == 2
            client.observe(one, response.objects[1])
            client.store.delete(response.objects[0])
            client.store.delete(response.objects[1])
            assert (await queue.get())[0].object.identity == 1
            assert (await queue.get())[0].object.identity == 2
        assert one.texts == ["-2"]
        return log.texts

    assert asyncio.run(main()) == ["+1 +2", "-1", "-2"]


def test_asyncio_observers_hear_what_is_due_when_the_client_closes(peer: Peer) -> None:
    peer.respond(b'[{"id": 1}]')

    async def main() -> list[str]:
        log = Log()
        async with make_async(peer) as client:
            await client.get("members")
            client.observe(log)
            client.store.clear()
        return log.texts

    assert asyncio.run(main()) == ["-1"]


def test_asyncio_observers_may_be_removed_by_each_other(peer: Peer) -> None:
    peer.respond(b'[{"id": 1}]')

    async def main() -> tuple[list[str], list[dict[str, Any]]]:
        log = Log()
        complaints: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, c: complaints.append(c))

        def remove(_: restway.Changes) -> None:
            observer.remove()
            raise LookupError("mine")

        async with make_async(peer) as client:
            client.observe(remove)
            observer = client.observe(log)
            await client.get("members")
        return log.texts, complaints

    texts, complaints = asyncio.run(main())
    assert texts == []
    assert [str(complaint["exception"]) for complaint in complaints] == ["mine"]
    complaints.clear()
