"""An api whose entities are linked, and a server that answers what a test wants."""

from __future__ import annotations

import json
from typing import Any

import restway

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Team": {
            "identity": "id",
            "fullText": ["name"],
            "attributes": {
                "id": {"source": "id", "type": "int"},
                "name": {"source": "name", "type": "string"},
                "founded": {"source": "founded", "type": "date", "format": "yyyy-MM-dd"},
            },
            "relationships": {
                "chief": {"source": "chief", "entity": "Member"},
                "members": {"source": "members", "entity": "Member", "many": True},
                "values": {"source": "values", "entity": "Member", "many": True},
            },
        },
        "Member": {
            "identity": "id",
            "attributes": {
                "id": {"source": "id", "type": "int"},
                "name": {"source": "name", "type": "string"},
                "score": {"source": "score", "type": "double"},
            },
            "relationships": {"team": {"source": "team", "entity": "Team"}},
        },
    },
    "routes": {
        "teams": {"method": "GET", "path": "teams", "response": {"entity": "Team"}},
        "members": {"method": "GET", "path": "members", "response": {"entity": "Member"}},
    },
}


STORES = ("memory", "sqlite")
"""The kinds of stores."""


def make_client(peer: Peer, **options: Any) -> restway.Client:
    api = restway.API.from_json(DOCUMENT)
    return restway.Client(api, base_url=peer.url, timeout=30, **options)


def receive(client: restway.Client, peer: Peer, path: str, *rows: Any) -> restway.Objects:
    """The client fetches `rows` from `path`."""
    peer.respond(json.dumps(rows).encode())
    return client.get(path).objects
