"""nginx on the loopback interface, with a configuration and a folder of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from . import graphs, payload

_START_SECONDS_MAX = 10

#: Connections are kept open, files stay open, and nothing is logged, because only the clients are
#: measured.
_CONFIGURATION = """\
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr error;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile off;  # cheaper for small files
    tcp_nodelay on;
    keepalive_timeout 600s;
    keepalive_requests 100000000;
    open_file_cache max=100 inactive=600s;
    open_file_cache_valid 600s;
    types {{ }}
    map $arg_page $page {{ default $arg_page; '' 1; }}
    default_type application/json;
    client_body_temp_path client;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    server {{
        listen 127.0.0.1:{port}{parameters};
        root www;
        location = /companies.events {{ default_type text/event-stream; }}
        location = /pages {{ rewrite ^ /paged/$page break; }}
        location /kept/ {{ alias www/; expires 1h; }}
    }}
{more}
}}
"""

#: The second server only tells how many connections were made.
_TLS = """\
    ssl_certificate certificate.pem;
    ssl_certificate_key key.pem;
    server {{
        listen 127.0.0.1:{port};
        location / {{ stub_status; }}
    }}
"""


@contextmanager
def nginx() -> Iterator[str]:
    """Serves the bodies of `payload`; returns the base URL, and always stops the server."""
    with _folder() as prefix:
        root = prefix / "www"
        payload.write(root)
        graphs.write(root)
        port = _free_port()
        with _running(prefix, port, ""):
            yield f"http://127.0.0.1:{port}"


class HTTP2Server(NamedTuple):
    """nginx with HTTP/2 over TLS."""

    url: str
    #: The certificate, which is its own authority.
    ca_file: Path
    status_url: str

    def connections(self) -> int:
        """Returns how many connections were made so far, including the one that asks."""
        with urllib.request.urlopen(self.status_url) as answer:
            return int(answer.read().split()[7])


@contextmanager
def nginx_http2() -> Iterator[HTTP2Server]:
    """Serves the small bodies of `payload` over HTTP/2."""
    with _folder() as prefix:
        payload.write_small(prefix / "www")
        _make_certificate(prefix)
        port, status_port = _free_port(), _free_port()
        with _running(prefix, port, " ssl http2", _TLS.format(port=status_port)):
            yield HTTP2Server(
                f"https://127.0.0.1:{port}",
                prefix / "certificate.pem",
                f"http://127.0.0.1:{status_port}/",
            )


@contextmanager
def _folder() -> Iterator[Path]:
    """Makes a folder for nginx, with an empty folder `www`."""
    with tempfile.TemporaryDirectory(prefix="restway-bench-") as name:
        prefix = Path(name)
        # The worker runs as another user if root starts it.
        prefix.chmod(0o755)
        (prefix / "www").mkdir()
        yield prefix


@contextmanager
def _running(prefix: Path, port: int, parameters: str, more: str = "") -> Iterator[None]:
    configuration = prefix / "nginx.conf"
    configuration.write_text(
        _CONFIGURATION.format(port=port, parameters=parameters, more=more), encoding="utf-8"
    )
    server = subprocess.Popen(
        # The server also ends with this process, however it ends.
        [
            *("setpriv", "--pdeathsig", "TERM"),
            *(_program(), "-p", f"{prefix}/", "-c", str(configuration)),
        ],
        stdin=subprocess.DEVNULL,
    )
    try:
        _wait_until_it_listens(server, port)
        yield
    finally:
        server.terminate()
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _make_certificate(prefix: Path) -> None:
    """Makes `certificate.pem` and `key.pem` for the loopback interface."""
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"),
            *("-addext", "subjectAltName=IP:127.0.0.1"),
            *("-out", str(prefix / "certificate.pem"), "-keyout", str(prefix / "key.pem")),
        ],
        check=True,
        stderr=subprocess.DEVNULL,
    )


def _program() -> str:
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"])
    program = shutil.which("nginx", path=path)
    if program is None:
        raise SystemExit("nginx is missing: make bench installs it")
    return program


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _wait_until_it_listens(server: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + _START_SECONDS_MAX
    while time.monotonic() < until:
        if server.poll() is not None:
            raise SystemExit("nginx ended at once")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise SystemExit("nginx does not listen")
