"""The response cache: what is kept, for how long, under which key, and what removes it."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import restway
from restway import CacheOptions, CacheState, Credential, Reachability, Request

from .caching import DOCUMENT, NEWER_THING, THING, World, put, request, state_of, world_of
from .peer import Peer
from .test_async import run


@pytest.fixture
def world(peer: Peer) -> Iterator[World]:
    with world_of(peer) as made:
        yield made


def test_an_answer_is_kept_for_the_lifetime_of_its_route(world: World) -> None:
    first = world.get("things")
    note = first.cache
    assert note is not None
    assert (note.state, note.lifetime, note.is_stale) == (CacheState.STORED, 60, False)
    world.peer.respond(NEWER_THING)
    world.clock.advance(59)
    second = world.get("things")
    assert second.body == THING
    assert second.cache == restway.CacheNote(CacheState.HIT, 59, 60, False)
    assert world.count == 1
    world.clock.advance(1)
    assert world.get("things").body == NEWER_THING
    assert world.count == 2


def test_the_lifetime_of_a_request_replaces_the_route_s(world: World) -> None:
    assert world.state("/plain", cache_ttl=5) is CacheState.STORED
    world.clock.advance(4)
    assert world.state("/plain") is CacheState.HIT
    world.clock.advance(1)
    assert world.state("/plain", "preferred") is CacheState.STALE
    world.get("things", cache_ttl=-1)
    assert world.state("things", cache_ttl=-1) is not CacheState.HIT
    for wrong in (-2, float("inf"), float("nan")):
        with pytest.raises((ValueError, OverflowError)):
            request("things", cache_ttl=wrong)
    for fraction in (0.5, 59.9, -0.5):
        with pytest.raises(ValueError, match="whole number of seconds"):
            request("things", cache_ttl=fraction)
    assert world.state("/whole", cache_ttl=5.0) is CacheState.STORED


def test_the_server_validates_what_has_an_etag(world: World) -> None:
    world.peer.respond(THING, headers={"ETag": '"a"', "Cache-Control": "max-age=10"})
    assert world.state("/plain") is CacheState.STORED
    world.clock.advance(11)
    world.peer.respond(b"", status=304, headers={"ETag": '"a"'})
    response = world.get("/plain")
    assert state_of(response) is CacheState.VALIDATED
    assert (response.status, response.body) == (200, THING)
    assert b'If-None-Match: "a"' in world.peer.requests[-1]


def test_variants_are_kept_apart(world: World) -> None:
    headers = {"Vary": "Accept-Language", "Cache-Control": "max-age=60"}
    world.peer.respond(THING, headers=headers)
    found = [
        world.state("/plain", headers={"Accept-Language": language})
        for language in ("de", "en", "de", "en")
    ]
    assert found == [CacheState.STORED] * 2 + [CacheState.HIT] * 2


def test_answers_that_vary_with_cookies_are_kept_apart_by_the_cookies(world: World) -> None:
    headers = {"Vary": "Accept, Cookie", "Cache-Control": "max-age=60"}
    world.peer.respond(THING, headers=headers)
    found = []
    for session in ("one", "two", "one", "two"):
        world.client.cookies.set("session", session)
        found.append(world.state("/plain"))
    assert found == [CacheState.STORED] * 2 + [CacheState.HIT] * 2
    world.client.cookies.clear()
    assert world.client.cache.find(request("/plain")) is None
    world.peer.respond(THING, headers={**headers, "Set-Cookie": "session=two; Path=/"})
    assert world.state("/plain") is CacheState.PASSED, "the next request has another cookie"
    assert world.state("/plain") is CacheState.HIT


def test_parameters_that_the_route_names_do_not_count(world: World) -> None:
    assert world.state("things", params={"_": "1"}) is CacheState.STORED
    assert world.state("things", params={"_": "2"}) is CacheState.HIT
    assert world.state("things", params={"page": "2"}) is CacheState.STORED
    assert world.state("things", params={"page": "2", "_": "3"}) is CacheState.HIT


def test_a_successful_request_removes_the_answers_of_the_routes_it_names(world: World) -> None:
    world.get("things")
    world.get("sure")
    world.peer.respond(b"{}", status=500)
    with pytest.raises(restway.HTTPStatusError):
        world.client.perform(put("thing"))
    assert world.client.cache.find(request("things")) is not None
    world.peer.respond(THING)
    world.client.perform(put("thing"))
    assert world.client.cache.find(request("things")) is None
    assert world.client.cache.find(request("sure")) is not None


def test_unsafe_methods_invalidate_their_url(world: World) -> None:
    world.peer.respond(THING, headers={"Cache-Control": "max-age=60"})
    world.get("/plain")
    world.get("/other")
    world.client.delete("plain")
    assert world.state("/plain") is CacheState.STORED
    assert world.state("/other") is CacheState.HIT


def test_the_discriminator_switches_there_and_back(world: World) -> None:
    cache = world.client.cache
    assert cache.discriminator is None
    cache.discriminator = "ann"
    assert world.state("things") is CacheState.STORED
    cache.discriminator = "ben"
    world.peer.respond(NEWER_THING)
    assert world.get("things").body == NEWER_THING
    world.client.cache.discriminator = "ann"
    assert world.get("things").body == THING
    assert cache.discriminator == "ann"
    cache.discriminator = None
    assert cache.find(request("things")) is None
    with pytest.raises(restway.UsageError):
        cache.discriminator = ""


def test_discriminators_are_told_apart_by_their_bytes(world: World) -> None:
    """U+00EB, and "e" with U+0308 behind it: two names that look the same."""
    world.client.cache.discriminator = "Zo\u00eb"
    assert world.state("things") is CacheState.STORED
    assert world.state("things") is CacheState.HIT
    world.client.cache.discriminator = "Zoe\u0308"
    world.peer.respond(NEWER_THING)
    assert world.get("things").body == NEWER_THING


def test_a_new_credential_begins_new_entries(world: World) -> None:
    world.client.set_credential(Credential(token="first"))
    assert world.state("mine") is CacheState.STORED
    assert world.state("things") is CacheState.STORED
    assert world.state("mine") is CacheState.HIT
    world.client.set_credential(Credential(token="second"))
    assert world.state("mine") is CacheState.STORED
    assert world.state("things") is CacheState.HIT
    world.client.cache.discriminator = "ann"
    assert world.state("mine") is CacheState.STORED
    world.client.set_credential(Credential(token="third"))
    assert world.state("mine") is CacheState.HIT


def test_a_refresh_keeps_the_entries(world: World) -> None:
    def refresh() -> Credential:
        world.peer.respond(THING)
        return Credential(token="second")

    world.client.set_auth(refresh=refresh)
    world.client.set_credential(Credential(token="first"))
    assert world.state("mine") is CacheState.STORED
    world.peer.respond(b"", status=401)
    assert world.state("mine", params={"page": "2"}) is CacheState.STORED
    assert b"Authorization: Bearer second" in world.peer.requests[-1]
    assert world.state("mine") is CacheState.HIT
    assert world.state("mine", params={"page": "2"}) is CacheState.HIT


def test_a_hit_asks_no_authorize_function(world: World) -> None:
    asked: list[str] = []

    def authorize(exchange: restway.Exchange) -> None:
        asked.append(exchange.url)

    world.client.set_auth(authorize=authorize)
    world.client.cache.discriminator = "ann"
    assert world.state("mine") is CacheState.STORED
    assert len(asked) == 1
    assert world.state("mine") is CacheState.HIT
    assert len(asked) == 1


def test_answers_to_post_are_kept_by_their_body(world: World) -> None:
    def state(question: int) -> CacheState | None:
        return state_of(world.client.perform(Request.route("search", json={"q": question})))

    assert [state(1), state(2), state(1)] == [
        CacheState.STORED, CacheState.STORED, CacheState.HIT,
    ]
    assert world.count == 2


def test_what_says_no_store_is_not_kept(world: World) -> None:
    world.peer.respond(THING, headers={"Cache-Control": "no-store"})
    assert world.state("things") is CacheState.PASSED
    assert world.state("things") is CacheState.PASSED


def test_a_bypassed_route_is_neither_kept_nor_answered(world: World) -> None:
    for _ in range(2):
        assert world.state("news") is None
    assert world.count == 2
    assert world.client.cache.statistics.entries == 0


def test_heuristics_are_an_option(peer: Peer) -> None:
    modified = {"Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"}
    for heuristics in (False, True):
        with world_of(peer, CacheOptions(heuristics=heuristics)) as world:
            peer.respond(THING, headers=modified)
            world.get("/plain")
            expected = CacheState.HIT if heuristics else None
            world.peer.respond(THING, headers=modified)
            found = world.state("/plain")
            assert (found is CacheState.HIT) == (expected is CacheState.HIT)


@pytest.mark.parametrize("in_memory", [None, 0])
def test_a_file_outlives_the_client(peer: Peer, tmp_path: Path, in_memory: int | None) -> None:
    cache = CacheOptions(tmp_path / "cache.db", memory_bytes_max=in_memory)
    with world_of(peer, cache) as world:
        assert world.state("things") is CacheState.STORED
    with world_of(peer, cache) as world:
        assert world.get("things").body == THING
        assert world.count == 1
        assert world.client.cache.problem is None
    assert (tmp_path / "cache.db").stat().st_mode & 0o777 == 0o600


def test_a_file_mode_is_that_of_the_cache_too(peer: Peer, tmp_path: Path) -> None:
    with world_of(peer, tmp_path / "cache.db", file_mode=0o640) as world:
        world.get("things")
    assert (tmp_path / "cache.db").stat().st_mode & 0o777 == 0o640


def test_the_file_of_the_document_is_beside_it(peer: Peer, tmp_path: Path) -> None:
    document = tmp_path / "api.restway.json"
    document.write_text('{"restway": 1, "cache": {"path": "kept.db"}}')
    with restway.Client(restway.API.load(document), base_url=peer.url) as client:
        peer.respond(THING, headers={"Cache-Control": "max-age=60"})
        client.get("plain")
        assert state_of(client.get("plain")) is CacheState.HIT
    assert (tmp_path / "kept.db").exists()


def test_a_corrupt_file_fails_no_call(peer: Peer, tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    path.write_bytes(b"SQLite format 3\0" * 1000)
    with world_of(peer, path) as world:
        assert world.get("things").body == THING
        assert str(path) in (world.client.cache.problem or "")


def test_a_read_only_file_fails_no_call(peer: Peer, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        path = Path("/proc/restway/cache.db")
    else:
        path = tmp_path / "cache.db"
        with world_of(peer, path) as world:
            world.get("things")
        path.chmod(0o400)
    with world_of(peer, path) as world:
        assert world.get("things").body == THING
        assert str(path) in (world.client.cache.problem or "")


def test_a_database_of_another_program_is_left_alone(peer: Peer, tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE mine (value)")
    file.close()
    before = path.read_bytes()
    message = r"cache\.db.*another program"
    with pytest.raises(restway.FileError, match=message), world_of(peer, path):
        pass
    assert path.read_bytes() == before


def test_wrong_options_are_refused(peer: Peer) -> None:
    with pytest.raises(restway.ConfigError, match="no file"), world_of(
        peer, CacheOptions(memory_bytes_max=0)
    ):
        pass
    with pytest.raises(ValueError, match="bytes_max"), world_of(peer, CacheOptions(bytes_max=0)):
        pass
    with pytest.raises(restway.UsageError, match="cache_bytes_max"), world_of(
        peer, CacheOptions(bytes_max=1)
    ):
        pass


def test_statistics_lists_and_removal(world: World) -> None:
    cache = world.client.cache
    world.get("things")
    world.get("things")
    world.clock.advance(30)
    cache.discriminator = "ann"
    world.get("sure")
    assert cache.statistics.hits == 1
    assert cache.statistics.entries == cache.statistics.memory_entries == 2
    newest, oldest = cache.entries()
    assert (newest.route, newest.discriminator, newest.method) == ("sure", "ann", "GET")
    assert newest.url == f"{world.peer.url}/sure"
    assert (oldest.route, oldest.discriminator, oldest.age, oldest.lifetime) == (
        "things", None, 30, 60,
    )
    assert oldest.bytes > len(THING)
    assert cache.entries(1) == [newest]
    assert cache.entries(key=oldest.key) == [oldest]
    assert cache.entries(discriminator="") == [oldest]
    assert cache.entries(age=29.5) == [oldest]
    assert cache.entries(url=newest.url, route="things") == []
    assert cache.remove(route="nothing") == 0
    assert cache.remove(route="sure", discriminator="ann") == 1
    assert cache.clear() == 1
    assert cache.entries() == []
    with pytest.raises(TypeError, match="clear"):
        cache.remove()
    with pytest.raises(ValueError, match="limit"):
        cache.entries(0)
    with pytest.raises(restway.InvalidURLError):
        cache.entries(url="nonsense")


def test_a_client_without_a_cache_says_so(peer: Peer) -> None:
    with world_of(peer, cache=None) as world:
        cache = world.client.cache
        assert world.state("things") is world.state("things") is None
        assert world.count == 2
        used: list[Any] = [
            lambda: cache.statistics, lambda: cache.problem, cache.entries, cache.clear,
            lambda: cache.find("things"),
        ]
        for use in used:
            with pytest.raises(restway.ConfigError, match="no response cache"):
                use()
        with pytest.raises(restway.ConfigError):
            cache.discriminator = "ann"
        assert cache.discriminator is None


def test_the_functions_of_an_async_client(peer: Peer) -> None:
    async def use() -> None:
        peer.respond(THING)
        async with restway.AsyncClient(
            restway.API.from_json(DOCUMENT), base_url=peer.url, cache=True
        ) as client:
            cache = client.cache
            cache.discriminator = "ann"
            assert await cache.find(request("things")) is None
            first, second = await asyncio.gather(
                client.perform(request("things")), client.perform(request("things"))
            )
            assert first.body == second.body == THING
            assert len(peer.requests) == 1
            note = await cache.find(request("things"))
            assert note is not None
            assert note.state is CacheState.HIT
            assert (await cache.statistics()).entries == 1
            assert [entry.discriminator for entry in await cache.entries()] == ["ann"]
            assert await cache.remove(route="things") == 1
            assert await cache.clear() == 0
            assert cache.problem is None
            assert not await client.perform(request("things", cache="only"))

    run(use())


PAGE = (Path(__file__).resolve().parents[3] / "docs" / "CACHE.md").read_text("utf-8")


def test_the_python_examples_of_the_page_run(
    peer: Peer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    peer.respond(THING)
    environments = {"here": {"baseURL": peer.url}}
    names: dict[str, Any] = {
        "restway": restway,
        "api": restway.API.from_json({**DOCUMENT, "environments": environments}),
    }
    snippets = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    assert len(snippets) > 3
    for snippet in snippets:
        exec(snippet, names)
    names["client"].close()
    assert "nothing was read yet" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_the_c_examples_of_the_page_compile(tmp_path: Path) -> None:
    body = "\n".join(re.findall(r"```c\n(.*?)```", PAGE, re.S))
    source = tmp_path / "page.c"
    source.write_text(
        "#include <restway/restway.h>\n#include <stdio.h>\n"
        "#pragma GCC diagnostic ignored \"-Wunused-result\"\n"
        "void run(restway_api *api, restway_response *response) {\n"
        f"restway_client *client = NULL; restway_error *error = NULL;\n{body}}}\n"
    )
    include = Path(__file__).resolve().parents[3] / "Include"
    arguments = ["-std=c99", "-Wall", "-Werror", "-fsyntax-only", "-I", str(include), str(source)]
    subprocess.run(["cc", *arguments], check=True)


def test_reachability_is_for_the_cache_too(world: World) -> None:
    world.get("kept")
    world.clock.advance(3600)
    world.client.set_reachability(Reachability.UNREACHABLE)
    assert world.state("kept") is CacheState.STALE
    assert world.count == 1
