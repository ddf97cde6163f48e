"""Servers that answer before they have read a body, and bodies that are announced."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import restway

FAILURE = b"HTTP/1.1 %d Any\r\nContent-Length: 2\r\n\r\n{}"
GOOD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
BODY_BYTES = 64 << 20


class Server:
    """Answers the head of each request at once with the next of its answers. It counts what came
    on each connection behind the head, until the client closes it.
    """

    def __init__(self, *answers: bytes) -> None:
        self.answers = list(answers)
        self.heads: list[bytes] = []
        self.bodies: list[int] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,))
            thread.start()
            self._threads.append(thread)

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            data = b""
            while b"\r\n\r\n" not in data:
                data += connection.recv(1000)
            head, _, body = data.partition(b"\r\n\r\n")
            self.heads.append(head)
            for part in self.answers.pop(0).split(b"|"):
                connection.sendall(part)
            count = len(body)
            try:
                while more := connection.recv(1 << 20):
                    count += len(more)
            except ConnectionError:
                pass
            self.bodies.append(count)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()


@contextmanager
def serving(*answers: bytes) -> Iterator[tuple[Server, restway.Client]]:
    server = Server(*answers)
    thread = threading.Thread(target=server.accept)
    thread.start()
    api = restway.API.from_json({"restway": 1})
    try:
        with restway.Client(api, base_url=server.url, timeout=20) as client:
            yield server, client
    finally:
        server.close()
        thread.join()


@pytest.fixture
def large(tmp_path: Path) -> Path:
    path = tmp_path / "large"
    path.touch()
    os.truncate(path, BODY_BYTES)
    return path


@pytest.mark.parametrize("kind", ["bytes", "file", "multipart", "gzip"])
def test_a_failure_is_taken_while_the_body_is_sent(large: Path, kind: str) -> None:
    with serving(FAILURE % 413, GOOD) as (server, client):
        with pytest.raises(restway.HTTPStatusError, match="413") as caught:
            if kind == "bytes":
                client.post("x", body=bytes(BODY_BYTES))
            elif kind == "multipart":
                client.post("x", files={"a": large})
            else:
                client.post("x", body=restway.Resource.file(large), gzip=kind == "gzip")
        assert caught.value.response is not None
        assert caught.value.response.body == b"{}"
        # The next request has a connection of its own: the first still has bytes on the way.
        assert client.get("y").status == 200
    assert len(server.heads) == 2
    assert all(count < BODY_BYTES for count in server.bodies)


def test_an_announced_body_is_not_sent_to_a_server_that_refuses_it(large: Path) -> None:
    with serving(FAILURE % 413, GOOD) as (server, client):
        with pytest.raises(restway.HTTPStatusError, match="413") as caught:
            client.post("x", body=restway.Resource.file(large), expect_continue=True)
        assert caught.value.response is not None
        assert caught.value.response.body == b"{}"
        assert client.get("y").status == 200
    assert b"Expect: 100-continue" in server.heads[0]
    assert server.bodies == [0, 0]


@pytest.mark.parametrize("kind", ["bytes", "file", "multipart", "header"])
def test_a_refused_announcement_is_left_out_and_the_body_is_sent(large: Path, kind: str) -> None:
    with serving(FAILURE % 417, GOOD) as (server, client):
        if kind == "bytes":
            response = client.post("x", body=bytes(BODY_BYTES), expect_continue=True)
        elif kind == "multipart":
            response = client.post("x", files={"a": large}, expect_continue=True)
        elif kind == "file":
            file = restway.Resource.file(large)
            response = client.post("x", body=file, expect_continue=True)
        else:
            headers = {"Expect": "100-continue"}
            response = client.post("x", body=bytes(BODY_BYTES), headers=headers)
        assert response.status == 200
    assert b"Expect: 100-continue" in server.heads[0]
    assert b"Expect" not in server.heads[1]
    assert server.bodies[0] == 0
    assert max(server.bodies) >= BODY_BYTES


def test_a_request_is_sent_once_more_after_a_417(large: Path) -> None:
    with serving(FAILURE % 417, FAILURE % 417, GOOD) as (server, client):
        with pytest.raises(restway.HTTPStatusError, match="417"):
            client.post("x", body=restway.Resource.file(large), expect_continue=True)
        assert client.get("y").status == 200
    assert b"Expect" not in server.heads[1]
    assert len(server.heads) == 3


def test_an_announced_body_is_sent_when_the_server_asks_for_it(large: Path) -> None:
    with serving(CONTINUE + b"|" + GOOD.replace(b"{}", b"[]")) as (server, client):
        assert client.post(
            "x", body=restway.Resource.file(large), expect_continue=True
        ).body == b"[]"
    assert server.bodies == [BODY_BYTES]
