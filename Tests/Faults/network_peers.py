"""Packaged servers for the network settings: nginx that says who connects, proxies,
and a server of names.
"""

from __future__ import annotations

import contextlib
import http.server
import os
import select
import shutil
import socket
import stat
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from certificates import Authority, Certificate
from nginx_peer import user_directive
from peer_process import END_SECONDS, listener, port_of, running

CONFIGURATION = """
daemon off; worker_processes 1; pid {prefix}/nginx.pid; error_log {prefix}/error.log warn;
{user}
events {{ worker_connections 256; }}
http {{
    access_log off; default_type application/json;
    client_body_temp_path {prefix}/body; proxy_temp_path {prefix}/proxy;
    fastcgi_temp_path {prefix}/fastcgi; uwsgi_temp_path {prefix}/uwsgi;
    scgi_temp_path {prefix}/scgi;
    ssl_certificate {certificate}; ssl_certificate_key {key}; ssl_client_certificate {authority};
    add_header X-Client $ssl_client_s_dn; add_header X-Connection $connection;
    add_header X-Peer $remote_addr; add_header X-Protocol $server_protocol;
    add_header Strict-Transport-Security max-age=3600;
    server {{ listen 127.0.0.1:{secure} ssl http2; ssl_verify_client on; {answer} }}
    server {{ listen 127.0.0.1:{plain}; {answer} }}
    server {{ listen 127.0.0.1:{http2} http2; {answer} }}
    server {{ listen unix:{unix}; {answer} }}
}}
"""
ANSWER = """
location / {
    return 200 '{"method": "$request_method", "target": "$request_uri", "bytes": 0}';
}
"""
#: The account at the proxies.
USER = "alice"
#: A password that must appear nowhere.
PASSWORD = "hunter2-secret"


class Servers(NamedTuple):
    """The addresses of one nginx."""

    secure_port: int
    """TLS; the client must show a certificate of the authority."""
    plain_url: str
    http2_url: str
    """HTTP/2 without TLS."""
    unix_socket: Path

    @property
    def secure_url(self) -> str:
        return f"https://127.0.0.1:{self.secure_port}"


@contextlib.contextmanager
def servers(prefix: Path, authority: Authority) -> Iterator[Servers]:
    """Runs nginx on four sockets."""
    secure, plain, http2 = listener(), listener(), listener()
    path = prefix / "api.sock"
    unix = socket.socket(socket.AF_UNIX)
    unix.bind(str(path))
    unix.listen(64)
    there = Servers(
        port_of(secure),
        f"http://127.0.0.1:{port_of(plain)}",
        f"http://127.0.0.1:{port_of(http2)}",
        path,
    )
    configuration = prefix / "nginx.conf"
    configuration.write_text(
        CONFIGURATION.format(
            prefix=prefix,
            user=user_directive(),
            certificate=authority.two_names.certificate,
            key=authority.two_names.key,
            authority=authority.ca_file,
            answer=ANSWER,
            secure=port_of(secure),
            plain=port_of(plain),
            http2=port_of(http2),
            unix=path,
        )
    )
    sockets = [secure, plain, http2, unix]
    inherited = "".join(f"{each.fileno()};" for each in sockets)
    program = _program("nginx")
    command = [program, "-p", str(prefix), "-e", str(prefix / "start.log"), "-c"]
    with running(
        [*command, str(configuration)], sockets, prefix / "output", {"NGINX": inherited}
    ):
        yield there


@contextlib.contextmanager
def http_proxy(prefix: Path, user: str, password: str) -> Iterator[str]:
    """Runs tinyproxy, which asks for a password; returns its URL."""
    port = _free_port()
    configuration = prefix / "tinyproxy.conf"
    configuration.write_text(
        f"Port {port}\nListen 127.0.0.1\nTimeout 30\nMaxClients 50\nAllow 127.0.0.1\n"
        f'BasicAuth {user} {password}\nLogFile "{prefix}/proxy.log"\n'
    )
    with _started([_program("tinyproxy"), "-d", "-c", str(configuration)], port, prefix / "proxy"):
        yield f"http://127.0.0.1:{port}"


def await_end_of_connections(url: str) -> None:
    """Waits until the server at `url` has ended each connection that this process has to it."""
    port = urlsplit(url).port
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # it is not connected, or was closed meanwhile
            if not stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                continue
            with socket.socket(fileno=os.dup(int(name))) as connection:
                if connection.getpeername()[1:2] != (port,):
                    continue
                poll = select.poll()
                poll.register(connection, select.POLLRDHUP)
                assert poll.poll(END_SECONDS * 1000), "the server keeps the connection"


@contextlib.contextmanager
def https_proxy(prefix: Path, certificate: Certificate, proxy: str) -> Iterator[str]:
    """Runs stunnel in front of the HTTP proxy with the URL `proxy`, so that clients reach the proxy
    with TLS. Returns the https URL.
    """
    port = _free_port()
    configuration = prefix / "stunnel.conf"
    configuration.write_text(
        f"foreground = yes\npid =\n[proxy]\nTIMEOUTclose = 0\naccept = 127.0.0.1:{port}\n"
        f"connect = {proxy.removeprefix('http://')}\n"
        f"cert = {certificate.certificate}\nkey = {certificate.key}\n"
    )
    with _started([_program("stunnel"), str(configuration)], port, prefix / "stunnel"):
        yield f"https://127.0.0.1:{port}"


@contextlib.contextmanager
def socks_proxy(prefix: Path, user: str, password: str) -> Iterator[str]:
    """Runs microsocks, which asks for a password; returns host and port."""
    port = _free_port()
    where = ["-i", "127.0.0.1", "-p", str(port), "-u", user, "-P", password]
    with _started([_program("microsocks"), *where], port, prefix / "socks"):
        yield f"127.0.0.1:{port}"


class _NameServer(http.server.BaseHTTPRequestHandler):
    """Answers DNS queries over HTTPS (RFC 8484): every name has the address 127.0.0.1."""

    def do_POST(self) -> None:
        query = self.rfile.read(int(self.headers["Content-Length"]))
        end = 12
        while query[end]:
            end += query[end] + 1
        question = query[12 : end + 5]
        is_ip4 = struct.unpack("!H", query[end + 1 : end + 3])[0] == 1
        head = query[:2] + struct.pack("!HHHHH", 0x8180, 1, int(is_ip4), 0, 0)
        record = b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 60, 4) + bytes([127, 0, 0, 1])
        answer = head + question + (record if is_ip4 else b"")
        self.send_response(200)
        self.send_header("Content-Type", "application/dns-message")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextlib.contextmanager
def name_server(certificate: Certificate) -> Iterator[str]:
    """Runs a server of names, and returns its https URL."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _NameServer) as server:
        context = certificate.context("http/1.1")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"https://127.0.0.1:{server.server_address[1]}/dns-query"
        finally:
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def _started(command: list[str], port: int, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a server that cannot inherit a socket, and goes on when it listens."""
    with running(command, [], log) as process:
        end = time.monotonic() + END_SECONDS
        while True:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, f"nobody listens at port {port}"
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), END_SECONDS).close()
                break
            os.sched_yield()
        yield process


def _free_port() -> int:
    with listener() as listening:
        return port_of(listening)


def _program(name: str) -> str:
    # Debian installs some servers here, which is not in every PATH.
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") or name
