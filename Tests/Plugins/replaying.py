"""Common code of the tests of the replay transport: a server, and the results of a client."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "python"))

import restway as restway  # noqa: E402

JSON = Any
#: Path: status, headers, body.
ANSWERS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/things": (200, {"Content-Type": "application/json"}, b'[{"id": 1}, {"id": 2, "x": 0.1}]'),
    "/token": (
        200, {"Content-Type": "application/json", "Set-Cookie": "sid=s3cret"},
        b'{"access_token": "s3cret", "nested": [{"Refresh_Token": "s3cret"}], "key": "kept"}'),
    "/text": (200, {"Content-Type": "text/plain"}, "gr\u00fc\u00df dich".encode()),
    "/binary": (200, {"Content-Type": "image/png"}, bytes(range(256))),
    "/latin": (200, {"Content-Type": "text/plain"}, b"gr\xfc\xdf"),
    "/empty": (204, {}, b""),
    "/missing": (404, {"Content-Type": "application/json"}, b'{"error": "gone"}'),
    "/big": (200, {"Content-Type": "application/json"}, b'{"n": 123456789012345678901234567890}'),
    "/big-token": (
        200, {"Content-Type": "application/json"},
        b'{"n": 123456789012345678901234567890, "access_token": "s3cret"}'),
    "/moved": (
        302,
        {
            "Location": "/things?token=s3cret&a=b",
            "Link": '</?page=2#f>; rel="next", </?token=s3cret#id_token=s3cret&c=d>; rel="x"',
        },
        b""),
    "/part": (303, {"Location": "/text?a=b#part"}, b""),
    "/gzip": (
        200, {"Content-Type": "application/json", "Content-Encoding": "gzip"},
        gzip.compress(b'{"id": 3}')),
}


class Server(ThreadingHTTPServer):
    seen: list[str]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def _is_let_in(self) -> bool:
        """Returns whether the request answers the challenge of this server (RFC 7616, MD5, qop
        auth).
        """
        given = dict(re.findall(r'(\w+)="?([^",]*)"?', self.headers.get("Authorization", "")))

        def digest(*parts: str) -> str:
            return hashlib.md5(":".join(parts).encode()).hexdigest()

        return given.get("response") == digest(
            digest("demo", "here", "s3cret"), "n0nce", given.get("nc", ""),
            given.get("cnonce", ""), "auth", digest(self.command, self.path))

    def do_GET(self) -> None:
        if self.path.startswith("/digest") and not self._is_let_in():
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Digest realm="here", nonce="n0nce", qop="auth"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.seen.append(f"{self.command} {self.path} {body.decode(errors='replace')}")
        status, headers, answer = ANSWERS.get(
            self.path.partition("?")[0], (200, {}, b"count " + str(len(self.server.seen)).encode()))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer)

    do_POST = do_PUT = do_HEAD = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), _Handler) as server:
        server.seen = []
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


Open = Callable[..., restway.Client]


def opening(server: Server, cassette: Path) -> Open:
    """Makes clients of the server, or of a recording of it."""

    def make(mode: JSON = "play", document: JSON = None, **options: Any) -> restway.Client:
        api = restway.API.from_json({
            "restway": 1,
            "environments": {"here": {"baseURL": f"http://127.0.0.1:{server.server_port}"}},
            **(document or {}),
        })
        options = {"cassette": str(cassette), "mode": mode, **options}
        return restway.Client(api, transport="replay", transport_options=options, timeout=30)

    return make


def told(client: restway.Client, method: str, path: str, **more: Any) -> JSON:
    try:
        response = client.perform(restway.Request.path(method, path, **more))
    except restway.HTTPStatusError as error:
        assert error.response is not None
        response = error.response
    except restway.TransportError as error:
        return type(error).__name__
    return response.status, response.headers.get("Content-Type"), response.body


def exchanges(cassette: Path) -> list[JSON]:
    read: JSON = json.loads(cassette.read_text())
    assert read["restwayCassette"] == 1
    recorded: list[JSON] = read["exchanges"]
    return recorded
