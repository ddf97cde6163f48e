"""Lists and maps of values: reading, changing, finding, sending and exporting them."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

import restway
from restway._reading.shapes import converter_of

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Thing": {
            "identity": "id",
            "attributes": {
                "id": {"type": "int"},
                "tags": {"type": ["string"]},
                "days": {"type": ["date"], "format": "dd/MM/yyyy"},
                "grid": {"type": [["double"]]},
                "files": {"type": {"*": "bytes"}},
                "counts": {"type": {"*": "int"}},
            },
        }
    },
    "routes": {
        "count": {"path": "count", "response": {"type": "int", "keyPath": "n"}},
        "labels": {"path": "labels", "response": {"type": ["string"]}},
        "days": {"path": "days", "response": {"type": {"*": ["date"]}, "format": "dd/MM/yyyy"}},
        "free": {"path": "free", "response": {"type": "json"}},
        "things": {"path": "things", "response": {"entity": "Thing"}},
    },
}
THING: dict[str, Any] = {
    "id": 1, "tags": ["a", None, "b"], "days": ["01/02/2024", None], "grid": [[1, 2.5], []],
    "files": {"b": "Qg==", "a": "QQ=="}, "counts": {"z": 1, "a": None},
}
DAY = datetime(2024, 2, 1, tzinfo=timezone.utc)
READ: dict[str, Any] = {
    "id": 1, "tags": ["a", None, "b"], "days": [DAY, None], "grid": [[1.0, 2.5], []],
    "files": {"a": b"A", "b": b"B"}, "counts": {"a": None, "z": 1},
}


@pytest.fixture(params=["memory", "file"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[restway.Client]:
    document = dict(DOCUMENT)
    if request.param == "file":
        document["store"] = {"kind": "sqlite", "path": str(tmp_path / "objects.db")}
    with restway.Client(restway.API.from_json(document)) as made:
        yield made


def receive(client: restway.Client, *things: dict[str, Any]) -> restway.Objects:
    return client.map("Thing", json.dumps(list(things)).encode()).objects


def test_values_have_the_types_of_the_document(client: restway.Client) -> None:
    (thing,) = receive(client, THING)
    assert {name: thing[name] for name in thing} == READ == dict(thing.attributes())
    assert thing.days == [DAY, None] and thing.files["a"] == b"A"
    assert thing.to_dict() == READ
    assert list(receive(client, THING).values("id", "days")) == [(1, [DAY, None])]
    assert json.loads(thing.to_json())["days"] == ["2024-02-01T00:00:00Z", None]


def test_a_pickle_keeps_the_types(client: restway.Client) -> None:
    (thing,) = receive(client, THING)
    value = pickle.loads(pickle.dumps(thing))
    assert value.days == [DAY, None] and value.files == {"a": b"A", "b": b"B"}


@dataclass
class Thing:
    id: int
    tags: list[str | None]
    days: list[datetime | None]
    files: dict[str, bytes]


def test_values_are_read_into_classes(client: restway.Client) -> None:
    (thing,) = receive(client, THING).into(list[Thing])
    assert thing == Thing(1, READ["tags"], READ["days"], READ["files"])


def test_elements_that_do_not_fit_are_issues(client: restway.Client) -> None:
    body = json.dumps({"id": 1, "tags": ["a", 1], "counts": []}).encode()
    response = client.map("Thing", body)
    assert response.objects[0].tags == ["a"]
    assert response.objects[0].counts is None
    assert [issue.key_path for issue in response.issues] == ["tags[1]", "counts"]


def test_drafts_change_lists(client: restway.Client) -> None:
    (thing,) = receive(client, THING)
    draft = client.draft(thing)
    draft.add("tags", "c", "a")
    draft.remove("tags", None, "b")
    draft.add("days", datetime(2024, 3, 1, tzinfo=timezone.utc))
    draft.files = {"k": b"new"}
    draft.grid = [[1], [2, 3]]
    stored = draft.insert()
    assert draft.changed == ["tags", "days", "grid", "files"]
    assert stored.tags == ["a", "c", "a"] and stored.files == {"k": b"new"}
    assert stored.days[2].month == 3 and stored.grid == [[1.0], [2.0, 3.0]]
    with pytest.raises(restway.UsageError, match="expected a string, found an integer"):
        draft.add("tags", 1)
    with pytest.raises(restway.UsageError, match=r"Thing.tags: \[0\]: expected a string"):
        draft.tags = [1]
    with pytest.raises(restway.UsageError, match="no list of values"):
        draft.add("counts", 1)


def test_lists_are_found_by_an_element(client: restway.Client) -> None:
    receive(client, THING, {"id": 2, "tags": ["a,b", ","], "days": []}, {"id": 3})

    def found(condition: str, value: Any) -> list[int]:
        query = client.store.query("Thing").filter(condition, value)
        return sorted(thing.id for thing in query)

    assert found("tags contains ?", "a") == [1]
    assert found("tags contains ?", ",") == [2]
    assert found("tags contains ?", None) == [1]
    assert found("tags not contains ?", "a") == [2, 3]
    assert found("days contains ?", DAY) == [1]
    with pytest.raises(restway.UsageError, match="is no list of values of one type"):
        found("counts contains ?", 1)


def test_tables_have_columns_of_lists(client: restway.Client) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = receive(client, THING, {"id": 2}).to_arrow()
    assert table.schema.field("tags").type == pyarrow.list_(pyarrow.field("item", pyarrow.utf8()))
    assert table.column("tags").to_pylist() == [["a", None, "b"], None]
    assert table.column("days").to_pylist() == [[DAY, None], None]
    assert table.column("grid").to_pylist() == [[[1.0, 2.5], []], None]
    assert table.column("counts").to_pylist() == ['{"a":null,"z":1}', None]


@pytest.mark.parametrize(
    ("route", "body", "value"),
    [
        ("count", {"n": 3}, 3),
        ("count", {}, None),
        ("labels", ["a", None, "b"], ["a", None, "b"]),
        ("labels", None, None),
        ("days", {"b": ["01/02/2024"], "a": []}, {"a": [], "b": [DAY]}),
        ("free", [1, {"a": None}], [1, {"a": None}]),
        ("free", "text", "text"),
    ],
)
def test_an_answer_may_be_a_value(
    client: restway.Client, route: str, body: Any, value: Any
) -> None:
    response = client.map(None, json.dumps(body).encode(), route=route)
    assert response.value == value and not response.objects and not response.issues


def test_an_answer_of_the_server_may_be_a_value_also_from_the_cache(peer: Peer) -> None:
    document = {**DOCUMENT, "cache": {}}
    with restway.Client(restway.API.from_json(document), base_url=peer.url, timeout=30) as client:
        peer.respond(b'["a"]', headers={"Cache-Control": "max-age=60"})
        assert client.route("labels").value == ["a"]
        assert client.route("labels").value == ["a"]
        peer.respond(b'{"id": 1, "tags": ["x"]}')
        assert [thing.tags for thing in client.route("things").value] == [["x"]]


@pytest.mark.parametrize("route", ["count", "labels", "days", "free"])
def test_the_value_of_an_answer_without_a_body_is_none(peer: Peer, route: str) -> None:
    with restway.Client(restway.API.from_json(DOCUMENT), base_url=peer.url, timeout=30) as client:
        for status, body in ((204, b""), (200, b""), (200, b" ")):
            peer.respond(body, status=status)
            response = client.route(route)
            assert response.value is None and response.is_mapped and not response.objects
        peer.respond(b"", status=204)
        assert client.get("elsewhere").value is None
        # A route of objects has found none.
        assert client.route("things").value == []


def test_a_value_that_does_not_fit_is_an_issue(client: restway.Client) -> None:
    response = client.map(None, b'{"n": "x"}', route="count")
    assert response.value is None
    assert [issue.key_path for issue in response.issues] == ["n"]


def test_types_without_dates_and_bytes_need_no_conversion() -> None:
    assert converter_of("string") is None
    assert converter_of('["string"]') is None
    convert = converter_of('{"*":["date"]}')
    assert convert is not None
    assert convert({"a": ["2024-02-01T00:00:00Z", None]}) == {"a": [DAY, None]}
