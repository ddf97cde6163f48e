"""Constants, defaults and listed values of attributes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import restway

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Issue": {
            "identity": "id",
            "attributes": {
                "id": {"type": "int"},
                "kind": {"source": "data.type", "type": "string", "constant": "issues"},
                "title": {"type": "string"},
                "state": {"type": "string", "values": ["open", "closed"], "default": "open"},
                "size": {"type": "string", "values": ["S", "M"], "closed": True},
                "tags": {"type": ["string"], "values": ["a", "b"], "default": []},
                "level": {"type": "int", "values": [1, 2], "default": 1},
            },
            "relationships": {"next": {"entity": "Issue"}},
        }
    },
    "routes": {
        "issues": {"method": ["GET", "POST"], "path": "issues",
                   "response": {"entity": "Issue"}, "entity": "Issue"},
        "issue": {"method": ["GET", "PATCH"], "path": "issues/:id", "entity": "Issue",
                  "response": {"entity": "Issue"},
                  "request": {"entity": "Issue", "changedOnly": True}},
    },
}


@pytest.fixture(params=["memory", "file"])
def client(
    request: pytest.FixtureRequest, tmp_path: Path, peer: Peer
) -> Iterator[restway.Client]:
    document = dict(DOCUMENT)
    if request.param == "file":
        document["store"] = {"kind": "sqlite", "path": str(tmp_path / "objects.db")}
    api = restway.API.from_json(document)
    with restway.Client(api, base_url=peer.url, timeout=30) as made:
        yield made


def receive(client: restway.Client, *issues: dict[str, Any]) -> restway.Response:
    return client.map("Issue", json.dumps(list(issues)).encode())


def sent(peer: Peer) -> Any:
    return json.loads(peer.requests[-1].partition(b"\r\n\r\n")[2])


def test_objects_that_an_answer_creates_have_defaults(client: restway.Client) -> None:
    (issue,) = receive(client, {"id": 1, "title": "A"}).objects
    assert issue.to_dict() == {
        "id": 1, "kind": "issues", "title": "A", "state": "open", "tags": [], "level": 1,
    }
    assert client.store.query("Issue").filter("state = ?", "open").count() == 1


def test_a_known_object_keeps_its_values(client: restway.Client) -> None:
    receive(client, {"id": 1, "state": "closed", "level": None, "tags": ["b"]})
    (issue,) = receive(client, {"id": 1, "title": "B"}).objects
    assert (issue.state, issue.level, issue.tags, issue.title) == ("closed", None, ["b"], "B")


def test_an_identity_alone_brings_no_defaults(client: restway.Client) -> None:
    (issue,) = receive(client, {"id": 1, "next": 2}).objects
    assert "state" not in issue.next and "kind" not in issue.next
    (issue,) = receive(client, {"id": 2}).objects
    assert (issue.state, issue.kind) == ("open", "issues")


def test_constants_are_written_and_checked(client: restway.Client, peer: Peer) -> None:
    response = receive(client, {"id": 1, "data": {"type": "people"}})
    assert [(issue.key_path, issue.reason) for issue in response.issues] == [
        ("[0].data.type", 'expected "issues", found "people"')
    ]
    issue = response.objects[0]
    assert issue.kind == "issues"
    draft = client.draft(issue)
    draft.title = "new"
    peer.respond(b"")
    client.patch(draft)
    assert sent(peer) == {"data": {"type": "issues"}, "title": "new"}
    created = client.draft("Issue", title="C")
    assert created.kind == "issues" and created.changed == ["title"]
    peer.respond(b'{"id": 9}')
    (answered,) = client.post(created).objects
    assert sent(peer) == {"data": {"type": "issues"}, "title": "C"}
    assert (answered.id, answered.title, answered.state) == (9, "C", "open")
    with pytest.raises(restway.UsageError, match='takes "issues", not "people"'):
        created.kind = "people"


def test_strict_mode_refuses_another_constant(peer: Peer) -> None:
    api = restway.API.from_json(DOCUMENT)
    with restway.Client(api, base_url=peer.url, strict_mapping=True, timeout=30) as client:
        peer.respond(b'{"id": 1, "data": {"type": "people"}}')
        with pytest.raises(restway.MappingError, match="issues"):
            client.route("issue", variables={"id": 1})


def test_open_lists_keep_and_tell_other_values(client: restway.Client) -> None:
    first, second = receive(
        client,
        {"id": 1, "state": "merged", "tags": ["a", "z"], "level": 3},
        {"id": 2, "state": None, "tags": ["b", None], "level": 2},
    ).objects
    names = ["state", "tags", "level", "title"]
    assert first.state == "merged" and first.tags == ["a", "z"]
    assert [first.is_known(name) for name in names] == [False, False, False, True]
    assert all(second.is_known(name) for name in names)
    with pytest.raises(restway.UnknownAttributeError):
        first.is_known("stat")


def test_closed_lists_refuse_other_values(client: restway.Client) -> None:
    response = receive(client, {"id": 1, "size": "XL"})
    assert "size" not in response.objects[0]
    assert [issue.reason for issue in response.issues] == [
        'expected one of "S", "M", found "XL"'
    ]
    draft = client.draft(response.objects[0])
    draft.size = "M"
    with pytest.raises(restway.UsageError, match='takes one of "S", "M", not "XL"'):
        draft.size = "XL"
