"""Whole clients in several processes that share the file of one cache."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path

import pytest

import restway

from .test_loader import PACKAGE

THREADS = 16
"""The threads of a process; four processes run at the same time."""
ROUNDS = 200
KILLS = 10
"""How often one of the processes is killed."""
TIMEOUT_SECONDS = 300

WORKER = """
import sys, threading
import restway

url, path, threads, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
client = restway.Client(restway.API.from_json({"restway": 1}), base_url=url, cache=path)
failures = []

def use(thread):
    turn = 0
    while not failures and (rounds == 0 or turn < rounds):
        turn += 1
        name = (thread * 7 + turn) % 30
        kind = "reload" if turn % 9 == 0 else "standard"
        try:
            lines = client.get(f"{name}", cache=kind).body.splitlines()
            if len(set(lines)) != 1 or not lines[0].startswith(b"%d-" % name):
                failures.append(f"the answer to {name} is not whole: {set(lines)}")
        except restway.RestwayError as error:
            failures.append(f"the request to {name} failed: {error!r}")
        if thread == 0 and turn == 20:
            print("busy", flush=True)

workers = [threading.Thread(target=use, args=(thread,)) for thread in range(threads)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
client.close()
sys.exit("; ".join(failures[:3]) or 0)
"""


class Numbered(BaseHTTPRequestHandler):
    """Gives each answer a number of its own, which stands in each of its lines."""

    protocol_version = "HTTP/1.1"
    numbers = count()

    def do_GET(self) -> None:
        name = self.path.strip("/")
        line = f"{name}-{next(self.numbers)}\n".encode()
        # Every third body is so long that it becomes a file of its own.
        body = line * (10_000 if int(name) % 3 == 0 else 50)
        self.send_response(200)
        self.send_header("Cache-Control", "max-age=1000")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Writes nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Numbered) as server:
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def start(url: str, path: Path, rounds: int) -> subprocess.Popen[bytes]:
    arguments = [sys.executable, "-c", WORKER, url, str(path), str(THREADS), str(rounds)]
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, env=environment)


def test_no_request_fails_because_of_the_cache(server: str, tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    steady = [start(server, path, ROUNDS) for _ in range(3)]
    for _ in range(KILLS):
        with start(server, path, rounds=0) as killed:
            assert killed.stdout is not None
            said = killed.stdout.readline()
            killed.kill()
        assert said == b"busy\n"
    for process in steady:
        process.communicate(timeout=TIMEOUT_SECONDS)
        assert process.returncode == 0
    api = restway.API.from_json({"restway": 1})
    with restway.Client(api, base_url=server, cache=path) as client:
        assert client.cache.problem is None
        for name in range(30):
            lines = client.get(f"{name}", cache="only").body.splitlines()
            assert len(set(lines)) <= 1
