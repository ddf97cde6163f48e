"""How often an item was sent, what a flush tells that comes late, and the progress of a flush."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import restway
from restway import OutboxState, QueuedError, Reachability

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"here": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Thing": {"identity": "id", "attributes": {"id": {"type": "int"}, "name": "name"}}
    },
    "routes": {
        "thing": {"method": ["GET", "PUT"], "path": "things/:id", "entity": "Thing",
                  "response": {"entity": "Thing"}, "request": {"entity": "Thing"}, "offline": True},
        "things": {"method": "POST", "path": "things", "entity": "Thing",
                   "response": {"entity": "Thing"}, "request": {"entity": "Thing"},
                   "offline": True},
    },
}  # fmt: skip


def client_of(url: str, folder: Path) -> restway.Client:
    return restway.Client(DOCUMENT, base_url=url, outbox_path=folder / "outbox.db")


def stored(client: restway.Client, request: restway.Request) -> QueuedError:
    with pytest.raises(QueuedError) as caught:
        client.perform(request)
    return caught.value


def put(name: str = "a") -> restway.Request:
    return restway.Request.route("thing", "PUT", variables={"id": 1}, json={"name": name})


class Dropping:
    """Answers the first request of the first connection, and ends the connection when the next one
    has come. Every other request is answered.
    """

    def __init__(self) -> None:
        self.requests: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._threads = [threading.Thread(target=self._serve)]
        self._threads[0].start()

    def _serve(self) -> None:
        for number in range(2):
            connection, _ = self._listener.accept()
            with connection:
                while self._answer(connection, number):
                    pass

    def _answer(self, connection: socket.socket, number: int) -> bool:
        data = b""
        while b"\r\n\r\n" not in data:
            part = connection.recv(65536)
            if not part:
                return False
            data += part
        head, _, body = data.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: *(\d+)", head.lower())
        while len(body) < (int(length[1]) if length else 0):
            body += connection.recv(65536)
        self.requests.append(head.split()[0].decode())
        if number == 0 and len(self.requests) == 2:
            return False
        answer = b'{"id": 1}'
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(answer), answer)
        )
        return True

    def close(self) -> None:
        for thread in self._threads:
            thread.join(30)
        self._listener.close()


def test_a_repetition_of_the_transport_counts_as_an_attempt(tmp_path: Path) -> None:
    server = Dropping()
    with client_of(server.url, tmp_path) as client:
        client.get("things/1")
        client.set_reachability(Reachability.UNREACHABLE)
        queued = stored(client, put())
        client.set_reachability(Reachability.REACHABLE)
        item = client.outbox.wait(queued, timeout=60)
    server.close()
    assert server.requests == ["GET", "PUT", "PUT"]
    assert (item.state, item.attempts) == (OutboxState.DELIVERED, 2)


SENDER = """
import sys
from pathlib import Path
import restway
from tests.test_outbox_attempts import client_of, put
client = client_of(sys.argv[1], Path(sys.argv[2]))
client.set_reachability(restway.Reachability.UNREACHABLE)
for name in "ab":
    try:
        client.perform(put(name))
    except restway.QueuedError:
        pass
client.set_reachability(restway.Reachability.REACHABLE)
client.outbox.flush(wait=True)
"""


def test_the_attempt_of_a_killed_process_counts_once(peer: Peer, tmp_path: Path) -> None:
    came = threading.Event()
    go_on = threading.Event()

    def heard() -> None:
        came.set()
        go_on.wait(60)

    peer.heard = heard
    command = [sys.executable, "-c", SENDER, peer.url, str(tmp_path)]
    with subprocess.Popen(command, cwd=Path(__file__).parent.parent) as sender:
        assert came.wait(60)
        sender.kill()
    go_on.set()
    for _ in range(2):
        with client_of(peer.url, tmp_path) as client:
            client.set_reachability(Reachability.UNREACHABLE)
            assert [item.attempts for item in client.outbox.items()] == [1, 0]


def test_a_flush_tells_what_a_flush_just_before_has_sent(peer: Peer, tmp_path: Path) -> None:
    peer.respond(b'{"id": 1}')
    with client_of(peer.url, tmp_path) as client:
        client.set_reachability(Reachability.UNREACHABLE)
        queued = stored(client, put())
        client.set_reachability(Reachability.REACHABLE)
        client.outbox.wait(queued, timeout=60)
        sent = client.outbox.flush(wait=True, timeout=60)
        assert [(item.id, item.state) for item in sent] == [
            (queued.outbox_id, OutboxState.DELIVERED)
        ]
        assert list(client.outbox.flush(wait=True, timeout=60)) == []


def test_a_dead_letter_that_was_dropped_is_not_told(peer: Peer, tmp_path: Path) -> None:
    peer.respond(b"{}", status=412)
    with client_of(peer.url, tmp_path) as client:
        client.set_reachability(Reachability.UNREACHABLE)
        queued = stored(client, put())
        client.set_reachability(Reachability.REACHABLE)
        client.outbox.wait(queued, timeout=60)
        client.outbox.drop(queued.outbox_id)
        assert list(client.outbox.flush(wait=True, timeout=60)) == []


def test_the_progress_of_a_flush_counts_items_that_wait_behind_others(
    peer: Peer, tmp_path: Path
) -> None:
    peer.respond(json.dumps({"id": 7, "name": "b"}).encode())
    seen: list[tuple[int, int | None]] = []
    with client_of(peer.url, tmp_path) as client:
        client.set_reachability(Reachability.UNREACHABLE)
        stored(client, restway.Request.draft("POST", client.draft("Thing", name="a")))
        thing = client.store.query("Thing").first()
        assert thing is not None
        for name in "bc":
            newest = client.store.newest(thing)
            assert newest is not None
            stored(client, restway.Request.draft("PUT", client.draft(newest, name=name)))
        assert client.outbox.counts().blocked == 2
        client.outbox.flush(wait=True, timeout=60, progress=lambda *n: seen.append(n))
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
