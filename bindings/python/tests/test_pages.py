"""Pages of a route: iterating over objects and pages, with a Client and an AsyncClient."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import queue
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

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
    client.add_modifier(lambda context: context.request.update(headers={"X-Mark": "m"}))
    assert ids(client.pages("things", variables={"owner": "me"}, prefetch=True)) == [1, 2, 3, 4, 5]
    assert all(b"X-Mark: m" in request for request in paged.requests)

    def refuse(context: restway.PipelineContext) -> None:
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
            client.add_modifier(lambda context: context.request.update(headers={"X-Mark": "m"}))
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
    client.add_modifier(lambda context: None)
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


class NumberedPeer(Peer):
    """Answers each request by a function of its query; the function returns a status and a body."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answers = answer
        self.heard = self._prepare

    def _prepare(self) -> None:
        status, body = self.answers(dict(parse_qsl(query_of(self.requests[-1]))))
        self.respond(json.dumps(body).encode(), status=status)


def query_of(request: bytes) -> str:
    return request.split()[1].decode().partition("?")[2]


def document_of(route: Any, **attributes: Any) -> restway.API:
    thing = {"identity": "id", "attributes": {"id": {"type": "int"}, **attributes}}
    route = {"path": "things", "response": {"entity": "Thing"}, **route}
    return restway.API.from_json(
        {"restway": 1, "entities": {"Thing": thing}, "routes": {"things": route}}
    )


def numbered(query: dict[str, str]) -> tuple[int, Any]:
    """Three pages of two objects, by number, and then an empty one."""
    number = int(query.get("page", "1"))
    return 200, [{"id": 10 * number + each} for each in range(2)] if number < 4 else []


BY_NUMBER = {"pages": {"page": "page"}}
ALL = [10, 11, 20, 21, 30, 31]


def failing_once(number: str) -> Any:
    failed: list[str] = []

    def answer(query: dict[str, str]) -> tuple[int, Any]:
        if query["page"] == number and not failed:
            failed.append(number)
            return 503, {}
        return numbered(query)

    return answer


@pytest.mark.parametrize("kind", ["pages", "objects", "into"])
def test_an_iterator_goes_on_with_the_page_that_failed(kind: str) -> None:
    with (
        NumberedPeer(failing_once("2")) as peer,
        restway.Client(document_of(BY_NUMBER), base_url=peer.url) as client,
    ):
        pages = client.pages("things")
        into = client.pages("things", into=WithNumber)
        iterator: Any = {"pages": iter(pages.pages), "objects": iter(pages), "into": iter(into)}
        found: list[Any] = []
        errors = 0
        while True:
            try:
                item = next(iterator[kind])
            except StopIteration:
                break
            except restway.ServerError:
                errors += 1
                continue
            found += ids(item.objects) if kind == "pages" else [item]
        if kind != "pages":
            found = ids(found)
        assert (found, errors) == (ALL, 1)


def test_an_awaited_iterator_goes_on_with_the_page_that_failed() -> None:
    async def read(url: str) -> list[int]:
        found: list[int] = []
        async with restway.AsyncClient(document_of(BY_NUMBER), base_url=url) as client:
            iterator = aiter_of(client.pages("things"))
            with pytest.raises(restway.ServerError):
                while True:
                    found.append((await iterator.__anext__()).id)
            found += [thing.id async for thing in iterator]
        return found

    with NumberedPeer(failing_once("2")) as peer:
        assert asyncio.run(read(peer.url)) == ALL


def aiter_of(pages: Any) -> Any:
    return pages.__aiter__()


def test_an_iterator_whose_page_cannot_be_read_raises_again() -> None:
    api = document_of(BY_NUMBER, name={"type": "string"})
    with (
        NumberedPeer(numbered) as peer,
        restway.Client(api, base_url=peer.url) as client,
    ):
        things = iter(client.pages("things", into=WithName))
        for _ in range(2):
            with pytest.raises(restway.MappingError):
                next(things)


@dataclasses.dataclass
class WithName:
    """A class for objects with a name, which the server leaves out."""

    name: str


@dataclasses.dataclass
class WithNumber:
    """A class for the objects."""

    id: int


NAMES = {"pages": {"page": "page"}, "response": {"type": ["string"], "keyPath": "names"}}


def named(query: dict[str, str]) -> tuple[int, Any]:
    number = int(query["page"])
    return 200, {"names": [f"{number}a", f"{number}b"] if number < 4 else []}


def test_pages_of_values_give_values_until_one_is_empty() -> None:
    expected = ["1a", "1b", "2a", "2b", "3a", "3b"]

    async def read(url: str) -> list[Any]:
        async with restway.AsyncClient(document_of(NAMES), base_url=url) as client:
            with pytest.raises(restway.UsageError, match="pages of route \"things\" have values"):
                client.list("things")
            return [name async for name in client.pages("things")]

    with (
        NumberedPeer(named) as peer,
        restway.Client(document_of(NAMES), base_url=peer.url) as client,
    ):
        assert list(client.pages("things")) == expected
        pages = list(client.pages("things").pages)
        assert [page.values for page in pages] == [["1a", "1b"], ["2a", "2b"], ["3a", "3b"], []]
        assert [page.offset for page in pages] == [0, 2, 4, 6]
        assert list(client.pages("things", objects_max=3)) == ["1a", "1b", "2a"]
        assert asyncio.run(read(peer.url)) == expected
        with pytest.raises(restway.MappingError, match="maps them to a value, not to objects"):
            client.pages("things", into=WithNumber)
        asked = len(peer.requests)
        with pytest.raises(restway.UsageError, match="pages of route \"things\" have values"):
            client.list("things")
        assert len(peer.requests) == asked


@pytest.mark.parametrize("delivery", ["thread", "process"])
@pytest.mark.parametrize("has_modifier", [False, True])
def test_a_page_that_a_list_cannot_keep_is_an_error(
    peer: Peer, delivery: Any, has_modifier: bool
) -> None:
    """The media type of the answer decides whether the page has values."""
    response = [
        {"type": ["string"], "mediaType": "application/names+json"},
        {"entity": "Thing", "mediaType": "application/json"},
    ]
    api = document_of({"pages": {"page": "page"}, "response": response})
    with restway.Client(api, base_url=peer.url, delivery=delivery, timeout=30) as client:
        if has_modifier:
            client.add_modifier(lambda context: None)
        things = client.list("things")
        peer.respond(b'["a"]', "application/names+json")
        for _ in range(2):
            with pytest.raises(restway.UsageError, match="pages of route \"things\" have values"):
                things.load_more()
        peer.respond(b'[{"id": 1}]')
        assert things.load_more() is not None
        assert ids(things.objects) == [1]


def test_an_empty_list_of_objects_ends_pages_whose_answers_also_have_values() -> None:
    both = [{"entity": "Thing", "keyPath": "list"}, {"type": ["string"], "keyPath": "tags"}]

    def answer(query: dict[str, str]) -> tuple[int, Any]:
        return 200, {"list": [] if query["page"] == "2" else [{"id": 1}], "tags": ["a", "b"]}

    with (
        NumberedPeer(answer) as peer,
        restway.Client(
            document_of({"pages": {"page": "page"}, "response": both}), base_url=peer.url
        ) as client,
    ):
        assert ids(client.pages("things")) == [1]


@pytest.mark.parametrize(
    ("attribute", "values"),
    [
        ({"type": "string", "transform": "base64"}, ["azE=", "azI=", "azM="]),
        ({"type": "date", "format": "epoch"}, [1700000001, 1700000002, 1700000003]),
        ({"type": "date"}, [f"2026-01-0{day}T00:00:00Z" for day in (1, 2, 3)]),
    ],
)
def test_the_last_value_is_sent_in_the_form_of_the_server(attribute: Any, values: Any) -> None:
    def answer(query: dict[str, str]) -> tuple[int, Any]:
        known = [str(each) for each in values]
        if "after" not in query:
            place = 0
        elif query["after"] in known:
            place = known.index(query["after"]) + 1
        else:
            return 400, {}
        return 200, [{"id": place, "key": value} for value in values[place : place + 1]]

    rules = {"pages": {"last": "key", "parameter": "after"}}
    with (
        NumberedPeer(answer) as peer,
        restway.Client(document_of(rules, key=attribute), base_url=peer.url) as client,
    ):
        assert ids(client.pages("things")) == [0, 1, 2]


ENDED = {"pages": {"page": "page", "endStatus": 404}}


def ended(query: dict[str, str]) -> tuple[int, Any]:
    return (404, {"detail": "Invalid page."}) if query["page"] == "4" else numbered(query)


@pytest.mark.parametrize("prefetch", [False, True])
def test_a_status_after_the_end_ends_the_pages(prefetch: bool) -> None:
    async def read(url: str) -> list[int]:
        async with restway.AsyncClient(document_of(ENDED), base_url=url) as client:
            return [thing.id async for thing in client.pages("things", prefetch=prefetch)]

    with (
        NumberedPeer(ended) as peer,
        restway.Client(document_of(ENDED), base_url=peer.url) as client,
    ):
        pages = client.pages("things", prefetch=prefetch)
        assert ids(pages) == ALL
        assert not pages.has_next
        assert pages.next_page() is None
        assert asyncio.run(read(peer.url)) == ALL
        things = client.list("things")
        while things.load_more() is not None:
            assert not things.is_complete
        assert things.is_complete
        assert ids(things.objects) == ALL


def test_the_first_page_is_never_after_the_end() -> None:
    with (
        NumberedPeer(lambda query: (404, {})) as peer,
        restway.Client(document_of(ENDED), base_url=peer.url) as client,
        pytest.raises(restway.NotFoundError),
    ):
        list(client.pages("things"))


def test_a_plain_request_asks_for_the_first_page() -> None:
    rules = {"pages": {"page": "page", "size": "n", "pageSize": 2}, "method": ["GET", "POST"]}
    with (
        NumberedPeer(numbered) as peer,
        restway.Client(document_of(rules), base_url=peer.url) as client,
    ):
        client.route("things")
        client.route("things", params={"page": 2, "n": 7})
        client.get("things")
        client.route("things", "POST")
        assert [query_of(each) for each in peer.requests] == ["page=1&n=2", "page=2&n=7", "", ""]
