"""A server that answers with bytes that the test chooses, HTTP or not."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable, Mapping
from types import TracebackType


class Peer:
    """Answers the first request of every connection with `answer`, then closes the connection."""

    def __init__(self) -> None:
        self.answer = b""
        self.requests: list[bytes] = []
        self.heard: Callable[[], object] = lambda: None
        """Called when a request has come, before it is answered."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def respond(
        self,
        body: bytes,
        media_type: str = "application/json",
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        lines = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        head = (
            f"HTTP/1.1 {status} Any\r\nContent-Type: {media_type}\r\n{lines}"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        self.answer = head.encode() + body

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                data = b""
                while not _is_whole(data):
                    part = connection.recv(65536)
                    if not part:
                        break
                    data += part
                self.requests.append(data)
                self.heard()
                connection.sendall(self.answer)

    def __enter__(self) -> Peer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes accept()
        self._listener.close()
        self._thread.join()


def _is_whole(request: bytes) -> bool:
    head, end, body = request.partition(b"\r\n\r\n")
    if b"transfer-encoding: chunked" in head.lower():
        return body.endswith(b"0\r\n\r\n")
    length = re.search(rb"\r\ncontent-length: *(\d+)", head.lower())
    return bool(end) and len(body) >= (int(length[1]) if length else 0)


def unused_port() -> int:
    """Returns a port of the loopback interface on which no process listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
