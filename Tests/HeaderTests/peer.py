"""A server on the loopback interface with the answers that the tests of handles need."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_ANSWERS = {"/missing": 404, "/secret": 401}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    count = 0

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b'{"id": 1, "text": "a"}'
        if self.path == "/cards/1":  # each answer has other values
            _Handler.count += 1
            body = b'{"id": 1, "count": %d}' % _Handler.count
        self.send_response(_ANSWERS.get(self.path, 200))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_HEAD = _answer

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


@contextmanager
def peer() -> Iterator[str]:
    """The server's URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
