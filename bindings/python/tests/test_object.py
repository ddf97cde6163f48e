"""Objects and the store, over the demo API."""

from __future__ import annotations

import copy
import gc
import pickle
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

import restway

from .conftest import MakeClient
from .peer import Peer

THINGS: dict[str, Any] = {
    "restway": 1,
    "environment": "local",
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Thing": {
            "identity": "id",
            "attributes": {
                "id": {"source": "id", "type": "int"},
                "get": "get",
                "text": {"source": "text", "type": "string"},
                "any": "any",
                "at": {"source": "at", "type": "date"},
                "real": {"source": "real", "type": "double"},
                "on": {"source": "on", "type": "bool"},
                "tree": {"source": "tree", "type": "json"},
            },
        },
        "Loose": {"attributes": {"name": "name"}},
    },
    "routes": {
        "things": {"method": "GET", "path": "things", "response": {"entity": "Thing"}},
        "loose": {"method": "GET", "path": "loose", "response": {"entity": "Loose"}},
    },
}


def fetch(peer: Peer, body: bytes, path: str = "things") -> restway.Response:
    peer.respond(body)
    with restway.Client(restway.API.from_json(THINGS), base_url=peer.url, timeout=30) as client:
        return client.get(path)


def only(peer: Peer, body: bytes, path: str = "things") -> restway.Object:
    found = fetch(peer, body, path).object
    assert found is not None
    return found


def test_attributes_are_read_by_name_and_by_key(client: restway.Client) -> None:
    response = client.get("enterprises/12")
    enterprise, body = response.object, response.json()
    assert enterprise is not None
    assert enterprise.entity == "Enterprise"
    assert enterprise.identity == 12
    assert enterprise.store_key > 0
    assert enterprise.name == enterprise["name"] == body["name"]
    assert enterprise.city == body["address"]["city"]
    assert enterprise.latitude == body["address"]["location"]["lat"]
    assert enterprise.active is body["active"]
    assert enterprise.tags == body["tags"]
    assert enterprise.website is None and "website" in enterprise
    day = datetime.strptime(body["creation_date"], "%Y-%m-%d").replace(tzinfo=timezone.utc)
    assert enterprise.creationDate == day
    assert enterprise["updatedAt"].utcoffset() == timedelta(0)
    assert set(enterprise.attributes()) == set(enterprise.keys()) == set(enterprise)
    assert dict(enterprise) == enterprise.attributes()


def test_values_come_as_what_python_calls_them(peer: Peer) -> None:
    thing = only(
        peer,
        '{"id": 9007199254740993, "text": "città\\u0000🙂", "any": {"a": [1]}, "real": 3,'
        ' "at": "2026-11-21T10:00:00.25+02:00", "on": false, "tree": [1, {"b": null}]}'.encode(),
    )
    assert thing.attributes() == {
        "id": 9007199254740993,
        "text": "città\0🙂",
        "any": {"a": [1]},
        "at": datetime(2026, 11, 21, 8, 0, 0, 250_000, tzinfo=timezone.utc),
        "real": 3.0,
        "on": False,
        "tree": [1, {"b": None}],
    }
    assert type(thing.real) is float
    assert thing.tree is not thing.tree


def test_an_absent_attribute_is_none_and_not_in_the_object(peer: Peer) -> None:
    thing = only(peer, b'{"id": 1, "text": null}')
    assert thing.text is None and "text" in thing
    assert thing.real is None and thing["real"] is None and "real" not in thing
    assert thing.keys() == ["id", "text"]
    assert thing.get("text", "x") is None
    assert restway.Object.get(thing, "real", "x") == "x"


def test_an_unknown_attribute_names_the_entity(peer: Peer) -> None:
    thing = only(peer, b'{"id": 1}')
    with pytest.raises(AttributeError, match="Thing has no attribute 'nope'"):
        _ = thing.nope
    with pytest.raises(KeyError, match="Thing has no attribute 'nope'"):
        _ = thing["nope"]
    assert not hasattr(thing, "nope")
    assert thing.get("nope", 5) == 5
    assert "nope" not in thing
    assert "text" in dir(thing)


def test_a_key_reaches_what_a_member_hides(peer: Peer) -> None:
    thing = only(peer, b'{"id": 1, "get": "hidden"}')
    assert callable(thing.get)
    assert thing["get"] == "hidden"


def test_later_objects_of_an_entity_are_read_like_the_first(peer: Peer) -> None:
    response = fetch(peer, b'{"id": 1, "get": "hidden", "text": "a\\u0000b", "real": 2.5}')
    first = response.object
    assert first is not None and first.text == "a\0b"
    later = response.object  # its class now has the attributes
    assert later is not None and isinstance(later, restway.Object) and later == first
    assert later.attributes() == first.attributes() and dir(later) == dir(first)
    assert later.text == "a\0b" and later.real == 2.5 and later.on is None
    assert callable(later.get) and later["get"] == "hidden"
    assert repr(later) == repr(first) and not hasattr(later, "nope")
    with pytest.raises(AttributeError):
        later.text = "b"  # type: ignore[attr-defined]


def test_snapshots_that_say_the_same_are_equal_and_share_their_hash(
    client: restway.Client, make_client: MakeClient
) -> None:
    first, second = client.get("enterprises/12").object, client.get("enterprises/12").object
    other = client.get("enterprises/13").object
    assert first is not None and second is not None and other is not None
    assert first == second and hash(first) == hash(second)
    assert first.same_as(second) and not first.same_as(other)
    assert first != other and first != 12
    assert len({first, second, other}) == 2
    with make_client() as elsewhere:  # an object of another api is never the same
        stranger = elsewhere.get("enterprises/12").object
        assert stranger is not None
        assert first != stranger and not first.same_as(stranger)
    with pytest.raises(TypeError):
        first.same_as(12)  # type: ignore[arg-type]


def test_a_newer_snapshot_is_the_same_instance_but_not_equal(peer: Peer) -> None:
    with restway.Client(restway.API.from_json(THINGS), base_url=peer.url, timeout=30) as client:
        peer.respond(b'{"id": 1, "text": "a"}')
        before = client.get("things").object
        assert before is not None
        number = hash(before)
        peer.respond(b'{"id": 1, "text": "b"}')
        after = client.get("things").object
        assert after is not None
        assert after != before and after.same_as(before) and before.same_as(after)
        assert hash(before) == number != hash(after)
        peer.respond(b'{"id": 1, "text": "a"}')
        again = client.get("things").object
        assert again == before and hash(again) == number
        with restway.Client(client.api, base_url=peer.url, timeout=30) as other:
            peer.respond(b'{"id": 1, "text": "a"}')
            twin = other.get("things").object
            assert twin is not None
            assert twin == before and hash(twin) == number
            assert not twin.same_as(before), "each store has instances of its own"


def test_objects_without_identity_are_two_instances_that_may_be_equal(peer: Peer) -> None:
    first, second, third = fetch(
        peer, b'[{"name": "x"}, {"name": "x"}, {"name": "y"}]', "loose"
    ).objects
    assert first.identity is None
    assert first == second and not first.same_as(second)
    assert first != third and first == copy.copy(first)
    assert first.store_key != second.store_key
    assert repr(first).startswith("<Loose #")


def test_repr_is_readable_and_bounded(peer: Peer) -> None:
    assert repr(only(peer, b'{"id": 12, "text": "Rossi", "real": null}')) == (
        "<Thing 12 text='Rossi' real=None>"
    )
    long = repr(only(peer, b'{"id": 1, "text": "%s", "any": "%s"}' % (b"x" * 10**5, b"y" * 10**5)))
    assert long.startswith(("<Thing 1 any='yyy", "<Thing 1 text='xxx"))
    assert len(long) <= 202


def test_objects_are_immutable_values(peer: Peer) -> None:
    thing = only(peer, b'{"id": 1, "text": "a"}')
    with pytest.raises(AttributeError):
        thing.text = "b"  # type: ignore[attr-defined]
    assert copy.copy(thing) is thing and copy.deepcopy([thing])[0] is thing
    assert isinstance(pickle.loads(pickle.dumps(thing)), restway.ObjectValue)


def test_an_object_outlives_its_response_and_its_client(peer: Peer) -> None:
    thing = only(peer, b'{"id": 1, "text": "still here"}')
    gc.collect()
    assert thing.text == "still here"
    # the object, the store in which its relationships are resolved, and the API, which says which
    # values are secret
    assert restway.debug_live_handles() == 3


def test_entities_of_one_name_in_two_apis_keep_their_own_attributes(peer: Peer) -> None:
    def api(attribute: str) -> restway.API:
        api = restway.API.empty()
        api.add_entity("Thing", {"attributes": {attribute: attribute}})
        api.add_response({"method": "GET", "path": "x", "entity": "Thing"})
        return api

    peer.respond(b'{"a": 1, "b": 2}')
    keys = []
    for attribute in ("a", "b"):
        with restway.Client(api(attribute), base_url=peer.url) as client:
            found = client.get("x").object
            assert found is not None
            keys.append(found.keys())
    assert keys == [["a"], ["b"]]


def test_the_store_finds_counts_and_knows_the_newest(client: restway.Client) -> None:
    store = client.store
    assert store.count() == 0 and store.find("Enterprise", 12) is None
    before = client.get("enterprises/12").object
    assert before is not None
    client.patch("enterprises/12", params={"name": "Renamed"})
    client.get(before)
    newest = store.newest(before)
    assert newest is not None and newest.name == "Renamed" and newest.same_as(before)
    assert before.name != "Renamed"
    assert store.find("Enterprise", 12) == newest != before
    with pytest.raises(restway.UsageError, match='is an integer, and "12" is a string'):
        store.find("Enterprise", "12")
    assert store.count("Enterprise") == 1
    with pytest.raises(restway.UnknownEntityError):
        store.count("Nobody")
    with pytest.raises(restway.UnknownEntityError):
        store.find("Nobody", 1)
    with pytest.raises(TypeError):
        store.find("Enterprise", 1.5)  # type: ignore[arg-type]


def test_the_store_outlives_its_client(peer: Peer) -> None:
    peer.respond(b'[{"id": 1}, {"id": 2}]')
    with restway.Client(restway.API.from_json(THINGS), base_url=peer.url) as client:
        store = client.store
        client.get("things")
    del client
    gc.collect()
    assert store.count("Thing") == 2
