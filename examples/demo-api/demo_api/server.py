"""Connections: each has a thread, HTTP/1.1 keep-alive, loopback only."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
import time
import traceback
from typing import BinaryIO

from .delivery import deliver, stays_open
from .errors import ApiError, Code
from .message import Handler, Request, Response
from .wire import RequestReader

HOST = "127.0.0.1"
BACKLOG = 1024
IDLE_SECONDS_MAX = 300.0
LINGER_SECONDS_MAX = 2.0
LINGER_BYTES_MAX = 64 * 1024 * 1024


class Server:
    """Accepts connections and answers their requests with one handler."""

    def __init__(self, handler: Handler, port: int, body_bytes_max: int, verbose: bool) -> None:
        self._handler = handler
        self._body_bytes_max = body_bytes_max
        self._verbose = verbose
        self._listener = socket.create_server((HOST, port), backlog=BACKLOG)

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def serve_forever(self) -> None:
        """Accepts until the listener is closed."""
        while True:
            try:
                connection, _ = self._listener.accept()
            except ConnectionAbortedError:
                continue
            except OSError:
                if self._listener.fileno() == -1:
                    return
                # The process has no free file descriptor: those in use are freed when clients
                # leave.
                time.sleep(0.05)
                continue
            # Daemon threads: a client that stays connected must not keep the process alive.
            threading.Thread(target=self._connection, args=(connection,), daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _connection(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.settimeout(IDLE_SECONDS_MAX)
            with connection.makefile("rb") as stream:
                self._requests(connection, stream)

    def _requests(self, connection: socket.socket, stream: BinaryIO) -> None:
        def send_continue() -> None:
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")

        reader = RequestReader(stream, send_continue, self._body_bytes_max)
        while True:
            try:
                request = reader.next()
            except ApiError as error:
                for part in deliver(None, Response.error(error)):
                    connection.sendall(part)
                self._log(f"(unreadable) {error.status}: {error.description}")
                _linger(connection)
                return
            if request is None:
                return
            started = time.monotonic()
            response = self._answer(request)
            for part in deliver(request, response):
                connection.sendall(part)
            if self._verbose:
                elapsed = (time.monotonic() - started) * 1000
                target = request.raw_path + ("?" if request.query_string else "")
                self._log(
                    f"{request.method} {target}{request.query_string} "
                    f"{response.status} {elapsed:.1f} ms"
                )
            if not stays_open(request, response):
                return

    def _answer(self, request: Request) -> Response:
        try:
            return self._handler(request)
        except ApiError as error:
            return Response.error(error)
        except Exception as error:
            traceback.print_exc()
            return Response.error(ApiError(Code.INTERNAL, f"{type(error).__name__}: {error}"))

    def _log(self, line: str) -> None:
        if self._verbose:
            sys.stderr.write(line + "\n")


def _linger(connection: socket.socket) -> None:
    """Reads the remaining bytes of the client before closing.

    Closing over unread input makes the kernel reset the connection, and the client would lose the
    answer that says why.
    """
    connection.shutdown(socket.SHUT_WR)
    connection.settimeout(LINGER_SECONDS_MAX)
    deadline = time.monotonic() + LINGER_SECONDS_MAX
    remaining = LINGER_BYTES_MAX
    while remaining > 0 and time.monotonic() < deadline:
        data = connection.recv(64 * 1024)
        if not data:
            return
        remaining -= len(data)
