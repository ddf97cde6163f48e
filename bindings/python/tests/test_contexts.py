"""The `contextvars` of the caller in the functions of the program."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import restway

from .peer import Peer

REQUEST = contextvars.ContextVar("REQUEST", default="nobody")
DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
    "batch": {"path": "batch"},
    "entities": {"Thing": {"identity": "id", "attributes": {"id": {"type": "int"}}}},
    "routes": {
        "plain": {"path": "plain"},
        "things": {"path": "things", "response": {"entity": "Thing"}, "pages": {"page": "page"}},
        "named": {"path": "named", "modifiers": "look", "interceptors": "look"},
    },
}


class Seen:
    """The callers that functions have seen."""

    def __init__(self) -> None:
        self.callers: list[str] = []

    def look(self, _: object) -> None:
        self.callers.append(REQUEST.get())
        REQUEST.set("a function")  # nobody else sees it

    async def look_later(self, _: object) -> None:
        await asyncio.get_running_loop().run_in_executor(None, int)
        self.look(None)


@pytest.fixture
def seen() -> Iterator[Seen]:
    token = REQUEST.set("nobody")
    yield Seen()
    REQUEST.reset(token)


def client_of(peer: Peer, seen: Seen) -> restway.Client:
    peer.respond(b"[]")
    client = restway.Client(api_of(seen), base_url=peer.url, timeout=30)
    client.add_modifier(seen.look)
    client.add_interceptor(seen.look)
    return client


def api_of(seen: Seen) -> restway.API:
    api = restway.API.from_json(DOCUMENT)
    api.add_modifier("look", seen.look)
    api.add_interceptor("look", seen.look)
    return api


def test_functions_see_the_context_of_the_thread_that_asks(peer: Peer, seen: Seen) -> None:
    with client_of(peer, seen) as client:
        REQUEST.set("one")
        client.get("plain")
        done = threading.Event()

        def on_done(_: restway.Call) -> None:
            seen.look(None)
            done.set()

        REQUEST.set("two")
        call = client.send(restway.Request.route("plain"), on_done)
        REQUEST.set("three")
        call.wait()
        assert done.wait(30)
        assert seen.callers == ["one", "one", "two", "two", "two"]
        assert REQUEST.get() == "three"
        client.pages("things").next_page()
        assert seen.callers[5:] == ["three"] * 2
        client.route("named")
        assert seen.callers[7:] == ["three"] * 4


def test_each_thread_has_its_own(peer: Peer, seen: Seen) -> None:
    with client_of(peer, seen) as client:

        def ask(number: int) -> None:
            REQUEST.set(f"thread {number}")
            client.get("plain")

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(seen.callers) == sorted([f"thread {number}" for number in range(4)] * 2)


@pytest.mark.parametrize("kind", ["plain", "coroutine"])
def test_functions_see_the_context_of_the_task_that_asks(
    peer: Peer, seen: Seen, kind: str
) -> None:
    function: Callable[[restway.PipelineContext], object]
    function = seen.look if kind == "plain" else seen.look_later

    async def ask(client: restway.AsyncClient, number: int) -> None:
        REQUEST.set(f"task {number}")
        await client.get("plain")
        await client.pages("things").next_page()

    async def run() -> None:
        peer.respond(b"[]")
        routes = {**DOCUMENT["routes"], "named": {"path": "named"}}
        api = restway.API.from_json({**DOCUMENT, "routes": routes})
        async with restway.AsyncClient(api, base_url=peer.url) as client:
            client.add_modifier(function)
            client.add_interceptor(function)
            await asyncio.gather(*(ask(client, number) for number in range(3)))

    asyncio.run(run())
    assert sorted(seen.callers) == sorted([f"task {number}" for number in range(3)] * 4)


def test_a_body_is_read_in_the_context_of_the_request(peer: Peer, seen: Seen) -> None:
    def pieces() -> Iterator[bytes]:
        yield REQUEST.get().encode()

    with client_of(peer, seen) as client:
        REQUEST.set("writer")
        client.post("plain", body=pieces(), media_type="text/plain")
    assert b"writer" in peer.requests[-1]


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_functions_about_credentials_and_answers_see_no_caller(
    peer: Peer, seen: Seen, kind: str
) -> None:
    names: set[str] = set()

    def look(name: str, result: Any = None) -> Callable[..., Any]:
        def function(*_: object) -> Any:
            names.add(name)
            seen.look(None)
            return result

        return function

    def answer() -> None:
        is_accepted = b"Bearer new" in peer.requests[-1]
        peer.respond(b'{"id": "1"}' if is_accepted else b"{}", status=200 if is_accepted else 401)

    thing = {"identity": "id", "attributes": {"id": {"type": "int", "transform": "read"}}}
    response = {"entity": "Thing", "hook": "hook"}
    route = {"path": "thing", "response": response, "validate": {"function": "valid"}}
    api = restway.API.from_json(
        {
            "restway": 1, "auth": {"scheme": "bearer"}, "entities": {"Thing": thing},
            "routes": {"thing": route},
        }
    )
    api.add_transform("read", look("transform", 1))
    api.add_hook("hook", look("hook"))
    api.add_validator("valid", look("validator"))
    peer.heard = answer

    def prepare(client: restway.Client | restway.AsyncClient) -> None:
        client.set_credential("old")
        client.set_auth(
            authorize=look("authorize"), should_replay=look("should_replay", True),
            refresh=look("refresh", "new"), persist=look("persist"),
        )
        client.set_failure_reader(look("failure reader"))
        REQUEST.set("the caller")

    async def run() -> None:
        async with restway.AsyncClient(api, base_url=peer.url) as client:
            prepare(client)
            assert [each.id for each in (await client.route("thing")).objects] == [1]

    if kind == "async":
        asyncio.run(run())
    else:
        with restway.Client(api, base_url=peer.url) as client:
            prepare(client)
            assert [each.id for each in client.route("thing").objects] == [1]
    assert names == {
        "authorize", "should_replay", "refresh", "persist", "failure reader", "validator",
        "transform", "hook",
    }
    assert set(seen.callers) == {"nobody"}


def test_a_cancelled_task_leaves_nothing_in_the_log(peer: Peer) -> None:
    """The server does not answer before the tasks are cancelled."""
    told: list[dict[str, Any]] = []

    async def stream(client: restway.AsyncClient) -> None:
        async with client.stream(restway.Request.path("GET", "hang")):
            pass

    async def events(client: restway.AsyncClient) -> None:
        async with client.events("hang"):
            pass

    async def batch(client: restway.AsyncClient) -> None:
        async with client.batch() as batch:
            batch.get("plain")
            batch.get("things")

    def hold(
        loop: asyncio.AbstractEventLoop, heard: asyncio.Event, held: threading.Event
    ) -> None:
        loop.call_soon_threadsafe(heard.set)
        held.wait(30)

    async def run() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
        async with restway.AsyncClient(api_of(Seen()), base_url=peer.url) as client:
            for work in (stream, events, batch):
                heard, held = asyncio.Event(), threading.Event()
                peer.heard = partial(hold, asyncio.get_running_loop(), heard, held)
                task = asyncio.create_task(work(client))
                await asyncio.wait_for(heard.wait(), 30)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                held.set()
        del task
        gc.collect()

    asyncio.run(run())
    assert [context["message"] for context in told] == []


def test_interceptors_of_one_api_change_nothing_for_the_clients_of_another(peer: Peer) -> None:
    other = restway.API.from_json({"restway": 1})
    other.add_interceptor("any", lambda context: None)
    api = restway.API.from_json({"restway": 1})
    peer.respond(b"{}")
    with restway.Client(api, base_url=peer.url, delivery="process") as client:
        client.send(restway.Request.path("GET", "status")).wait(30)
        assert client.process(0) == 0
