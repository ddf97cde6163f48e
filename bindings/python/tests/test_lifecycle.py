"""The life of calls: its events, in every kind of client, and the calls in flight."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import Any

import pytest

import restway
from restway import LifecycleKind

from .peer import Peer

SECONDS_MAX = 30.0
DOCUMENT = {
    "restway": 1,
    "environments": {"test": {"baseURL": "http://127.0.0.1:1"}},
    "retry": {"attempts": 2, "baseMilliseconds": 1, "capMilliseconds": 1},
    "entities": {"Thing": {"identity": "id", "attributes": {"id": {"type": "int"}}}},
    "routes": {
        "things": {"path": "things", "response": {"entity": "Thing"}},
        "slow": {"path": "slow", "tooSlowMilliseconds": 2000},
    },
}
ENDS = (LifecycleKind.DID_SUCCEED, LifecycleKind.DID_FAIL, LifecycleKind.DID_CANCEL)
PROGRESS = (LifecycleKind.UPLOADED, LifecycleKind.DOWNLOADED)


def make_api() -> restway.API:
    return restway.API.from_json(DOCUMENT)


class Log:
    """Collects events."""

    def __init__(self) -> None:
        self.events: list[restway.LifecycleEvent] = []
        self._changed = threading.Condition()

    def __call__(self, event: restway.LifecycleEvent) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def wait(self, is_there: Callable[[list[restway.LifecycleEvent]], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: is_there(self.events), SECONDS_MAX)

    def ended(self, count: int = 1) -> list[str]:
        """Returns the names of the kinds, when this many calls have ended."""
        self.wait(lambda events: sum(event.kind in ENDS for event in events) >= count)
        return [event.kind.name for event in self.events]


def answer(peer: Peer, *statuses: int) -> None:
    """Lets the peer answer one request after the other with these statuses."""
    left = iter(statuses)

    def choose() -> None:
        status = next(left)
        peer.respond(b'[{"id": 1}]' if status == 200 else b"{}", status=status)

    peer.heard = choose


@contextmanager
def held(peer: Peer) -> Iterator[None]:
    """Lets the peer answer nothing before the end."""
    gate = threading.Event()
    peer.heard = gate.wait
    try:
        yield
    finally:
        gate.set()


def test_a_call_is_told_from_its_beginning_to_its_end(peer: Peer) -> None:
    log = Log()
    before = datetime.now(timezone.utc)
    answer(peer, 200)
    with restway.Client(make_api(), base_url=peer.url) as client:
        with client.on(log):
            response = client.perform(restway.Request.route("things", params={"token": "secret"}))
            names = log.ended()
    assert [name for name in names if name != "DOWNLOADED"] == [
        "WILL_BEGIN", "DID_BEGIN", "WILL_MAP", "DID_SUCCEED"
    ]
    first, *_, last = log.events
    assert before <= first.time <= last.time
    call = first.call
    assert (call.route, call.method, call.stage, call.attempt) == ("things", "GET", "start", 1)
    assert call.url == f"{peer.url}/things?token=[redacted]"
    assert not (call.is_in_background or call.is_in_batch or call.is_from_outbox)
    assert {event.call.id for event in log.events} == {call.id}
    assert last.response is not None and last.response.status == response.status == 200
    assert last.error is None and first.response is None and first.progress is None
    told = [event.progress for event in log.events if event.kind in PROGRESS]
    assert all(progress is not None for progress in told)
    assert told and told[-1] is not None and told[-1].download_done == 11
    assert "_call" not in repr(call)


def test_a_failure_is_told_with_its_error_and_each_attempt(peer: Peer) -> None:
    log = Log()
    answer(peer, 503, 404)
    with restway.Client(make_api(), base_url=peer.url) as client:
        client.on(log, events=[LifecycleKind.DID_BEGIN, LifecycleKind.DID_FAIL])
        with pytest.raises(restway.HTTPStatusError):
            client.get("things")
        assert log.ended() == ["DID_BEGIN", "DID_BEGIN", "DID_FAIL"]
    assert [event.call.attempt for event in log.events[:2]] == [1, 2]
    error = log.events[-1].error
    assert isinstance(error, restway.HTTPStatusError)
    assert error.http_status == 404 and error.response is not None


def test_a_call_can_be_cancelled_where_it_is_told(peer: Peer) -> None:
    log = Log()

    def cancel(event: restway.LifecycleEvent) -> None:
        log(event)
        if event.kind is LifecycleKind.WILL_BEGIN:
            event.call.cancel()

    with restway.Client(make_api(), base_url=peer.url, delivery="process") as client:
        client.on(cancel)
        call = client.send(restway.Request.path("GET", "things"))
        ran = 0
        while not any(event.kind in ENDS for event in log.events):
            ran += client.process(SECONDS_MAX)
        assert log.events[-1].kind is LifecycleKind.DID_CANCEL
        assert isinstance(log.events[-1].error, restway.CancelledError)
        with pytest.raises(restway.CancelledError):
            call.wait()


def test_routes_and_kinds_are_chosen_and_observers_are_removed(peer: Peer) -> None:
    things, ends = Log(), Log()
    answer(peer, 200, 200, 200)
    with restway.Client(make_api(), base_url=peer.url) as client:
        observer = client.on(things, routes=["things"], progress_interval=0.5)
        client.on(ends, events=ENDS)
        client.perform(restway.Request.route("things"))
        client.get("others")
        ends.ended(2)
        observer.remove()
        observer.remove()
        client.perform(restway.Request.route("things"))
        assert ends.ended(3) == ["DID_SUCCEED"] * 3
        assert things.ended()[-1] == "DID_SUCCEED"
        assert {event.call.route for event in things.events} == {"things"}
        assert sum(event.kind in ENDS for event in things.events) == 1


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"routes": ["thing"]}, restway.UnknownRouteError),
        ({"routes": "things"}, TypeError),
        ({"routes": [1]}, TypeError),
        ({"events": [99]}, ValueError),
        ({"events": []}, ValueError),
        ({"progress_interval": 0}, ValueError),
        ({"progress_interval": float("inf")}, restway.UsageError),
    ],
)
def test_a_wrong_choice_is_refused(options: dict[str, Any], error: type[Exception]) -> None:
    with restway.Client(make_api()) as client, pytest.raises(error):
        client.on(print, **options)


def test_a_closed_client_has_no_new_observers() -> None:
    client = restway.Client(make_api())
    client.close()
    with pytest.raises(restway.ClosedError):
        client.on(print)


def test_an_exception_of_an_observer_is_reported(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    unraisable: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    answer(peer, 200)
    log = Log()

    def fail(event: restway.LifecycleEvent) -> None:
        log(event)
        raise LookupError(event.kind.name)

    with restway.Client(make_api(), base_url=peer.url) as client:
        client.on(fail, events=[LifecycleKind.DID_SUCCEED])
        client.perform(restway.Request.route("things"))
        log.ended()
    assert [str(each.exc_value) for each in unraisable] == ["DID_SUCCEED"]


def test_the_slowness_of_routes_requests_and_clients(peer: Peer) -> None:
    log, clock = Log(), restway.Clock()
    with restway.Client(make_api(), base_url=peer.url, clock=clock, too_slow=3) as client:
        client.on(log, events=[LifecycleKind.WILL_BEGIN, LifecycleKind.TOO_SLOW])
        for request, age in (
            (restway.Request.path("GET", "plain"), 3),
            (restway.Request.route("slow"), 2),
            (restway.Request.route("slow", timeout=restway.Timeouts(too_slow=1)), 1),
        ):
            seen = len(log.events)
            with held(peer):
                call = client.send(request)
                log.wait(lambda events, seen=seen: len(events) == seen + 1)  # type: ignore[misc]
                while clock.next != age:
                    pass
                clock.advance(age)
                log.wait(lambda events, seen=seen: len(events) == seen + 2)  # type: ignore[misc]
                assert log.events[-1].kind is LifecycleKind.TOO_SLOW
                assert log.events[-1].call.age == age
                call.cancel()


def test_active_calls_are_listed_and_can_be_cancelled(peer: Peer) -> None:
    log = Log()
    with held(peer), restway.Client(make_api(), base_url=peer.url) as client:
        assert client.active_calls() == []
        client.on(log)
        call = client.send(restway.Request.route("things"))
        other = client.send(restway.Request.path("GET", "others"))
        active = client.active_calls()
        assert [each.id for each in active] == [call.id, other.id]
        assert [each.route for each in active] == ["things", None]
        assert active[0].url == f"{peer.url}/things" and active[0].method == "GET"
        assert active[0].age >= 0 and active[0].attempt == 1
        active[0].cancel()
        with pytest.raises(restway.CancelledError):
            call.wait()
        assert [each.id for each in client.active_calls()] == [other.id]
        other.cancel()
    assert client.active_calls() == []


def test_an_observer_keeps_its_client_no_longer_than_needed(peer: Peer) -> None:
    answer(peer, 200)
    log = Log()

    def use() -> None:
        client = restway.Client(make_api(), base_url=peer.url)
        client.on(lambda event: log(event) if client else None)
        client.perform(restway.Request.route("things"))
        log.ended()
        client.close()

    use()
    gc.collect()


# asyncio


def test_an_async_client_tells_on_its_loop(peer: Peer) -> None:
    log: list[restway.LifecycleEvent] = []
    threads: set[int] = set()
    answer(peer, 200)

    async def run() -> None:
        is_over = asyncio.Event()

        def told(event: restway.LifecycleEvent) -> None:
            log.append(event)
            threads.add(threading.get_ident())
            if event.kind in ENDS:
                is_over.set()

        async with restway.AsyncClient(make_api(), base_url=peer.url) as client:
            with client.on(told):
                await client.perform(restway.Request.route("things"))
                await is_over.wait()
            assert client.active_calls() == []

    asyncio.run(run())
    names = [event.kind.name for event in log if event.kind not in PROGRESS]
    assert names == ["WILL_BEGIN", "DID_BEGIN", "WILL_MAP", "DID_SUCCEED"]
    assert threads == {threading.get_ident()}


def test_an_async_client_has_events_for_a_loop(peer: Peer) -> None:
    answer(peer, 200, 404)

    async def run() -> list[str]:
        names: list[str] = []
        client = restway.AsyncClient(make_api(), base_url=peer.url)
        with client.lifecycle(events=ENDS) as events:
            await client.perform(restway.Request.route("things"))
            with pytest.raises(restway.HTTPStatusError):
                await client.get("things")
            await client.close()
            async for event in events:
                names.append(event.kind.name)
            names += [event.kind.name async for event in events]
        return names

    # Only the events of one call have an order.
    assert sorted(asyncio.run(run())) == ["DID_FAIL", "DID_SUCCEED"]


def test_a_loop_over_events_can_be_ended(peer: Peer) -> None:
    answer(peer, 200)

    async def run() -> list[str]:
        async with restway.AsyncClient(make_api(), base_url=peer.url) as client:
            with client.lifecycle(routes=["things"]) as events:
                await client.perform(restway.Request.route("things"))
                async for event in events:
                    if event.kind in ENDS:
                        break
            return [event.kind.name async for event in events]

    assert asyncio.run(run()) == []


def test_an_exception_of_an_async_observer_goes_to_the_loop(peer: Peer) -> None:
    answer(peer, 200)
    seen: list[dict[str, Any]] = []

    def fail(event: restway.LifecycleEvent) -> None:
        raise LookupError(event.kind.name)

    async def run() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: seen.append(context))
        async with restway.AsyncClient(make_api(), base_url=peer.url) as client:
            client.on(fail, events=[LifecycleKind.WILL_BEGIN])
            await client.perform(restway.Request.route("things"))

    asyncio.run(run())
    assert [str(context["exception"]) for context in seen] == ["WILL_BEGIN"]
