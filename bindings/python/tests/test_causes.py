"""An exception of a function of the program is the `__cause__` of the error that it leads to."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import restway

from .conftest import MakeClient
from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"here": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Thing": {"identity": "id", "attributes": {"id": {"type": "int"}}},
        "Changed": {"attributes": {"name": {"transform": "change"}}},
        "Linked": {"relationships": {"thing": {"entity": "Thing"}}},
    },
    "batch": {"path": "/batch"},
    "routes": {
        "hooked": {"path": "things", "response": {"entity": "Thing", "hook": "look"}},
        "validated": {"path": "valid", "validate": {"function": "check"}},
        "parsed": {"path": "parsed", "parse": "read"},
        "encoded": {"method": "POST", "path": "encoded", "encode": "write"},
        "changed": {"path": "changed", "response": {"entity": "Changed"}},
        "change": {"method": "POST", "path": "changed", "entity": "Changed"},
        "link": {"method": "POST", "path": "linked", "entity": "Linked"},
    },
}


class Broken(Exception):
    """What the functions of these tests raise."""


def fail(*_: object) -> Any:
    local = "the frames of an exception are cleared"
    raise Broken(local)


def made(peer: Peer) -> restway.API:
    api = restway.API.from_json(DOCUMENT | {"environments": {"here": {"baseURL": peer.url}}})
    api.add_hook("look", fail)
    api.add_validator("check", fail)
    api.add_parser("read", fail)
    api.add_encoder("write", fail)
    api.add_transform("change", fail, fail)
    return api


Use = Callable[[restway.Client], object]

USES: dict[str, tuple[Use, type[restway.RestwayError]]] = {
    "hook": (lambda client: client.route("hooked"), restway.MappingError),
    "validator": (lambda client: client.route("validated"), restway.ValidationError),
    "parser": (lambda client: client.route("parsed"), restway.ParsingError),
    "encoder": (lambda client: client.route("encoded", json={}), restway.MappingError),
    "transform": (lambda client: client.route("changed"), restway.MappingError),
    "transform of bytes": (
        lambda client: client.map("Changed", {"name": "a"}),
        restway.MappingError,
    ),
    "transform back": (lambda client: client.perform(draft_of(client)), restway.MappingError),
    "exclusion": (lambda client: exclude(client), restway.CancelledError),
    "body": (lambda client: client.post("things", body=broken_body()), restway.CancelledError),
}


def draft_of(client: restway.Client) -> restway.Request:
    draft = client.draft("Changed")
    draft["name"] = "a"
    return restway.Request.draft("POST", draft)


def exclude(client: restway.Client) -> None:
    draft = client.draft("Linked")
    draft["thing"] = client.draft("Thing")
    client.set_exclusion(fail)
    client.perform(restway.Request.draft("POST", draft))


def broken_body() -> Any:
    yield b"begun"
    fail()


@pytest.mark.parametrize("what", sorted(USES))
def test_what_a_function_raises_is_the_cause(what: str, peer: Peer) -> None:
    peer.respond(b'{"id": 1, "name": "a"}')
    use, kind = USES[what]
    with restway.Client(made(peer), strict_mapping=True) as client:
        with pytest.raises(kind, match="Broken: the frames of an exception are cleared") as caught:
            use(client)
    cause = caught.value.__cause__
    assert isinstance(cause, Broken)
    assert cause.__traceback__ is not None


@pytest.mark.parametrize("which", ["encode", "decode"])
def test_what_a_batch_format_raises_is_the_cause(which: str, peer: Peer) -> None:
    peer.respond(b"[]")
    with restway.Client(made(peer)) as client:
        client.set_batch_format(
            fail if which == "encode" else lambda _: b"[]",
            fail if which == "decode" else lambda *_: [],
        )
        batch = client.batch()
        call = batch.get("things")
        batch.send()
        with pytest.raises(restway.BatchError) as caught:
            call.wait()
        assert isinstance(caught.value.__cause__, Broken)


def test_an_async_client_has_the_same_causes(peer: Peer) -> None:
    peer.respond(b'{"id": 1}')

    async def main() -> None:
        async with restway.AsyncClient(made(peer)) as client:
            with pytest.raises(restway.MappingError) as caught:
                await client.route("hooked")
            assert isinstance(caught.value.__cause__, Broken)

    asyncio.run(main())


def test_a_cause_is_freed_with_its_error(make_client: MakeClient, peer: Peer) -> None:
    peer.respond(b'{"id": 1}')
    with restway.Client(made(peer)) as client:
        try:
            client.route("hooked")
        except restway.MappingError as error:
            assert error.__cause__ is not None
            cause = weakref.ref(error.__cause__)
        for _ in range(100):
            gc.collect()
            if cause() is None:
                break
        assert cause() is None
