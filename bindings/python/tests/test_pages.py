"""Pages of a route: iterating over objects and pages, with a Client and an AsyncClient."""

from __future__ import annotations

import asyncio
import json
import queue
from pathlib import Path
from typing import Any

import pytest

import restway
from restway import Request

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "entities": {"Thing": {"identity": "id", "attributes": {"id": {"type": "int"}}}},
    "routes": {
        "things": {
            "path": "owners/:owner/things",
            "response": {"entity": "Thing", "keyPath": "list"},
            "pages": {"page": "page", "size": "n", "pageSize": 2, "total": "total"},
        },
        "linked": {
            "path": "linked",
            "response": {"entity": "Thing", "keyPath": "list"},
            "pages": {"next": "link"},
            "cacheTTL": 60,
        },
        "plain": {"path": "plain"},
    },
}


class PagedPeer(Peer):
    """Answers with pages of two objects: by the number in the query."""

    def __init__(self, total: int = 5) -> None:
        super().__init__()
        self.total = total
        self.heard = self._prepare

    def _prepare(self) -> None:
        target = self.requests[-1].split()[1].decode()
        query = target.partition("?")[2]
        number = int(dict(pair.split("=") for pair in query.split("&") if pair).get("page", "1"))
        first = 2 * (number - 1)
        ids = range(first + 1, min(first + 2, self.total) + 1)
        body = {"list": [{"id": each} for each in ids], "total": self.total}
        headers = {}
        if first + 2 < self.total:
            headers["Link"] = f'</linked?page={number + 1}>; rel="next"'
        self.respond(json.dumps(body).encode(), headers=headers)

    @property
    def targets(self) -> list[str]:
        return [request.split()[1].decode() for request in self.requests]


@pytest.fixture
def paged() -> Any:
    with PagedPeer() as peer:
        yield peer


@pytest.fixture
def api() -> restway.API:
    return restway.API.from_json(DOCUMENT)


@pytest.fixture
def client(paged: PagedPeer, api: restway.API) -> Any:
    with restway.Client(api, base_url=paged.url) as made:
        yield made


def ids(objects: Any) -> list[int]:
    return [each.id for each in objects]


def test_objects_come_page_by_page(client: restway.Client, paged: PagedPeer) -> None:
    seen = []
    for thing in client.pages("things", variables={"owner": "me"}):
        seen.append((thing.id, len(paged.requests)))
    assert seen == [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)]
    assert paged.targets == [f"/owners/me/things?page={page}&n=2" for page in (1, 2, 3)]


def test_pages_tell_where_they_stand(client: restway.Client) -> None:
    pages = client.pages("things", variables={"owner": "me"})
    found = list(pages.pages)
    assert [ids(page.objects) for page in found] == [[1, 2], [3, 4], [5]]
    assert [(page.number, page.offset, page.total, page.is_last) for page in found] == [
        (0, 0, 5, False), (1, 2, 5, False), (2, 4, 5, True),
    ]
    assert found[0].response.status == 200
    assert repr(found[2]) == "<Page 2, 1 objects>"
    assert not pages.has_next
    assert pages.next_page() is None
    assert list(pages) == []


def test_a_scope_reads_pages_and_lists_with_its_variables(
    client: restway.Client, paged: PagedPeer, api: restway.API
) -> None:
    mine = client.scope(owner="me", unknown=1)
    assert ids(mine.pages("things", objects_max=3)) == [1, 2, 3]
    assert ids(mine.pages(Request.route("things"), pages_max=1)) == [1, 2]
    things = mine.list("things")
    things.load_more()
    assert ids(client.list("things", variables={"owner": "me"}).objects) == [1, 2]
    assert {target.partition("?")[0] for target in paged.targets} == {"/owners/me/things"}
    with pytest.raises(TypeError, match="a Request has its options already"):
        mine.pages(Request.route("things"), params={"n": 1})

    async def run() -> None:
        async with restway.AsyncClient(api, base_url=paged.url) as awaited:
            theirs = awaited.scope(owner="them")
            assert [thing.id async for thing in theirs.pages("things", objects_max=3)] == [1, 2, 3]
            listed = theirs.list("things")
            await listed.load_more()
            assert ids(listed.objects) == [1, 2]

    asyncio.run(run())
    assert paged.targets[-1].startswith("/owners/them/things")


def test_bounds_end_the_pages(client: restway.Client, paged: PagedPeer) -> None:
    assert ids(client.pages("things", variables={"owner": "me"}, objects_max=3)) == [1, 2, 3]
    assert len(paged.requests) == 2
    assert ids(client.pages("things", variables={"owner": "me"}, pages_max=1)) == [1, 2]
    with pytest.raises(ValueError, match="objects_max"):
        client.pages("things", objects_max=0)
    with pytest.raises(ValueError, match="pages_max"):
        client.pages("things", pages_max=-1)


def test_links_are_followed_and_are_entries_of_the_cache(
    paged: PagedPeer, api: restway.API
) -> None:
    with restway.Client(api, base_url=paged.url, cache=True) as client:
        assert ids(client.pages("linked")) == [1, 2, 3, 4, 5]
        assert paged.targets == ["/linked", "/linked?page=2", "/linked?page=3"]
        assert ids(client.pages("linked")) == [1, 2, 3, 4, 5]
        assert len(paged.requests) == 3, "each page is answered by the cache"
        urls = sorted(entry.url for entry in client.cache.entries())
        assert urls == [paged.url + target for target in sorted(paged.targets)]


def test_the_next_page_comes_while_one_is_used(client: restway.Client, paged: PagedPeer) -> None:
    pages = client.pages("things", variables={"owner": "me"}, prefetch=True)
    assert ids(pages) == [1, 2, 3, 4, 5]
    assert len(paged.requests) == 3
    pages = client.pages("things", variables={"owner": "me"}, prefetch=True)
    assert pages.next_page() is not None
    pages.close()


def test_a_modifier_sees_every_page(client: restway.Client, paged: PagedPeer) -> None:
    client.add_modifier(lambda turn: turn.request.update(headers={"X-Mark": "m"}))
    assert ids(client.pages("things", variables={"owner": "me"}, prefetch=True)) == [1, 2, 3, 4, 5]
    assert all(b"X-Mark: m" in request for request in paged.requests)

    def refuse(turn: restway.Turn) -> None:
        raise RuntimeError("not now")

    client.add_modifier(refuse)
    with pytest.raises(restway.CancelledError, match="not now"):
        client.pages("things", variables={"owner": "me"}).next_page()


def test_a_failed_page_can_be_asked_for_again(client: restway.Client, paged: PagedPeer) -> None:
    pages = client.pages("things", variables={"owner": "me"})
    paged.heard = lambda: paged.respond(b"", status=503)
    with pytest.raises(restway.HTTPStatusError):
        next(iter(pages))
    paged.heard = paged._prepare
    assert ids(pages) == [1, 2, 3, 4, 5]


def test_answers_that_lead_wrong_raise(client: restway.Client, paged: PagedPeer) -> None:
    paged.heard = lambda: paged.respond(b'{"list": [{"id": 1}], "total": "many"}')
    iterator = iter(client.pages("things", variables={"owner": "me"}))
    assert next(iterator).id == 1
    with pytest.raises(restway.MappingError, match="whole number or null at total") as raised:
        next(iterator)
    assert raised.value.field == "total"
    link = {"Link": "<http://elsewhere.test/2>; rel=next"}
    paged.heard = lambda: paged.respond(b'{"list": []}', headers=link)
    with pytest.raises(restway.InvalidURLError, match="trustedOrigins"):
        list(client.pages("linked"))
    link["Link"] = "</linked>; rel=next"
    with pytest.raises(restway.ProtocolError, match="requested before"):
        list(client.pages("linked"))


def test_what_has_no_pages_is_refused(client: restway.Client) -> None:
    with pytest.raises(restway.UsageError, match="has no \"pages\""):
        client.pages("plain")
    with pytest.raises(restway.UnknownRouteError):
        client.pages("thingz")
    with pytest.raises(restway.UsageError, match="by the name of a route"):
        client.pages(Request.path("GET", "plain"))
    with pytest.raises(TypeError, match="has its options"):
        client.pages(Request.route("things"), timeout=1)
    with pytest.raises(TypeError, match="of the name of a route or of a Request, not int"):
        restway.Pages(client, 1, {})  # type: ignore[arg-type]


def test_a_request_begins_in_the_middle(client: restway.Client) -> None:
    request = Request.route("things", variables={"owner": "me"}, params={"page": 2})
    page = client.pages(request).next_page(timeout=30)
    assert page is not None
    assert (ids(page.objects), page.offset) == ([3, 4], None)


def test_an_async_client_iterates(paged: PagedPeer, api: restway.API) -> None:
    async def run(prefetch: bool) -> None:
        async with restway.AsyncClient(api, base_url=paged.url) as client:
            pages = client.pages("things", variables={"owner": "me"}, prefetch=prefetch)
            seen = [thing.id async for thing in pages]
            assert seen == [1, 2, 3, 4, 5]
            assert await pages.next_page() is None
            found = [page async for page in client.pages("linked").pages]
            assert [ids(page.objects) for page in found] == [[1, 2], [3, 4], [5]]
            client.add_modifier(lambda turn: turn.request.update(headers={"X-Mark": "m"}))
            page = await client.pages("linked").next_page()
            assert page is not None
            assert b"X-Mark: m" in paged.requests[-1]

    asyncio.run(run(prefetch=False))
    asyncio.run(run(prefetch=True))


def test_cancelling_a_task_cancels_its_page(paged: PagedPeer, api: restway.API) -> None:
    async def run() -> None:
        async with restway.AsyncClient(api, base_url=paged.url) as client:
            loop, came = asyncio.get_running_loop(), asyncio.Event()
            go_on = asyncio.Event()

            def hold() -> None:
                loop.call_soon_threadsafe(came.set)
                asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()
                paged._prepare()

            paged.heard = hold
            pages = client.pages("things", variables={"owner": "me"})
            task = asyncio.ensure_future(pages.next_page())
            await came.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            go_on.set()
            paged.heard = paged._prepare
            page = await pages.next_page()
            assert page is not None
            assert ids(page.objects) == [1, 2]

    asyncio.run(run())


def test_a_closed_client_ends_the_pages(client: restway.Client) -> None:
    pages = client.pages("things", variables={"owner": "me"})
    client.close()
    with pytest.raises(restway.ClosedError):
        pages.next_page()
    with pytest.raises(restway.ClosedError):
        client.pages("things")


def test_a_list_keeps_its_objects_and_its_place(
    paged: PagedPeer, api: restway.API, tmp_path: Path
) -> None:
    store = tmp_path / "store.db"
    with restway.Client(api, base_url=paged.url, store_path=store) as client:
        things = client.list("things", variables={"owner": "me"})
        assert (ids(things.objects), things.is_complete, things.total) == ([], False, None)
        response = things.load_more(timeout=30)
        assert response is not None
        assert response.status == 200
        assert (ids(things.objects), things.total) == ([1, 2], 5)
    del things
    with restway.Client(api, base_url=paged.url, store_path=store) as client:
        things = client.list("things", variables={"owner": "me"})
        assert ids(things.objects) == [1, 2]
        while not things.is_complete:
            things.load_more()
        assert ids(things.objects) == [1, 2, 3, 4, 5]
        assert things.load_more() is None
        assert len(paged.requests) == 3
        client.store.delete(things.objects[1])
        assert ids(things.objects) == [1, 3, 4, 5]
        things.restart()
        assert not things.is_complete
        things.load_more()
        assert ids(things.objects) == [1, 2]
        with pytest.raises(restway.UsageError, match="has no \"pages\""):
            client.list("plain")


def test_a_list_is_observed(client: restway.Client) -> None:
    changes: queue.Queue[list[int]] = queue.Queue()
    things = client.list("things", variables={"owner": "me"})
    with client.observe(lambda told: changes.put([each.object.id for each in told]), things):
        things.load_more()
        assert changes.get(timeout=30) == [1, 2]
        client.store.delete(things.objects[0])
        assert changes.get(timeout=30) == [1]
    client.add_modifier(lambda turn: None)
    things.load_more()
    assert ids(things.objects) == [2, 3, 4]


def test_an_async_client_has_lists(paged: PagedPeer, api: restway.API) -> None:
    async def run() -> None:
        async with restway.AsyncClient(api, base_url=paged.url) as client:
            things = client.list("things", variables={"owner": "me"})
            told: asyncio.Queue[restway.Changes] = asyncio.Queue()
            observer = client.observe(told.put_nowait, things)
            await things.load_more()
            assert len(await told.get()) == 2
            while not things.is_complete:
                await things.load_more()
            assert ids(things.objects) == [1, 2, 3, 4, 5]
            assert await things.load_more() is None
            observer.close()

    asyncio.run(run())


def clamped(last: int, peer: Peer, **pages: object) -> restway.API:
    """Returns an api whose server answers any number beyond the end with its last page."""

    def heard() -> None:
        page = min(len(peer.requests), last)
        peer.respond(json.dumps({"list": [{"id": page}]}).encode())

    peer.heard = heard
    things = {"path": "things", "response": DOCUMENT["routes"]["things"]["response"]}
    routes = {"things": things | {"pages": pages}}
    environments = {"test": {"baseURL": peer.url}}
    return restway.API.from_json(DOCUMENT | {"routes": routes, "environments": environments})


@pytest.mark.parametrize("kind", ["page", "offset"])
def test_a_server_that_repeats_its_last_page_ends_with_an_error(peer: Peer, kind: str) -> None:
    found = []
    with restway.Client(clamped(3, peer, **{kind: kind})) as client:
        with pytest.raises(restway.ProtocolError, match="repeats a page") as caught:
            for thing in client.pages("things"):
                found.append(thing.id)
    assert found == [1, 2, 3]
    assert len(peer.requests) == 4
    assert caught.value.field == "pages"


def test_an_awaited_repetition_is_an_error_too(peer: Peer) -> None:
    async def read() -> list[object]:
        found: list[object] = []
        async with restway.AsyncClient(clamped(2, peer, offset="offset")) as client:
            with pytest.raises(restway.ProtocolError, match="the page at 2"):
                async for thing in client.pages("things", prefetch=True):
                    found.append(thing.id)
        return found

    assert asyncio.run(read()) == [1, 2]


def test_a_list_of_a_server_that_repeats_its_last_page_ends_with_an_error(peer: Peer) -> None:
    with restway.Client(clamped(2, peer, page="page")) as client:
        things = client.list("things")
        with pytest.raises(restway.ProtocolError, match="repeats a page"):
            while not things.is_complete:
                things.load_more()
        assert [thing.id for thing in things.objects] == [1, 2]
