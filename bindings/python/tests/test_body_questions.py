"""Functions that are called while a body is written: on a thread of the library, before the call is
sent.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import restway

from .peer import Peer

SECONDS_MAX = 30.0

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Team": {"identity": "id", "attributes": {"id": {"type": "int"}, "name": {}}},
        "Member": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}, "name": {"transform": "spoken"}},
            "relationships": {
                "team": {"entity": "Team", "byIdentity": True},
                "boss": {"entity": "Member", "byIdentity": True},
            },
        },
    },
    "routes": {
        "hire": {
            "method": "POST",
            "path": "members",
            "entity": "Member",
            "response": {"entity": "Member"},
        }
    },
}


class Asked:
    """The calls of a function, and their threads."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.threads: set[int] = set()

    def note(self, name: str) -> None:
        self.names.append(name)
        self.threads.add(threading.get_ident())

    def exclude(self, method: str, path: str | None, entity: str, relationship: str) -> bool:
        self.note(f"{method} {path} {entity}.{relationship}")
        return relationship == "team"

    def speak(self, value: str) -> str:
        self.note(value)
        if value == "bad":
            raise ValueError("unspeakable")
        return value.upper()


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def api(asked: Asked) -> restway.API:
    api = restway.API.from_json(DOCUMENT)
    api.add_transform("spoken", encode=asked.speak)
    return api


@pytest.fixture(params=["thread", "process"])
def client(
    request: pytest.FixtureRequest, api: restway.API, peer: Peer
) -> Iterator[restway.Client]:
    peer.respond(b"", status=204)
    with restway.Client(api, base_url=peer.url, delivery=request.param, timeout=30) as client:
        yield client


def member(client: restway.Client | restway.AsyncClient, name: str = "ann") -> restway.Draft:
    """Makes a member of a new team, which cannot be sent by identity."""
    return client.draft("Member", name=name, team=client.draft("Team"))


def body_of(peer: Peer) -> Any:
    return json.loads(peer.requests[-1].partition(b"\r\n\r\n")[2])


QUESTIONS = ["ann", "POST members Member.team", "POST members Member.boss"]


def test_the_thread_that_sends_is_not_asked(
    client: restway.Client, asked: Asked, peer: Peer
) -> None:
    client.set_exclusion(asked.exclude)
    client.post(member(client))
    assert body_of(peer) == {"name": "ANN"}
    assert asked.names == QUESTIONS
    command = client.curl_command(restway.Request.draft("POST", member(client)))
    assert '{"name":"ANN"}' in command
    assert threading.get_ident() not in asked.threads


def test_the_loop_is_not_asked(api: restway.API, asked: Asked, peer: Peer) -> None:
    peer.respond(b"", status=204)

    async def main() -> None:
        async with restway.AsyncClient(api, base_url=peer.url, timeout=30) as client:
            client.set_exclusion(asked.exclude)
            await client.post(member(client))
            with pytest.raises(restway.MappingError, match="unspeakable"):
                await client.post(member(client, "bad"))

    asyncio.run(main())
    assert body_of(peer) == {"name": "ANN"}
    assert asked.names == [*QUESTIONS, "bad"]
    assert threading.get_ident() not in asked.threads
    assert len(peer.requests) == 1


def test_what_cannot_be_written_completes_the_call(client: restway.Client, peer: Peer) -> None:
    call = client.send(restway.Request.draft("POST", member(client)))
    with pytest.raises(restway.MappingError, match="Member") as caught:
        call.wait()
    assert caught.value.field == "team"
    with pytest.raises(restway.MappingError, match="Member"):
        client.curl_command(restway.Request.draft("POST", member(client)))
    assert peer.requests == []
    del caught


def test_an_exclusion_that_raises_refuses_the_request(
    client: restway.Client, peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", raised.append)

    def exclude(method: str, path: str | None, entity: str, relationship: str) -> bool:
        raise LookupError(relationship)

    client.set_exclusion(exclude)
    with pytest.raises(restway.CancelledError, match=r"team.*LookupError: team") as caught:
        client.perform(restway.Request.draft("POST", member(client)))
    assert isinstance(caught.value.__cause__, LookupError)
    assert raised == []
    assert peer.requests == []


def test_a_cancelled_call_is_asked_nothing_more(client: restway.Client, peer: Peer) -> None:
    is_asked, may_answer = threading.Event(), threading.Event()
    names: list[str] = []

    def exclude(method: str, path: str | None, entity: str, relationship: str) -> bool:
        names.append(relationship)
        is_asked.set()
        assert may_answer.wait(SECONDS_MAX)
        return True

    client.set_exclusion(exclude)
    call = client.send(restway.Request.draft("POST", member(client)))
    assert is_asked.wait(SECONDS_MAX)
    call.cancel()
    with pytest.raises(restway.CancelledError):
        call.wait()  # while the function is still running
    may_answer.set()
    client.close()
    assert restway._ffi.callbacks.questions.wait_until_empty(SECONDS_MAX)
    assert names == ["team"] and peer.requests == []


def test_a_task_that_is_cancelled_meanwhile_ends_at_once(api: restway.API, peer: Peer) -> None:
    may_answer = threading.Event()

    async def main() -> None:
        loop = asyncio.get_running_loop()
        is_asked = asyncio.Event()

        def exclude(method: str, path: str | None, entity: str, relationship: str) -> bool:
            loop.call_soon_threadsafe(is_asked.set)
            return may_answer.wait(SECONDS_MAX)

        async with restway.AsyncClient(api, base_url=peer.url, timeout=30) as client:
            client.set_exclusion(exclude)
            task = asyncio.ensure_future(client.post(member(client)))
            await is_asked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            may_answer.set()

    asyncio.run(main())
    assert peer.requests == []


def test_inside_an_exclusion_what_asks_would_block(client: restway.Client) -> None:
    raised: list[type[BaseException]] = []
    request = restway.Request.draft("POST", member(client))

    def exclude(method: str, path: str | None, entity: str, relationship: str) -> bool:
        try:
            client.curl_command(request)
        except restway.RestwayError as error:
            raised.append(type(error))
        return True

    client.set_exclusion(exclude)
    client.perform(request)
    assert raised == [restway.WouldBlockError] * 2
