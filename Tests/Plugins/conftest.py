"""Compiles plugins for one test, and programs that load them: a plugin stays loaded until its
process ends, so each test has a process of its own.
"""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgpack_peer import Peer, running
from replaying import Open, Server, opening, restway, serving

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "python"))
MakePlugin = Callable[..., Path]
RunProgram = Callable[..., str]


@pytest.fixture(name="make_plugin")
def _make_plugin(tmp_path: Path) -> MakePlugin:
    def make(*defines: str, name: str = "number") -> Path:
        path = tmp_path / f"{name}.so"
        words = [f"-D{define}" for define in defines]
        subprocess.run(
            ["cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-fPIC",
             "-shared", "-pthread", f"-I{ROOT / 'Include'}", *words,
             str(Path(__file__).with_name("plugin.c")), "-o", str(path)],
            check=True,
        )
        return path

    return make


class _Numbers(http.server.BaseHTTPRequestHandler):
    """Answers every path with a number, in the media type of the path; answers a POST with its
    body.
    """

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path, _, status = self.path.strip("/").partition("?")
        kind, _, body = path.partition("/")
        content = body.encode()
        self.send_response(int(status or 200))
        self.send_header("Content-Type", f"application/{kind}")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        told = {
            "id": 1, "type": self.headers["Content-Type"], "accept": self.headers["Accept"],
            "body": body.decode("latin-1"),
        }
        content = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(name="url", scope="session")
def _url() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Numbers) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


_PRELUDE = """
import json, logging, sys
import restway

URL = sys.argv[1]

class Lines(logging.Handler):
    # The names and the messages of the loggers, at the level ERROR and above.
    def __init__(self):
        super().__init__(logging.ERROR)
        self.found = []
        logging.getLogger("restway").addHandler(self)

    def emit(self, record):
        self.found.append((record.name, record.getMessage()))

    def all(self):
        restway.flush_log()
        return self.found

def api(**more):
    return restway.API.from_json(json.dumps({
        "restway": 1,
        "environments": {"here": {"baseURL": URL}},
        "environment": "here",
        "entities": {"Thing": {"identity": "id", "attributes": {"id": {"type": "int"}}}},
        "responses": [{"entity": "Thing"}],
        **more,
    }))

def error_of(function, *arguments, **more):
    try:
        function(*arguments, **more)
    except restway.RestwayError as error:
        print(type(error).__name__, error)
    else:
        print("no error")
"""


@pytest.fixture(name="run_program")
def _run_program(url: str) -> RunProgram:
    def run(program: str, *arguments: object, path: str = "") -> str:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "bindings" / "python")}
        environment["RESTWAY_PLUGIN_PATH"] = path
        ended = subprocess.run(
            [sys.executable, "-c", _PRELUDE + program, url, *map(str, arguments)],
            env=environment, capture_output=True, text=True,
            timeout=60, check=False,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    return run


@pytest.fixture(name="peer")
def _peer() -> Iterator[Peer]:
    with running() as peer:
        yield peer


@pytest.fixture(name="server")
def _server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture(name="cassette")
def _cassette(tmp_path: Path) -> Path:
    return tmp_path / "cassette.json"


@pytest.fixture(name="replay", scope="session")
def _replay() -> None:
    restway.load_plugin("replay")


@pytest.fixture(name="open_client")
def _open_client(replay: None, server: Server, cassette: Path) -> Open:
    return opening(server, cassette)
