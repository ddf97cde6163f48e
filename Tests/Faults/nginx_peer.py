"""nginx with a prefix and a configuration of its own."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from certificates import Certificate
from peer_process import listener, port_of, running

#: The number of requests on a connection; nginx then closes it, or sends a GOAWAY.
KEEPALIVE_REQUESTS = 7
#: libcurl fails a request when the fifth connection in a row does not answer it.
HTTP2_REQUESTS = 200
LARGE_BYTES = 24 << 20
#: Larger bodies are refused with 413.
PUT_BYTES_MAX = 16 << 20

CONFIGURATION = """
{modules}
daemon off; worker_processes 1; pid {prefix}/nginx.pid; error_log {prefix}/error.log warn;
{user}
events {{ worker_connections 256; }}
http {{
    access_log off; types {{ application/octet-stream bin; }} default_type application/json;
    client_body_temp_path {prefix}/body; proxy_temp_path {prefix}/proxy;
    fastcgi_temp_path {prefix}/fastcgi; uwsgi_temp_path {prefix}/uwsgi;
    scgi_temp_path {prefix}/scgi;
    gzip on; gzip_min_length 1; gzip_types application/json; {brotli}
    limit_conn_zone $server_port zone=connections:1m;
    ssl_certificate {certificate}; ssl_certificate_key {key};
    upstream origin {{ server {origin}; }}
    server {{
        listen 127.0.0.1:{secure} ssl http2;
        keepalive_requests {http2_requests};
        include {prefix}/locations;
    }}
    server {{
        listen 127.0.0.1:{plain};
        keepalive_requests {keepalive_requests};
        include {prefix}/locations;
    }}
}}
"""
BROTLI = "brotli on; brotli_min_length 1; brotli_types application/json;"
LOCATIONS = """
root {prefix}/files;
location = /good {{
    gzip off;
    return 200 '{{"method": "$request_method", "target": "$request_uri", "bytes": 0}}';
}}
location = /moved {{ return 302 /good$is_args$args; }}
location = /moved_for_good {{ return 301 /good$is_args$args; }}
location = /moved_with_its_body {{ return 307 /origin/good; }}
location = /moved_for_good_with_its_body {{ return 308 /origin/good; }}
location = /see_other {{ return 303 /good; }}
location = /round {{ return 302 /round; }}
location /secure/ {{ return 301 https://127.0.0.1:{secure}/good; }}
location /limited/ {{ limit_conn connections 2; limit_rate 16m; alias {prefix}/files/; }}
location /origin/ {{
    proxy_pass http://origin/; proxy_http_version 1.1; proxy_read_timeout 1s;
    proxy_next_upstream off;
}}
location /gone/ {{ return 444; }}
location /put/ {{
    root {prefix}; dav_methods PUT; create_full_put_path on; client_max_body_size {put_bytes_max};
}}
"""


class Nginx(NamedTuple):
    """The address of the server."""

    url: str
    secure_url: str
    files: Path
    #: The folder for bodies that are PUT below put/.
    put: Path
    #: Whether this nginx has the module for brotli.
    has_brotli: bool


@contextlib.contextmanager
def nginx(prefix: Path, certificate: Certificate, origin: str) -> Iterator[Nginx]:
    """Runs nginx in front of `origin` (host and port), with files to serve."""
    files = prefix / "files"
    files.mkdir()
    (files / "list.json").write_text('[{"n": 1}' + ', {"n": 2}' * 2000 + "]")
    with (files / "large.bin").open("wb") as large:
        for number in range(LARGE_BYTES // 65536):
            large.write(bytes([number % 256]) * 65536)
    # Debian installs nginx in this folder, which is not in every PATH.
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin") or "nginx"
    brotli = brotli_module(program)
    plain, secure = listener(), listener()
    there = Nginx(
        f"http://127.0.0.1:{port_of(plain)}",
        f"https://127.0.0.1:{port_of(secure)}",
        files,
        prefix / "put",
        brotli is not None,
    )
    configuration = prefix / "nginx.conf"
    configuration.write_text(
        CONFIGURATION.format(
            prefix=prefix,
            modules=f"load_module {brotli};" if brotli else "",
            brotli=BROTLI if brotli else "",
            user=user_directive(),
            certificate=certificate.certificate,
            key=certificate.key,
            origin=origin,
            plain=port_of(plain),
            secure=port_of(secure),
            keepalive_requests=KEEPALIVE_REQUESTS,
            http2_requests=HTTP2_REQUESTS,
        )
    )
    (prefix / "locations").write_text(
        LOCATIONS.format(
            prefix=prefix, secure=port_of(secure), put_bytes_max=PUT_BYTES_MAX
        )
    )
    command = [program, "-p", str(prefix), "-e", str(prefix / "start.log"), "-c"]
    # nginx passes its sockets to its successor in this form
    inherited = f"{plain.fileno()};{secure.fileno()};"
    with running(
        [*command, str(configuration)], [plain, secure], prefix / "output", {"NGINX": inherited}
    ):
        yield there


def brotli_module(program: str) -> Path | None:
    """Returns the module of nginx that compresses with brotli, if it is installed."""
    about = subprocess.run([program, "-V"], capture_output=True, text=True, check=True).stderr
    found = re.search(r"--modules-path=(\S+)", about)
    if not found:
        return None
    module = Path(found[1]) / "ngx_http_brotli_filter_module.so"
    return module if module.exists() else None


def user_directive() -> str:
    """The workers of nginx drop the rights of root; these files belong to the user who runs the
    tests.
    """
    return "user root;" if os.geteuid() == 0 else ""
