"""Instances of the program's own classes as bodies, parameters and path variables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from ipaddress import ip_address, ip_interface, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

import msgspec
import pydantic
import pytest

import restway

from .peer import Peer
from .values_model import DOCUMENT, Issue, IssueDict, State


class Colour(Enum):
    RED = "red"


KEY = UUID(int=5)


@dataclass
class Part:
    name: str
    note: str | None = None


@dataclass
class Thing:
    number: int = field(metadata={"name": "id"})
    colour: Colour = Colour.RED
    made: datetime = datetime(2026, 11, 26, 4, 5, 6, tzinfo=timezone.utc)
    due: date = date(2026, 12, 24)
    key: UUID = KEY
    price: Decimal = Decimal("1.50")
    parts: list[Part] = field(default_factory=list)
    note: str | None = None


class ThingStruct(msgspec.Struct, rename={"number": "id"}):
    number: int
    parts: list[Part]
    made: datetime = datetime(2026, 11, 26, 4, 5, 6, tzinfo=timezone.utc)
    key: UUID = UUID(int=5)
    note: Any = None


class ThingModel(pydantic.BaseModel):
    number: int = pydantic.Field(serialization_alias="id")
    parts: list[Any]
    colour: Colour = Colour.RED
    made: datetime = datetime(2026, 11, 26, 4, 5, 6, tzinfo=timezone.utc)
    note: Any = None


@dataclass
class Number:
    number: int | None
    other: int | None = None


@dataclass
class Search:
    q: str
    page: int | None = None
    tags: list[str] = field(default_factory=list)


PARTS = [Part("a", "x"), Part("b")]
PARTS_JSON = [{"name": "a", "note": "x"}, {"name": "b", "note": None}]
MADE = "2026-11-26T04:05:06Z"

GIVEN: list[tuple[Any, dict[str, Any]]] = [
    (
        Thing(7, parts=PARTS),
        {
            "id": 7,
            "colour": "red",
            "made": MADE,
            "due": "2026-12-24",
            "key": "00000000-0000-0000-0000-000000000005",
            "price": "1.50",
            "parts": PARTS_JSON,
            "note": None,
        },
    ),
    (
        ThingStruct(7, PARTS),
        {
            "id": 7,
            "parts": PARTS_JSON,
            "made": MADE,
            "key": "00000000-0000-0000-0000-000000000005",
            "note": None,
        },
    ),
    (
        ThingModel(number=7, parts=PARTS),
        {"id": 7, "parts": PARTS_JSON, "colour": "red", "made": MADE, "note": None},
    ),
    ({"id": 7, "parts": PARTS, "note": None}, {"id": 7, "parts": PARTS_JSON, "note": None}),
]


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


@pytest.fixture
def client(peer: Peer) -> Iterator[restway.Client]:
    peer.respond(b"[]")
    with restway.Client(restway.API.from_json(DOCUMENT), base_url=peer.url) as client:
        yield client


def body_of(peer: Peer) -> Any:
    return json.loads(peer.requests[-1].partition(b"\r\n\r\n")[2])


def path_of(peer: Peer) -> str:
    return peer.requests[-1].split(b" ")[1].decode()


@pytest.mark.parametrize(("value", "written"), GIVEN)
@pytest.mark.parametrize("keyword", ["json", "body"])
def test_a_value_is_a_body(
    client: restway.Client, peer: Peer, keyword: str, value: Any, written: Any
) -> None:
    options: Any = {keyword: value}
    client.post("plain", **options)
    assert body_of(peer) == written
    assert b"\r\nContent-Type: application/json\r\n" in peer.requests[-1]
    client.post("plain", nulls="omit", **options)
    assert body_of(peer) == without_nulls(written)
    client.post("plain", nulls="keep", **options)
    assert body_of(peer) == written


def test_a_body_of_values_keeps_its_media_type(client: restway.Client, peer: Peer) -> None:
    client.patch("plain", body=Part("a"), media_type="application/merge-patch+json")
    assert body_of(peer) == {"name": "a", "note": None}
    assert b"\r\nContent-Type: application/merge-patch+json\r\n" in peer.requests[-1]


def test_a_list_of_values_is_json(client: restway.Client, peer: Peer) -> None:
    client.post("plain", json=PARTS)
    assert body_of(peer) == PARTS_JSON
    client.post("plain", json={"parts": PARTS, "none": None}, nulls="omit")
    assert body_of(peer) == {"parts": without_nulls(PARTS_JSON)}


@pytest.mark.parametrize(
    "params",
    [Search("x y", tags=["a", "b"]), {"q": "x y", "page": None, "tags": ["a", "b"]}],
)
def test_a_value_gives_parameters(client: restway.Client, peer: Peer, params: Any) -> None:
    client.get("plain", params=params)
    assert path_of(peer) == "/plain?q=x%20y&tags=a&tags=b"
    client.post("plain", params=params)
    assert body_of(peer) == {"q": "x y", "page": None, "tags": ["a", "b"]}
    client.post("plain", params=params, nulls="omit")
    assert body_of(peer) == {"q": "x y", "tags": ["a", "b"]}
    client.post("plain", params=params, serialization="url", nulls="omit")
    form = peer.requests[-1].partition(b"\r\n\r\n")[2].decode()
    assert parse_qsl(form) == [("q", "x y"), ("tags[]", "a"), ("tags[]", "b")]


def test_parameters_contain_values(client: restway.Client, peer: Peer) -> None:
    client.post("plain", params={"part": Part("a"), "colour": Colour.RED, "key": UUID(int=5)})
    assert body_of(peer) == {
        "part": {"name": "a", "note": None},
        "colour": "red",
        "key": "00000000-0000-0000-0000-000000000005",
    }
    client.post("plain", params=[("a", 1), ("a", Colour.RED), ("b", None)], nulls="omit")
    assert body_of(peer) == {"a": [1, "red"]}


def test_a_model_gives_parameters_by_its_aliases(client: restway.Client, peer: Peer) -> None:
    client.get("plain", params=ThingModel(number=7, parts=[]))
    assert path_of(peer).startswith("/plain?id=7&colour=red&made=")


def test_a_value_gives_variables(client: restway.Client, peer: Peer) -> None:
    client.route("issue", variables=Number(7), nulls="omit")
    assert path_of(peer) == "/issues/7"
    with pytest.raises(restway.UsageError, match='route "issue" has no variable "other"'):
        client.route("issue", variables=Number(7, 8))
    with pytest.raises(restway.MissingVariableError, match='variable "number"'):
        client.route("issue", variables=Number(None), nulls="omit")


def test_a_request_takes_values(client: restway.Client, peer: Peer) -> None:
    request = restway.Request.route("issue", "PATCH", variables=Number(7), nulls="omit")
    request.update(json=Part("a"))
    client.perform(request)
    assert path_of(peer) == "/issues/7"
    assert body_of(peer) == {"name": "a", "note": None}


def test_what_was_read_can_be_sent(client: restway.Client, peer: Peer) -> None:
    full = {"number": 7, "title": "Crash", "created": MADE, "state": "closed"}
    peer.respond(json.dumps([full]).encode())
    issue = client.get("issues", into=Issue)
    assert issue.state is State.CLOSED
    client.post("plain", json=issue, nulls="omit")
    assert body_of(peer) == {**full, "labels": [], "weight": 0.0}
    as_dict = client.get("issues", into=IssueDict)
    client.post("plain", body=as_dict)
    assert body_of(peer) == {"number": 7, "title": "Crash"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"json": {1, 2, object}}, "expected a value that JSON can carry, not type"),
        ({"variables": 5}, "variables are a mapping, a dataclass, a Struct or a pydantic model"),
        ({"params": {"it": object()}}, "expected a value that a request can carry, not object"),
    ],
)
def test_other_values_are_refused(
    client: restway.Client, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        client.post("plain", **options)


def test_an_unknown_word_for_nulls_is_refused(client: restway.Client) -> None:
    wrong: Any = "drop"
    with pytest.raises(ValueError, match="nulls is 'keep' or 'omit', not 'drop'"):
        client.post("plain", json={}, nulls=wrong)


class Fixed(pydantic.BaseModel):
    """Values of all types that JSON has as texts, and a map of each of them."""

    model_config = pydantic.ConfigDict(ser_json_bytes="base64")

    wait: timedelta = timedelta(hours=1, seconds=2.5)
    ago: timedelta = -timedelta(days=3)
    at: time = time(8)
    naive: datetime = datetime(2026, 1, 1, 9)
    day: date = date(2026, 1, 2)
    url: pydantic.AnyUrl = pydantic.AnyUrl("http://x/y")
    path: Path = Path("/a")
    address: Any = ip_address("127.0.0.1")
    interface: Any = ip_interface("10.0.0.1/8")
    network: Any = ip_network("10.0.0.0/8")
    price: Decimal = Decimal("1.50")
    raw: bytes = b"\xfb\xff"
    secret: pydantic.SecretStr = pydantic.SecretStr("made-up")
    keys: dict[Any, int] = pydantic.Field(
        default={KEY: 1, Colour.RED: 2, date(2026, 1, 2): 3, Decimal("1.5"): 4, 7: 5}
    )


def test_a_model_is_written_as_its_library_writes_it(client: restway.Client, peer: Peer) -> None:
    model = Fixed()
    written = json.loads(model.model_dump_json())
    for value in (model, {"all": [model]}):
        client.post("plain", json=value)
        assert body_of(peer) == (written if value is model else {"all": [written]})
    client.post("plain", json=model, nulls="omit")
    assert body_of(peer) == written


def test_values_without_a_model_are_written_in_the_same_way(
    client: restway.Client, peer: Peer
) -> None:
    model = Fixed()
    values = {key: value for key, value in model if key not in ("secret", "raw")}
    written = json.loads(model.model_dump_json(exclude={"secret", "raw"}))
    client.post("plain", json=values)
    assert body_of(peer) == written
    del written["keys"], written["naive"], values["keys"], values["naive"]
    client.post("plain", params=values)
    assert body_of(peer) == written


def test_durations_are_written_in_iso_8601(client: restway.Client, peer: Peer) -> None:
    reader = pydantic.TypeAdapter(timedelta)
    durations = [
        timedelta(0), timedelta(days=400), timedelta(microseconds=-1),
        timedelta(hours=-1, seconds=1), timedelta.max, timedelta.min,
        timedelta(minutes=90, microseconds=100),
    ]  # fmt: skip
    client.post("plain", json=durations)
    assert body_of(peer)[:4] == ["PT0S", "P400D", "-PT0.000001S", "-PT59M59S"]
    assert [reader.validate_python(text) for text in body_of(peer)[:5]] == durations[:5]


def test_the_answer_of_a_modifier_takes_the_same_values(client: restway.Client) -> None:
    @client.add_modifier
    def answer(context: restway.PipelineContext) -> None:
        context.set_answer(json={"part": Part("a"), "wait": timedelta(hours=1)})

    assert client.get("plain").json() == {"part": {"name": "a", "note": None}, "wait": "PT1H"}
