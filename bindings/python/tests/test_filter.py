"""Queries with conditions that are written as text, their length, parts and counts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import restway

from .graph import STORES, make_client, receive
from .peer import Peer

TEAMS = [
    {"id": 1, "name": "Zebra", "founded": "2001-02-03"},
    {"id": 2, "name": "Alpha", "founded": "1999-12-31", "members": [7, 8], "chief": 8},
    {"id": 3, "name": "Alpha 100%", "founded": None},
    {"id": 4},
]
MEMBERS = [{"id": 7, "name": "Ada", "score": 1.5}, {"id": 8, "name": "Bob", "team": 2}]


@pytest.fixture(params=STORES)
def client(
    peer: Peer, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[restway.Client]:
    options = {"store_path": tmp_path / "objects.db"} if request.param == "sqlite" else {}
    with make_client(peer, **options) as client:
        receive(client, peer, "teams", *TEAMS)
        receive(client, peer, "members", *MEMBERS)
        yield client


@pytest.fixture
def store(client: restway.Client) -> restway.Store:
    return client.store


def ids(found: restway.Query | restway.Objects) -> list[object]:
    return [one.identity for one in found]


@pytest.mark.parametrize(
    ("condition", "values", "wanted"),
    [
        ("id in ?", ([1, 3, 99],), [1, 3]),
        ("id in ?", ((2,),), [2]),
        ("name not in ?", (["Zebra"],), [2, 3, 4]),
        ("name in ?", ([None, "Zebra"],), [1, 4]),
        ("name like ?", ("alpha%",), [2, 3]),
        ("name like ? and not name like ?", ("ALPHA%", "%0_"), [2]),
        ("name like ? escape ?", ("%\\%", "\\"), [3]),
        ("name not like ? escape ?", ("%0!%%", "!"), [1, 2, 4]),
        ("match ?", ("ALPHA",), [2, 3]),
        ("match ? and not match ?", ("al*", '"alpha 100"'), [2]),
        ("match ?", ("",), []),
        ("chief.team.match ?", ("alpha",), [2]),
        ("founded is null", (), [3, 4]),
        ("founded is not null and founded < ?", (date(2000, 1, 1),), [2]),
        ("not (id < ? or name = ?)", (2, "Alpha"), [3, 4]),
        ("chief.name = ?", ("Bob",), [2]),
        ("members.name = ?", ("Ada",), [2]),
        ("not members.name = ?", ("Ada",), [1, 3, 4]),
        ("members.score is null", (), [2]),
        ("chief.team.name = ?", ("Alpha",), [2]),
        ("chief is null", (), [1, 3, 4]),
    ],
)
def test_a_condition_is_written_as_text(
    store: restway.Store, condition: str, values: tuple[Any, ...], wanted: list[int]
) -> None:
    found = store.query("Team").filter(condition, *values)
    assert ids(found) == wanted
    assert found.count() == len(found) == len(wanted)


def test_conditions_join_comparisons(store: restway.Store) -> None:
    teams = store.query("Team").filter("name like ?", "A%").where(id=3)
    assert ids(teams.filter("id > ?", 1)) == [3]
    assert ids(teams) == [3]  # a step does not change the query


def test_what_a_user_types_is_a_value(store: restway.Store) -> None:
    typed = "x' or id is not null or name = '"
    assert ids(store.query("Team").filter("name = ?", typed)) == []


def test_mistakes_name_what_and_where(store: restway.Store) -> None:
    teams = store.query("Team")
    with pytest.raises(restway.UsageError, match="column 6: values do not stand in the text"):
        teams.filter("id = 5")
    with pytest.raises(restway.UnknownAttributeError, match=r'column 1: .* did you mean "name"'):
        teams.filter("nam = ?", "Alpha")
    with pytest.raises(restway.UsageError, match=r"column 6: Team\.id is of type int"):
        teams.filter("id = ?", "1")
    with pytest.raises(restway.UsageError, match="2 values are passed for 1"):
        teams.filter("id = ?", 1, 2)
    with pytest.raises(restway.UsageError, match=r"column 20: .* a text of one character"):
        teams.filter("name like ? escape ?", "%", "")
    with pytest.raises(restway.UsageError, match='Member has no "fullText" in the API document'):
        store.query("Member").filter("match ?", "Ada")
    with pytest.raises(TypeError):
        teams.filter("id = ?", object())


def test_a_search_finds_the_texts_of_now(client: restway.Client) -> None:
    store = client.store
    zebras, alphas = (store.query("Team").filter("match ?", text) for text in ("zebra", "alpha"))
    assert ids(zebras) == [1]
    draft = client.draft(zebras[0])
    draft.name = "Yak Alpha"
    draft.insert()
    assert ids(zebras) == [] and ids(alphas) == [1, 2, 3]
    store.delete(alphas[0])
    assert ids(alphas) == [2, 3]


def test_a_query_has_a_length_and_parts(store: restway.Store) -> None:
    teams = store.query("Team").order_by("-id")
    assert len(teams) == 4 and len(teams.limit(2)) == 2 and len(teams.limit(9, 3)) == 1
    assert len(teams.limit(None, 9)) == 0 and not teams.limit(0) and teams
    assert ids(teams[1:3]) == [3, 2] and ids(teams[:2][1:9]) == [3] and ids(teams[2:]) == [2, 1]
    assert ids(teams[3:1]) == [] and teams[1:].count() == 4 and len(teams[1:]) == 3
    assert teams[0].identity == 4 and teams[-1].identity == 1 and teams[1:][0].identity == 3
    assert teams[0] in teams and next(reversed(teams.all())).identity == 1
    for wrong in (4, -5, 2**63):
        with pytest.raises(IndexError, match="in a result of 4 objects"):
            teams[wrong]
    with pytest.raises(ValueError, match="use all"):
        teams[::2]
    with pytest.raises(ValueError, match="use all"):
        teams[-2:]


def test_objects_are_counted_by_a_value(store: restway.Store) -> None:
    teams = store.query("Team")
    assert list(teams.counts(by="name").items()) == [
        (None, 1), ("Alpha", 1), ("Alpha 100%", 1), ("Zebra", 1),
    ]
    assert list(teams.filter("id > ?", 2).limit(1).counts("founded").values()) == [2]
    assert teams.where(id=99).counts("name") == {}
    assert store.query("Member").counts("score") == {None: 1, 1.5: 1}
    with pytest.raises(restway.UnknownAttributeError):
        teams.counts("nobody")
