"""A server that applies each request once, by its key, and records every request."""

from __future__ import annotations

import json
import random
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

#: The problem type of a request that is sent again while the server still works on the first
#: attempt.
BUSY = "https://example.com/problems/busy"

#: The prefix of a local identity.
LOCAL = "restway-local-"


@dataclass(frozen=True)
class Arrival:
    """A request as it arrived, in a batch or alone."""

    sender: str
    key: str
    method: str
    path: str
    body: str


@dataclass
class Moods:
    """How often the server fails in each way, in percent."""

    temporary: int = 8
    #: The server applies the request, and the answer is lost.
    loses_answers: int = 8
    #: The connection breaks before anything was applied.
    breaks: int = 4
    #: The connection breaks while the server works on the request; the key then gets 409 for a
    #: while.
    works_on: int = 4


@dataclass
class Record:
    arrivals: list[Arrival] = field(default_factory=list)
    #: The keys in the order in which they were applied, and their answers.
    applied: dict[str, tuple[int, str]] = field(default_factory=dict)
    first: dict[str, Arrival] = field(default_factory=dict)
    #: How often a key is still answered with 409.
    working: dict[str, int] = field(default_factory=dict)
    conflicts: int = 0
    #: The numbers of things and of parts, by the identity that they were given.
    identities: dict[str, dict[int, int]] = field(
        default_factory=lambda: {"thing": {}, "part": {}}
    )


class RecordingServer(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, seed: int, moods: Moods) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.moods = moods
        self.record = Record()
        self.lock = threading.Lock()
        self._random = random.Random(seed)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()

    def url(self, sender: str) -> str:
        """Returns the base URL of one process: the path says which process sends."""
        return f"http://127.0.0.1:{self.server_address[1]}/{sender}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores broken connections, which a killed victim leaves."""

    def mood(self) -> str:
        with self.lock:
            roll = self._random.randrange(100)
        for name in ("temporary", "loses_answers", "breaks", "works_on"):
            share: int = getattr(self.moods, name)
            if roll < share:
                return name
            roll -= share
        return "good"

    def apply(self, arrival: Arrival) -> tuple[int, str]:
        with self.lock:
            record = self.record
            known = record.applied.get(arrival.key)
            if known is None:
                record.first[arrival.key] = arrival
                known = record.applied[arrival.key] = self._answer(arrival)
            elif _content(record.first[arrival.key]) != _content(arrival):
                return 422, json.dumps({"title": "Idempotency-Key is already used"})
            return known

    def work_on(self, key: str) -> None:
        """Begins to work on a request, which is applied when it has come a few more times."""
        with self.lock:
            if key not in self.record.applied:
                self.record.working.setdefault(key, self._random.randrange(1, 4))

    def is_working(self, key: str) -> bool:
        with self.lock:
            left = self.record.working.get(key, 0)
            self.record.working[key] = max(0, left - 1)
            self.record.conflicts += left > 0
            return left > 0

    def _answer(self, arrival: Arrival) -> tuple[int, str]:
        body = json.loads(arrival.body)
        if arrival.path == "events":
            return 201, "{}"
        if arrival.method == "POST":
            if part := body.get("part"):
                body["part"] = self._named("part", part)
            return 201, json.dumps(self._named("thing", body))
        return 200, json.dumps(body)

    def _named(self, title: str, body: dict[str, Any]) -> dict[str, Any]:
        known = self.record.identities[title]
        identity = len(known) + (1000 if title == "thing" else 500_000)
        known[identity] = body["number"]
        return {**body, "id": identity}


def _key(item: dict[str, Any]) -> str:
    headers = {name.lower(): value for name, value in item["headers"].items()}
    key: str = headers["idempotency-key"]
    return key


def _content(arrival: Arrival) -> tuple[str, str, str]:
    return arrival.method, arrival.path, arrival.body


def _conflict(key: str) -> tuple[dict[str, str], str]:
    """Returns a 409 in one of two forms: with Retry-After, or with its problem type."""
    if int(key[-1], 16) % 2:
        return {"Retry-After": "1"}, "{}"
    return {}, json.dumps({"type": BUSY})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    #: An answer is sent as a whole: with head and body in two packets, the second packet would wait
    #: for the acknowledgement of the first.
    disable_nagle_algorithm = True
    wbufsize = -1
    server: RecordingServer

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        _, sender, path = self.path.split("/", 2)
        mood = self.server.mood()
        if mood == "breaks":
            self.close_connection = True
            return
        if mood == "temporary":
            return self._send(503, "{}")
        items = json.loads(body)["batch"] if path == "batch" else []
        key = self.headers.get("Idempotency-Key", "")
        if mood == "works_on":
            for begun in [_key(item) for item in items] if path == "batch" else [key]:
                self.server.work_on(begun)
            self.close_connection = True
            return
        headers: dict[str, str] = {}
        if path == "batch":
            status, answer = 200, json.dumps([self._item(sender, item) for item in items])
        else:
            status, answer, headers = self._take(Arrival(sender, key, self.command, path, body))
        if mood == "loses_answers":
            self.close_connection = True
            return
        self._send(status, answer, headers)

    do_PUT = do_POST

    def _item(self, sender: str, item: dict[str, Any]) -> dict[str, Any]:
        if self.server.mood() == "temporary":
            return {"code": 503, "body": "{}"}
        path = item["uri"].lstrip("/")
        status, body, headers = self._take(
            Arrival(sender, _key(item), item["method"], path, item["body"])
        )
        headers = {"Content-Type": "application/json", **headers}
        return {"code": status, "body": body, "headers": headers}

    def _take(self, arrival: Arrival) -> tuple[int, str, dict[str, str]]:
        with self.server.lock:
            self.server.record.arrivals.append(arrival)
        if self.server.is_working(arrival.key):
            headers, body = _conflict(arrival.key)
            return 409, body, headers
        return (*self.server.apply(arrival), {})

    def _send(self, status: int, body: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())
