"""An api of things, and clients that speak MessagePack."""

from __future__ import annotations

from typing import Any

import pytest
import restway
from msgpack_peer import Peer

JSON = Any


def client_of(document: dict[str, JSON], peer: Peer, mapper: str = "msgpack") -> restway.Client:
    """Makes a client whose answers `mapper` reads: the built-in mapper, or the mapper of the plugin
    with this name.
    """
    plugins = [] if mapper == "jansson" else [{"name": mapper}]
    api = restway.API.from_json({**document, "plugins": plugins, "dataMapper": mapper})
    return restway.Client(api, base_url=peer.url, load_plugins=True, timeout=30)


INTEGERS = sorted(
    {sign * (2**bits) + step for bits in (0, 4, 5, 7, 8, 15, 16, 31, 32, 53, 62, 63)
     for step in (-1, 0, 1) for sign in (-1, 1)} - {-(2**63) - 1}
)

ATTRIBUTES = {
    "id": {"type": "int"}, "any": {}, "flag": {"type": "bool"}, "size": {"type": "int"},
    "rating": {"type": "double"}, "name": {"type": "string"}, "raw": {"type": "json"},
    "at": {"type": "date"}, "day": {"type": "date", "format": "yyyy-MM-dd"},
    "data": {"type": "bytes"}, "text": {"type": "bytes", "transform": "base64"},
    "digits": {"type": "string", "transform": "numberText"},
}
THINGS = {
    "restway": 1,
    "environments": {"here": {"baseURL": "http://127.0.0.1"}},
    "environment": "here",
    "errors": {"message": "message", "code": "code"},
    "entities": {
        "Thing": {
            "identity": "id", "attributes": ATTRIBUTES,
            "relationships": {"parent": {"entity": "Thing"},
                              "parts": {"entity": "Thing", "many": True}},
        }
    },
    "routes": {
        "things": {"method": ["GET", "POST"], "path": "things", "entity": "Thing",
                   "response": {"entity": "Thing"}},
        "thing": {"method": ["GET", "PUT", "PATCH", "DELETE"], "path": "things/:id",
                  "entity": "Thing", "response": {"entity": "Thing"}},
    },
    "responses": [{"entity": "Thing", "path": "any"}],
}


def received(peer: Peer, body: bytes) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Returns the attributes of the thing in a body, and the values that did not fit."""
    peer.answer(body)
    with client_of(THINGS, peer) as client:
        response = client.get("any")
        objects, issues = response.objects, response.issues
        return (
            objects[0].attributes() if objects else {},
            [(issue.key_path, issue.reason) for issue in issues],
        )


def refused(peer: Peer, body: bytes) -> str:
    """Returns why a body is refused."""
    peer.answer(body)
    with client_of(THINGS, peer) as client, pytest.raises(restway.MappingError) as caught:
        client.get("any")
    return str(caught.value)


def told(client: restway.Client, method: str, path: str) -> JSON:
    """Returns the result of a request: the issues and the objects, or the kind of error."""
    try:
        response = client.perform(restway.Request.path(method, path))
    except restway.RestwayError as error:
        return type(error).__name__
    return [
        [(issue.key_path, issue.reason) for issue in response.issues],
        [item.attributes() for item in response.objects],
    ]
