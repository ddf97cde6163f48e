"""An exception of a function of the program is the `__cause__` of the error that it leads to."""

from __future__ import annotations

import asyncio
import copy
import functools
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


CLASSES = [
    restway.NotFoundError,
    restway.StoreError,
    restway.TimedOutError,
    restway.TransportError,
    restway.AuthError,
    restway.MappingError,
]

STAGES = [
    "validated", "parsed", "encoded", "hooked", "modifier", "interceptor", "authorize", "body",
]


def use(client: restway.Client, stage: str) -> None:
    if stage == "encoded":
        client.route(stage, json={})
    elif stage == "body":
        client.post("things", body=given_body())
    else:
        client.route(stage if stage in ("validated", "parsed", "hooked") else "plain")


def given_body() -> Any:
    yield b"begun"
    given()


def given(*_: object) -> Any:
    raise GIVEN[0]()


GIVEN: list[Callable[[], BaseException]] = []


@pytest.fixture(autouse=True)
def no_error_is_left() -> Any:
    yield
    GIVEN.clear()


def client_with(peer: Peer, stage: str) -> restway.Client:
    document = DOCUMENT | {"environments": {"here": {"baseURL": peer.url}}}
    document["routes"] = DOCUMENT["routes"] | {"plain": {"path": "plain"}}
    api = restway.API.from_json(document)
    api.add_hook("look", given)
    api.add_validator("check", given)
    api.add_parser("read", given)
    api.add_encoder("write", given)
    api.add_transform("change", fail, fail)
    client = restway.Client(api)
    if stage == "modifier":
        client.add_modifier(given)
    elif stage == "interceptor":
        client.add_interceptor(given)
    elif stage == "authorize":
        client.set_auth(authorize=given)
    return client


@pytest.mark.parametrize("stage", STAGES)
def test_an_exception_of_the_package_keeps_its_class(stage: str, peer: Peer) -> None:
    peer.respond(b'{"id": 1}')
    with client_with(peer, stage) as client:
        for kind in CLASSES:
            GIVEN[:] = [functools.partial(kind, "made with a message alone")]
            with pytest.raises(restway.RestwayError, match="a message alone") as caught:
                use(client, stage)
            assert type(caught.value) is kind
            assert type(caught.value.__cause__) is kind


@pytest.mark.parametrize("stage", STAGES)
def test_the_failure_of_another_request_keeps_its_status(
    stage: str, peer: Peer
) -> None:
    peer.respond(b"{}", status=409)
    with restway.Client({"restway": 1}, base_url=peer.url) as other:
        with pytest.raises(restway.ConflictError) as before:
            other.get("x")
    peer.respond(b'{"id": 1}')
    error = copy.copy(before.value)  # without the response, which would keep its client
    del before
    GIVEN[:] = [lambda: error]
    with client_with(peer, stage) as client:
        with pytest.raises(restway.ConflictError) as caught:
            use(client, stage)
        assert caught.value.http_status == 409
        assert caught.value.status is restway.Status.HTTP


class OutOfStock(restway.ConflictError):
    def __init__(self, article: int) -> None:
        super().__init__(f"article {article}")


def test_a_class_of_the_program_becomes_the_class_that_it_is_made_of(peer: Peer) -> None:
    GIVEN[:] = [lambda: OutOfStock(7)]
    with client_with(peer, "modifier") as client:
        with pytest.raises(restway.ConflictError, match="article 7") as caught:
            client.route("plain")
        assert type(caught.value) is restway.ConflictError
        assert caught.value.http_status == 409
        assert isinstance(caught.value.__cause__, OutOfStock)


def test_what_a_refresh_raises_stays_an_error_of_authentication(peer: Peer) -> None:
    peer.respond(b"", status=401)
    GIVEN[:] = [lambda: restway.TransportError("no network")]
    with client_with(peer, "plain") as client:
        client.set_auth(refresh=given)
        with pytest.raises(restway.AuthError) as caught:
            client.route("plain")
        assert type(caught.value) is restway.AuthError
        assert isinstance(caught.value.__cause__, restway.TransportError)


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
