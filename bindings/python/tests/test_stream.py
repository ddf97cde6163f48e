"""Answers whose bodies are read while they arrive."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import Literal

import pytest

import restway

from .peer import Peer

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nX-A: b\r\nConnection: close\r\n\r\n"


def api() -> restway.API:
    return restway.API.from_json('{"restway": 1}')


def get() -> restway.Request:
    return restway.Request.path("GET", "x")


class SlowPeer:
    """A server that sends what the test says, when the test says it."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._accepted = threading.Event()
        self._connection: socket.socket | None = None
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def _accept(self) -> None:
        self._connection, _ = self._listener.accept()
        self._connection.recv(65536)
        self._accepted.set()

    def send(self, content: bytes) -> None:
        self._accepted.wait()
        assert self._connection is not None
        self._connection.sendall(content)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._listener.close()


@pytest.fixture
def slow() -> Iterator[SlowPeer]:
    peer = SlowPeer()
    yield peer
    peer.close()


def test_the_head_and_each_piece_come_before_the_rest(slow: SlowPeer) -> None:
    with restway.Client(api(), base_url=slow.url) as client:
        starter = threading.Thread(target=slow.send, args=(HEAD % 6,))
        starter.start()
        with client.stream(get()) as response:
            assert (response.status, response.headers["X-A"]) == (200, "b")
            pieces = response.iter_bytes()
            slow.send(b"abc")
            assert next(pieces) == b"abc"
            slow.send(b"def")
            assert b"".join(pieces) == b"def"
        starter.join()


def test_a_large_body_comes_whole_through_the_bound(peer: Peer) -> None:
    body = bytes(range(256)) * 40_000
    peer.respond(body, "application/octet-stream")
    with restway.Client(api(), base_url=peer.url) as client, client.stream(get()) as response:
        assert response.read() == body
        assert response.read() == b""


@pytest.mark.parametrize("delivery", ["thread", "process"])
def test_an_error_is_raised_before_the_body(
    peer: Peer, delivery: Literal["thread", "process"]
) -> None:
    peer.respond(b'{"no": 1}', status=404)
    with restway.Client(api(), base_url=peer.url, delivery=delivery) as client:
        with pytest.raises(restway.HTTPStatusError) as caught, client.stream(get()):
            pass
        assert caught.value.response is not None
        assert caught.value.response.json() == {"no": 1}


def test_a_body_that_is_cut_off_raises_after_its_last_piece(peer: Peer) -> None:
    peer.answer = HEAD % 10 + b"0123"
    with restway.Client(api(), base_url=peer.url) as client, client.stream(get()) as response:
        pieces = response.iter_bytes()
        assert next(pieces) == b"0123"
        with pytest.raises(restway.ConnectionLostError):
            next(pieces)


def test_leaving_the_context_ends_an_endless_body(slow: SlowPeer) -> None:
    with restway.Client(api(), base_url=slow.url) as client:
        starter = threading.Thread(target=slow.send, args=(HEAD % 10**12 + b"x",))
        starter.start()
        with client.stream(get()) as response:
            assert next(response.iter_bytes()) == b"x"
        starter.join()


def test_a_request_is_as_before_after_it_was_streamed(peer: Peer) -> None:
    peer.respond(b"[1]")
    request = get()
    with restway.Client(api(), base_url=peer.url) as client:
        with client.stream(request) as response:
            assert response.read() == b"[1]"
        assert client.perform(request).json() == [1]


def test_async_streams(peer: Peer) -> None:
    body = bytes(range(256)) * 40_000
    peer.respond(body, "application/octet-stream")

    async def read(client: restway.AsyncClient) -> bytes:
        async with client.stream(get()) as response:
            assert response.status == 200
            return b"".join([piece async for piece in response.iter_bytes()])

    async def run() -> None:
        async with restway.AsyncClient(api(), base_url=peer.url) as client:
            assert await asyncio.gather(*(read(client) for _ in range(3))) == [body] * 3
            peer.respond(b"{}", status=503)
            with pytest.raises(restway.HTTPStatusError):
                await read(client)
            peer.answer = HEAD % 10 + b"0123"
            async with client.stream(get()) as response:
                with pytest.raises(restway.ConnectionLostError):
                    await response.read()

    asyncio.run(run())


def test_an_async_stream_ends_with_its_task(slow: SlowPeer) -> None:
    async def run() -> None:
        async with restway.AsyncClient(api(), base_url=slow.url) as client:
            starter = threading.Thread(target=slow.send, args=(HEAD % 10**12 + b"x",))
            starter.start()
            async with client.stream(get()) as response:
                pieces = response.iter_bytes()
                assert await pieces.__anext__() == b"x"
                waiting = asyncio.ensure_future(pieces.__anext__())
                asyncio.get_running_loop().call_soon(waiting.cancel)
                with pytest.raises(asyncio.CancelledError):
                    await waiting
            starter.join()

    asyncio.run(run())
