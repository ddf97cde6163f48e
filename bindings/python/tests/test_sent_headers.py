"""Content-Type, Content-Length and Accept of requests, and parameters with brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

import restway

from .peer import Peer

MERGE = "application/merge-patch+json"
DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {"Task": {"identity": "id", "attributes": {"id": {"type": "string"}}}},
    "routes": {
        "change": {"method": "PATCH", "path": "x", "headers": {"Content-Type": MERGE}},
        "plain": {"method": "POST", "path": "y"},
        "form": {"method": "POST", "path": "z", "serializationName": "url"},
        "mapped": {"path": "task", "response": {"entity": "Task"}},
        "value": {"path": "value", "parse": "json"},
        "stated": {"path": "stated", "accept": "text/csv"},
        "anything": {"path": "blob"},
    },
}


@pytest.fixture
def client(peer: Peer) -> Iterator[restway.Client]:
    peer.respond(b"{}")
    with restway.Client(DOCUMENT, base_url=peer.url, timeout=30) as made:
        yield made


def header(peer: Peer, name: str) -> str | None:
    head = peer.requests[-1].partition(b"\r\n\r\n")[0].decode()
    found = re.search(rf"(?im)^{name}: *(.*?)\r?$", head)
    return found[1] if found else None


@pytest.mark.parametrize(
    "body",
    [
        {"params": {"a": None}}, {"json": {"a": None}}, {"body": b"{}"}, {"body": "{}"},
        {"body": bytearray(b"{}")}, {"body": iter([b"{}"])},
    ],
    ids=["params", "json", "bytes", "text", "bytearray", "pieces"],
)
def test_the_media_type_of_the_route_holds_for_every_body(
    client: restway.Client, peer: Peer, body: dict[str, Any]
) -> None:
    client.route("change", **body)
    assert header(peer, "Content-Type") == MERGE


@pytest.mark.parametrize("media_type", ["application/json", "text/x"])
def test_the_media_type_of_the_call_wins(
    client: restway.Client, peer: Peer, media_type: str
) -> None:
    client.route("change", body=b"{}", media_type=media_type)
    assert header(peer, "Content-Type") == media_type
    client.route("change", json={}, headers={"content-type": media_type})
    assert header(peer, "Content-Type") == media_type


@pytest.mark.parametrize("body", [{"json": {"a": 1}}, {"params": {"a": 1}}, {"body": b"{}"}])
def test_media_types_of_the_levels_replace_each_other(peer: Peer, body: dict[str, Any]) -> None:
    levels: dict[str, Any] = {
        "headers": {"Content-Type": "application/document+json"},
        "environments": {"local": {
            "baseURL": peer.url, "headers": {"Content-Type": "application/environment+json"}}},
    }
    peer.respond(b"{}")
    for own, expected in [
        ({"headers": levels["headers"]}, "application/document+json"),
        (levels, "application/environment+json"),
    ]:
        with restway.Client({**DOCUMENT, **own}, base_url=peer.url, timeout=30) as client:
            client.route("plain", **body)
            assert header(peer, "Content-Type") == expected
    with restway.Client({**DOCUMENT, **levels}, base_url=peer.url, timeout=30) as client:
        client.headers["Content-Type"] = "application/client+json"
        client.route("plain", **body)
        assert header(peer, "Content-Type") == "application/client+json"
        client.route("change", **body)
        assert header(peer, "Content-Type") == MERGE
        client.route("form", params={"a": 1})
        assert header(peer, "Content-Type") == "application/x-www-form-urlencoded"


def test_json_of_a_call_has_the_media_type_of_the_format(peer: Peer) -> None:
    peer.respond(b"{}")
    document = {**DOCUMENT, "format": "jsonapi", "entities": {}, "routes": {
        "plain": DOCUMENT["routes"]["plain"]}}
    with restway.Client(document, base_url=peer.url, timeout=30) as client:
        client.route("plain", json={"data": None})
        assert header(peer, "Content-Type") == "application/vnd.api+json"
        client.route("plain", body=b"\x89PNG", media_type="image/png")
        assert header(peer, "Content-Type") == "image/png"


def test_a_stated_length_is_used_or_refused(client: restway.Client, peer: Peer) -> None:
    length = {"Content-Length": "6"}
    client.route("plain", body=iter([b"abc", b"def"]), headers=length)
    assert header(peer, "Content-Length") == "6"
    assert header(peer, "Transfer-Encoding") is None
    assert peer.requests[-1].endswith(b"\r\n\r\nabcdef")
    client.route("plain", body=b"abcdef", headers=length)
    assert header(peer, "Content-Length") == "6"
    sent = len(peer.requests)
    for body, stated in [(b"abc", "7"), (b"abc", "three"), (b"abc", "-3"), (None, "1")]:
        with pytest.raises(restway.UsageError, match="Content-Length"):
            client.route("plain", body=body, headers={"Content-Length": stated})
    with pytest.raises(restway.UsageError, match="Content-Length"):
        client.route("plain", body=b"abcdef", headers=length, gzip=True)
    assert len(peer.requests) == sent


def test_a_body_that_is_shorter_than_stated_fails(client: restway.Client, peer: Peer) -> None:
    with pytest.raises(restway.RestwayError):
        client.route("plain", body=iter([b"abc"]), headers={"Content-Length": "7"})


def test_a_name_with_brackets_is_one_name(client: restway.Client, peer: Peer) -> None:
    names = {"match[]": ["a", "b"], "ids": [1, 2]}
    client.route("anything", params=names)
    assert peer.requests[-1].split(b" ")[1] == b"/blob?match%5B%5D=a&match%5B%5D=b&ids=1&ids=2"
    client.route("form", params=names)
    assert peer.requests[-1].endswith(
        b"match%5B%5D=a&match%5B%5D=b&ids%5B%5D=1&ids%5B%5D=2"
    )


@pytest.mark.parametrize(
    ("route", "accept"),
    [
        ("anything", "*/*"),
        ("plain", "*/*"),
        ("stated", "text/csv"),
        ("mapped", "application/json, */*;q=0.1"),
        ("value", "application/json, */*;q=0.1"),
    ],
)
def test_a_route_that_maps_nothing_accepts_anything(
    client: restway.Client, peer: Peer, route: str, accept: str
) -> None:
    peer.respond(b"{}", "text/csv" if route == "stated" else "application/json")
    client.route(route)
    assert header(peer, "Accept") == accept
    client.get("task")
    assert header(peer, "Accept") == "application/json, */*;q=0.1"
    client.route("anything", parse="json")
    assert header(peer, "Accept") == "application/json, */*;q=0.1"
