"""Values that come in several forms: formats and transforms that are tried in order."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

import pytest

import restway

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Thing": {
            "identity": "id",
            "attributes": {
                "id": {"type": "int", "transform": ["plain", "numberText"]},
                "made": {"type": "date", "format": ["epoch", "iso8601"]},
                "days": {"type": ["date"], "format": ["dd/MM/yyyy", "iso8601"]},
                "sums": {"type": {"*": "double"}, "transform": ["numberText", "plain"]},
            },
        }
    },
    "routes": {
        "things": {"method": ["GET", "POST"], "path": "things", "entity": "Thing",
                   "response": {"entity": "Thing"}, "request": {"entity": "Thing"}},
        "day": {"path": "day", "response": {"type": "date", "format": ["iso8601", "epoch"]}},
    },
}
DAY = datetime(1970, 1, 2, tzinfo=timezone.utc)


@pytest.mark.parametrize("store", ["memory", "sqlite"])
@pytest.mark.parametrize(
    "thing",
    [
        {"id": 7, "made": 86400, "days": ["02/01/1970", None], "sums": {"a": 1, "b": 2.5}},
        {"id": "7", "made": "1970-01-02T00:00:00Z", "days": ["1970-01-02", None],
         "sums": {"b": "2.5", "a": "1"}},
    ],
)
def test_each_form_is_read_and_the_first_is_written(
    peer: Peer, tmp_path: Any, store: str, thing: dict[str, Any]
) -> None:
    document = dict(DOCUMENT)
    if store == "sqlite":
        document["store"] = {"kind": "sqlite", "path": str(tmp_path / "objects.db")}
    with restway.Client(restway.API.from_json(document), base_url=peer.url, timeout=30) as client:
        (found,) = client.map("Thing", json.dumps(thing).encode()).objects
        assert found.to_dict() == {
            "id": 7, "made": DAY, "days": [DAY, None], "sums": {"a": 1.0, "b": 2.5},
        }
        assert client.store.find("Thing", 7) == found
        peer.respond(b"")
        client.post(client.draft(found))
        sent = json.loads(peer.requests[-1].partition(b"\r\n\r\n")[2])
        assert sent == {
            "id": 7, "made": 86400, "days": ["02/01/1970", None],
            "sums": {"a": "1.0", "b": "2.5"},
        }


def test_the_value_of_an_answer_comes_in_several_forms() -> None:
    with restway.Client(restway.API.from_json(DOCUMENT)) as client:
        for body in [b"86400", b'"1970-01-02"']:
            assert client.map(None, body, route="day").value == DAY
        response = client.map(None, b"true", route="day")
        assert response.value is None
        assert [issue.reason for issue in response.issues] == [
            "expected a date (ISO 8601), or a date (epoch), found a boolean"
        ]


def test_attributes_by_function_have_several_forms() -> None:
    api = restway.API.from_json({**DOCUMENT, "entities": {}, "routes": {}})
    api.add_entity("Made", {})
    api.add_attribute("Made", "at", type="date", format=["iso8601", "epoch"])
    api.add_attribute("Made", "n", type="int", transform=["plain", "numberText"])
    with pytest.raises(restway.ConfigError):
        api.add_attribute("Made", "bad", type="int", transform=["plain", "url"])
    with pytest.raises(ValueError, match="exclude each other"):
        api.add_attribute("Made", "bad", type="date", format=["epoch"], transform="iso8601")
    with restway.Client(api) as client:
        (made,) = client.map("Made", b'{"at": 86400, "n": "5"}').objects
        assert (made.at, made.n) == (DAY, 5)
