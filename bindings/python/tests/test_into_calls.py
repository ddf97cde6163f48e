"""The keyword `into` of `perform`, `map` and `pages`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

import restway
from restway import Request

from .peer import Peer
from .test_pages import DOCUMENT, PagedPeer


@dataclass
class Thing:
    id: int


@dataclass
class Named:
    id: int
    name: str


OWNER = {"owner": "me"}


def first() -> Request:
    """Returns the request for the first page."""
    return Request.route("things", variables=OWNER)


@pytest.fixture
def paged() -> Iterator[PagedPeer]:
    peer = PagedPeer()
    with peer:
        yield peer


@pytest.fixture
def client(paged: PagedPeer) -> Iterator[restway.Client]:
    with restway.Client(DOCUMENT, base_url=paged.url) as made:
        yield made


def test_perform_reads_into_classes(client: restway.Client) -> None:
    assert client.perform(first(), into=list[Thing]) == [Thing(1), Thing(2)]
    assert client.perform(first(), timeout=30, into=Thing, depth=0) == Thing(1)
    scope = client.scope(owner="me")
    assert scope.perform(Request.route("things"), into=Thing) == Thing(1)
    routing = restway.RoutingClient({"things": client})
    assert routing.perform(first(), into=Thing) == Thing(1)


def test_map_reads_into_classes(client: restway.Client) -> None:
    data = [{"id": 7}, {"id": 8}]
    assert client.map("Thing", data, into=list[Thing]) == [Thing(7), Thing(8)]
    assert client.map("Thing", data, commit=False, into=Thing, unknown=None) == Thing(7)
    assert [item.identity for item in client.store.all("Thing")] == [7, 8]


def test_pages_read_into_classes(client: restway.Client, paged: PagedPeer) -> None:
    things = client.pages("things", variables=OWNER, into=Thing, objects_max=3)
    assert paged.requests == []
    assert list(things) == [Thing(1), Thing(2), Thing(3)]
    assert not things.pages.has_next
    assert repr(things) == "<PagesInto, <Pages, all pages have come>>"
    scoped = client.scope(owner="me").pages("things", into=Thing, depth=1)
    assert [thing.id for thing in scoped] == [1, 2, 3, 4, 5]
    assert next(iter(client.pages(first(), into=Thing))) == Thing(1)


def test_awaited_calls_read_into_classes(paged: PagedPeer) -> None:
    async def run() -> None:
        async with restway.AsyncClient(DOCUMENT, base_url=paged.url) as client:
            assert await client.perform(first(), into=list[Thing]) == [Thing(1), Thing(2)]
            assert await client.map("Thing", [{"id": 7}], into=Thing) == Thing(7)
            things = client.pages("things", variables=OWNER, into=Thing)
            assert [thing.id async for thing in things] == [1, 2, 3, 4, 5]
            assert repr(things) == "<AsyncPagesInto, <AsyncPages, all pages have come>>"
            scope = client.scope(owner="me")
            assert await scope.perform(Request.route("things"), into=Thing) == Thing(1)
            scoped = scope.pages("things", into=Thing, pages_max=1)
            assert [thing.id async for thing in scoped] == [1, 2]
            routing = restway.AsyncRoutingClient({}, default=client)
            assert await routing.perform(first(), into=Thing) == Thing(1)

    asyncio.run(run())


def test_calls_under_trio_read_into_classes(paged: PagedPeer) -> None:
    anyio = pytest.importorskip("anyio")
    pytest.importorskip("trio")
    from restway.anyio import AnyioClient

    async def run() -> None:
        async with AnyioClient(DOCUMENT, base_url=paged.url) as client:
            assert await client.perform(first(), into=Thing) == Thing(1)
            things = client.pages("things", variables=OWNER, into=Thing)
            assert [thing.id async for thing in things] == [1, 2, 3, 4, 5]

    anyio.run(run, backend="trio")


def test_the_calls_of_a_batch_are_read_by_their_responses(peer: Peer) -> None:
    batched = {**DOCUMENT, "batch": {"path": "batch"}}
    answers = [{"code": 200, "headers": {}, "body": json.dumps({"list": [{"id": 9}]})}]
    peer.respond(json.dumps(answers).encode())
    with restway.Client(batched, base_url=peer.url) as client:
        with client.batch() as batch:
            call = batch.route("things", variables=OWNER)
        assert call.wait().into(list[Thing]) == [Thing(9)]
        wrong: Any = client.batch()
        with pytest.raises(TypeError, match="a Batch takes no into"):
            wrong.route("things", variables=OWNER, into=Thing)


def test_a_value_that_is_missing_on_a_page_is_named(paged: PagedPeer) -> None:
    thing = DOCUMENT["entities"]["Thing"]
    named = {**thing, "attributes": {**thing["attributes"], "name": {"type": "string"}}}
    document = {**DOCUMENT, "entities": {**DOCUMENT["entities"], "Thing": named}}
    with restway.Client(document, base_url=paged.url) as client:
        with pytest.raises(restway.MappingError, match=r"^\[0\]\.name: a value is missing$"):
            next(iter(client.pages(first(), into=Named)))


def test_wrong_keywords_are_refused_before_anything_is_sent(
    client: restway.Client, paged: PagedPeer
) -> None:
    wrong: Any = client
    with pytest.raises(TypeError, match=r"into of pages takes the class of one object, not list"):
        wrong.pages("things", variables=OWNER, into=list[Thing])
    with pytest.raises(TypeError, match="into takes a dataclass"):
        wrong.pages("things", variables=OWNER, into=int)
    with pytest.raises(TypeError, match="depth"):
        wrong.pages("things", variables=OWNER, depth=1)
    with pytest.raises(TypeError, match="perform has no keyword 'depth'; it goes with into"):
        wrong.perform(first(), depth=1)
    with pytest.raises(TypeError, match="map has no keyword 'dept'; did you mean 'depth'"):
        wrong.map("Thing", [], into=Thing, dept=1)
    assert paged.requests == []
