"""Identities of several parts: issues of two repositories that have the same numbers."""

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

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Repository": {
            "identity": ["owner", "name"],
            "attributes": {"owner": {"type": "string"}, "name": {"type": "string"}},
        },
        "Issue": {
            "identity": ["owner", "repo", "number"],
            "attributes": {
                "owner": {"type": "string"},
                "repo": {"type": "string"},
                "number": {"type": "int"},
                "title": {"type": "string"},
            },
            "relationships": {
                "repository": {
                    "entity": "Repository",
                    "identity": {"owner": "owner", "name": "repo"},
                },
                "parent": {
                    "entity": "Issue",
                    "source": "parent_number",
                    "identity": {"owner": "owner", "repo": "repo"},
                },
            },
        },
    },
}
ISSUES = [
    {"owner": "octocat", "repo": "hello", "number": 7, "title": "a", "parent_number": 3},
    {"owner": "octocat", "repo": "world", "number": 7, "title": "b", "parent_number": 3},
]


@pytest.fixture(params=["memory", "file"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[restway.Client]:
    document = dict(DOCUMENT)
    if request.param == "file":
        document["store"] = {"kind": "sqlite", "path": str(tmp_path / "objects.db")}
    with restway.Client(restway.API.from_json(document)) as made:
        yield made


@pytest.fixture
def issues(client: restway.Client) -> restway.Objects:
    return client.map("Issue", json.dumps(ISSUES).encode()).objects


def find(client: restway.Client, repo: str) -> restway.Object:
    """Returns issue 7 of a repository."""
    found = client.store.find("Issue", ("octocat", repo, 7))
    assert found is not None
    return found


def test_find_takes_a_tuple_or_a_list(client: restway.Client, issues: restway.Objects) -> None:
    store = client.store
    assert [issue.identity for issue in issues] == [
        ("octocat", "hello", 7),
        ("octocat", "world", 7),
    ]
    assert issues[0] != issues[1] and not issues[0].same_as(issues[1])
    found = find(client, "world")
    assert found.title == "b" and store.find("Issue", ["octocat", "world", 7]) == found
    assert store.find("Issue", ("octocat", "world", 8)) is None
    assert repr(found).startswith("<Issue ('octocat', 'world', 7) ")
    assert "_identity" not in found
    assert list(found.attributes()) == ["owner", "repo", "number", "title"]


@pytest.mark.parametrize(
    "identity", [7, "octocat", ("octocat", 7), ("octocat", "hello", "7"), (), ("a", "b", 1, 2)]
)
def test_other_parts_are_refused(client: restway.Client, identity: Any) -> None:
    for function in (client.store.find, client.store.delete_identity):
        with pytest.raises(restway.UsageError) as refused:
            function("Issue", identity)
        assert "owner (string), repo (string), number (int)" in str(refused.value)
        assert refused.value.field == "identity"


def test_what_is_no_identity_is_a_type_error(client: restway.Client) -> None:
    with pytest.raises(TypeError, match="or a tuple of these, not float"):
        client.store.find("Issue", ("octocat", "hello", 7.0))  # type: ignore[arg-type]


def test_delete_identity(client: restway.Client, issues: restway.Objects) -> None:
    assert client.store.delete_identity("Issue", ("octocat", "hello", 7))
    assert client.store.find("Issue", ("octocat", "hello", 7)) is None
    assert client.store.find("Issue", ("octocat", "world", 7)) is not None


def test_relationships(issues: restway.Objects) -> None:
    hello, world = issues
    assert hello.parent.identity == ("octocat", "hello", 3)
    assert world.parent.identity == ("octocat", "world", 3)
    assert world.repository.identity == ("octocat", "world")


def test_queries_use_the_parts(client: restway.Client, issues: restway.Objects) -> None:
    query = client.store.query("Issue").filter("repo = ? and number = ?", "world", 7)
    assert [issue.title for issue in query] == ["b"]
    query = client.store.query("Issue").filter("parent.repo = ?", "hello")
    assert [issue.title for issue in query] == ["a"]
    with pytest.raises(restway.UnknownAttributeError):
        client.store.query("Issue").filter("_identity = ?", "x")


def test_drafts(client: restway.Client, issues: restway.Objects) -> None:
    new = client.draft("Issue", owner="octocat", repo="world", number=8, title="new").insert()
    assert new.identity == ("octocat", "world", 8)
    draft = client.draft(issues[0], title="c")
    assert draft.insert().same_as(issues[0])
    with pytest.raises(restway.UsageError, match="a part of the identity"):
        draft.number = 9
    assert client.draft("Issue", owner="octocat").insert().identity is None


def test_observers_tell_objects_apart(client: restway.Client, issues: restway.Objects) -> None:
    with restway.Client(client.api, delivery="process") as other:
        seen: list[object] = []
        other.observe(
            lambda changes: seen.extend(one.object.identity for one in changes), "Issue"
        )
        other.map("Issue", json.dumps({**ISSUES[1], "parent_number": None}).encode())
        other.map("Issue", json.dumps({**ISSUES[0], "parent_number": None}).encode())
        other.process()
        assert seen == [("octocat", "world", 7), ("octocat", "hello", 7)]


def test_values_keep_the_identity(issues: restway.Objects) -> None:
    value = issues[0].to_value()
    assert value.identity == ("octocat", "hello", 7)
    assert pickle.loads(pickle.dumps(value)) == value
    assert issues[0].to_dict(depth=0) == {
        "owner": "octocat",
        "repo": "hello",
        "number": 7,
        "title": "a",
    }


@dataclass
class Issue:
    owner: str
    repo: str
    number: int
    title: Optional[str] = None


def test_objects_become_values_of_a_class(client: restway.Client, issues: restway.Objects) -> None:
    found = client.store.query("Issue").filter("title is not null").order_by("repo").all()
    assert found.into(list[Issue]) == [
        Issue("octocat", "hello", 7, "a"),
        Issue("octocat", "world", 7, "b"),
    ]


def test_a_file_is_read_by_two_clients(tmp_path: Path) -> None:
    document = {**DOCUMENT, "store": {"kind": "sqlite", "path": str(tmp_path / "objects.db")}}
    with restway.Client(restway.API.from_json(document)) as first:
        first.map("Issue", json.dumps(ISSUES).encode())
        with restway.Client(restway.API.from_json(document)) as second:
            assert find(second, "world").title == "b"
            second.map("Issue", json.dumps({**ISSUES[1], "title": "c"}).encode())
        assert find(first, "world").title == "c" and find(first, "hello").title == "a"
    with restway.Client(restway.API.from_json(document)) as again:
        assert find(again, "world").title == "c"


def test_a_function_sets_the_parts() -> None:
    api = restway.API.empty()
    api.add_entity("Line", {"attributes": {"order": {"type": "int"}, "number": {"type": "int"}}})
    api.set_identity("Line", ("order", "number"))
    with restway.Client(api, base_url="http://127.0.0.1:1") as client:
        body = json.dumps([{"order": 1, "number": 1}, {"order": 2, "number": 1}]).encode()
        client.map("Line", body)
        assert client.store.count("Line") == 2
        assert client.store.find("Line", (2, 1)) is not None


def test_tables_have_the_parts_alone(client: restway.Client, issues: restway.Objects) -> None:
    pytest.importorskip("pyarrow")
    table = client.store.query("Issue").filter("title is not null").order_by("repo").to_arrow()
    assert table.column("repo").to_pylist() == ["hello", "world"]
    assert table.column("number").to_pylist() == [7, 7]
    assert not [name for name in table.column_names if "identity" in name]
