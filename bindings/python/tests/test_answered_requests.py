"""A POST that the server has answered is not sent again. One that became a GET is no success."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import restway
from restway import OutboxReason, OutboxState, Reachability

HEAD = "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n"
BROKEN = {
    "length": HEAD + 'Content-Length: 500\r\n\r\n{"id": 7}',
    "chunks": HEAD + 'Transfer-Encoding: chunked\r\n\r\n16\r\n{"id"',
    "bad chunk": HEAD + 'Transfer-Encoding: chunked\r\n\r\nzz\r\n{"id": 7}',
    "gzip": HEAD + 'Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\n{"id": 7}',
    "headers": HEAD + "Content-Le",
    "status line alone": "HTTP/1.1 201 Created\r\n",
}


@contextmanager
def answering(answer: str) -> Iterator[tuple[str, list[str]]]:
    """Serves connections that get `answer` to one request and then end."""
    lines: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    peer, _ = server.accept()
                except OSError:
                    return
                with peer:
                    text = b""
                    while not text.endswith(b"}"):
                        piece = peer.recv(65536)
                        if not piece:
                            break
                        text += piece
                    lines.append(text.split(b"\r\n")[0].decode())
                    peer.sendall(answer.encode())

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", lines
        server.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def client_of(url: str, folder: Path) -> restway.Client:
    document = {
        "restway": 1,
        "environments": {"test": {"baseURL": url}},
        "outbox": {"baseMilliseconds": 1, "capMilliseconds": 2},
        "entities": {"Tag": {"identity": "id", "attributes": {"id": "id", "name": "name"}}},
        "routes": {
            "tags": {
                "method": "POST",
                "path": "tags",
                "entity": "Tag",
                "response": {"entity": "Tag"},
                "offline": True,
            }
        },
    }
    return restway.Client(restway.API.from_json(document), outbox_path=str(folder / "outbox.db"))


@pytest.mark.parametrize("answer", BROKEN.values(), ids=list(BROKEN))
def test_a_broken_answer_is_an_answer(answer: str, tmp_path: Path) -> None:
    with answering(answer) as (url, lines), client_of(url, tmp_path) as client:
        with pytest.raises(restway.RestwayError) as caught:
            client.post(client.draft("Tag", name="x"))
        assert not isinstance(caught.value, restway.QueuedError)
        assert caught.value.http_status == 201
        assert not caught.value.retryable
        assert len(client.outbox) == 0
        client.set_reachability(Reachability.UNREACHABLE)
        with pytest.raises(restway.QueuedError) as queued:
            client.post(client.draft("Tag", name="y"))
        client.set_reachability(Reachability.REACHABLE)
        item = client.outbox.wait(queued.value, timeout=30)
        assert item.state is OutboxState.DELIVERED
        assert len(client.outbox) == 0
        assert lines == ["POST /tags HTTP/1.1"] * 2


def test_a_post_that_became_a_get_is_no_success(tmp_path: Path) -> None:
    answer = "HTTP/1.1 301 Moved\r\nLocation: /tags/\r\nContent-Length: 0\r\n\r\n"
    with answering(answer) as (url, lines), client_of(url, tmp_path) as client:
        draft = client.draft("Tag", name="x")
        with pytest.raises(restway.HTTPStatusError, match="lacks its last slash") as caught:
            client.post(draft)
        assert caught.value.http_status == 301
        assert draft.snapshot().name == "x"
        assert lines == ["POST /tags HTTP/1.1"]


def test_a_post_that_is_sent_to_the_login_waits(tmp_path: Path) -> None:
    answer = "HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n"
    with answering(answer) as (url, _), client_of(url, tmp_path) as client:
        client.set_reachability(Reachability.UNREACHABLE)
        with pytest.raises(restway.QueuedError):
            client.post(client.draft("Tag", name="x"))
        client.set_reachability(Reachability.REACHABLE)
        # The outbox may just try the request again by itself.
        while not (item := client.outbox.find(1)).attempts or item.state is OutboxState.SENDING:
            client.outbox.flush(wait=True, timeout=30)
        assert item.reason is OutboxReason.CREDENTIAL
        assert item.state is not OutboxState.DEAD
