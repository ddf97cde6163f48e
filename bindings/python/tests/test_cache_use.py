"""How the response cache is used: modes, offline, single flight, hits with objects, and what stands
beside calls: batches, the outbox, downloads.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import restway
from restway import CacheState, OutboxReason, Reachability, Request

from .caching import (
    NEWER_THING,
    THING,
    Shut,
    World,
    put,
    request,
    state_of,
    world_of,
)
from .peer import Peer, unused_port


@pytest.fixture
def world(peer: Peer) -> Iterator[World]:
    with world_of(peer) as made:
        yield made


def test_the_mode_decides_who_answers(world: World) -> None:
    assert world.state("things", "bypass") is None
    assert world.state("things", "standard") is CacheState.STORED
    world.peer.respond(THING, headers={"ETag": '"a"'})
    assert world.state("things", "reload") is CacheState.STORED
    assert world.count == 3
    world.peer.respond(b"", status=304, headers={"ETag": '"a"'})
    assert world.state("things", "validate") is CacheState.VALIDATED
    world.clock.advance(61)
    assert world.state("things", "preferred") is CacheState.STALE
    assert world.state("things", "only") is CacheState.STALE
    assert world.count == 4
    with pytest.raises(ValueError, match="no mode of the cache"):
        request("things", cache="never")


def test_cached_only_finds_nothing_without_an_error(world: World) -> None:
    response = world.get("things", "only")
    assert state_of(response) is CacheState.MISSING
    assert not response
    assert not response.found
    assert (response.status, response.body, list(response.objects)) == (0, b"", [])
    assert not world.get("news", "only")
    assert world.count == 0
    world.get("things")
    response = world.get("things", "only")
    assert response
    assert response.found
    response.close()
    assert response


def test_cached_only_asks_no_server_without_a_cache(peer: Peer) -> None:
    with world_of(peer, cache=None) as world:
        assert not world.get("things", "only")
        assert world.count == 0
        assert world.state("things", "preferred") is None
        assert world.count == 1


def test_only_if_cached_of_a_header_never_asks_the_server(world: World) -> None:
    only = {"Cache-Control": "max-age=60, Only-If-Cached"}
    for target in ("things", "/other"):
        response = world.get(target, headers=only)
        assert state_of(response) is CacheState.MISSING
        assert not response
    assert not world.get("things", "bypass", headers=only)
    assert world.count == 0
    world.get("things")
    assert world.state("things", headers=only) is CacheState.HIT
    assert not world.get("things", headers={"Cache-Control": "only-if-cached, no-cache"})
    assert world.count == 1


def test_only_if_cached_of_a_header_asks_no_server_without_a_cache(peer: Peer) -> None:
    with world_of(peer, cache=None) as world:
        assert not world.get("things", headers={"Cache-Control": "only-if-cached"})
        assert world.count == 0


def test_find_tells_how_old_and_how_fresh(world: World) -> None:
    cache = world.client.cache
    assert cache.find("plain") is None
    assert cache.find(request("things")) is None
    world.get("things")
    world.clock.advance(20)
    assert cache.find(request("things")) == restway.CacheNote(CacheState.HIT, 20, 60, False)
    world.clock.advance(50)
    assert cache.find(request("things")) == restway.CacheNote(CacheState.STALE, 70, 60, True)
    assert world.count == 1
    assert cache.statistics.hits == 0
    for wrong in (None, 7, b"things"):
        with pytest.raises(TypeError, match="a Request or a path"):
            cache.find(wrong)  # type: ignore[arg-type]


def test_a_hit_has_the_objects_of_the_store(world: World) -> None:
    first, second = world.get("things"), world.get("things")
    assert first.object is not None
    assert second.object is not None
    assert first.object.store_key == second.object.store_key
    assert second.is_mapped
    world.peer.respond(NEWER_THING)
    world.get("/things/1")
    third = world.get("things")
    assert third.body == THING
    assert third.object is not None
    assert third.object.name == "desk"
    world.client.store.delete(third.object)
    assert list(world.get("things").objects) == []


def test_a_hit_has_cache_status_and_age(world: World) -> None:
    assert "restway; fwd=uri-miss" in world.get("things").headers["Cache-Status"]
    world.clock.advance(7)
    headers = world.get("things").headers
    assert headers["Cache-Status"].startswith("restway; hit")
    assert headers["Age"] == "7"


def test_a_hit_comes_through_the_same_delivery(world: World) -> None:
    world.get("things")
    told: list[int] = []
    call = world.client.send(request("things"), lambda done: told.append(done.wait().status))
    assert state_of(call.wait()) is CacheState.HIT
    progress = call.progress
    assert progress.fraction == 1


def test_what_was_read_can_be_read_offline(peer: Peer) -> None:
    with world_of(peer) as world:
        world.get("kept")
        world.get("things")
        world.clock.advance(3600)
        world.client.set_reachability(Reachability.UNREACHABLE)
        response = world.get("kept")
        assert state_of(response) is CacheState.STALE
        assert response.body == THING
        assert world.count == 2


def test_a_server_that_is_gone_is_offline_too(peer: Peer, tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    with world_of(peer, path) as world:
        world.get("kept")
        url = peer.url
    with world_of(peer, path, base_url=url) as world:
        peer.answer = b""
        world.clock.advance(3600)
        assert state_of(world.get("kept")) is CacheState.STALE
    with world_of(peer, base_url=f"http://127.0.0.1:{unused_port()}") as world, pytest.raises(
        restway.ConnectError
    ):
        world.get("kept")


def test_a_stale_answer_is_given_while_a_newer_one_is_asked_for(world: World) -> None:
    world.get("calm")
    world.clock.advance(70)
    world.peer.respond(NEWER_THING)
    response = world.get("calm")
    assert state_of(response) is CacheState.STALE
    assert response.body == THING
    while (note := world.client.cache.find(request("calm"))) is None or note.is_stale:
        pass
    assert world.get("calm").body == NEWER_THING
    assert world.count == 2


def test_a_close_ends_the_request_in_the_background(world: World) -> None:
    world.get("calm")
    world.clock.advance(70)
    with Shut(world.peer) as shut:
        world.get("calm")
        assert shut.arrived.acquire(timeout=30)
        world.client.close()


def test_a_stale_answer_stands_in_for_a_failure(world: World) -> None:
    world.get("sure")
    world.clock.advance(100)
    world.peer.respond(b"{}", status=503)
    response = world.get("sure")
    assert state_of(response) is CacheState.STALE
    assert (response.status, response.body) == (200, THING)
    world.clock.advance(600)
    with pytest.raises(restway.HTTPStatusError):
        world.get("sure")


def test_equal_requests_share_one_exchange(world: World) -> None:
    with Shut(world.peer) as shut:
        calls = [world.client.send(request("things")) for _ in range(4)]
        assert shut.arrived.acquire(timeout=30)
        calls[0].cancel()
        calls[2].cancel()
        for call in (calls[0], calls[2]):
            with pytest.raises(restway.CancelledError):
                call.wait(30)
        shut.open()
        assert [call.wait(30).body for call in (calls[1], calls[3])] == [THING, THING]
    # The second call has sent its own request, and the fourth one has got the same answer.
    assert world.count == 2
    assert world.client.cache.statistics.shared == 1


def test_the_last_that_is_cancelled_ends_the_exchange(world: World) -> None:
    with Shut(world.peer) as shut:
        calls = [world.client.send(request("things")) for _ in range(3)]
        assert shut.arrived.acquire(timeout=30)
        for call in reversed(calls):
            call.cancel()
            with pytest.raises(restway.CancelledError):
                call.wait(30)
    assert world.state("things") is CacheState.STORED
    assert world.count == 2


def test_what_may_not_be_shared_is_sent_for_each(world: World) -> None:
    world.peer.respond(THING, headers={"Cache-Control": "no-store"})
    with Shut(world.peer) as shut:
        calls = [world.client.send(request("things")) for _ in range(3)]
        assert shut.arrived.acquire(timeout=30)
        shut.open()
        assert [call.wait(30).status for call in calls] == [200] * 3
    assert world.count == 3


def test_what_left_before_an_invalidation_is_not_kept(world: World) -> None:
    with Shut(world.peer) as shut:
        call = world.client.send(request("things"))
        assert shut.arrived.acquire(timeout=30)
        world.client.cache.clear()
        shut.open()
        assert call.wait(30).body == THING
    assert world.client.cache.find(request("things")) is None


def test_an_answer_is_saved_in_a_file_again(world: World, tmp_path: Path) -> None:
    for number in range(2):
        path = tmp_path / str(number)
        response = world.get("things", save_to=path)
        assert response.saved is not None
        assert path.read_bytes() == THING
    assert world.count == 1


def test_a_kept_file_that_is_too_large_for_memory_stays(peer: Peer, tmp_path: Path) -> None:
    content = b"x" * 100_000
    paths = [tmp_path / "first", tmp_path / "second"]
    with world_of(peer, cache=tmp_path / "cache.db", body_bytes_max=1_000) as world:
        peer.respond(content, headers={"Cache-Control": "max-age=60"})
        world.get("/plain", save_to=paths[0])
        with pytest.raises(restway.TooLargeError):
            world.get("/plain")
        assert world.get("/plain", save_to=paths[1]).saved is not None
        assert world.count == 1
    assert [path.read_bytes() for path in paths] == [content, content]


def test_gets_of_a_batch_are_looked_up_and_kept(world: World) -> None:
    def page(number: int) -> Request:
        # A batch call goes with the credential, and so do the requests in it.
        return request("mine", params={"page": number})

    world.get("things")
    world.client.perform(page(1))
    answer = [{"code": 200, "body": NEWER_THING.decode()}]
    world.peer.respond(json.dumps(answer).encode())
    with world.client.batch() as batch:
        kept, sent = batch.add(page(1)), batch.add(page(2))
    assert kept.wait().body == THING
    assert sent.wait().body == NEWER_THING
    assert b"page=1" not in world.peer.requests[-1].partition(b"\r\n\r\n")[2]
    assert world.client.perform(page(2)).body == NEWER_THING
    assert world.count == 3
    with world.client.batch() as batch:
        batch.add(put("thing"))
    assert world.client.cache.find(request("things")) is None


def test_the_outbox_invalidates_for_the_discriminator_of_its_request(
    peer: Peer, tmp_path: Path
) -> None:
    with world_of(peer, tmp_path / "cache.db", outbox_path=tmp_path / "outbox.db") as world:
        client, cache = world.client, world.client.cache
        for name in ("ben", "ann"):
            cache.discriminator = name
            world.get("things")
        client.set_reachability(Reachability.UNREACHABLE)
        with pytest.raises(restway.QueuedError):
            client.perform(put("stored"))
        assert cache.find(request("things")) is not None
        cache.discriminator = "ben"
        # It goes out in a batch.
        peer.respond(json.dumps([{"code": 200, "body": "{}"}]).encode())
        client.set_reachability(Reachability.REACHABLE)
        assert [item.reason for item in client.outbox.items()] == [OutboxReason.OTHER_USER]
        assert cache.find(request("things")) is not None
        cache.discriminator = "ann"
        while len(client.outbox.items()):
            pass
        assert cache.find(request("things")) is None
        cache.discriminator = "ben"
        assert cache.find(request("things")) is not None


def test_pages_are_entries_of_their_own(world: World) -> None:
    for page in (1, 2):
        world.get("things", params={"page": page})
    assert len(world.client.cache.entries()) == 2
    assert {entry.url.partition("?")[2] for entry in world.client.cache.entries()} == {
        "page=1", "page=2",
    }


def test_a_redirect_and_its_target_are_kept(world: World) -> None:
    headers = {"Cache-Control": "max-age=60", "Location": f"{world.peer.url}/target"}
    world.peer.respond(THING, headers={"Cache-Control": "max-age=60"})
    world.get("/target")
    world.peer.respond(b"", status=301, headers=headers)
    assert world.get("/moved").body == THING
    assert world.get("/moved").body == THING
    assert world.count == 2


def test_requests_about_objects_have_the_cache_of_their_route(world: World) -> None:
    thing = world.get("things").object
    assert thing is not None
    assert state_of(world.client.perform(Request.object("GET", thing))) is CacheState.STORED
    assert state_of(world.client.perform(Request.object("GET", thing))) is CacheState.HIT
