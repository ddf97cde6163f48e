"""nginx on the loopback interface, without and with TLS, with a folder of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from . import payload

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
{servers}
}}
"""

_PLAIN = """\
    server {{
        listen 127.0.0.1:{port};
        root www;
        location = /pages {{ rewrite ^ /paged/$page break; }}
        location /kept/ {{ alias www/; expires 1h; }}
    }}
"""

#: Each connection is logged once, when its first answer ends: whether its handshake resumed a
#: session, as `r`, or was a full one, as `.`.
_TLS = """\
    ssl_certificate server.pem;
    ssl_certificate_key server.key;
    ssl_protocols TLSv1.3;
    ssl_session_cache shared:sessions:1m;
    map $connection_requests $is_first {{ default 0; 1 1; }}
    log_format handshake $ssl_session_reused;
    server {{
        listen 127.0.0.1:{port} ssl{version};
        root www;
        access_log handshakes handshake if=$is_first;
    }}
"""

#: The extensions of the authority and of the server's certificate.
_CERTIFICATES = """\
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = IP:127.0.0.1
authorityKeyIdentifier = keyid
"""


@contextmanager
def nginx() -> Iterator[str]:
    """Serves the bodies of `payload`; returns the base URL, and always stops the server."""
    with _folder() as prefix:
        payload.write(prefix / "www")
        port = _free_port()
        plain = _PLAIN.format(port=port)
        with _running(prefix, port, plain):
            yield f"http://127.0.0.1:{port}"


class TLSServer(NamedTuple):
    """nginx with TLS 1.3."""

    url: str
    #: The authority of the server's certificate, which its clients trust.
    ca_file: Path
    log: Path

    def handshakes(self) -> str:
        """Returns the handshakes so far, one character for each connection: `r` where a session
        was resumed, else `.`.
        """
        return "".join(self.log.read_text("ascii").split())


@contextmanager
def nginx_tls(version: str = "") -> Iterator[TLSServer]:
    """Serves the small bodies of `payload` over TLS, with HTTP/1.1 or, as `http2`, with HTTP/2."""
    with _folder() as prefix:
        payload.write_small(prefix / "www")
        _make_certificates(prefix)
        port = _free_port()
        with _running(prefix, port, _TLS.format(port=port, version=version and f" {version}")):
            yield TLSServer(
                f"https://127.0.0.1:{port}", prefix / "authority.pem", prefix / "handshakes"
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
def _running(prefix: Path, port: int, servers: str) -> Iterator[None]:
    configuration = prefix / "nginx.conf"
    configuration.write_text(_CONFIGURATION.format(servers=servers), encoding="utf-8")
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


def _make_certificates(prefix: Path) -> None:
    """Makes an authority, and a certificate of this authority for the loopback interface."""
    (prefix / "openssl.cnf").write_text(_CERTIFICATES, encoding="ascii")
    authority = ("-CA", "authority.pem", "-CAkey", "authority.key")
    for name, signed_by in (("authority", ()), ("server", authority)):
        subprocess.run(
            [
                *("openssl", "req", "-x509", "-config", "openssl.cnf", "-extensions", name),
                *("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc"),
                *("-days", "2", "-subj", f"/CN=Benchmarks {name}", *signed_by),
                *("-out", f"{name}.pem", "-keyout", f"{name}.key"),
            ],
            cwd=prefix,
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
