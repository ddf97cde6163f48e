"""Response descriptors that name the media types of the answers that they apply to."""

from __future__ import annotations

from typing import Any

import pytest

import restway

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        name: {"attributes": {"a": "a"}} for name in ("Full", "Plain", "Second", "Other", "Problem")
    },
    "routes": {
        "report": {
            "path": "report",
            "response": [
                {"entity": "Full", "mediaType": "application/vnd.example.full+json"},
                {"entity": "Second", "mediaType": "application/json; version=2"},
                {"entity": "Plain", "mediaType": "application/json"},
                {"entity": "Other", "mediaType": ["text/*", "application/x-own"]},
                {"entity": "Problem", "status": "4xx", "mediaType": "application/problem+json"},
            ],
        }
    },
}


@pytest.mark.parametrize(
    ("media_type", "entity"),
    [
        ("application/vnd.example.full+json", "Full"),
        ("Application/VND.example.FULL+JSON; charset=utf-8", "Full"),
        ("application/vnd.example+json", "Plain"),
        ("application/json", "Plain"),
        ('application/json;charset=utf-8;Version="2"', "Second"),
        ("text/plain", "Other"),
        ("application/x-own", "Other"),
    ],
)
def test_the_media_type_chooses_the_entity(peer: Peer, media_type: str, entity: str) -> None:
    api = restway.API.from_json(DOCUMENT)
    with restway.Client(api, base_url=peer.url, timeout=30) as client:
        peer.respond(b'{"a": 1}', media_type)
        assert [found.entity for found in client.route("report").objects] == [entity]


def test_another_media_type_is_not_mapped(peer: Peer) -> None:
    api = restway.API.from_json(DOCUMENT)
    with restway.Client(api, base_url=peer.url, timeout=30) as client:
        peer.respond(b'{"a": 1}', "image/png")
        response = client.route("report")
        assert not response.is_mapped and not response.objects


def test_bytes_are_mapped_by_their_media_type() -> None:
    with restway.Client(restway.API.from_json(DOCUMENT)) as client:
        for media_type, entity in [
            ("application/vnd.example.full+json", "Full"), ("application/json", "Plain"),
        ]:
            response = client.map(None, b'{"a": 1}', route="report", media_type=media_type)
            assert [found.entity for found in response.objects] == [entity]
