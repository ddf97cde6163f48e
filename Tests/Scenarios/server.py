"""A server on the loopback interface that gives the answers of a scenario, in their order."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple

JSON = Any
"""A value that `json.loads` returns."""

ARRIVAL_SECONDS = 20.0
"""How long a scenario waits for a request that never comes, before it fails."""

_POLL_SECONDS = 0.01
"""How often the server looks whether it shall stop."""


class Received(NamedTuple):
    """A request that has come."""

    line: str
    """The method and the target: `GET /things?page=2`."""
    headers: dict[str, str]
    """The headers by their names in lower case."""
    body: bytes


class ScenarioServer:
    """Answers the first request with the first answer, and so on. It only keeps what has come: the
    runner compares it with what the scenario expects.
    """

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.released = threading.Event()
        """Answers that are held go out when this is set."""
        self._answers: list[dict[str, JSON]] = []
        self._changed = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_POLL_SECONDS,), daemon=True
        )

    @property
    def port(self) -> int:
        port: int = self._server.server_address[1]
        return port

    def give(self, answers: list[dict[str, JSON]]) -> None:
        """Sets the answers."""
        self._answers = answers

    def take(self, received: Received) -> dict[str, JSON] | None:
        """Keeps a request; returns its answer, or None if the scenario has no more answers."""
        with self._changed:
            self.received.append(received)
            self._changed.notify_all()
            position = len(self.received) - 1
        return self._answers[position] if position < len(self._answers) else None

    def wait_for(self, count: int) -> bool:
        """Waits until that many requests have come; returns whether they have."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self.received) >= count, ARRIVAL_SECONDS)

    def __enter__(self) -> ScenarioServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler_of(server: ScenarioServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            length = int(self.headers.get("Content-Length", "0"))
            headers: dict[str, str] = {}
            for name, value in self.headers.items():
                known = headers.get(name.lower())
                headers[name.lower()] = value if known is None else f"{known}, {value}"
            received = Received(f"{self.command} {self.path}", headers, self.rfile.read(length))
            answer = server.take(received)
            if answer is None:
                self._send(501, {}, b"")
            elif answer.get("lost"):
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
            else:
                if answer.get("hold"):
                    server.released.wait()
                with suppress(ConnectionError):  # A cancelled call has closed the connection.
                    self._send_answer(answer)

        def __getattr__(self, name: str) -> Callable[[], None]:
            # The base class looks for a function with the name of the method, which is any token.
            if name.startswith("do_"):
                return self.answer
            raise AttributeError(name)

        def _send_answer(self, answer: dict[str, JSON]) -> None:
            headers = dict(answer.get("headers", {}))
            body = answer.get("text", "").encode()
            if "body" in answer:
                body = json.dumps(answer["body"]).encode()
                headers.setdefault("Content-Type", "application/json")
            if answer.get("gzip"):
                body = gzip.compress(body)
                headers["Content-Encoding"] = "gzip"
            self._send(answer.get("status", 200), headers, body)

        def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response_only(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if status != 204:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            """Writes nothing: a failed scenario shows the requests."""

    return Handler
