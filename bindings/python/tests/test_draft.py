"""Drafts: their values, how they are sent, and how answers change them."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import pytest

import restway

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"demo": {"baseURL": "http://127.0.0.1:1/v2"}},
    "entities": {
        "Enterprise": {
            "identity": "id",
            "attributes": {
                "id": {"type": "int"},
                "name": {"type": "string"},
                "city": {"source": "address.city", "type": "string"},
                "rating": {"type": "double"},
                "creationDate": {
                    "source": "creation_date",
                    "type": "date",
                    "format": "yyyy-MM-dd",
                },
                "tags": {"type": "json"},
                "changed": {"source": "website", "type": "string"},
            },
            "relationships": {
                "owner": {"source": "owner_id", "entity": "Person", "byIdentity": True},
                "staff": {"entity": "Employee", "many": True},
            },
        },
        "Person": {"identity": "id", "attributes": {"id": {"type": "int"}, "first_name": {}}},
        "Employee": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}, "first_name": {}, "last_name": {}, "email": {}},
            "relationships": {
                "enterprise": {
                    "source": "enterprise_id",
                    "entity": "Enterprise",
                    "byIdentity": True,
                }
            },
        },
    },
    "routes": {
        "add": {
            "method": "POST",
            "path": "enterprises",
            "entity": "Enterprise",
            "response": {"entity": "Enterprise"},
            "request": {"keyPath": "enterprise", "exclude": ["staff"]},
        },
        "enterprise": {
            "method": ["GET", "PUT", "PATCH", "DELETE"],
            "path": "enterprises/:id",
            "entity": "Enterprise",
            "response": {"entity": "Enterprise"},
            "request": {"method": "PATCH", "changedOnly": True},
        },
        "hire": {
            "method": "POST",
            "path": "employees",
            "entity": "Employee",
            "response": {"entity": "Employee"},
        },
        "person": {"path": "people/:id", "response": {"entity": "Person"}},
    },
}


@pytest.fixture
def api() -> restway.API:
    return restway.API.from_json(DOCUMENT)


@pytest.fixture
def client(api: restway.API, demo_url: str) -> Iterator[restway.Client]:
    with restway.Client(api, base_url=demo_url, timeout=30.0) as client:
        yield client


def echoed(client: restway.Client, draft: restway.Draft, **keywords: Any) -> Any:
    request = restway.Request.path("POST", "echo", **keywords).about(draft)
    return json.loads(client.perform(request).json()["body"])


def test_a_draft_is_read_set_and_taken_back(client: restway.Client) -> None:
    enterprise = client.get("enterprises/3").objects[0]
    draft = client.draft(enterprise)
    assert draft.entity == "Enterprise"
    assert draft.store_key == enterprise.store_key
    assert draft.name == enterprise.name
    assert draft.changed == []
    draft.name = "Drafted"
    draft["rating"] = 4
    draft["changed"] = "http://w"  # its name is also the name of a member
    assert draft.changed == ["name", "rating", "changed"]
    assert (draft.name, draft["rating"], draft["changed"]) == ("Drafted", 4.0, "http://w")
    assert enterprise.name != "Drafted"
    del draft.city
    assert "city" not in draft
    draft.revert("name", "city")
    assert (draft.name, draft.city) == (enterprise.name, enterprise.city)
    draft.revert()
    assert draft.changed == []
    assert draft.snapshot() == enterprise and draft.snapshot().same_as(enterprise)
    assert "name" in dir(draft)
    assert repr(draft).startswith("<Draft of Enterprise 3")


def test_a_draft_refuses_what_does_not_fit(client: restway.Client) -> None:
    draft = client.draft("Enterprise")
    with pytest.raises(restway.UsageError, match="takes a string, not an integer"):
        draft.name = 1
    with pytest.raises(AttributeError, match="Enterprise has no attribute 'nam'"):
        draft.nam = "x"
    with pytest.raises(AttributeError):
        _ = draft.nam
    with pytest.raises(KeyError):
        draft["nam"] = "x"
    with pytest.raises(restway.UsageError, match="Employee"):
        draft.add("staff", client.draft("Person"))
    with pytest.raises(TypeError):
        draft.add("staff", "Ann")
    with pytest.raises(restway.UnknownEntityError):
        client.draft("Enterprize")
    with pytest.raises(KeyError):
        client.draft("Enterprise", nam="x")
    assert draft.changed == []


def test_an_attribute_of_any_type_takes_dates_and_bytes(client: restway.Client) -> None:
    person = client.draft("Person")
    for value in (datetime(2024, 5, 6, tzinfo=timezone.utc), b"\xfb\xff", [1, {"a": None}]):
        person.first_name = value
        assert person.first_name == value


def test_a_post_makes_one_object_that_keeps_its_key(client: restway.Client) -> None:
    owner = client.get("people/2").objects[0]
    founded = datetime(2001, 5, 17, tzinfo=timezone.utc)
    draft = client.draft(
        "Enterprise", name="Posted", city="Lyon", creationDate=founded, owner=owner, tags=["a", "b"]
    )
    employee = client.draft("Employee", first_name="Ann", last_name="Lee", email="a@example.com")
    employee.enterprise = draft
    draft.staff = [employee]
    unsent = employee.insert()
    assert client.store.is_unsent(unsent)
    key = draft.store_key
    assert key > 0
    before = unsent.enterprise
    assert isinstance(before, restway.Object) and before.identity is None
    number = hash(before)

    posted = client.post(draft).objects[0]
    assert posted.identity is not None and posted.same_as(before)
    assert posted != before and hash(before) == number
    assert (posted.store_key, posted.name, posted.city) == (key, "Posted", "Lyon")
    assert (posted.creationDate, posted.owner, posted.tags) == (founded, owner, ["a", "b"])
    assert client.store.count("Enterprise") == 1
    newest = client.store.newest(unsent)
    assert newest is not None and newest.enterprise == posted
    assert draft.changed == ["staff"]  # the document excludes it: it is never sent

    hired = client.post(employee).objects[0]
    assert hired.enterprise == posted
    draft.name = "Patched"
    draft.revert("staff")
    assert draft.changed == ["name"]
    assert client.patch(draft).objects[0].name == "Patched"
    client.delete(draft)
    assert client.store.count("Enterprise") == 0


def test_the_callers_parameters_lie_over_the_draft(client: restway.Client) -> None:
    draft = client.draft("Enterprise", name="x", city="Rome")
    body = echoed(client, draft, params={"name": None, "address.zip": 5, "more": {"a": 1}})
    assert body == {"name": None, "address": {"city": "Rome", "zip": 5}, "more": {"a": 1}}


def test_functions_say_what_the_document_says(api: restway.API, demo_url: str) -> None:
    api.add_request({"path": "echo", "entity": "Enterprise", "keyPath": "a.b", "nulls": "omit"})
    with pytest.raises(restway.ConfigError):
        api.add_request({"path": "echo", "keyPath": "a"})
    with restway.Client(api, base_url=demo_url) as client:
        draft = client.draft("Enterprise", name="x", city=None)
        assert echoed(client, draft) == {"a": {"b": {"name": "x"}}}


def test_an_exclusion_is_told_the_real_entity(client: restway.Client) -> None:
    asked = []

    def exclusion(method: str, path: str | None, entity: str, relationship: str) -> bool:
        asked.append((method, path, entity, relationship))
        return relationship == "enterprise"

    draft = client.draft("Enterprise", name="x")
    draft.add("staff", client.draft("Employee", first_name="Ann"))
    client.set_exclusion(exclusion)
    assert echoed(client, draft) == {"name": "x", "staff": [{"first_name": "Ann"}]}
    assert ("POST", "echo", "Employee", "enterprise") in asked
    assert ("POST", "echo", "Enterprise", "staff") in asked
    client.set_exclusion(None)
    with pytest.raises(TypeError):
        client.set_exclusion(1)  # type: ignore[arg-type]


def test_a_relationship_is_set_in_one_step(client: restway.Client) -> None:
    draft = client.draft("Enterprise")
    ann, bob, cat = (client.draft("Employee", first_name=name) for name in ("A", "B", "C"))
    bob_object = bob.insert()
    draft.staff = [cat.insert(), bob]
    both = [cat.store_key, bob.store_key]
    assert draft.snapshot().related_keys("staff") == both
    for wrong in ([ann, client.draft("Person")], [ann, 5], [ann, None]):
        with pytest.raises((restway.UsageError, TypeError)):
            draft.staff = wrong
    assert draft.snapshot().related_keys("staff") == both
    seen: set[Any] = set()
    is_over = threading.Event()

    def read() -> None:
        while not is_over.is_set():
            seen.add(tuple(draft.snapshot().related_keys("staff") or ()))

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(2_000):
        draft.staff = [bob]
        draft.staff = [cat, bob_object]
    is_over.set()
    reader.join()
    assert seen <= {tuple(both), (bob.store_key,)}
    draft.staff = []
    assert draft.snapshot().related_keys("staff") == []


def test_missing_is_deleted_when_the_client_says_so(api: restway.API, demo_url: str) -> None:
    for gone in (False, True):
        with restway.Client(api, base_url=demo_url, gone_is_deleted=gone) as client:
            lost = client.draft("Enterprise", id=987_654).insert()
            if gone:
                assert client.delete(lost).status == 404
            else:
                with pytest.raises(restway.HTTPStatusError):
                    client.delete(lost)
            assert client.store.count("Enterprise") == (0 if gone else 1)


def test_drafts_are_sent_by_asyncio_too(api: restway.API, demo_url: str) -> None:
    async def main() -> tuple[str, list[str]]:
        async with restway.AsyncClient(api, base_url=demo_url) as client:
            draft = client.draft("Enterprise", name="Awaited")
            response = await client.post(draft)
            await client.delete(draft)
            return response.objects[0].name, draft.changed

    assert asyncio.run(main()) == ("Awaited", [])
