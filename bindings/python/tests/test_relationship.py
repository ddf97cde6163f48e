"""Relationships of objects, and sequences of objects."""

from __future__ import annotations

import gc

import pytest

import restway

from .graph import make_client, receive
from .peer import Peer

ADA, BOB = {"id": 1, "name": "Ada", "score": 2.5}, {"id": 2, "name": "Bob"}


def test_relationships_are_read_by_name_and_by_key(peer: Peer) -> None:
    with make_client(peer) as client:
        (team,) = receive(client, peer, "teams", {"id": 9, "chief": ADA, "members": [ADA, BOB, 3]})
        assert team.chief.name == team["chief"].name == "Ada"
        assert isinstance(team.members, restway.Objects)
        assert [member.identity for member in team.members] == [1, 2, 3]
        assert [member.name for member in team["members"]] == ["Ada", "Bob", None]
        assert team.relationships() == ["chief", "members", "values"]
        assert team.keys() == ["id"] and set(team.attributes()) == {"id"}
        assert {"chief", "members"} <= set(dir(team))


def test_relationships_lead_to_the_newest_snapshots(peer: Peer) -> None:
    with make_client(peer) as client:
        (team,) = receive(client, peer, "teams", {"id": 9, "chief": 1})
        assert team.chief.name is None
        receive(client, peer, "members", ADA)
        assert team.chief.name == "Ada"


def test_cycles_have_no_end_and_no_start(peer: Peer) -> None:
    with make_client(peer) as client:
        (team,) = receive(client, peer, "teams", {"id": 9, "chief": {**ADA, "team": 9}})
        assert team.chief.team.chief.team == team


def test_absent_null_and_empty_differ(peer: Peer) -> None:
    with make_client(peer) as client:
        (team,) = receive(client, peer, "teams", {"id": 9, "chief": None, "members": []})
        assert team.chief is None and "chief" in team and team.related_keys("chief") == []
        assert list(team.members) == [] and "members" in team
        assert team.related_keys("members") == []
        assert "values" not in team and team.related_keys("values") is None
        assert team.get("values", 5) == 5
        assert list(team["values"]) == []


def test_related_reaches_what_a_member_hides(peer: Peer) -> None:
    with make_client(peer) as client:
        (team,) = receive(client, peer, "teams", {"id": 9, "values": [1], "chief": 2})
        assert [member.identity for member in team.related("values")] == [1]
        assert [member.identity for member in team.related("chief")] == [2]
        assert [m.store_key for m in team.related("values")] == team.related_keys("values")


def test_an_unknown_relationship_names_what_may_have_been_meant(peer: Peer) -> None:
    with make_client(peer) as client:
        (team,) = receive(client, peer, "teams", {"id": 9})
        with pytest.raises(restway.UnknownAttributeError, match='did you mean "members"'):
            team.related("member")
        with pytest.raises(restway.UnknownAttributeError, match="Team has no relationship"):
            team.related_keys("name")
        with pytest.raises(AttributeError, match="Team has no attribute 'nope'"):
            _ = team.nope
        with pytest.raises(KeyError):
            _ = team["nope"]


def test_an_object_reaches_its_store_without_its_client(peer: Peer) -> None:
    with make_client(peer) as client:
        (team,) = receive(client, peer, "teams", {"id": 9, "members": [ADA]})
    del client
    gc.collect()
    assert team.members[0].name == "Ada"


def test_objects_are_a_sequence(peer: Peer) -> None:
    with make_client(peer) as client:
        found = receive(client, peer, "members", *({"id": n} for n in range(10)))
        assert len(found) == 10 and found[-1].identity == 9
        assert [member.identity for member in found[2:5]] == [2, 3, 4]
        assert [member.identity for member in found[::-3]] == [9, 6, 3, 0]
        assert [member.identity for member in found[2:8][1:3]] == [3, 4]
        with pytest.raises(IndexError):
            _ = found[10]


def test_values_are_read_for_many_objects_at_once(peer: Peer) -> None:
    with make_client(peer) as client:
        rows = ({"id": n, "name": f"n{n}", "score": n / 2} for n in range(3000))
        found = receive(client, peer, "members", *rows)
        assert list(found.values("name", "id"))[1500] == ("n1500", 1500)
        assert list(found[::-1].values("id")) == [(n,) for n in reversed(range(3000))]
        assert list(found[5:2000:700].values("id")) == [(5,), (705,), (1405,)]
        assert next(found[7:].values()) == (7, "n7", 3.5)
        assert list(found[:0].values("nothing")) == []
        with pytest.raises(restway.UnknownAttributeError, match="Member has no attribute 'nope'"):
            found.values("nope")


def test_values_that_are_absent_are_none(peer: Peer) -> None:
    with make_client(peer) as client:
        found = receive(client, peer, "members", ADA, BOB)
        assert list(found.values("score", "name")) == [(2.5, "Ada"), (None, "Bob")]
