"""The packages that `make wheel` has made, and the system in which they run."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from certificates import Authority
from old_system import CERTIFICATE_FILES, OldSystem


@pytest.fixture(scope="session")
def packages() -> Path:
    """The folder of the wheels and the source distributions."""
    return Path(os.environ["RESTWAY_WHEELS"])


@pytest.fixture(scope="session")
def wheel(packages: Path) -> Path:
    (path,) = packages.glob("restway-*.whl")
    return path


@pytest.fixture(scope="session")
def tools_wheel(packages: Path) -> Path:
    """The wheel of restway-tools."""
    (path,) = packages.glob("restway_tools-*.whl")
    return path


@pytest.fixture(scope="session")
def source_distribution(packages: Path) -> Path:
    (path,) = packages.glob("restway-*.tar.gz")
    return path


@pytest.fixture(scope="session")
def tools_source_distribution(packages: Path) -> Path:
    (path,) = packages.glob("restway_tools-*.tar.gz")
    return path


@pytest.fixture(scope="session")
def system(wheel: Path) -> OldSystem:
    """The older Debian with the wheel, and without certificates."""
    system = OldSystem(Path(os.environ["RESTWAY_OLD_SYSTEM"]))
    system.remove(*CERTIFICATE_FILES)
    system.install(wheel)
    return system


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


class _Answer(BaseHTTPRequestHandler):
    """Sets a cookie of a domain, and one of a public suffix, which clients must refuse."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        for domain in ("co.uk", "example.co.uk"):
            self.send_header("Set-Cookie", f"name=value; Domain={domain}")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not logged."""


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[int]:
    """Runs a server; the value is its port."""
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def serve() -> AbstractContextManager[int]:
    """Runs a server without TLS; the value is its port."""
    return serving(ThreadingHTTPServer(("127.0.0.1", 0), _Answer))


@pytest.fixture(scope="session")
def http_port() -> Iterator[int]:
    """The port of a server without TLS."""
    with serve() as port:
        yield port


@pytest.fixture(scope="session")
def https_url(authority: Authority) -> Iterator[str]:
    """The URL of a server with a certificate of `authority`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answer)
    server.socket = authority.loopback.context("http/1.1").wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    with serving(server) as port:
        yield f"https://127.0.0.1:{port}"
