"""Entities that extend others: one object, whichever shapes bring it."""

from __future__ import annotations

# Python 3.9 does not evaluate `X | None` when the types of a class are read.
# ruff: noqa: UP045
import json
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

import pytest

import restway

from .peer import Peer
from .test_outbox import Server, flush

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Admin": {"extends": "Member", "attributes": {"rights": {"type": ["string"]}}},
        "User": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}, "login": {"type": "string"}},
            "relationships": {"friends": {"entity": "User", "many": True}},
        },
        "Member": {"extends": "User", "attributes": {"plan": {"type": "string"}}},
        "Bot": {
            "extends": "User",
            "attributes": {"token": {"type": "string"}},
            "relationships": {"boss": {"entity": "Member"}},
        },
    },
    "routes": {
        "users": {"path": "users", "method": ["GET", "POST"], "entity": "User",
                  "response": {"entity": "User"}},
        "user": {"path": "users/:id", "method": ["GET", "PATCH", "DELETE"], "entity": "User",
                 "response": {"entity": "User"}, "request": {"changedOnly": True}},
        "member": {"path": "members/:id", "entity": "Member", "response": {"entity": "Member"}},
    },
}
ADA = {"id": 1, "login": "ada"}


@pytest.fixture(params=["memory", "file"])
def document(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    made = dict(DOCUMENT)
    if request.param == "file":
        made["store"] = {"kind": "sqlite", "path": str(tmp_path / "objects.db")}
    return made


@pytest.fixture
def client(document: dict[str, Any], peer: Peer) -> Iterator[restway.Client]:
    document["environments"] = {"local": {"baseURL": peer.url}}
    with restway.Client(restway.API.from_json(document)) as made:
        yield made


def receive(client: restway.Client, entity: str, *items: object) -> restway.Objects:
    return client.map(entity, json.dumps(list(items)).encode()).objects


def identities(objects: restway.Objects | restway.Query) -> list[object]:
    return [item.identity for item in objects]


def test_either_order_gives_one_object(client: restway.Client) -> None:
    for entities in [("User", "Member"), ("Member", "User")]:
        client.store.delete_all("User")
        answers = {"User": ADA, "Member": {"id": 1, "plan": "pro"}}
        first, second = (receive(client, name, answers[name])[0] for name in entities)
        assert first.same_as(second)
        assert second.entity == "Member"
        assert dict(second.attributes()) == {"id": 1, "login": "ada", "plan": "pro"}
        assert second.is_a("User") and second.is_a("Member")
        assert not second.is_a("Admin") and not second.is_a("Bot") and not second.is_a("Nothing")
        assert len(client.store.all("User")) == 1


def test_every_shape_can_be_asked_for_all_attributes(client: restway.Client) -> None:
    (user,) = receive(client, "User", ADA)
    assert user.plan is None and user["token"] is None and "plan" not in user
    assert user.to_dict() == ADA


def test_a_null_of_one_shape_is_told(client: restway.Client) -> None:
    receive(client, "Member", {"id": 1, "login": "ada", "plan": None})
    (user,) = receive(client, "User", {"id": 1, "login": "lovelace"})
    assert user.to_dict() == {"id": 1, "login": "lovelace", "plan": None}


def test_siblings(client: restway.Client) -> None:
    receive(client, "Bot", {"id": 1, "token": "t"})
    (member,) = receive(client, "Member", {"id": 1, "plan": "pro"})
    assert member.entity == "Member" and member.is_a("Bot")
    assert member.token == "t" and member.plan == "pro"
    (admin,) = receive(client, "Admin", {"id": 1, "rights": ["all"]})
    assert admin.entity == "Admin" and admin.is_a("Bot") and admin.rights == ["all"]


def test_queries_find_the_objects_of_a_shape(client: restway.Client) -> None:
    receive(client, "User", ADA)
    receive(client, "Member", {"id": 2, "login": "bob", "plan": "pro"})
    receive(client, "Admin", {"id": 3, "login": "eve", "rights": ["a", "b"]})
    store = client.store
    assert identities(store.query("User").order_by("id")) == [1, 2, 3]
    assert identities(store.query("Member").order_by("id")) == [2, 3]
    assert identities(store.query("Admin")) == [3]
    assert store.query("Bot").count() == 0 and len(store.all("Member")) == 2
    assert identities(store.query("User").filter("plan = ?", "pro")) == [2]
    assert identities(store.query("Member").filter("login like ?", "%b%")) == [2]
    assert store.query("Member").counts(by="login") == {"bob": 1, "eve": 1}
    assert store.find("User", 3) is not None and store.find("Bot", 3) is None
    assert store.delete_all("Member") == 2
    assert identities(store.query("User")) == [1]


def test_observers_of_the_base_learn_of_each_shape(client: restway.Client) -> None:
    with restway.Client(client.api, delivery="process") as other:
        seen: list[list[object]] = []
        other.observe(
            lambda changes: seen.append([one.object.identity for one in changes]), "User"
        )
        members: list[list[object]] = []
        other.observe(
            lambda changes: members.append([one.object.identity for one in changes]), "Member"
        )
        found: list[list[object]] = []
        watch = other.observe_query(
            lambda changes: found.append(identities(changes.objects)), other.store.query("Member")
        )
        first = identities(watch.objects)
        receive(other, "Admin", {"id": 21})
        receive(other, "User", {"id": 22})
        receive(other, "Member", {"id": 22})
        while other.process(0):
            pass
        assert seen == [[21], [22], [22]]
        assert members == [[21], [22]]
        assert found and found[-1] == [*first, 21, 22]


def test_links_lead_to_objects_of_shapes(client: restway.Client) -> None:
    receive(client, "Admin", {"id": 2})
    (user,) = receive(client, "User", {"id": 1, "friends": [2, {"id": 3}]})
    assert [friend.entity for friend in user.friends] == ["Admin", "User"]
    draft = client.draft("Bot", id=9)
    with pytest.raises(restway.RestwayError, match=r"Bot\.boss leads to Member, not to User"):
        draft.boss = user
    draft.boss = user.friends[0]


def test_a_draft_of_a_shape_takes_the_route_of_its_base(
    client: restway.Client, peer: Peer
) -> None:
    receive(client, "Admin", {"id": 1, "login": "ada", "plan": "free", "rights": ["a"]})
    peer.respond(b'{"id": 1, "login": "ada"}')
    (found,) = client.store.all("User")
    draft = client.draft(found)
    assert draft.entity == "Admin"
    draft.plan = "pro"
    (answer,) = client.patch(draft).objects
    assert b"PATCH /users/1 " in peer.requests[0] and b'{"plan":"pro"}' in peer.requests[0]
    assert answer.entity == "Admin" and answer.plan == "pro" and answer.rights == ["a"]
    with pytest.raises(restway.RestwayError, match='User has no attribute "plan"'):
        client.draft("User", plan="pro")


def test_a_new_draft_gets_its_identity_from_an_answer_of_the_base(
    client: restway.Client, peer: Peer
) -> None:
    peer.respond(b'{"id": 7, "login": "bob"}')
    draft = client.draft("Member", login="bob", plan="pro")
    unsent = draft.insert()
    (made,) = client.post(draft).objects
    assert b"POST /users " in peer.requests[0] and b'"plan":"pro"' in peer.requests[0]
    assert made.same_as(unsent) and made.identity == 7
    assert made.entity == "Member" and made.plan == "pro"
    assert len(client.store.all("User")) == 1
    peer.respond(b"", status=204)
    client.delete("users/7")
    assert len(client.store.all("Member")) == 0


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_the_outbox_has_one_lane_for_all_shapes(tmp_path: Path, kind: str) -> None:
    document = json.loads(json.dumps(DOCUMENT))
    document["outbox"] = {"path": str(tmp_path / "outbox.db")}
    if kind == "sqlite":
        document["store"] = {"kind": "sqlite", "path": str(tmp_path / "objects.db")}
    for name in ("users", "user"):
        document["routes"][name]["offline"] = True
    server = Server()
    try:
        api = restway.API.from_json(document)
        with restway.Client(api, base_url=server.url) as client:
            client.set_reachability(restway.Reachability.UNREACHABLE)
            draft = client.draft("Member", login="bob", plan="pro")
            with pytest.raises(restway.QueuedError):
                client.post(draft)
            draft.plan = "free"
            with pytest.raises(restway.QueuedError):
                client.patch(draft)
            (unsent,) = client.store.all("User")
            assert unsent.entity == "Member" and client.outbox.has_pending(unsent)
            server.body = {"id": 7, "login": "bob"}
            assert [item.state for item in flush(client)] == [restway.OutboxState.DELIVERED] * 2
            assert [one[:3] for one in server.requests] == [
                ("POST", "/users", '{"login":"bob","plan":"pro"}'),
                ("PATCH", "/users/7", '{"login":"bob","plan":"free"}'),
            ]
            (named,) = client.store.all("Member")
            assert named.to_dict() == {"id": 7, "login": "bob", "plan": "free"}
            assert draft.id == 7 and not client.outbox.has_pending(named)
            client.set_reachability(restway.Reachability.UNREACHABLE)
            again = client.draft(named, plan="pro")
            with pytest.raises(restway.QueuedError):
                client.patch(again)
            (user,) = client.map("User", b'{"id": 7}').objects
            assert client.outbox.has_pending(user)
            (item,) = client.outbox.items()
            assert item.lane == "object:User:#7"
    finally:
        server.close()


def test_a_table_has_the_columns_of_its_entity(client: restway.Client) -> None:
    arrow = pytest.importorskip("pyarrow")
    receive(client, "Member", {"id": 1, "login": "ada", "plan": "pro"})
    receive(client, "Bot", {"id": 2, "token": "t"})
    table = arrow.table(client.store.query("User").order_by("id"))
    assert table.column_names == ["id", "login"]
    assert table.column("id").to_pylist() == [1, 2]
    assert arrow.table(client.store.query("Member")).column_names == ["id", "login", "plan"]
    mixed = client.store.query("User").order_by("id").all()
    assert arrow.table(mixed).column_names == ["id", "login"]


def test_a_table_of_a_list_has_the_columns_of_a_shape_that_all_objects_have(
    client: restway.Client,
) -> None:
    """The entity of the first object is Member, although it is a bot like the other one."""
    arrow = pytest.importorskip("pyarrow")
    receive(client, "Member", {"id": 1, "plan": "pro"})
    receive(client, "Bot", {"id": 1, "token": "a"}, {"id": 2, "token": "b"})
    bots = client.store.query("Bot").order_by("id").all()
    assert [each.entity for each in bots] == ["Member", "Bot"]
    table = arrow.table(bots)
    assert table.column_names == ["id", "login", "token"]
    assert table.column("token").to_pylist() == ["a", "b"]


@dataclass
class Login:
    id: int
    login: str
    plan: Optional[str] = "none"


@dataclass
class Token:
    id: int
    token: Optional[str]


def test_a_list_of_shapes_is_read_into_classes(client: restway.Client) -> None:
    """Attributes of two shapes may have the same place in their entities."""
    receive(client, "Member", {**ADA, "plan": "pro"})
    receive(client, "Bot", {"id": 2, "login": "bot", "token": "t"})
    receive(client, "User", {"id": 3, "login": "eve"})
    users = client.store.all("User")
    assert [user.entity for user in users] == ["Member", "Bot", "User"]
    assert users.into(list[Login]) == [
        Login(1, "ada", "pro"), Login(2, "bot", "none"), Login(3, "eve", "none")
    ]
    assert users.into(list[Token]) == [Token(1, None), Token(2, "t"), Token(3, None)]
    assert users[1:2].into(list[Token]) == [Token(2, "t")]


def test_pickles_keep_the_entity_of_each_shape(client: restway.Client) -> None:
    receive(client, "Member", {**ADA, "plan": "pro"})
    receive(client, "User", {"id": 3, "login": "eve"})
    kept = pickle.loads(pickle.dumps(client.store.all("User")))
    assert [(each.entity, dict(each)) for each in kept] == [
        ("Member", {"id": 1, "login": "ada", "plan": "pro"}),
        ("User", {"id": 3, "login": "eve"}),
    ]


def test_a_file_keeps_the_shapes(tmp_path: Path) -> None:
    without = json.loads(json.dumps(DOCUMENT))
    without["store"] = {"kind": "sqlite", "path": str(tmp_path / "objects.db")}
    entities = without["entities"]
    apart = {"User": entities["User"], "Member": {
        "identity": "id", "attributes": {**entities["User"]["attributes"], "plan": "plan"}}}
    without["entities"], without["routes"] = apart, {}
    with restway.Client(restway.API.from_json(without)) as client:
        receive(client, "User", ADA, {"id": 2, "login": "bob"})
        receive(client, "Member", {"id": 1, "plan": "pro"}, {"id": 3, "login": "eve"})
    without["entities"] = entities
    with restway.Client(restway.API.from_json(without)) as client:
        assert identities(client.store.query("User").order_by("id")) == [1, 2, 3]
        ada = client.store.find("Member", 1)
        assert ada is not None and ada.to_dict() == {**ADA, "plan": "pro"}
        receive(client, "Bot", {"id": 1, "token": "t"})
    with restway.Client(restway.API.from_json(without)) as client:
        ada = client.store.find("Bot", 1)
        assert ada is not None and ada.entity == "Member" and ada.token == "t"


def test_functions_extend() -> None:
    api = restway.API.from_json({"restway": 1})
    api.add_entity("User", {"identity": "id", "attributes": {"id": "id"}})
    api.add_entity("Bot", {"extends": "User", "attributes": {"token": "token"}})
    assert api.names("entities") == ["User", "Bot"]
    assert api.json("/entities/Bot/extends") == "User"
    with pytest.raises(restway.RestwayError, match='unknown entity "Usr"; did you mean "User"'):
        api.add_entity("Cat", {"extends": "Usr"})
