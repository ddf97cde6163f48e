"""A server that speaks MessagePack with Python's own library."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgpack  # type: ignore[import-untyped]

TYPE = "application/msgpack"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def then(start: datetime, microseconds: int) -> datetime:
    return start + timedelta(microseconds=microseconds)


def packed(value: Any) -> bytes:
    """Returns `value` as MessagePack; datetimes are timestamps."""
    content: bytes = msgpack.packb(value, datetime=True)
    return content


def unpacked(content: bytes) -> Any:
    """Returns the value of MessagePack; timestamps are datetimes in UTC."""
    return msgpack.unpackb(content, timestamp=3, strict_map_key=False)


class Peer(ThreadingHTTPServer):
    """Answers a GET with `body`, and stores the things that it receives, by their id."""

    body = b""
    media_type = TYPE
    status = 200
    #: The method, Content-Type, Accept and value of each request with a body.
    received: list[tuple[str, str, str, Any]]
    things: dict[Any, Any]
    #: The members that the server adds to the things that it makes.
    assigned: dict[str, Any]

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received = []
        self.things = {}
        self.assigned = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, body: bytes, media_type: str = TYPE, status: int = 200) -> None:
        self.body, self.media_type, self.status = body, media_type, status


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are two writes: the second must not wait for the acknowledgement of the first.
    disable_nagle_algorithm = True
    server: Peer

    def _answer(self, status: int, media_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def do_GET(self) -> None:
        self._body()
        if self.path.startswith("/things"):
            name = self.path.removeprefix("/things").strip("/")
            things = self.server.things
            value = things.get(int(name)) if name else list(things.values())
            return self._answer(200 if value is not None else 404, TYPE, packed(value))
        return self._answer(self.server.status, self.server.media_type, self.server.body)

    def do_POST(self) -> None:
        body = self._body()
        if not self.path.startswith("/things"):
            return self._answer(self.server.status, self.server.media_type, self.server.body)
        kind = self.headers["Content-Type"]
        if kind not in (TYPE, "application/x-msgpack", "application/vnd.msgpack"):
            return self._answer(415, TYPE, packed({"message": f"not {kind}", "code": 7}))
        value = unpacked(body)
        self.server.received.append((self.command, kind, self.headers["Accept"], value))
        thing = {**self.server.assigned, **value}
        thing.setdefault("id", len(self.server.things) + 1)
        self.server.things[thing["id"]] = thing
        return self._answer(200 if self.command == "PUT" else 201, kind, packed(thing))

    do_PUT = do_PATCH = do_POST
    do_DELETE = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def running() -> Iterator[Peer]:
    with Peer() as peer:
        threading.Thread(target=peer.serve_forever, args=(0.02,), daemon=True).start()
        yield peer
        peer.shutdown()
