"""Whole objects and lists: dictionaries, JSON, values, pickling, and the number of calls."""

from __future__ import annotations

import concurrent.futures
import json
import multiprocessing
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import make_dataclass
from datetime import datetime, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import restway
from restway import _ffi as native

from .graph import make_client, receive
from .peer import Peer

ADA, BOB = {"id": 1, "name": "Ada", "score": 2.5}, {"id": 2, "name": "Bob", "score": None}
TEAM = {"id": 9, "name": 'A "B"\n\0é', "founded": "2020-02-29", "chief": ADA, "members": [ADA, BOB]}

VALUES: dict[str, Any] = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Thing": {
            "attributes": {
                "text": {"type": "string"},
                "whole": {"type": "int"},
                "real": {"type": "double"},
                "at": {"type": "date"},
                "bytes": {"type": "bytes"},
                "json": {"type": "json"},
                "$date": {},
                "$entity": {},
            }
        }
    },
}


def test_a_dict_has_the_types_that_attributes_have(peer: Peer) -> None:
    with make_client(peer) as client:
        (team,) = receive(client, peer, "teams", TEAM)
        founded = datetime(2020, 2, 29, tzinfo=timezone.utc)
        plain = {"id": 9, "name": 'A "B"\n\0é', "founded": founded}
        assert team.to_dict(0) == plain == dict(team) == team.attributes()
        assert team.to_dict() == {**plain, "chief": ADA, "members": [ADA, BOB]}
        assert list(team.to_dict()) == ["id", "name", "founded", "chief", "members"]
        assert restway.Response.to_dicts.__doc__


def test_json_is_the_same_with_dates_as_text(peer: Peer) -> None:
    with make_client(peer) as client:
        (team,) = receive(client, peer, "teams", TEAM)
        read = json.loads(team.to_json())
        assert read == {**team.to_dict(), "founded": "2020-02-29T00:00:00Z"}
        assert list(json.loads(team.to_json(depth=0))) == ["id", "name", "founded"]


def test_an_object_inside_itself_has_its_identity_alone(peer: Peer) -> None:
    with make_client(peer) as client:
        (team,) = receive(client, peer, "teams", {"id": 9, "chief": {**ADA, "team": 9}})
        assert team.to_dict(1)["chief"] == ADA
        assert team.to_dict(16)["chief"] == {**ADA, "team": {"id": 9}}
        for depth in (-1, 17):
            with pytest.raises(ValueError, match="0 to 16"):
                team.to_dict(depth)


def test_lists_are_read_whole(peer: Peer) -> None:
    with make_client(peer) as client:
        peer.respond(json.dumps([{"id": at, "name": str(at)} for at in range(1, 8)]).encode())
        response = client.get("members")
        objects = response.objects
        every = [{"id": at, "name": str(at)} for at in range(1, 8)]
        assert response.to_dicts() == objects.to_dicts() == every
        assert client.store.query("Member").to_dicts(0) == every
        parts = [(2, 5, 1), (None, None, -1), (6, 0, -2), (3, 3, 1), (0, 7, 3)]
        for part in (slice(*part) for part in parts):
            assert objects[part].to_dicts() == every[part]
            assert json.loads(objects[part].to_json()) == every[part]
            assert [each.id for each in objects[part]] == [each["id"] for each in every[part]]


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 200, 3000])
def test_an_iteration_gives_every_object_once(peer: Peer, count: int) -> None:
    with make_client(peer) as client:
        rows = [{"id": at, "name": f"name {at}", "score": at / 2} for at in range(1, count + 1)]
        objects = receive(client, peer, "members", *rows)
        assert [(each.id, each.name, each.score) for each in objects] == [
            (row["id"], row["name"], row["score"]) for row in rows
        ]
        assert [each.id for each in objects[::-1]] == [row["id"] for row in rows][::-1]
        for each in objects:
            assert each == objects[0] and each.identity == 1
            break


def test_a_list_of_two_entities_is_iterated(peer: Peer) -> None:
    document = {
        "restway": 1,
        "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
        "entities": {
            "Small": {"identity": "id", "attributes": {"id": {"type": "int"}}},
            "Large": {
                "identity": "id",
                "attributes": {"id": {"type": "int"}, **{f"a{at}": {} for at in range(80)}},
            },
        },
        "routes": {
            "both": {
                "path": "both",
                "response": [
                    {"entity": "Small", "keyPath": "small"},
                    {"entity": "Large", "keyPath": "large"},
                ],
            }
        },
    }
    with restway.Client(restway.API.from_json(document), base_url=peer.url) as client:
        large = {"id": 3, **{f"a{at}": at for at in range(80)}}
        peer.respond(json.dumps({"small": [{"id": 1}, {"id": 2}], "large": [large]}).encode())
        objects = client.get("both").objects
        for _ in range(2):
            assert [(each.entity, each.id) for each in objects] == [
                ("Small", 1), ("Small", 2), ("Large", 3),
            ]
            assert [each.id for each in objects[::-1]] == [3, 2, 1]
        assert list(objects)[2].a79 == 79
        assert objects.to_dicts() == [{"id": 1}, {"id": 2}, large]


@contextmanager
def counted_calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Lists the functions of the library that are called."""
    called: list[str] = []

    def counting(library: Any, name: str) -> Callable[..., Any]:
        function = getattr(library, name)

        def call(*arguments: Any) -> Any:
            called.append(name)
            return function(*arguments)

        return call

    class Counting:
        def __init__(self, library: Any) -> None:
            self._library = library

        def __getattr__(self, name: str) -> Any:
            return counting(self._library, name)

    with monkeypatch.context() as patch:
        patch.setattr(native, "lib", Counting(native.lib))
        patch.setattr(native, "bare", Counting(native.bare))
        patch.setattr(native, "addresses", Counting(native.addresses))
        yield called


def test_reading_attributes_costs_no_call_once_the_object_is_there(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make_client(peer) as client:
        rows = [{"id": at, "name": str(at), "team": {"id": 9, "name": "x"}} for at in range(90)]
        objects = receive(client, peer, "members", *rows)
        assert objects[0].team.name == "x"  # the layouts are known from here on
        with counted_calls(monkeypatch) as called:
            members = list(objects)
        assert called.count("restway_list_take") == 2 and len(called) < 10
        with counted_calls(monkeypatch) as called:
            assert [(each.id, each.name) for each in members][89] == (89, "89")
        assert called == []
        with counted_calls(monkeypatch) as called:
            assert {each.team.name for each in members} == {"x"}
        assert called == ["restway_store_take_related"] * 90
        with counted_calls(monkeypatch) as called:
            objects.to_dicts()
        assert called == ["restway_list_json", "restway_text_content"]
        made: Any = make_dataclass("Made", [("id", int), ("name", str)])
        with counted_calls(monkeypatch) as called:
            assert objects.into(list[made])[89] == made(89, "89")
        assert called.count("restway_list_read") == called.count("restway_list_texts") == 1
        assert len(called) < 10


def test_a_value_is_like_its_object(peer: Peer) -> None:
    with make_client(peer) as client:
        (team,) = receive(client, peer, "teams", {**TEAM, "name": None})
        value = team.to_value()
    assert isinstance(value, restway.ObjectValue) and not isinstance(value, restway.Object)
    assert (value.entity, value.identity, value.id, value["id"]) == ("Team", 9, 9, 9)
    assert value.name is None and "name" in value
    assert value.chief.name == "Ada" and [each.id for each in value.members] == [1, 2]
    assert value.chief.entity == "Member" and value.get("chief") is value.chief
    assert value.keys() == ["id", "name", "founded", "chief", "members"] == list(value)
    assert {"id", "chief"} <= set(dir(value)) and value.get("values", 5) == 5
    with pytest.raises(AttributeError, match="this value of Team has no 'nam'; it holds id, name"):
        value.nam  # noqa: B018
    with pytest.raises(KeyError):
        value["values"]
    with pytest.raises(TypeError):
        hash(value)
    assert repr(value).startswith("ObjectValue(Team: id=9, name=None, founded=datetime")


def test_what_was_never_received_is_none_in_a_value(peer: Peer) -> None:
    with make_client(peer) as client:
        (ada,) = receive(client, peer, "members", {"id": 1})
        value = ada.to_value()
        assert value.name is ada.name is None and "name" not in value and "name" not in ada


def test_pickling_gives_a_value(peer: Peer) -> None:
    with make_client(peer) as client:
        objects = receive(client, peer, "teams", TEAM, {"id": 10})
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            copy = pickle.loads(pickle.dumps(objects[0], protocol))
            assert isinstance(copy, restway.ObjectValue) and copy == objects[0].to_value()
            assert pickle.loads(pickle.dumps(copy, protocol)) == copy
        assert pickle.loads(pickle.dumps(objects)) == objects.to_values()
        assert objects[0].to_value() != objects[1].to_value()
        assert objects[0].to_value() != objects[0]


def describe(value: Any) -> tuple[str, str, str]:
    return type(value).__name__, value.name, value.team.name


def test_objects_go_to_the_processes_of_a_pool(peer: Peer) -> None:
    with make_client(peer) as client:
        rows = [{"id": at, "name": str(at), "team": {"id": 9, "name": "x"}} for at in range(5)]
        objects = receive(client, peer, "members", *rows)
        with concurrent.futures.ProcessPoolExecutor(
            2, mp_context=multiprocessing.get_context("spawn")
        ) as pool:
            told = list(pool.map(describe, objects))
    assert told == [("ObjectValue", str(at), "x") for at in range(5)]


#: The library refuses NULs in the keys of JSON.
_keys = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=3),
    max_leaves=6,
)
_values = {
    "text": st.text(),
    "whole": st.integers(-(2**63), 2**63 - 1),
    "real": st.floats(allow_nan=False),
    "at": st.datetimes(timezones=st.just(timezone.utc)),
    "bytes": st.binary(),
    "json": _json,
    "$date": st.text() | st.booleans() | st.integers(-(2**63), 2**63 - 1),
    "$entity": st.text() | st.datetimes(timezones=st.just(timezone.utc)),
}


@settings(deadline=None)
@given(st.fixed_dictionaries({}, optional={key: st.none() | each for key, each in _values.items()}))
def test_dicts_are_exact(values: dict[str, Any]) -> None:
    client = restway.Client(restway.API.from_json(VALUES))
    draft = client.draft("Thing")
    for name, value in values.items():
        draft[name] = value
    thing = draft.insert()
    expected = {name: thing[name] for name in thing}
    assert expected == values
    assert thing.to_dict() == expected
    assert list(map(type, thing.to_dict().values())) == list(map(type, expected.values()))
    assert pickle.loads(pickle.dumps(thing)).keys() == list(expected)
    assert isinstance(json.loads(thing.to_json()), dict)


def test_numbers_that_json_does_not_have(peer: Peer) -> None:
    with restway.Client(restway.API.from_json(VALUES)) as client:
        thing = client.draft("Thing", real=float("inf")).insert()
        assert thing.to_dict() == {"real": float("inf")}
        assert thing.to_json() == '{"real":null}'
        thing = client.draft("Thing", real=float("nan")).insert()
        assert thing.to_dict()["real"] != thing.to_dict()["real"]
        thing = client.draft("Thing", bytes=b"\0\xff").insert()
        assert thing.to_json() == '{"bytes":"AP8="}'
