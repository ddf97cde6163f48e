"""Clients for trio and asyncio, through anyio."""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import restway

from .conftest import DOCUMENT
from .test_pages import DOCUMENT as PAGED
from .test_pages import PagedPeer

anyio = pytest.importorskip("anyio")
pytest.importorskip("trio")

from restway.anyio import AnyioClient  # noqa: E402  # it needs anyio

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
        asked, soon = anyio.Event(), restway.anyio._soon()
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
        asked, soon = anyio.Event(), restway.anyio._soon()
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


def test_it_has_no_delivery_mode() -> None:
    with pytest.raises(TypeError, match="no delivery mode"):
        AnyioClient(DOCUMENT, delivery="process")


def test_its_representation_shows_its_client(demo_url: str) -> None:
    client = AnyioClient(DOCUMENT, base_url=demo_url)
    assert repr(client) == f"<AnyioClient of <Client of {demo_url}>>"
    client.client.close()
