"""The time from a SIGINT to the KeyboardInterrupt where the main thread waits:

    restway_interrupt.py TRIES

Each kind of wait is interrupted TRIES times, by a server that does not answer to the end. Prints
the longest of all these times.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator

import restway

#: The time from the arrival of a request to the signal, in which the main thread begins its wait.
_BEFORE_SECONDS = 0.005


class Server:
    """Sends a SIGINT to this process soon after each request. It answers nothing, or the head and
    the first bytes of a body.
    """

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.sent_at = 0.0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            with connection:
                head = connection.recv(65536)
                if b"/begun" in head:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
                time.sleep(_BEFORE_SECONDS)
                self.sent_at = time.perf_counter()
                os.kill(os.getpid(), signal.SIGINT)
                connection.recv(1)  # returns when the client has closed the connection


def waits(url: str) -> Iterator[Callable[[], object]]:
    """Makes clients, and returns functions that wait in each way."""
    api = restway.API.from_json(
        {
            "restway": 1,
            "environments": {"local": {"baseURL": url}},
            "entities": {"Thing": {"identity": "id", "attributes": {"id": {"type": "int"}}}},
            "routes": {
                "things": {
                    "path": "silent", "response": {"entity": "Thing"}, "pages": {"next": "link"}
                }
            },
        }
    )
    client = restway.Client(api)
    processed = restway.Client(api, delivery="process")
    silent, begun = (restway.Request.path("GET", path) for path in ("silent", "begun"))

    def process() -> None:
        call = processed.send(silent)
        try:
            processed.process(None)
        finally:
            call.cancel()

    def stream() -> None:
        with client.stream(begun) as response:
            for _ in response.iter_bytes():
                pass

    yield lambda: client.get("silent")
    yield lambda: client.send(silent).wait()
    yield process
    yield lambda: list(client.pages("things"))
    yield stream


def main() -> None:
    tries = int(sys.argv[1])
    # A shell that starts a program in the background lets it ignore SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    server = Server()
    longest = 0.0
    for wait in waits(server.url):
        for _ in range(tries):
            try:
                wait()
            except KeyboardInterrupt:
                longest = max(longest, time.perf_counter() - server.sent_at)
            else:
                raise SystemExit("the wait returned")
    print(json.dumps({"longest_seconds": longest}))


main()
