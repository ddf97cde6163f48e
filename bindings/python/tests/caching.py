"""Clients with a response cache, a clock, and a server whose answers the test chooses."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import restway
from restway import CacheState, CacheUse, Request, Response

from .peer import Peer

THING = b'{"id": 1, "name": "lamp"}'
NEWER_THING = b'{"id": 1, "name": "desk"}'

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "entities": {
        "Thing": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}, "name": {"type": "string"}},
        }
    },
    "auth": {"scheme": "bearer"},
    "batch": {"path": "/batch"},
    "routes": {
        "things": {
            "path": "things",
            "auth": False,
            "cacheTTL": 60,
            "cacheIgnoreQueryParameters": ["_"],
            "response": {"entity": "Thing"},
        },
        "thing": {
            "method": ["GET", "PUT"],
            "path": "things/:id",
            "auth": False,
            "cacheTTL": 60,
            "entity": "Thing",
            "response": {"entity": "Thing"},
            "invalidatesCachedRouteNames": ["things"],
        },
        "search": {
            "method": "POST",
            "path": "search",
            "auth": False,
            "cacheTTL": 60,
            "cache": {"unsafe": True},
        },
        "calm": {
            "path": "calm",
            "auth": False,
            "cacheTTL": 60,
            "cache": {"staleWhileRevalidate": 30},
        },
        "sure": {"path": "sure", "auth": False, "cacheTTL": 60, "cache": {"staleIfError": 600}},
        "kept": {"path": "kept", "auth": False, "cacheTTL": 60, "offline": True},
        "news": {"path": "news", "auth": False, "cache": {"bypass": True}},
        "mine": {"path": "mine", "cacheTTL": 60},
    },
}


STORED_ROUTE: dict[str, Any] = {
    "method": "PUT",
    "path": "stored/:id",
    "auth": False,
    "offline": True,
    "invalidatesCachedRouteNames": ["things"],
}
"""A route of clients with an outbox."""


class World:
    """A client, its clock and its server, which answers with THING."""

    def __init__(self, peer: Peer, clock: restway.Clock, client: restway.Client) -> None:
        self.peer = peer
        self.clock = clock
        self.client = client
        peer.respond(THING)

    def get(self, target: str, use: CacheUse | None = None, **options: Any) -> Response:
        """Performs a GET of a route or, with a slash at its start, of a path."""
        return self.client.perform(request(target, cache=use, **options))

    def state(self, target: str, use: CacheUse | None = None, **options: Any) -> CacheState | None:
        """Performs a GET as `get` does; returns the state of the answer."""
        with self.get(target, use, **options) as response:
            return state_of(response)

    @property
    def count(self) -> int:
        """How many requests the server has received."""
        return len(self.peer.requests)


def request(target: str, **options: Any) -> Request:
    if target.startswith("/"):
        return Request.path("GET", target[1:], **options)
    return Request.route(target, **options)


def put(route: str) -> Request:
    """Makes a PUT by a route that makes the answers of route "things" invalid."""
    return Request.route(route, "PUT", variables={"id": 1}, json={"name": "a"})


def state_of(response: Response) -> CacheState | None:
    note = response.cache
    return None if note is None else note.state


@contextmanager
def world_of(peer: Peer, cache: Any = True, **options: Any) -> Iterator[World]:
    """Makes a client with the document above. With an outbox it also has the route "stored"."""
    api = restway.API.from_json(DOCUMENT)
    if "outbox_path" in options:
        api.add_route("stored", STORED_ROUTE)
    options.setdefault("base_url", peer.url)
    with restway.Clock() as clock, restway.Client(
        api, cache=cache, clock=clock, **options
    ) as client:
        yield World(peer, clock, client)


class Shut:
    """Holds the answers of a server until `open`."""

    def __init__(self, peer: Peer) -> None:
        self.arrived = threading.Semaphore(0)
        self._opened = threading.Event()
        peer.heard = self._hold

    def _hold(self) -> None:
        self.arrived.release()
        self._opened.wait(60)

    def open(self) -> None:
        self._opened.set()

    def __enter__(self) -> Shut:
        return self

    def __exit__(self, *_: object) -> None:
        self.open()
