"""A class that the answer cannot give is refused before anything is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, Union

import pytest

import restway
from restway import Request

from .peer import Peer

EITHER = {"oneOf": ["Note", "Photo"], "keys": {"Note": ["title"], "Photo": ["width"]}}
DOCUMENT = {
    "restway": 1,
    "entities": {
        "Note": {"identity": "id", "attributes": {"id": {"type": "int"}, "title": "title"}},
        "Photo": {"identity": "id", "attributes": {"id": {"type": "int"}, "width": "width"}},
        "Base": {"identity": "id", "attributes": {"id": {"type": "int"}}},
        "Derived": {"extends": "Base", "attributes": {"extra": "extra"}},
    },
    "routes": {
        "note": {
            "method": ["GET", "PATCH", "DELETE"], "path": "notes/:id", "entity": "Note",
            "response": {"entity": "Note", "status": "2xx"},
        },
        "plain": {"method": ["GET", "POST", "DELETE"], "path": "plain"},
        "count": {"path": "count", "response": {"type": "int"}},
        "names": {"path": "names", "response": {"type": ["string"]}},
        "page": {"path": "page", "response": {"entity": "Note"}, "parse": "text"},
        "export": {"path": "export", "response": {"entity": "Note"}},
        "failed": {"path": "failed", "response": {"entity": "Note", "status": "4xx"}},
        "base": {"path": "base", "response": {"entity": "Base"}},
        "either": {"path": "either", "response": {"entity": EITHER}},
        "listed": {"path": "listed", "response": {"entity": "Note"}, "pages": {"page": "page"}},
    },
}


@dataclass
class Note:
    id: int
    title: str


@dataclass
class Titled:
    id: int
    titel: str


@dataclass
class Lenient:
    id: int
    titel: str | None
    more: str = ""


@dataclass
class Photo:
    id: int
    width: int


@dataclass
class Derived:
    id: int
    extra: str


class Row(TypedDict):
    id: int
    colour: str


@pytest.fixture
def peer() -> Iterator[Peer]:
    with Peer() as made:
        yield made


@pytest.fixture
def client(peer: Peer) -> Iterator[restway.Client]:
    with restway.Client(DOCUMENT, base_url=peer.url) as made:
        yield made


def refused(peer: Peer, *words: str, call: Callable[[], Any]) -> restway.MappingError:
    """Expects that nothing is sent, and that the message has the words."""
    with pytest.raises(restway.MappingError) as raised:
        call()
    for word in words:
        assert word in str(raised.value)
    assert peer.requests == []
    return raised.value


@pytest.mark.parametrize(
    ("route", "words"),
    [
        ("plain", ("Note", '"plain"', "maps nothing")),
        ("count", ("Note", '"count"', "a value")),
        ("names", ("Note", '"names"', "a value")),
        ("page", ("Note", '"page"', 'the parser "text"')),
        ("failed", ("Note", '"failed"', "maps nothing")),
    ],
)
@pytest.mark.parametrize("into", [Note, list[Note]])
def test_a_route_without_objects(
    route: str, words: tuple[str, ...], into: Any, peer: Peer, client: restway.Client
) -> None:
    refused(peer, *words, call=lambda: client.route(route, into=into))
    refused(peer, *words, call=lambda: client.perform(Request.route(route), into=into))


def test_a_method_without_objects(peer: Peer, client: restway.Client) -> None:
    refused(
        peer, "Note", "maps nothing", call=lambda: client.post("plain", json={}, into=Note)
    )
    delete = Request.path("DELETE", "plain")
    refused(peer, "DELETE plain", "maps nothing", call=lambda: client.perform(delete, into=Note))


def test_a_body_that_goes_elsewhere(
    peer: Peer, client: restway.Client, tmp_path: Path
) -> None:
    target = tmp_path / "notes.json"
    refused(
        peer, "Note", '"export"', "saved in a file",
        call=lambda: client.route("export", save_to=target, into=list[Note]),
    )
    assert not target.exists()
    refused(
        peer, 'the parser "bytes"',
        call=lambda: client.route("export", parse="bytes", into=list[Note]),
    )


def test_a_class_that_the_entity_cannot_become(peer: Peer, client: restway.Client) -> None:
    error = refused(
        peer, "Titled", '"note"', 'Note, which has no attribute or relationship "titel"',
        'did you mean "title"?',
        call=lambda: client.route("note", variables={"id": 1}, into=Titled),
    )
    assert error.field == "titel"
    refused(peer, "Row", "colour", call=lambda: client.get("notes/1", into=Row))
    refused(peer, "Photo", "width", call=lambda: client.get("notes/1", into=list[Photo]))


def test_every_way_to_send(peer: Peer, client: restway.Client) -> None:
    scope = client.scope(id=1)
    refused(peer, "Titled", call=lambda: scope.route("note", into=Titled))
    routing = restway.RoutingClient({"note": client})
    request = Request.route("note", variables={"id": 1})
    refused(peer, "Titled", call=lambda: routing.perform(request, into=Titled))
    refused(peer, "Titled", '"listed"', call=lambda: list(client.pages("listed", into=Titled)))

    async def run(call: Callable[[restway.AsyncClient], Any]) -> None:
        async with restway.AsyncClient(DOCUMENT, base_url=peer.url) as awaited:
            await call(awaited)

    refused(peer, "Titled", call=lambda: asyncio.run(run(lambda c: c.get("notes/1", into=Titled))))
    refused(
        peer, "Titled", call=lambda: asyncio.run(run(lambda c: c.perform(request, into=Titled)))
    )


def test_what_may_be_read_is_sent(peer: Peer, client: restway.Client) -> None:
    peer.respond(b'{"id": 1, "title": "a"}')
    assert client.get("notes/1", into=Note) == Note(1, "a")
    assert client.get("notes/1", into=Lenient) == Lenient(1, None)
    either: Any = Union[Photo, Note]
    assert client.get("either", into=either) == Note(1, "a")
    assert client.get("either", into=Note) == Note(1, "a")
    # The object may be of an entity that extends the entity of the route.
    with pytest.raises(restway.MappingError, match="extra"):
        client.get("base", into=Derived)
    assert len(peer.requests) == 5
