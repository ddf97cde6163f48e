"""A server that gives the answers of a list, one on each connection."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

from connection import SECONDS_MAX

Answer = Callable[[socket.socket, bytes], None]
"""Answers a request on a connection, which is closed afterwards."""


def sends(content: bytes) -> Answer:
    return lambda connection, _: connection.sendall(content)


class ListedAnswers:
    """Gives the answers of its list; on all later connections, it sends `last`."""

    def __init__(self, answers: list[Answer], last: bytes = b"") -> None:
        self.answers = answers
        self.requests: list[bytes] = []
        """The requests so far, each without a body."""
        self._last = sends(last)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(SECONDS_MAX)
                request = b""
                while not request.endswith(b"\r\n\r\n"):
                    request += connection.recv(65536)
                self.requests.append(request)
                answer = self.answers.pop(0) if self.answers else self._last
                answer(connection, request)

    def __enter__(self) -> ListedAnswers:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes accept()
        self._thread.join()
        self._listener.close()
