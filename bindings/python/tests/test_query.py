"""Queries on the store, deletions from it, and its statistics."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from datetime import date, datetime, timezone

import pytest

import restway

from .graph import make_client, receive
from .peer import Peer

TEAMS = [
    {"id": 1, "name": "Zebra", "founded": "2001-02-03"},
    {"id": 2, "name": "Alpha", "founded": "1999-12-31", "members": [7, 8], "chief": 8},
    {"id": 3, "name": "Alpha", "founded": None},
    {"id": 4},
]


@pytest.fixture
def store(peer: Peer) -> Iterator[restway.Store]:
    with make_client(peer) as client:
        receive(client, peer, "teams", *TEAMS)
        yield client.store


def ids(found: restway.Query | restway.Objects) -> list[object]:
    return [one.identity for one in found]


def test_a_query_finds_what_is_asked_for(store: restway.Store) -> None:
    teams = store.query("Team")
    assert ids(teams) == ids(teams.all()) == ids(store.all("Team")) == [1, 2, 3, 4]
    assert ids(teams.where("id", ">", 1).where("id", "<=", 3)) == [2, 3]
    assert ids(teams.where(name="Alpha")) == [2, 3]
    assert ids(teams.where("id", "!=", 3, name="Alpha")) == [2]
    assert ids(teams.where("name", "==", None)) == [4]
    assert ids(teams.where(founded=None)) == [3, 4]
    assert ids(teams) == [1, 2, 3, 4]  # a step does not change the query


def test_objects_that_only_links_name_are_left_out_and_shown_on_demand(
    store: restway.Store,
) -> None:
    members = store.query("Member")
    assert len(store.all("Member")) == store.count("Member") == members.count() == 0
    assert members.counts(by="id") == {}
    assert ids(members.unloaded()) == [7, 8] and members.unloaded().count() == 2
    assert ids(members.unloaded(None).where("id", ">", 7)) == [8]
    assert members.unloaded().unloaded(False).first() is None
    team = store.find("Team", 2)
    assert team is not None and team.is_loaded and not team.chief.is_loaded
    assert [member.is_loaded for member in team.members] == [False, False]
    named = store.find("Member", 7)
    assert named is not None and not named.is_loaded
    assert repr(members.unloaded()) == "<Query Member, unloaded>"
    assert repr(members.rejected(False).unloaded(None)) == (
        "<Query Member, not rejected, also unloaded>"
    )


def test_an_observed_query_gets_objects_when_they_are_loaded(peer: Peer) -> None:
    with make_client(peer) as client:
        told: queue.SimpleQueue[restway.QueryChanges] = queue.SimpleQueue()
        observer = client.observe_query(told.put, client.store.query("Member"))
        receive(client, peer, "teams", *TEAMS)
        assert list(observer.objects) == []
        receive(client, peer, "members", {"id": 8})
        changes = told.get(timeout=30)
        assert [member.identity for member in changes.objects] == [8]
        assert changes.insertions == (0,)


def test_dates_are_compared_as_points_in_time(store: restway.Store) -> None:
    teams = store.query("Team")
    assert ids(teams.where("founded", ">=", date(2000, 1, 1))) == [1]
    assert ids(teams.where(founded=datetime(1999, 12, 31, tzinfo=timezone.utc))) == [2]


def test_a_query_sorts_limits_and_counts(store: restway.Store) -> None:
    teams = store.query("Team").order_by("name", "-id")
    assert ids(teams) == [4, 3, 2, 1]
    assert ids(teams.limit(2)) == [4, 3] and ids(teams.limit(2, 1)) == [3, 2]
    assert ids(teams.limit(None, 3)) == [1]
    assert teams.limit(2, 1).count() == 4
    first = teams.first()
    assert first is not None and first.identity == 4
    assert teams.where(id=99).first() is None
    assert teams.limit(0).first() is None
    with pytest.raises(ValueError, match="out of range"):
        teams.limit(-1)


def test_a_query_is_asked_anew(store: restway.Store) -> None:
    query = store.query("Team").where("id", ">", 2)
    assert query.count() == 2
    assert store.delete_identity("Team", 4)
    assert query.count() == 1 and ids(query) == [3]


def test_what_can_never_be_found_is_refused(store: restway.Store) -> None:
    with pytest.raises(restway.UnknownEntityError, match='did you mean "Team"'):
        store.query("Tea")
    teams = store.query("Team")
    with pytest.raises(restway.UnknownAttributeError, match='did you mean "name"'):
        teams.where("nam", "==", 1)
    with pytest.raises(restway.UnknownAttributeError, match='"chief": that is a relationship'):
        teams.order_by("-chief")
    with pytest.raises(restway.UsageError, match="is of type int"):
        teams.where(id="1")
    with pytest.raises(ValueError, match="no operator"):
        teams.where("id", "=", 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        teams.where(id=object())


def test_objects_are_deleted(store: restway.Store) -> None:
    team = store.find("Team", 2)
    assert team is not None and len(team.members) == 2
    member = team.members[0]
    assert store.delete(member) and not store.delete(member)
    assert ids(team.members) == [8]
    assert store.delete_identity("Member", 8) and not store.delete_identity("Member", 8)
    assert team.chief is None and "chief" in team
    assert store.delete_all("Team") == 4 and store.count() == 0
    assert team.name == "Alpha"
    with pytest.raises(restway.UnknownEntityError):
        store.delete_identity("Nobody", 1)
    with pytest.raises(restway.UnknownEntityError):
        store.delete_all("Nobody")
    with pytest.raises(TypeError):
        store.delete_identity("Team", None)  # type: ignore[arg-type]


def test_a_store_is_cleared_and_measured(store: restway.Store) -> None:
    statistics = store.statistics()
    assert statistics.objects == statistics.cached_objects == 6
    assert statistics.cached_bytes > 6 * 16 and statistics.file_bytes == 0
    assert store.clear() == 6
    assert store.statistics() == restway.Statistics(0, 0, 0, 0)


def test_what_the_server_gave_is_not_unsent(store: restway.Store) -> None:
    team = store.find("Team", 1)
    assert team is not None and not store.is_unsent(team)
