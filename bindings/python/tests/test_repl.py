"""What a program sees when it is tried by hand: representations, hints, and what just works."""

from __future__ import annotations

import asyncio
import datetime
import inspect
import json
import queue
from typing import Any, get_origin

import pytest

import restway

from .conftest import DOCUMENT, MakeClient
from .test_loader import PACKAGE


def test_every_public_class_has_a_telling_representation() -> None:
    silent = {
        name
        for name in restway.__all__
        if inspect.isclass(kind := getattr(restway, name)) and kind is not Any
        and get_origin(kind) is None  # Python 3.9 takes an alias, Callable[..., T], for a class
        and kind.__repr__ is object.__repr__
        and not getattr(kind, "_is_protocol", False)
    }
    assert silent == set()
    shown_by_address = [path for path in PACKAGE.rglob("*.py") if "{id(self)" in path.read_text()]
    assert shown_by_address == []


def test_an_observer_and_a_transaction_say_what_has_happened(make_client: MakeClient) -> None:
    with make_client() as client:
        observer = client.observe(print)
        observer.remove()
        assert repr(observer) == "<Observer, removed>"
        with client.store.transaction() as transaction:
            transaction.insert(client.draft("Enterprise", name="Rossi"))
        assert repr(transaction).startswith("<Transaction, committed: <Changes 1: [insert")
        with client.store.transaction() as transaction:
            transaction.rollback()
        assert repr(transaction) == "<Transaction, over>"


def test_representations_say_what_it_is(make_client: MakeClient) -> None:
    request = restway.Request.path("GET", "enterprises/12?api_key=secret")
    batch_document = json.loads(DOCUMENT.read_text("utf-8"))
    with make_client() as client:
        batch = client.batch()
        batch.get("enterprises/1")
        shown = {
            repr(client.api),
            repr(request),
            repr(restway.Request.route("enterprise", "PUT")),
            repr(restway.Request.route("enterprise")),
            repr(restway.Request.draft("POST", client.draft("Enterprise"))),
            repr(client.stream(request)),
            repr(client.store),
            repr(restway.Resource.bytes(b"{}", name="a.json")),
            repr(client.cookies),
            repr(client.headers),
            repr(client.map("Enterprise", [{"id": 1}], commit=False)),
            repr(batch),
            repr(restway.Clock()),
            repr(restway.RoutingClient({}, default=client)),
            repr(client.observe(print)),
            repr(client.observe_query(print, client.store.query("Enterprise"))),
            repr(client.store.transaction()),
        }
        batch.cancel()
        assert repr(client) == f"<Client of {client._place}>" != "<Client of None>"
        assert repr(client.outbox) == f"<Outbox of {client!r}>"
        assert repr(client.cache) == f"<Cache of {client!r}>"
    routes = len(batch_document["routes"])
    assert shown == {
        f"<API, {len(batch_document['entities'])} entities, {routes} routes>",
        "<Request GET enterprises/12>",
        "<Request PUT enterprise>",
        "<Request enterprise>",
        "<Request POST of a Draft>",
        "<Stream of <Request GET enterprises/12>>",
        "<Store, 0 objects>",
        "<Resource a.json, application/json>",
        "<Cookies none>",
        "<DefaultHeaders none>",
        "<Batch, 1 requests, not sent>",
        "<Clock>",
        "<Response without an answer (1 objects)>",
        "<RoutingClient of 1 clients>",
        "<Observer, not removed>",
        "<QueryObserver, not removed>",
        "<Transaction, not committed>",
    }


def test_a_query_shows_its_conditions_without_their_values(make_client: MakeClient) -> None:
    with make_client() as client:
        query = client.store.query("Enterprise")
        assert repr(query) == "<Query Enterprise>"
        query = query.where("rating", ">=", 4).filter("name = ? or city = ?", "secret", "Wien")
        query = query.order_by("-rating", "name").limit(20, 40).rejected()
        assert repr(query) == (
            "<Query Enterprise where rating >= ? and (name = ? or city = ?), "
            "order by -rating, name, limit 20, offset 40, rejected>"
        )
        assert repr(client.store.query("Enterprise")[:3]) == "<Query Enterprise, limit 3>"


def test_what_was_closed_says_so(make_client: MakeClient) -> None:
    api = restway.API.load(DOCUMENT)
    resource = restway.Resource.bytes(b"x")
    with make_client() as client:
        batch, store = client.batch(), client.store
    for each in (api, resource, batch, store):
        each.close()
        assert repr(each) == f"<{type(each).__name__}, closed>"


def test_a_name_is_missing_also_after_the_end(make_client: MakeClient) -> None:
    with make_client() as client:
        client.api.close()
        assert not hasattr(client, "enterprises") and not hasattr(client.store, "nothing")
    assert not hasattr(client, "enterprises") and not hasattr(client, "_repr_html_")


def test_a_client_is_made_of_a_path_or_a_mapping(demo_url: str) -> None:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    given: list[Any] = [str(DOCUMENT), DOCUMENT, document]
    for each in given:
        with restway.Client(each, base_url=demo_url) as client:
            assert client.get("enterprises/12").object is not None
            assert isinstance(client.api, restway.API)

    async def main() -> None:
        async with restway.AsyncClient(DOCUMENT, base_url=demo_url) as client:
            assert (await client.get("enterprises/12")).object is not None

    asyncio.run(main())


@pytest.mark.parametrize("url", ["http://h/v2?key=secret", "http://ann:secret@h/v2"])
def test_a_base_url_that_is_shown_holds_no_secret(url: str) -> None:
    with pytest.raises(restway.InvalidURLError):
        restway.Client(DOCUMENT, base_url=url)


def test_a_date_is_midnight_in_utc_for_a_date_attribute(make_client: MakeClient) -> None:
    midnight = datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc)
    with make_client() as client:
        draft = client.draft("Enterprise", creationDate=datetime.date(2026, 1, 2))
        assert draft.creationDate == midnight
        draft.creationDate = datetime.date(2026, 1, 3)
        assert draft["creationDate"] == midnight + datetime.timedelta(days=1)
        draft.name = datetime.date(2026, 1, 4)
        assert draft.name == "2026-01-04"


def test_lists_of_objects_are_sequences(make_client: MakeClient) -> None:
    with make_client() as client:
        objects = client.get("enterprises", params={"per_page": 5}).objects
        assert len(objects) == 5
        assert [each.itemID for each in objects[1:3]] == [objects[1].itemID, objects[2].itemID]
        assert objects[-1] == list(objects)[4] == objects[::-1][0]
        assert objects[2] in objects and objects.index(objects[2]) == 2
        assert list(reversed(objects)) == list(objects)[::-1]
        assert len(objects[9:]) == 0
        assert objects == client.store.query("Enterprise").order_by("itemID").all()
        assert objects[1:3] == [objects[1], objects[2]] and [objects[0]] == objects[:1]
        assert objects != objects[::-1] and objects[:2] != objects[:3] and objects != "objects"
        assert hash(objects[1:3]) == hash(objects[1:][:2])


def test_changes_are_a_sequence_too(make_client: MakeClient) -> None:
    seen: queue.Queue[restway.Changes] = queue.Queue()
    with make_client() as client:
        client.observe(seen.put, "Enterprise")
        client.get("enterprises", params={"per_page": 3})
        changes = seen.get(timeout=30)
    assert len(changes) == 3 and len(changes[:2]) == 2
    with pytest.raises(IndexError, match=r"^index 3 is out of range: there are 3 changes$"):
        changes[3]


def test_objects_keep_refusing_changes(make_client: MakeClient) -> None:
    with make_client() as client:
        first: Any = client.get("enterprises/12").object
        second: Any = client.get("enterprises/12").object
        listed: Any = client.get("enterprises", params={"per_page": 2}).objects[0]
        snapshot: Any = client.draft(first).snapshot()
        for each in (first, second, listed, snapshot):
            with pytest.raises(AttributeError, match="make a draft"):
                each.name = "changed"
            with pytest.raises(AttributeError, match="make a draft"):
                del each.name
            assert each.name != "changed"
            assert type(each).__name__ == "Object" and isinstance(each, restway.Object)
