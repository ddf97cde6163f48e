"""Small requests from C and from Python: without TLS, with TLS, and over HTTP/2."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path

from .figure import Figure, Target, figure, in_turn
from .programs import BUILT, DOCUMENT, Result, run_c, run_python
from .server import TLSServer, nginx_tls

_PAIRS = 7
_IN_FLIGHT = 32
_REQUESTS = 20_000
_BLOCKING_REQUESTS = 5_000
_ASYNCIO_REQUESTS = 10_000
#: The number of requests with httpx, which takes several times as long for each.
_HTTPX_REQUESTS = 1_000

_HTTP2_PAIRS = 15
#: nginx allows 128 streams at a time on one connection.
_HTTP2_IN_FLIGHT = 100
_HTTP2_REQUESTS = 1_000


@dataclass(frozen=True)
class _Server:
    """The server of a figure, and what the programs have to know of it."""

    url: str
    #: The API document of our programs.
    document: str = DOCUMENT
    #: The last argument of the other programs: the file with the authority that they trust.
    trusted: tuple[Path, ...] = ()
    #: The server, if it speaks TLS.
    tls: TLSServer | None = None

    @property
    def infix(self) -> str:
        return ".tls" if self.tls else ""

    def target(self, target: Target) -> Target | None:
        """Returns the target; only requests with TLS have one."""
        return target if self.tls else None

    def compare(
        self,
        name: str,
        unit: str,
        reference: str,
        target: Target | None,
        value: Callable[[Result], float],
        programs: tuple[Callable[[], Result], Callable[[], Result]],
        connections_max: tuple[int, float],
        pairs: int = _PAIRS,
    ) -> Figure:
        """Runs ours and another program in turn. With TLS, each may make so many connections, and
        the handshakes are printed.
        """
        handshakes: list[str] = []

        def watched(program: Callable[[], Result], connections_max: float) -> Result:
            before = len(self.tls.handshakes()) if self.tls else 0
            result = program()
            made = self.tls.handshakes()[before:] if self.tls else "."
            if not 1 <= len(made) <= connections_max:
                raise SystemExit(f"{name}: a run made {len(made)} connections")
            handshakes.append(f"{made.count('.')}+{made.count('r')}")
            return result

        runs = in_turn(
            pairs,
            lambda: watched(programs[0], connections_max[0]),
            lambda: watched(programs[1], connections_max[1]),
        )
        if self.tls:
            print(f"  handshakes (full+resumed) of ours: {' '.join(handshakes[::2])}")
            print(f"  handshakes of the other program: {' '.join(handshakes[1::2])}")
        return figure(
            name, unit, reference, target, [(value(own), value(other)) for own, other in runs]
        )


@contextmanager
def _server(base: str, is_secure: bool) -> Iterator[_Server]:
    if not is_secure:
        yield _Server(base)
        return
    with _secure_server() as server:
        yield server


@contextmanager
def _secure_server(version: str = "") -> Iterator[_Server]:
    with nginx_tls(version) as tls:
        yield _Server(tls.url, _trusting(tls.ca_file), (tls.ca_file,), tls)


def _trusting(ca_file: Path) -> str:
    """Writes the benchmarks' API document with an environment that trusts an authority."""
    document = json.loads(Path(DOCUMENT).read_text(encoding="utf-8"))
    ((name, environment),) = document["environments"].items()
    environment["tls"] = {"caFile": str(ca_file)}
    document["environment"] = name
    path = BUILT / "tls.restway.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def in_flight(base: str, is_secure: bool = False) -> Iterator[Figure]:
    load = (_IN_FLIGHT, _REQUESTS)
    with _server(base, is_secure) as server:
        yield server.compare(
            f"transport{server.infix}.c32.requests_per_second", "1/s",
            "C: libcurl multi, 32 in flight, Jansson",
            server.target(Target(0.6, is_floor=True)), _per_second,
            (
                lambda: run_c("restway_async", server.document, server.url, *load),
                lambda: run_c("floor_multi", server.url, *load, *server.trusted),
            ),
            (_IN_FLIGHT, inf),
        )


def one_at_a_time(base: str, is_secure: bool = False) -> Iterator[Figure]:
    load = (_BLOCKING_REQUESTS,)
    with _server(base, is_secure) as server:
        yield server.compare(
            f"transport{server.infix}.c1.latency", "us", "C: libcurl easy, reused, Jansson",
            server.target(Target(2.2)), lambda run: run["latency_seconds"] * 1e6,
            (
                lambda: run_c("restway_blocking", server.document, server.url, *load),
                lambda: run_c("floor_easy", server.url, *load, *server.trusted),
            ),
            (1, inf),
        )


def python_blocking(base: str, is_secure: bool = False) -> Iterator[Figure]:
    with _server(base, is_secure) as server:
        yield server.compare(
            f"python{server.infix}.blocking.over_httpx", "1/s", "httpx.Client, json.loads",
            server.target(Target(3.0, is_floor=True)), _per_second,
            (
                lambda: run_python(
                    "restway_blocking", server.document, server.url, _BLOCKING_REQUESTS
                ),
                lambda: run_python("httpx_blocking", server.url, _HTTPX_REQUESTS, *server.trusted),
            ),
            (1, inf),
        )


def python_asyncio(base: str, is_secure: bool = False) -> Iterator[Figure]:
    load = (_IN_FLIGHT, _ASYNCIO_REQUESTS)
    with _server(base, is_secure) as server:
        yield server.compare(
            f"python{server.infix}.asyncio32.over_aiohttp", "1/s", "aiohttp, json.loads",
            server.target(Target(2.0, is_floor=True)), _per_second,
            (
                lambda: run_python("restway_asyncio", server.document, server.url, *load),
                lambda: run_python("aiohttp_asyncio", server.url, *load, *server.trusted),
            ),
            (_IN_FLIGHT, inf),
        )


def http2(_base: str) -> Iterator[Figure]:
    load = (_HTTP2_IN_FLIGHT, _HTTP2_REQUESTS)
    with _secure_server("http2") as server:
        yield server.compare(
            "http2.c.requests_per_second", "1/s",
            "C: libcurl multi, one HTTP/2 connection, Jansson",
            Target(0.75, is_floor=True), _per_second,
            (
                lambda: run_c("restway_async", server.document, server.url, *load),
                lambda: run_c("floor_multi", server.url, *load, *server.trusted),
            ),
            (1, 1), _HTTP2_PAIRS,
        )


def python_http2(_base: str) -> Iterator[Figure]:
    load = (_HTTP2_IN_FLIGHT, _HTTP2_REQUESTS)
    with _secure_server("http2") as server:
        yield server.compare(
            "http2.python.over_httpx", "1/s",
            "httpx.AsyncClient, one HTTP/2 connection, json.loads",
            Target(1.5, is_floor=True), _per_second,
            (
                lambda: run_python("restway_asyncio", server.document, server.url, *load),
                lambda: run_python("httpx_asyncio", server.url, *load, *server.trusted),
            ),
            (1, 1), _HTTP2_PAIRS,
        )


def _per_second(run: Result) -> float:
    return run["requests"] / run["seconds"]
