"""Clients for trio and asyncio, through anyio."""

from __future__ import annotations

import inspect
import queue
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import restway

from .conftest import DOCUMENT
from .peer import Peer
from .test_events import CHANGES
from .test_events import DOCUMENT as EVENTS
from .test_outbox_flush import Server, put, server
from .test_outbox_wait import api as outbox_api
from .test_pages import DOCUMENT as PAGED
from .test_pages import PagedPeer
from .test_stream import HEAD, SlowPeer, slow

anyio = pytest.importorskip("anyio")
pytest.importorskip("trio")

from restway.anyio import (  # noqa: E402  # it needs anyio
    AnyioBatch,
    AnyioClient,
    AnyioOutbox,
    AnyioPagedList,
    AnyioPages,
)
from restway.anyio._waiting import call_soon  # noqa: E402

__all__ = ["server", "slow"]

backends = pytest.mark.parametrize("backend", ["trio", "asyncio"])


class Silent:
    """A server that never answers."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.heard: Callable[[], object] = lambda: None
        """Called when a request has come."""
        self._connections: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            self._connections.append(connection)
            if not connection.recv(1):
                return
            self.heard()

    def close(self) -> None:
        with socket.create_connection(self._listener.getsockname()):
            pass
        self._thread.join()
        for each in [*self._connections, self._listener]:
            each.close()


@pytest.fixture
def silent() -> Iterator[Silent]:
    server = Silent()
    yield server
    server.close()


@backends
def test_one_get(backend: str, demo_url: str) -> None:
    async def main() -> None:
        async with AnyioClient(DOCUMENT, base_url=demo_url, timeout=30.0) as client:
            response = await client.get("enterprises/12")
            assert response.object is not None and response.object.itemID == 12
            assert client.client.store.find("Enterprise", 12) == response.object
            with pytest.raises(restway.NotFoundError):
                await client.get("enterprises/99999")

    anyio.run(main, backend=backend)


@backends
def test_many_at_once(backend: str, demo_url: str) -> None:
    async def main() -> None:
        found: list[Any] = []
        async with AnyioClient(DOCUMENT, base_url=demo_url, timeout=30.0) as client:

            async def get(number: int) -> None:
                found.append((await client.get(f"enterprises/{number}")).object)

            async with anyio.create_task_group() as group:
                for number in range(1, 21):
                    group.start_soon(get, number)
        assert sorted(each.itemID for each in found) == list(range(1, 21))

    anyio.run(main, backend=backend)


@backends
def test_a_cancelled_scope_cancels_its_call(backend: str, silent: Silent) -> None:
    environments = {"here": {"baseURL": silent.url}}
    heard: queue.SimpleQueue[restway.LifecycleEvent] = queue.SimpleQueue()

    async def main() -> None:
        asked, soon = anyio.Event(), call_soon()
        silent.heard = lambda: soon(asked.set)
        async with AnyioClient({"restway": 1, "environments": environments}) as client:
            client.client.on(heard.put, events=[restway.LifecycleKind.DID_CANCEL])
            with anyio.CancelScope() as scope:

                async def cancel() -> None:
                    await asked.wait()
                    scope.cancel()

                async with anyio.create_task_group() as group:
                    group.start_soon(cancel)
                    await client.get("silent")
            assert scope.cancelled_caught
            assert client.client.active_calls() == []
            # A thread of the library tells it, perhaps after the call has ended.
            assert heard.get(timeout=30).kind == restway.LifecycleKind.DID_CANCEL

    anyio.run(main, backend=backend)
    assert heard.empty()


@backends
def test_pages(backend: str) -> None:
    async def main(url: str) -> None:
        environments = {"here": {"baseURL": url}}
        seen: list[tuple[int, int | None]] = []

        def tell(*numbers: Any) -> None:
            seen.append(numbers)

        async with AnyioClient(PAGED | {"environments": environments}) as client:
            pages = client.pages("things", variables={"owner": "octo"}, progress=tell)
            assert [each.id async for each in pages] == [1, 2, 3, 4, 5]
            assert await pages.next_page() is None
        assert seen == [(2, 5), (4, 5), (5, 5)]

    with PagedPeer() as peer:
        anyio.run(main, peer.url, backend=backend)


@backends
def test_a_closed_client_ends_its_awaits(backend: str, silent: Silent) -> None:
    environments = {"here": {"baseURL": silent.url}}

    async def main() -> None:
        asked, soon = anyio.Event(), call_soon()
        silent.heard = lambda: soon(asked.set)
        client = AnyioClient({"restway": 1, "environments": environments})

        async def close() -> None:
            await asked.wait()
            await client.close()

        async with anyio.create_task_group() as group:
            group.start_soon(close)
            with pytest.raises(restway.ClosedError):
                await client.get("silent")

    anyio.run(main, backend=backend)


@backends
def test_a_stream_is_read_while_it_arrives(backend: str, peer: Peer) -> None:
    body = bytes(range(256)) * 40_000
    peer.respond(body)

    async def main() -> None:
        async with AnyioClient({"restway": 1}, base_url=peer.url) as client:
            async with client.stream(restway.Request.path("GET", "x")) as response:
                assert response.status == 200
                assert b"".join([piece async for piece in response.iter_bytes()]) == body
            with pytest.raises(TypeError, match="expected a Request, not str"):
                client.stream("x")  # type: ignore[arg-type]

    anyio.run(main, backend=backend)


@backends
def test_a_stream_that_is_left_or_cancelled_ends_its_call(backend: str, slow: SlowPeer) -> None:
    starter = threading.Thread(target=slow.send, args=(HEAD % 6 + b"abc",))
    starter.start()

    async def main() -> None:
        async with AnyioClient({"restway": 1}, base_url=slow.url) as client:
            async with client.stream(restway.Request.path("GET", "x")) as response:
                pieces = response.iter_bytes()
                assert await pieces.__anext__() == b"abc"
                with anyio.CancelScope() as scope:
                    scope.cancel()
                    await pieces.__anext__()
                assert scope.cancelled_caught
                assert len(client.client.active_calls()) == 1
            await until_calls_have_ended(client)

    anyio.run(main, backend=backend)
    starter.join()


@backends
def test_a_cancelled_scope_ends_the_wait_for_the_head(backend: str, silent: Silent) -> None:
    async def main() -> None:
        asked, soon = anyio.Event(), call_soon()
        silent.heard = lambda: soon(asked.set)
        async with AnyioClient({"restway": 1}, base_url=silent.url) as client:
            with anyio.CancelScope() as scope:

                async def cancel() -> None:
                    await asked.wait()
                    scope.cancel()

                async with anyio.create_task_group() as group:
                    group.start_soon(cancel)
                    async with client.stream(restway.Request.path("GET", "x")):
                        raise AssertionError("there is no head")
            assert scope.cancelled_caught
            await until_calls_have_ended(client)

    anyio.run(main, backend=backend)


async def until_calls_have_ended(client: AnyioClient) -> None:
    """Cancelling a call ends it soon, on a thread of the library."""
    while client.client.active_calls():
        await anyio.lowlevel.checkpoint()


@backends
def test_a_stream_without_a_head_says_why(backend: str) -> None:
    async def main() -> None:
        async with AnyioClient({"restway": 1}, base_url="http://127.0.0.1:9") as client:
            with pytest.raises(restway.ConnectError):
                async with client.stream(restway.Request.path("GET", "x")):
                    pass

    anyio.run(main, backend=backend)


@backends
def test_events_come_with_their_objects(backend: str, peer: Peer) -> None:
    peer.answer = CHANGES

    async def main() -> None:
        async with AnyioClient(EVENTS, base_url=peer.url) as client:
            request = restway.Request.route("changes")
            async with client.events(request, reconnections_max=0) as events:
                assert events.head.status == 200
                names = [event.name async for event in events]
            assert names == ["order", "note", "message", "order"]
            assert client.client.store.find("Order", 1) is not None

    anyio.run(main, backend=backend)


@backends
def test_a_batch(backend: str, demo_url: str) -> None:
    async def main() -> None:
        async with AnyioClient(DOCUMENT, base_url=demo_url, timeout=30.0) as client:
            async with client.batch() as batch:
                found, missing = batch.get("enterprises/3"), batch.get("enterprises/99999")
                assert (len(batch), batch.done) == (2, False)
                assert repr(batch) == "<AnyioBatch of <Batch, 2 requests, not sent>>"
            assert batch.done and batch.calls == [found, missing]
            company = found.wait().object
            assert company is not None and company.itemID == 3
            with pytest.raises(restway.NotFoundError):
                missing.wait()
            async with client.batch() as batch:
                pass
            assert batch.done

    anyio.run(main, backend=backend)


@backends
def test_an_exception_inside_of_a_batch_cancels_its_requests(backend: str, demo_url: str) -> None:
    async def main() -> None:
        async with AnyioClient(DOCUMENT, base_url=demo_url) as client:
            with pytest.raises(ZeroDivisionError):
                async with client.batch() as batch:
                    call = batch.get("status")
                    raise ZeroDivisionError
            with pytest.raises(restway.CancelledError):
                call.wait()

    anyio.run(main, backend=backend)


@backends
def test_a_cancelled_scope_cancels_its_batch(backend: str, silent: Silent) -> None:
    async def main() -> None:
        asked, soon = anyio.Event(), call_soon()
        silent.heard = lambda: soon(asked.set)
        document = {"restway": 1, "batch": {"path": "batch"}}
        async with AnyioClient(document, base_url=silent.url) as client:
            with anyio.CancelScope() as scope:

                async def cancel() -> None:
                    await asked.wait()
                    scope.cancel()

                async with anyio.create_task_group() as group:
                    group.start_soon(cancel)
                    async with client.batch() as batch:
                        call = batch.get("x")
            assert scope.cancelled_caught and batch.done
            with pytest.raises(restway.CancelledError):
                call.wait()

    anyio.run(main, backend=backend)


@backends
def test_a_list_is_loaded_page_by_page(backend: str) -> None:
    async def main(url: str) -> None:
        environments = {"here": {"baseURL": url}}
        async with AnyioClient(PAGED | {"environments": environments}) as client:
            things = client.list("things", variables={"owner": "octo"})
            assert await things.load_more() is not None
            assert ([each.id for each in things.objects], things.is_complete) == ([1, 2], False)
            while not things.is_complete:
                await things.load_more()
            assert len(things.objects) == 5 and await things.load_more() is None
            assert repr(things).startswith("<AnyioPagedList of <PagedList, 5 objects, complete")

    with PagedPeer() as peer:
        anyio.run(main, peer.url, backend=backend)


@backends
def test_a_page_that_a_list_cannot_keep_is_an_error(backend: str, peer: Peer) -> None:
    """The media type of the answer decides whether the page has values."""
    response = [
        {"type": ["string"], "mediaType": "application/names+json"},
        {"entity": "Thing", "mediaType": "application/json"},
    ]
    route = {"path": "things", "pages": {"page": "page"}, "response": response}
    thing = {"identity": "id", "attributes": {"id": {"type": "int"}}}
    document = {"restway": 1, "entities": {"Thing": thing}, "routes": {"things": route}}

    async def main() -> None:
        async with AnyioClient(document, base_url=peer.url) as client:
            things = client.list("things")
            peer.respond(b'["a"]', "application/names+json")
            for _ in range(2):
                with pytest.raises(restway.UsageError, match="have values"):
                    await things.load_more()
            peer.respond(b'[{"id": 1}]')
            assert await things.load_more() is not None
            assert [each.id for each in things.objects] == [1]

    anyio.run(main, backend=backend)


@backends
def test_the_outbox_is_awaited(backend: str, server: Server, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []

    async def main() -> None:
        options: dict[str, Any] = {"base_url": server.url, "outbox_path": tmp_path / "outbox.db"}
        async with AnyioClient(outbox_api(), **options) as client:
            client.client.set_reachability(restway.Reachability.UNREACHABLE)
            with pytest.raises(restway.QueuedError) as caught:
                await client.perform(put(5))
            with anyio.CancelScope() as scope:
                scope.cancel()
                await client.outbox.wait(caught.value)
            assert scope.cancelled_caught and len(client.outbox.outbox) == 1
            with pytest.raises(restway.TimedOutError, match="item 1 of the outbox has not ended"):
                await client.outbox.wait(caught.value, timeout=0.01)

            items = await client.outbox.flush(progress=lambda *numbers: seen.append(numbers))
            assert [item.state for item in items] == [restway.OutboxState.DELIVERED]
            item = await client.outbox.wait(caught.value)
            assert (item.id, item.state) == (items[0].id, restway.OutboxState.DELIVERED)
            with pytest.raises(restway.UsageError):
                await client.outbox.wait(99)

    anyio.run(main, backend=backend)
    assert seen == [(0, 1), (1, 1)]


@backends
def test_a_closed_client_ends_a_flush(backend: str, silent: Silent, tmp_path: Path) -> None:
    async def main() -> None:
        asked, soon = anyio.Event(), call_soon()
        options: dict[str, Any] = {"base_url": silent.url, "outbox_path": tmp_path / "outbox.db"}
        client = AnyioClient(outbox_api(), **options)
        client.client.set_reachability(restway.Reachability.UNREACHABLE)
        with pytest.raises(restway.QueuedError):
            await client.perform(put(5))
        silent.heard = lambda: soon(asked.set)
        with pytest.raises(restway.TimedOutError, match="the flush has not ended within"):
            await client.outbox.flush(timeout=0.01)

        async def close() -> None:
            await asked.wait()
            await client.close()

        async with anyio.create_task_group() as group:
            group.start_soon(close)
            with pytest.raises(restway.ClosedError):
                await client.outbox.flush(timeout=30)

    anyio.run(main, backend=backend)


def test_it_has_no_delivery_mode() -> None:
    with pytest.raises(TypeError, match="no delivery mode"):
        AnyioClient(DOCUMENT, delivery="process")


def test_every_class_has_a_telling_representation() -> None:
    kinds = [getattr(restway.anyio, name) for name in restway.anyio.__all__]
    assert [kind for kind in kinds if kind.__repr__ is object.__repr__] == []


def test_its_representation_shows_its_client(demo_url: str) -> None:
    client = AnyioClient(DOCUMENT, base_url=demo_url)
    assert repr(client) == f"<AnyioClient of <Client of {demo_url}>>"
    client.client.close()


@pytest.mark.no_library
@pytest.mark.parametrize(
    ("blocking", "awaited"),
    [
        (restway.Batch, AnyioBatch),
        (restway.Client, AnyioClient),
        (restway.Outbox, AnyioOutbox),
        (restway.PagedList, AnyioPagedList),
        (restway.Pages, AnyioPages),
    ],
)
def test_methods_have_the_texts_of_those_that_block(blocking: type, awaited: type) -> None:
    shared = [each for each in dir(awaited) if not each.startswith("_") and hasattr(blocking, each)]
    assert shared
    for name in shared:
        member = getattr(blocking, name)
        if not inspect.ismemberdescriptor(member):  # it is no method
            assert inspect.getdoc(getattr(awaited, name)) == inspect.getdoc(member), name
