"""A server of HTTP/1.1 on the loopback interface that misbehaves on request.

`/<fault's name>` plays that fault; every other path is answered well, with a JSON object that
repeats the request. Faults that are no answer to a request are armed with `playing`.
"""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType

from certificates import Certificate
from connection import SECONDS_MAX, Connection, Received
from fault import Fault


class FaultServer:
    """Serves each connection on a thread of its own."""

    def __init__(
        self,
        faults: Iterable[Fault] = (),
        certificate: Certificate | None = None,
        version_max: ssl.TLSVersion = ssl.TLSVersion.MAXIMUM_SUPPORTED,
        has_tickets: bool = True,
        unix_socket: Path | None = None,
    ) -> None:
        """With a certificate, the server speaks TLS; faults at accept come before that. With
        `has_tickets`, it sends session tickets. With `unix_socket`, it listens there and not on a
        port.
        """
        self._unix_socket = unix_socket
        self._context = certificate.context("http/1.1") if certificate else None
        if self._context:
            self._context.maximum_version = version_max
            if not has_tickets:
                self._context.num_tickets = 0
                self._context.options |= ssl.OP_NO_TICKET
        self._faults = {f"/{fault.name}": fault for fault in faults}
        self._armed: Fault | None = None
        self._lock = threading.Lock()
        self._played = threading.Condition(self._lock)
        self._asked = threading.Condition(self._lock)
        self._plays = 0
        self._connections: set[Connection] = set()
        self._threads: list[threading.Thread] = []
        self._problems: list[BaseException] = []
        self.requests: Counter[str] = Counter()
        """How often each path was asked for."""
        self.headers: dict[str, dict[str, str]] = {}
        """The headers of the last request for each path, with their names in small letters."""
        self.accepted = 0
        """How many connections were made."""
        self.resumed = 0
        """How many connections resumed the session of another one."""
        self.port = 0
        self._listen()

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{'https' if self._context else 'http'}://{self.place}"

    @contextlib.contextmanager
    def playing(self, fault: Fault) -> Iterator[None]:
        """Plays a fault that is no answer to a request, on the connections that are made in this
        context.
        """
        if fault.refuses:
            self._stop_listening()
        with self._lock:
            self._armed = fault if fault.at_accept else None
        try:
            yield
        finally:
            with self._lock:
                self._armed = None
            if fault.refuses:
                self._listen()

    def wait_until_played(self) -> None:
        """Waits until all faults that have begun have ended."""
        with self._lock:
            assert self._played.wait_for(lambda: self._plays == 0, SECONDS_MAX)

    def wait_until_asked(self, path: str, count: int) -> None:
        """Waits until the path has been asked for so many times."""
        with self._lock:
            assert self._asked.wait_for(lambda: self.requests[path] >= count, SECONDS_MAX)

    # Connections

    def _listen(self) -> None:
        if self._unix_socket:
            self._listener = socket.create_server(
                str(self._unix_socket), family=socket.AF_UNIX, backlog=256
            )
        else:
            # The same port is used again, once it is known.
            self._listener = socket.create_server(("127.0.0.1", self.port), backlog=256)
            self.port = self._listener.getsockname()[1]
        self._accepting = self._start(self._accept, self._listener)

    def _stop_listening(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes accept()
        self._listener.close()
        self._accepting.join(SECONDS_MAX)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                accepted, _ = listener.accept()
            except OSError:
                return
            connection = Connection(accepted)
            with self._lock:
                self.accepted += 1
                self._connections.add(connection)
                armed = self._armed
            self._threads.append(self._start(self._serve, connection, armed))

    def _start(self, function: object, *arguments: object) -> threading.Thread:
        def run() -> None:
            try:
                assert callable(function)
                function(*arguments)
            except BaseException as error:
                self._problems.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def _serve(self, connection: Connection, armed: Fault | None) -> None:
        try:
            if armed:
                self._play(armed, connection)
            if self._context and not connection.has_ended:
                connection.secure(self._context)
                with self._lock:
                    self.resumed += connection.has_resumed
            while not connection.has_ended:
                request = connection.read_head()
                if request is None:
                    break
                self._answer(request, connection)
        finally:
            with self._lock:
                self._connections.discard(connection)
            connection.end()

    def _answer(self, request: Received, connection: Connection) -> None:
        path = request.target.partition("?")[0]
        with self._lock:
            self.requests[path] += 1
            self.headers[path] = request.headers
            self._asked.notify_all()
        fault = self._faults.get(path)
        if fault is None or fault.reads_body:
            connection.read_body(request)
        if fault:
            self._play(fault, connection)
        else:
            with contextlib.suppress(OSError):
                connection.socket.sendall(good_answer(request))

    def _play(self, fault: Fault, connection: Connection) -> None:
        with self._lock:
            self._plays += 1
        # the client may close the connection at any time
        with contextlib.suppress(ConnectionError):
            for step in fault.steps:
                if not connection.has_ended:
                    step(connection)
        with self._lock:
            self._plays -= 1
            self._played.notify_all()

    # Life

    def __enter__(self) -> FaultServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop_listening()
        with self._lock:
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.socket.shutdown(socket.SHUT_RDWR)  # wakes its thread
        for thread in self._threads:
            thread.join(SECONDS_MAX)
        if error is None:
            assert not any(thread.is_alive() for thread in self._threads)
            assert self._problems == []


def good_answer(request: Received) -> bytes:
    """Returns the answer of a well-behaved server: the request, as JSON."""
    document = {"method": request.method, "target": request.target, "bytes": len(request.body)}
    body = json.dumps(document).encode()
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + (b"" if request.method == "HEAD" else body)
