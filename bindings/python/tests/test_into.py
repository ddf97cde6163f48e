"""Objects that are read into dataclasses, Structs, models and TypedDicts."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, make_dataclass
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, NewType, Optional, TypedDict, Union
from uuid import UUID

import msgspec
import pydantic
import pytest

import restway

from .peer import Peer
from .values_model import (
    DOCUMENT,
    Either,
    Extra,
    Issue,
    IssueDict,
    IssueModel,
    IssueStruct,
    Label,
    OpenModel,
    Rest,
    State,
    StrictModel,
    User,
    UserModel,
    UserStruct,
)

FULL: dict[str, Any] = {
    "number": 7,
    "title": "Crash",
    "created": "2026-11-26T04:05:06Z",
    "due": "2026-12-24",
    "weight": 2,
    "locked": True,
    "hash": "AQI=",
    "extra": {"colour": "red", "sizes": [1, 2]},
    "state": "closed",
    "user": {"login": "octo", "age": 9, "boss": {"login": "hubot", "boss": {"login": "root"}}},
    "labels": [{"name": "bug"}, {"name": "ui"}],
}
SMALL: dict[str, Any] = {"number": 8, "title": "Slow", "created": "2026-11-26T00:00:00Z"}
OPENED = datetime(2026, 11, 26, 4, 5, 6, tzinfo=timezone.utc)


@pytest.fixture
def client(peer: Peer) -> Iterator[restway.Client]:
    with restway.Client(restway.API.from_json(DOCUMENT), base_url=peer.url) as client:
        yield client


def answer(peer: Peer, *items: dict[str, Any]) -> None:
    peer.respond(json.dumps(items).encode())


def test_objects_become_dataclasses(client: restway.Client, peer: Peer) -> None:
    answer(peer, FULL, SMALL)
    full, small = client.get("issues", into=list[Issue])
    assert full == Issue(
        number=7,
        title="Crash",
        opened=OPENED,
        user=User("octo", 9, User("hubot", None, User("root", None))),
        labels=[Label("bug"), Label("ui")],
        due=date(2026, 12, 24),
        weight=2.0,
        locked=True,
        hash=b"\1\2",
        extra=Extra("red", [1, 2]),
        state=State.CLOSED,
    )
    assert small == Issue(8, "Slow", datetime(2026, 11, 26, tzinfo=timezone.utc))


def test_a_single_class_takes_the_first_object(client: restway.Client, peer: Peer) -> None:
    answer(peer, FULL, SMALL)
    assert client.get("issues", into=Issue).number == 7
    answer(peer)
    assert client.get("issues", into=list[Issue]) == []
    with pytest.raises(restway.MappingError, match="there is no object"):
        client.get("issues", into=Issue)


def test_objects_become_structs(client: restway.Client, peer: Peer) -> None:
    answer(peer, FULL, SMALL)
    full, small = client.get("issues", into=list[IssueStruct])
    boss = UserStruct("hubot", UserStruct("root"))
    assert full == IssueStruct(
        number=7,
        title="Crash",
        opened=OPENED,
        due=date(2026, 12, 24),
        user=UserStruct("octo", boss),
        labels=[Label("bug"), Label("ui")],
        state="closed",
        weight=2.0,
        hash=b"\1\2",
        extra={"colour": "red", "sizes": [1, 2]},
    )
    assert (small.due, small.labels) == (None, [])


def test_objects_become_models(client: restway.Client, peer: Peer) -> None:
    answer(peer, FULL, SMALL)
    full, small = client.get("issues", into=list[IssueModel])
    assert (full.number, full.opened, full.due) == (7, OPENED, date(2026, 12, 24))
    assert full.user == UserModel(
        login="octo", boss=UserModel(login="hubot", boss=UserModel(login="root"))
    )
    assert (full.labels, full.state) == ([Label("bug"), Label("ui")], State.CLOSED)
    assert (small.due, small.user, small.state) == (None, None, State.OPEN)


def test_objects_become_typed_dicts(client: restway.Client, peer: Peer) -> None:
    answer(peer, FULL, SMALL)
    full, small = client.get("issues", into=list[IssueDict])
    assert full == {
        "number": 7,
        "title": "Crash",
        "user": {"login": "octo"},
        "labels": [Label("bug"), Label("ui")],
    }
    assert small == {"number": 8, "title": "Slow"}


def test_calls_of_all_kinds_read_into_classes(client: restway.Client, peer: Peer) -> None:
    answer(peer, SMALL)
    variables = {"number": 8}
    assert client.route("issue", variables=variables, into=Rest) == Rest(8)
    assert client.post("issues", json={}, into=Rest) == Rest(8)
    assert client.put("issues/8", json={}, into=Rest) == Rest(8)
    assert client.patch("issues/8", json={}, into=Rest) == Rest(8)
    assert client.scope(number=8).route("issue", into=Rest) == Rest(8)
    assert restway.RoutingClient({"issues": client}).route("issues", into=Rest) == Rest(8)
    assert client.get("issues").into(list[Rest]) == [Rest(8)]
    assert client.get("issues").objects.into(Rest) == Rest(8)
    assert client.store.query("Issue").where(number=8).all().into(list[Rest]) == [Rest(8)]


def test_awaited_calls_read_into_classes(peer: Peer) -> None:
    answer(peer, SMALL)

    async def run() -> None:
        async with restway.AsyncClient(
            restway.API.from_json(DOCUMENT), base_url=peer.url
        ) as client:
            assert await client.get("issues", into=list[Rest]) == [Rest(8)]
            assert await client.route("issue", variables={"number": 8}, into=Rest) == Rest(8)
            scope = client.scope(number=8)
            assert await scope.route("issue", into=Rest) == Rest(8)
            routing = restway.AsyncRoutingClient({}, default=client)
            assert await routing.get("issues", into=Rest) == Rest(8)
            assert (await client.get("issues")).into(Rest) == Rest(8)

    asyncio.run(run())


def test_the_depth_bounds_relationships(client: restway.Client, peer: Peer) -> None:
    answer(peer, FULL)
    response = client.get("issues")
    assert response.into(Issue, depth=0).user is None
    one = response.into(Issue, depth=1).user
    assert one is not None and (one.login, one.boss) == ("octo", None)
    two = response.into(Issue, depth=2).user
    assert two is not None and two.boss == User("hubot", None)
    with pytest.raises(ValueError, match="a depth is 0 or more, not -1"):
        response.into(Issue, depth=-1)


def test_cycles_end_at_the_depth(client: restway.Client, peer: Peer) -> None:
    answer(peer, {**SMALL, "user": {"login": "octo", "issues": [8], "boss": "octo"}})
    issue = client.get("issues", into=Issue, depth=4)
    assert issue.user is not None and issue.user.boss is not None
    assert issue.user.boss.boss is not None and issue.user.boss.boss.boss is not None
    assert issue.user.boss.boss.boss.boss is None


@dataclass
class NeedsUser:
    user: User


def test_a_relationship_that_is_too_deep_names_the_depth(
    client: restway.Client, peer: Peer
) -> None:
    answer(peer, FULL)
    response = client.get("issues")
    assert response.into(NeedsUser).user.login == "octo"
    with pytest.raises(restway.MappingError) as caught:
        response.into(NeedsUser, depth=0)
    assert str(caught.value) == (
        "user: a value is missing (relationships are read to a depth of 0)"
    )


@dataclass
class AnyUser:
    user: Any
    labels: Any


def test_a_relationship_without_a_class_has_all_attributes(
    client: restway.Client, peer: Peer
) -> None:
    answer(peer, FULL)
    found = client.get("issues", into=AnyUser)
    assert found.user == {"login": "octo", "age": 9}
    assert found.labels == [{"name": "bug"}, {"name": "ui"}]


def test_unknown_attributes_are_kept_in_a_field(client: restway.Client, peer: Peer) -> None:
    answer(peer, SMALL)
    assert client.get("issues", into=Rest) == Rest(8)
    kept = client.get("issues", into=Rest, unknown="rest")
    assert kept.rest == {
        "title": "Slow",
        "created": datetime(2026, 11, 26, tzinfo=timezone.utc),
    }
    as_dict = client.get("issues", into=IssueDict, unknown="rest")
    assert list(as_dict["rest"]) == ["created"]
    with pytest.raises(TypeError, match=r"no field 'others' in .*Rest"):
        client.get("issues", into=Rest, unknown="others")


def test_models_and_structs_decide_about_unknown_attributes(
    client: restway.Client, peer: Peer
) -> None:
    answer(peer, SMALL)
    assert client.get("issues", into=OpenModel).model_extra == {
        "title": "Slow",
        "created": datetime(2026, 11, 26, tzinfo=timezone.utc),
    }
    with pytest.raises(restway.MappingError, match="title: Extra inputs are not permitted"):
        client.get("issues", into=StrictModel)


@pytest.mark.parametrize("kind", [Issue, IssueStruct, IssueModel])
@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"title": None}, "[1].title"),
        ({"created": None}, "[1].created"),
        ({"state": "lost"}, "[1].state"),
        ({"user": {"login": None}}, "[1].user.login"),
        ({"labels": [{"name": "bug"}, {"name": None}]}, "[1].labels[1].name"),
    ],
)
def test_a_value_that_does_not_fit_is_named(
    client: restway.Client, peer: Peer, kind: Any, change: dict[str, Any], path: str
) -> None:
    answer(peer, FULL, {**FULL, "number": 9, **change})
    with pytest.raises(restway.MappingError) as caught:
        client.get("issues", into=list[kind])
    assert caught.value.field == path
    assert str(caught.value).startswith(f"{path}: ")


def test_a_missing_value_is_named(client: restway.Client, peer: Peer) -> None:
    answer(peer, {"number": 7})
    for kind, reason in (
        (Issue, "title: a value is missing"),
        (IssueStruct, "Object missing required field `title`"),
        (IssueModel, "title: Field required"),
    ):
        with pytest.raises(restway.MappingError) as caught:
            client.get("issues", into=kind)
        assert str(caught.value).startswith(reason)


def test_all_problems_of_a_model_are_details(client: restway.Client, peer: Peer) -> None:
    answer(peer, {"number": 7})
    with pytest.raises(restway.MappingError) as caught:
        client.get("issues", into=list[IssueModel])
    assert [problem.path for problem in caught.value.details] == ["[0].title", "[0].created"]
    assert type(caught.value.__cause__).__name__ == "ValidationError"


Number = NewType("Number", int)

FITTING: list[tuple[Any, Any, Any]] = [
    (Any, {"a": 1}, {"a": 1}),
    (object, 1, 1),
    (int, 3, 3),
    (Number, 3, 3),
    (float, 3, 3.0),
    (Decimal, 1.5, Decimal("1.5")),
    (UUID, "12345678123456781234567812345678", UUID(int=0x12345678123456781234567812345678)),
    (date, "2026-11-26", date(2026, 11, 26)),
    (datetime, "2026-11-26T04:05:06Z", OPENED),
    (Optional[int], None, None),
    (Union[int, str], "x", "x"),
    (Literal["a", 1], "a", "a"),
    (list, [1, "x"], [1, "x"]),
    (list[Optional[int]], [1, None], [1, None]),
    (set[str], ["a", "a"], {"a"}),
    (frozenset[int], [1], frozenset({1})),
    (tuple[int, ...], [1, 2], (1, 2)),
    (tuple[int, str], [1, "x"], (1, "x")),
    (dict, {"a": 1}, {"a": 1}),
    (dict[str, float], {"a": 1}, {"a": 1.0}),
    (Extra, {"colour": "red", "sizes": []}, Extra("red", [])),
    (Union[Extra, list[Extra]], [{"colour": "red", "sizes": []}], [Extra("red", [])]),
]


@pytest.mark.parametrize(("kind", "given", "made"), FITTING)
def test_json_takes_the_type_of_the_field(
    client: restway.Client, peer: Peer, kind: Any, given: Any, made: Any
) -> None:
    answer(peer, {"number": 1, "extra": {"it": given}})
    inner = make_dataclass("Inner", [("it", kind)])
    outer = make_dataclass("Outer", [("extra", inner)])
    built: Any = client.get("issues", into=outer)
    assert built.extra.it == made
    assert type(built.extra.it) is type(made)


MISFITS: list[tuple[Any, Any, str]] = [
    (int, True, "extra.it: expected an int, not a bool"),
    (int, 1.0, "extra.it: expected an int, not a float"),
    (bool, 1, "extra.it: expected a bool, not an int"),
    (str, ["x"], "extra.it: expected a str, not a list"),
    (float, "1", "extra.it: expected a float, not a str"),
    (date, "tomorrow", "extra.it: expected a date"),
    (datetime, 5, "extra.it: expected a datetime, not an int"),
    (Decimal, "much", "extra.it: expected a decimal number, not 'much'"),
    (UUID, "x", "extra.it: expected a UUID, not 'x'"),
    (Literal["a", 1], True, "extra.it: expected one of 'a', 1, not True"),
    (State, "lost", "extra.it: 'lost' is no State"),
    (list[int], [1, "x"], r"extra.it\[1\]: expected an int, not a str"),
    (list[int], {}, "extra.it: expected a list, not an object"),
    (tuple[int, str], [1], "extra.it: expected a list of 2, not a list"),
    (dict[str, int], {"a": None}, "extra.it.a: expected an int, not null"),
    (Extra, [], "extra.it: expected an object for Extra, not a list"),
    (Extra, {"colour": "red", "sizes": [None]}, r"extra.it.sizes\[0\]: expected an int, not null"),
    (Union[int, str], None, "extra.it: expected an int, not null"),
    (complex, 1, "extra.it: expected complex, not an int"),
]


@pytest.mark.parametrize(("kind", "given", "message"), MISFITS)
def test_json_that_does_not_fit_is_named(
    client: restway.Client, peer: Peer, kind: Any, given: Any, message: str
) -> None:
    answer(peer, {"number": 1, "extra": {"it": given}})
    inner = make_dataclass("Inner", [("it", kind)])
    outer = make_dataclass("Outer", [("extra", inner)])
    with pytest.raises(restway.MappingError, match=f"^{message}"):
        client.get("issues", into=outer)


def test_an_exception_of_the_class_names_the_object(client: restway.Client, peer: Peer) -> None:
    answer(peer, SMALL)
    with pytest.raises(restway.MappingError, match=r"^\[0\]: too big$") as caught:
        client.get("issues", into=list[Choosy])
    assert type(caught.value.__cause__) is ValueError


@dataclass
class Choosy:
    number: int

    def __post_init__(self) -> None:
        if self.number > 5:
            raise ValueError("too big")


def test_a_union_takes_the_class_that_fits(client: restway.Client, peer: Peer) -> None:
    answer(peer, {"number": 1, "extra": [{"colour": "red", "sizes": []}]})
    assert client.get("issues", into=Either) == Either(1, [Extra("red", [])])


@dataclass
class Unresolved:
    number: Nowhere  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (int, "into takes a dataclass, a Struct, a pydantic model, a TypedDict or a list"),
        (list, "into takes a dataclass"),
        (list[int], "into takes a dataclass"),
        ("Issue", "into takes a dataclass"),
        (Unresolved, "a type in Unresolved cannot be found: name 'Nowhere'"),
    ],
)
def test_a_type_that_cannot_be_read_into_is_refused_before_anything_is_sent(
    client: restway.Client, peer: Peer, wrong: Any, message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        client.get("issues", into=wrong)
    assert peer.requests == []


def test_the_keywords_of_into_need_it(client: restway.Client) -> None:
    wrong: Any = client
    with pytest.raises(TypeError, match="depth"):
        wrong.get("issues", depth=2)
    with pytest.raises(TypeError, match="into"):
        wrong.delete("issues", into=Issue)


def test_neither_msgspec_nor_pydantic_is_imported(tmp_path: Path) -> None:
    code = """
import dataclasses, sys, restway
@dataclasses.dataclass
class Thing:
    name: str
api = restway.API.from_json({
    "restway": 1, "environments": {"live": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {"Thing": {"attributes": {"name": {"type": "string"}}}}})
with restway.Client(api) as client:
    client.draft("Thing", name="x").insert()
    assert client.store.all("Thing").into(list[Thing]) == [Thing("x")]
assert not {"msgspec", "pydantic"} & set(sys.modules)
"""
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(restway.__file__).parents[1])},
    )


MAPS: dict[str, Any] = {
    "restway": 1,
    "entities": {
        "Site": {
            "attributes": {
                "id": {"type": "string"}, "price": {"type": "string"}, "hash": {"type": "bytes"},
                "made": {"type": "date"},
            },
            "relationships": {
                "contacts": {"entity": "Contact", "many": True, "map": "role"},
                "shelves": {"entity": "Shelf", "many": True, "map": "number"},
            },
        },
        "Branch": {"extends": "Site", "attributes": {"size": {"type": "int"}}},
        "Contact": {"attributes": {"role": {"type": "string"}, "name": {"type": "string"}}},
        "Shelf": {"attributes": {"number": {"type": "int"}, "name": {"type": "string"}}},
    },
    "routes": {"site": {"path": "site"}},
}
SITE = {
    "id": str(UUID(int=1)),
    "price": "1.10",
    "hash": "+/8=",
    "made": "2026-11-26T04:05:06Z",
    "contacts": {"boss": {"name": "Ann"}, "desk": {"name": "Bob"}},
    "shelves": {"7": {"name": "seven"}},
}


@dataclass
class Contact:
    name: str


@dataclass
class Site:
    contacts: dict[str, Contact]
    shelves: dict[int, Contact]


class SiteModel(pydantic.BaseModel):
    contacts: dict[str, Contact]
    shelves: dict[str, Contact]


class SiteStruct(msgspec.Struct):
    contacts: dict[str, Contact]
    shelves: dict[int, Contact]


class SiteDict(TypedDict):
    contacts: dict[str, Contact]
    shelves: dict[str, Contact]


class ListSite(pydantic.BaseModel):
    contacts: list[Contact]


@pytest.mark.parametrize("entity", ["Site", "Branch"])
def test_objects_of_a_map_are_read_by_their_keys(entity: str) -> None:
    contacts = {"boss": Contact("Ann"), "desk": Contact("Bob")}
    with restway.Client(MAPS, base_url="http://127.0.0.1:1") as client:
        for of in (Site, SiteModel, SiteStruct):
            site: Any = client.map(entity, json.dumps(SITE), into=of)
            assert site.contacts == contacts
            (key,) = site.shelves
            assert (str(key), site.shelves[key]) == ("7", Contact("seven"))
        read = client.map(entity, json.dumps(SITE), into=SiteDict)
        assert read == {"contacts": contacts, "shelves": {"7": Contact("seven")}}
        listed = client.map(entity, json.dumps(SITE), into=ListSite)
        assert listed.contacts == [Contact("Ann"), Contact("Bob")]


class Exact(pydantic.BaseModel):
    """A model that takes the text of a UUID in JSON alone."""

    model_config = pydantic.ConfigDict(strict=True, val_json_bytes="base64")

    id: UUID
    price: Decimal
    hash: bytes
    made: datetime
    contacts: dict[str, Contact]


def test_strict_models_take_what_they_take_in_json() -> None:
    with restway.Client(MAPS, base_url="http://127.0.0.1:1") as client:
        site = client.map("Site", json.dumps(SITE), into=Exact)
        assert (site.id, site.price, site.hash) == (UUID(int=1), Decimal("1.10"), b"\xfb\xff")
        assert (site.made, site.contacts["desk"]) == (OPENED, Contact("Bob"))
        with pytest.raises(restway.MappingError) as caught:
            client.map("Site", json.dumps({**SITE, "id": "x"}), into=Exact)
        assert caught.value.field == "id" and not caught.value.details
        assert "valid UUID" in str(caught.value)


@dataclass
class Branch:
    name: str
    branches: list[Branch] = field(default_factory=list)
    parent: Optional[Branch] = None  # noqa: UP045 (Python 3.9 evaluates it)


TREE: dict[str, Any] = {
    "restway": 1,
    "entities": {
        "Branch": {
            "identity": "name",
            "attributes": {"name": {"type": "string"}},
            "relationships": {
                "branches": {"entity": "Branch", "many": True},
                "parent": {"entity": "Branch"},
            },
        }
    },
}


def tree(depth: int, **others: Any) -> dict[str, Any]:
    """Returns a branch with branches to a depth, each of which names its parent."""
    if not depth:
        return {"name": "0", "branches": [], **others}
    inner = tree(depth - 1, parent=str(depth))
    return {"name": str(depth), "branches": [inner], **others}


def test_trees_are_read_to_their_end() -> None:
    with restway.Client(TREE, base_url="http://127.0.0.1:1") as client:
        branch = client.map("Branch", json.dumps(tree(20)), into=Branch)
        for depth in range(20, 0, -1):
            assert (branch.name, branch.parent) == (str(depth), None)
            (branch,) = branch.branches
        assert branch == Branch("0")
        cut = client.map("Branch", json.dumps(tree(20)), into=Branch, depth=2)
        assert cut.branches[0].branches[0].branches == []


def test_what_has_no_end_is_an_error() -> None:
    with restway.Client(TREE, base_url="http://127.0.0.1:1") as client:
        with pytest.raises(restway.MappingError, match=r"^branches\.branches.*deeper than 64"):
            client.map("Branch", json.dumps(tree(70)), into=Branch)
        circle = {"name": "a", "branches": [{"name": "b", "branches": ["a", "c"]}]}
        with pytest.raises(restway.MappingError, match="the list has an object") as it:
            client.map("Branch", json.dumps([circle]), into=list[Branch])
        assert it.value.field == "[0].branches.branches"
        assert len(client.map("Branch", json.dumps(circle), into=Branch, depth=5).branches) == 1
