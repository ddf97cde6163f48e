"""For whom the response cache keeps an answer, and what its file and its errors tell."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import restway
from restway import CacheState

from .caching import DOCUMENT, NEWER_THING, THING, Shut, World, put, request, state_of, world_of
from .peer import Peer
from .test_async import run

SECRETS = {
    "Authorization": "Bearer secret-of-authorization",
    "Cookie": "sid=secret-of-cookie",
    "X-Api-Key": "secret-of-key",
}
VARYING = {"Vary": "Authorization, X-Api-Key"}


@pytest.fixture
def world(peer: Peer) -> Iterator[World]:
    with world_of(peer) as made:
        yield made


def test_a_request_keeps_the_discriminator_with_which_it_started(world: World) -> None:
    cache = world.client.cache
    cache.discriminator = "ann"
    with Shut(world.peer) as shut:
        call = world.client.send(request("things"))
        assert shut.arrived.acquire(timeout=30)
        cache.discriminator = "ben"
        shut.open()
        assert call.wait(30).body == THING
    assert cache.find(request("things")) is None
    assert [entry.discriminator for entry in cache.entries()] == ["ann"]
    cache.discriminator = "ann"
    assert world.state("things") is CacheState.HIT


def test_an_invalidation_is_for_the_discriminator_of_its_request(world: World) -> None:
    cache = world.client.cache
    for name in ("ann", "ben"):
        cache.discriminator = name
        world.get("things")
    with Shut(world.peer) as shut:
        call = world.client.send(put("thing"))
        assert shut.arrived.acquire(timeout=30)
        cache.discriminator = "ann"
        shut.open()
        call.wait(30)
    assert [entry.discriminator for entry in cache.entries(route="things")] == ["ann"]


def test_an_authorize_function_that_signs_in_another_user_gets_no_answer_of_the_first(
    peer: Peer, tmp_path: Path
) -> None:
    user = "ann"
    with world_of(peer, tmp_path / "cache.db") as world:
        client = world.client

        def authorize(exchange: restway.Exchange) -> None:
            exchange.set_header("Authorization", f"Bearer {user}")

        client.set_auth(authorize=authorize)
        client.cache.discriminator = None
        for turn, user in enumerate(("ann", "ben", "ann"), start=1):
            peer.respond(user.encode(), headers={"Cache-Control": "private, max-age=60"})
            response = client.get("mine", cache_ttl=60)
            assert (response.body, state_of(response)) == (user.encode(), CacheState.PASSED)
            assert not client.get("mine", cache="only")
            assert world.count == turn
            assert f"Authorization: Bearer {user}".encode() in peer.requests[-1]
        assert client.cache.entries() == []
        # Each name has entries of its own.
        for user, state in (("ann", "STORED"), ("ben", "STORED"), ("ann", "HIT")):
            client.cache.discriminator = user
            peer.respond(user.encode(), headers={"Cache-Control": "private, max-age=60"})
            response = client.get("mine", cache_ttl=60)
            assert response.body == user.encode()
            assert state_of(response) is CacheState[state]


def test_equal_requests_of_an_authorize_function_share_no_exchange(world: World) -> None:
    users: list[str] = []

    def authorize(exchange: restway.Exchange) -> None:
        users.append(f"user {len(users)}")
        exchange.set_header("Authorization", f"Bearer {users[-1]}")

    world.client.set_auth(authorize=authorize)
    with Shut(world.peer) as shut:
        calls = [world.client.send(request("mine")) for _ in range(2)]
        assert shut.arrived.acquire(timeout=30)
        shut.open()
        assert [call.wait(30).status for call in calls] == [200, 200]
    assert users == ["user 0", "user 1"]
    assert world.count == 2


@pytest.mark.parametrize("text", ["a\nb", "ä ö", "%20", "-", "d", "x" * 100_000])
def test_any_text_is_a_discriminator(peer: Peer, tmp_path: Path, text: str) -> None:
    with world_of(peer, tmp_path / "cache.db") as world:
        world.client.cache.discriminator = text
        world.get("things")
    with world_of(peer, tmp_path / "cache.db") as world:
        assert world.client.cache.find(request("things")) is None
        world.client.cache.discriminator = text
        assert world.state("things") is CacheState.HIT
        assert [entry.discriminator for entry in world.client.cache.entries()] == [text]
        assert world.client.cache.remove(discriminator=text) == 1


def test_no_credential_of_a_request_is_in_the_file(peer: Peer, tmp_path: Path) -> None:
    def files() -> bytes:
        return b"".join(path.read_bytes() for path in tmp_path.glob("cache.db*") if path.is_file())

    with world_of(peer, tmp_path / "cache.db") as world:
        peer.respond(THING, headers=VARYING)
        assert world.state("things", headers=SECRETS) is CacheState.STORED
        assert world.state("things", headers=SECRETS) is CacheState.HIT
        peer.respond(NEWER_THING, headers=VARYING)
        for name in ("Authorization", "X-Api-Key"):
            assert world.state("things", headers={**SECRETS, name: "x"}) is CacheState.STORED
        assert len(world.client.cache.entries()) == 3
        assert THING in files()
        assert b"secret-of" not in files()
    assert b"secret-of" not in files()


def test_the_file_and_the_bodies_are_the_owner_s(peer: Peer, tmp_path: Path) -> None:
    with world_of(peer, tmp_path / "cache.db") as world:
        peer.respond(b'{"id": 1, "name": "' + b"x" * 100_000 + b'"}')
        world.get("things")
        assert len(world.client.cache.entries()) == 1
        bodies = tmp_path / "cache.db-bodies"
        assert bodies.stat().st_mode & 0o777 == 0o700
        kept = [*bodies.iterdir(), *(path for path in tmp_path.iterdir() if path.is_file())]
        assert len(kept) > 2
        assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", '""'),
        ("things", '"things"'),
        ("ftp://user:secret@host/things?token=secret", '"ftp://host/things"'),
    ],
)
def test_an_error_names_the_url_of_a_filter_without_secrets(
    world: World, url: str, said: str
) -> None:
    for use in (world.client.cache.entries, world.client.cache.remove):
        with pytest.raises(restway.InvalidURLError) as caught:
            use(url=url)
        assert f"filter.url {said} is no absolute http or https URL" in str(caught.value)
        assert "secret" not in str(caught.value)


def test_a_callback_may_use_the_cache(world: World) -> None:
    seen: list[Any] = []
    ended = threading.Event()

    def look(call: restway.Call) -> None:
        cache = world.client.cache
        seen.append(cache.statistics.stored)
        seen.append([entry.route for entry in cache.entries()])
        seen.append(cache.find(request("things")) is None)
        seen.append(cache.remove(route="things"))
        seen.append(cache.problem)
        ended.set()

    world.client.send(request("things"), look)
    assert ended.wait(30)
    assert seen == [1, ["things"], False, 1, None]


def test_false_switches_the_cache_of_the_document_off(peer: Peer) -> None:
    with world_of(peer, False) as world, pytest.raises(restway.ConfigError):
        world.client.cache.clear()
    api = restway.API.from_json({**DOCUMENT, "cache": {}})
    with restway.Client(api, base_url=peer.url) as client:
        assert client.cache.clear() == 0
    with restway.Client(api, base_url=peer.url, cache=False) as client:
        with pytest.raises(restway.ConfigError, match="no response cache"):
            client.cache.clear()


def test_tasks_share_an_exchange_and_the_last_ends_it(peer: Peer) -> None:
    async def use() -> None:
        api = restway.API.from_json(DOCUMENT)
        async with restway.AsyncClient(api, base_url=peer.url, cache=True) as client:
            for survivors in (1, 0):
                with Shut(peer) as shut:
                    tasks = [
                        asyncio.create_task(client.perform(request("things"))) for _ in range(3)
                    ]
                    await asyncio.get_running_loop().run_in_executor(None, shut.arrived.acquire)
                    # Were the first cancelled first, the next one would send.
                    for task in reversed(tasks[survivors:]):
                        task.cancel()
                    ended = await asyncio.gather(*tasks[survivors:], return_exceptions=True)
                    assert all(isinstance(error, asyncio.CancelledError) for error in ended)
                    shut.open()
                    for task in tasks[:survivors]:
                        assert (await task).body == THING
                assert await client.cache.clear() == survivors
            response = await client.perform(request("things"))
            assert state_of(response) is CacheState.STORED

    peer.respond(THING)
    run(use())
    assert len(peer.requests) == 3
