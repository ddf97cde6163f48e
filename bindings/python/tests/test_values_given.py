"""Values that answers and classes have, given back: in parameters, variables, JSON, drafts, scopes
and queries.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Any
from uuid import UUID

import pytest

import restway

from .peer import Peer


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


KEY = UUID(int=5)
BIG = 2**70
DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Thing": {
            "identity": "id",
            "attributes": {
                "id": {"type": "string"}, "any": {}, "tree": {"type": "json"},
                "whole": {"type": "int"}, "real": {"type": "double"},
                "text": {"type": "string"}, "raw": {"type": "bytes"}, "at": {"type": "date"},
            },
        }
    },
    "routes": {
        "thing": {"method": ["GET", "PUT"], "path": "things/:id", "entity": "Thing",
                  "response": {"entity": "Thing"}},
        "make": {"method": "POST", "path": "made", "entity": "Thing"},
        "post": {"method": "POST", "path": "things"},
        "get": {"path": "things"},
    },
}


@pytest.fixture
def client(peer: Peer) -> Iterator[restway.Client]:
    peer.respond(b"{}")
    with restway.Client(DOCUMENT, base_url=peer.url, timeout=30) as made:
        yield made


def body_of(peer: Peer) -> Any:
    return json.loads(peer.requests[-1].partition(b"\r\n\r\n")[2])


def path_of(peer: Peer) -> str:
    return peer.requests[-1].split(b" ")[1].decode()


VALUES = [
    (BIG, BIG, str(BIG)),
    (-BIG, -BIG, str(-BIG)),
    (Decimal("1.50"), "1.50", "1.50"),
    (KEY, str(KEY), str(KEY)),
    (Colour.RED, "red", "red"),
    (Level.HIGH, 3, "3"),
]


@pytest.mark.parametrize(("value", "plain", "text"), VALUES, ids=repr)
def test_values_are_taken_everywhere(
    client: restway.Client, peer: Peer, value: Any, plain: Any, text: str
) -> None:
    nested = {"a": value, "b": [value], "c": {"d": value, "e": [value, [value]]}}
    expected = {"a": plain, "b": [plain], "c": {"d": plain, "e": [plain, [plain]]}}
    client.route("post", params=nested)
    assert body_of(peer) == expected
    client.route("post", json=nested)
    assert body_of(peer) == expected
    client.route("get", params={"a": value, "b": [value, value]})
    assert path_of(peer) == f"/things?a={text}&b={text}&b={text}"
    client.get("things/:id", variables={"id": value})
    assert path_of(peer) == f"/things/{text}"
    client.get("things{?list*,map*}", variables={"list": [value], "map": {"k": value}})
    assert path_of(peer) == f"/things?list={text}&k={text}"
    with client.scope(id=value) as scope:
        scope.get("things/:id")
    assert path_of(peer) == f"/things/{text}"
    draft = client.draft("Thing", id="1", any=value, tree={"n": value})
    assert client.encode(draft) == {"id": "1", "any": plain, "tree": {"n": plain}}
    draft.insert()
    query = client.store.query("Thing")
    for found in (query.where(any=value), query.filter("any in ?", [value]),
                  query.filter("any = ?", value)):
        assert [one.id for one in found] == ["1"]
    if isinstance(plain, str):
        client.draft("Thing", id=value).insert()
        assert client.store.find("Thing", value) is not None


@pytest.mark.parametrize(
    "raw", [kind(b"\0\xff") for kind in (bytes, bytearray, memoryview)],
    ids=["bytes", "bytearray", "memoryview"],
)
def test_bytes_are_base64_in_json(client: restway.Client, peer: Peer, raw: Any) -> None:
    client.route("post", params={"a": raw, "b": [raw], "c": {"d": raw, "e": [raw]}})
    assert body_of(peer) == {"a": "AP8=", "b": ["AP8="], "c": {"d": "AP8=", "e": ["AP8="]}}
    client.route("post", json={"a": raw, "b": [raw]})
    assert body_of(peer) == {"a": "AP8=", "b": ["AP8="]}
    assert client.encode(client.draft("Thing", raw=raw)) == {"raw": "AP8="}
    body: Any = memoryview(b"abcdef")[2:4] if isinstance(raw, memoryview) else raw
    client.route("post", body=body)
    expected = b"cd" if isinstance(raw, memoryview) else b"\0\xff"
    assert peer.requests[-1].partition(b"\r\n\r\n")[2] == expected


def test_what_an_answer_gave_a_draft_takes(client: restway.Client, peer: Peer) -> None:
    text = '{"id":"1","any":18446744073709551615,"tree":{"n":1180591620717411303424},"real":1e3}'
    peer.respond(text.encode())
    thing = client.get("things/1").object
    assert thing is not None
    draft = client.draft(thing, any=thing.any, tree=thing.tree)
    client.put(draft)
    assert body_of(peer) == {"id": "1", "any": 2**64 - 1, "tree": {"n": BIG}, "real": 1000}


def test_a_number_fits_the_type_of_its_attribute(client: restway.Client) -> None:
    draft = client.draft("Thing", real=Decimal("1.5"), whole=Decimal("3"), text=Decimal("1.50"))
    assert client.encode(draft) == {"real": 1.5, "whole": 3, "text": "1.50"}
    draft.real = BIG
    assert draft.real == float(BIG)
    with pytest.raises(ValueError, match=r"does not fit into 64 bits.*numberText"):
        draft.whole = BIG
    with pytest.raises(restway.UsageError, match="whole"):
        draft.whole = Decimal("3.5")
    client.draft("Thing", id="1", real=1.5, text="1.50").insert()
    query = client.store.query("Thing")
    assert query.where(real=Decimal("1.5")).count() == 1
    assert query.where(text=Decimal("1.50")).count() == 1
    assert query.filter("real > ? and text = ?", Decimal("1.4"), "1.50").count() == 1


@pytest.mark.parametrize("hours", [-1, -23])
def test_a_date_beyond_the_year_9999_keeps_its_offset(
    client: restway.Client, peer: Peer, hours: int
) -> None:
    last = datetime(9999, 12, 31, 23, 59, 59, tzinfo=timezone(timedelta(hours=hours)))
    shown = f"9999-12-31T23:59:59-{-hours:02}:00"
    client.route("post", params={"at": last, "in": {"at": last}})
    assert body_of(peer) == {"at": shown, "in": {"at": shown}}
    client.route("post", json={"at": last})
    assert body_of(peer) == {"at": shown}
    assert client.encode(client.draft("Thing", at=last)) == {"at": shown}
    client.get("things/:id", variables={"id": last})
    assert "10000" not in path_of(peer) and "9999" in path_of(peer)
