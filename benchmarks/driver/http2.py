"""Small requests over one HTTP/2 connection, from C and from Python."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from .figure import Figure, Target, figure, in_turn
from .programs import BUILT, DOCUMENT, Result, run_c, run_python
from .server import HTTP2Server, nginx_http2

_PAIRS = 15
#: nginx allows 128 streams at a time on one connection.
_IN_FLIGHT = 100
_REQUESTS = 1_000


def from_c(_base: str) -> Iterator[Figure]:
    """Compares with a plain program of libcurl's multi interface that shares a connection, too."""
    with nginx_http2() as server:
        document = _document(server)
        load = (server.url, _IN_FLIGHT, _REQUESTS)
        runs = in_turn(
            _PAIRS,
            lambda: _over_one_connection(server, lambda: run_c("restway_async", document, *load)),
            lambda: _over_one_connection(
                server, lambda: run_c("floor_multi", *load, server.ca_file)
            ),
        )
    yield figure(
        "http2.c.requests_per_second", "1/s",
        "C: libcurl multi, one HTTP/2 connection, Jansson", Target(0.9, is_floor=True),
        [(_per_second(ours), _per_second(theirs)) for ours, theirs in runs],
    )


def from_python(_base: str) -> Iterator[Figure]:
    """Compares two clients for asyncio with as many tasks."""
    with nginx_http2() as server:
        document = _document(server)
        load = (server.url, _IN_FLIGHT, _REQUESTS)
        runs = in_turn(
            _PAIRS,
            lambda: _over_one_connection(
                server, lambda: run_python("restway_asyncio", document, *load)
            ),
            lambda: _over_one_connection(
                server, lambda: run_python("httpx_asyncio", *load, server.ca_file)
            ),
        )
    yield figure(
        "http2.python.over_httpx", "1/s", "httpx.AsyncClient, one HTTP/2 connection, json.loads",
        Target(1.5, is_floor=True),
        [(_per_second(ours), _per_second(theirs)) for ours, theirs in runs],
    )


def _document(server: HTTP2Server) -> Path:
    """Writes the benchmarks' API document with an environment that trusts the server."""
    document = json.loads(Path(DOCUMENT).read_text(encoding="utf-8"))
    ((name, environment),) = document["environments"].items()
    environment["tls"] = {"caFile": str(server.ca_file)}
    document["environment"] = name
    path = BUILT / "http2.restway.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def _over_one_connection(server: HTTP2Server, run: Callable[[], Result]) -> Result:
    before = server.connections()
    result = run()
    # The request for the counter is a connection, too.
    made = server.connections() - before - 1
    if made != 1:
        raise SystemExit(f"the requests were sent over {made} connections")
    return result


def _per_second(run: Result) -> float:
    return run["requests"] / run["seconds"]
