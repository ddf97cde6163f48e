"""Bytes that arrive on an idle connection never answer the next request, however it is sent."""

from __future__ import annotations

import ssl
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import restway
from broken_connections import BODY, HEAD_OF_8
from certificates import Authority
from connection import SECONDS_MAX, Connection, Step, close, deliver, reset, send
from fault import PATIENCE_SECONDS, Fault, answers
from fault_server import FaultServer
from h2.errors import ErrorCodes
from health import check_health
from http2_plays import resetting
from http2_server import HTTP2Server, Stream
from restway import OutboxState, QueuedError, Reachability, Request

#: How often bytes arrive in each test.
ROUNDS = 20
#: An answer that no request was sent for. Its status makes every way to send fail.
FORGED = b'HTTP/1.1 418 Any\r\nContent-Length: 16\r\n\r\n{"forged": true}'
ANSWER = send(HEAD_OF_8 + BODY)
CHALLENGE = (
    b"HTTP/1.1 401 Any\r\nContent-Length: 2\r\n"
    b'WWW-Authenticate: Digest realm="r", nonce="n", qop="auth"\r\n\r\n'
)
ITEMS = b'[{"code": 200, "body": "{}"}]'
BATCH = send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(ITEMS) + ITEMS)


class Turns:
    """Lets the server wait, once in each round, until the client has its answer."""

    def __init__(self) -> None:
        self._turns = threading.Semaphore(0)

    def give(self) -> None:
        self._turns.release()

    def take(self, _: Connection | None = None) -> None:
        assert self._turns.acquire(timeout=SECONDS_MAX)


def blocking(client: restway.Client, number: int) -> None:
    with client.post("good", params={"n": number}, body=b"once") as response:
        assert response.json() == {"method": "POST", "target": f"/good?n={number}", "bytes": 4}


def sent(client: restway.Client, number: int) -> None:
    request = Request.path("POST", "good", params={"n": number}, body=b"once")
    with client.send(request).wait() as response:
        assert response.json() == {"method": "POST", "target": f"/good?n={number}", "bytes": 4}


def batched(client: restway.Client, _: int) -> None:
    with client.batch() as batch:
        call = batch.post("good", body=b"once")
    assert call.wait().status == 200


def stored(client: restway.Client, _: int) -> None:
    client.set_reachability(Reachability.UNREACHABLE)
    with pytest.raises(QueuedError):
        client.perform(Request.route("note", json={"text": "once"}))
    told: list[restway.OutboxItems] = []
    over = threading.Event()

    def on_flushed(items: restway.OutboxItems) -> None:
        told.append(items)
        over.set()

    client.outbox.flush(on_flushed, force=True)
    assert over.wait(SECONDS_MAX)
    assert [item.state for item in told[0]] == [OutboxState.DELIVERED]
    client.set_reachability(Reachability.REACHABLE)


WAYS = {"blocking": blocking, "sent": sent, "batch": batched, "outbox": stored}
VERSIONS = [None, ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]


def document(way: str, folder: Path) -> dict[str, Any]:
    note = {"method": "POST", "path": "good", "offline": way == "outbox"}
    parts: dict[str, Any] = {"restway": 1, "routes": {"note": note}}
    if way == "batch":
        parts["batch"] = {"path": "batch"}
    if way == "outbox":
        parts["outbox"] = {"path": str(folder / "outbox.db")}
    return parts


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("arrival", [deliver(FORGED), close, reset], ids=["bytes", "end", "reset"])
def test_nothing_that_arrives_on_an_idle_connection_reaches_the_next_request(
    arrival: Step,
    version: ssl.TLSVersion | None,
    way: str,
    authority: Authority,
    tmp_path: Path,
) -> None:
    """The requests are POSTs: they fail if they go out on a connection that has ended."""
    turns = Turns()
    faults = [
        Fault("stray", (ANSWER, turns.take, arrival), answers(BODY)),
        Fault("batch", (BATCH,), answers(ITEMS)),
    ]
    certificate = authority.loopback if version else None
    with (
        FaultServer(faults, certificate, version or ssl.TLSVersion.MAXIMUM_SUPPORTED) as server,
        restway.Client(
            restway.API.from_json(document(way, tmp_path)),
            base_url=server.url,
            timeout=PATIENCE_SECONDS,
            ca_file=authority.ca_file,
        ) as client,
    ):
        for number in range(ROUNDS):
            assert client.get("stray").body == BODY
            turns.give()
            server.wait_until_played()
            WAYS[way](client, number)


@pytest.mark.parametrize("version", VERSIONS)
def test_bytes_that_came_with_the_end_of_an_answer_are_no_answer(
    version: ssl.TLSVersion | None, authority: Authority
) -> None:
    """libcurl reads only the rest of the body. The bytes behind it then wait where the socket does
    not show them: TLS has taken the whole record.
    """
    halves = (send(HEAD_OF_8 + BODY[:4]), send(BODY[4:] + FORGED))
    fault = Fault("stray", halves, answers(BODY))
    certificate = authority.loopback if version else None
    with (
        FaultServer([fault], certificate, version or ssl.TLSVersion.MAXIMUM_SUPPORTED) as server,
        restway.Client(
            restway.API.empty(),
            base_url=server.url,
            timeout=PATIENCE_SECONDS,
            ca_file=authority.ca_file,
        ) as client,
    ):
        for number in range(ROUNDS):
            assert client.get("stray").body == BODY
            server.wait_until_played()
            blocking(client, number)


@pytest.mark.parametrize("always", [False, True])
def test_bytes_behind_a_digest_challenge_are_no_answer(always: bool, authority: Authority) -> None:
    """libcurl answers the challenge on the same connection. The exchange begins anew, which is no
    repetition of the POST.
    """
    plays: list[Connection] = []

    def challenge(connection: Connection) -> None:
        assert connection.request is not None
        if "authorization" in connection.request.headers:
            ANSWER(connection)
            return
        plays.append(connection)
        connection.socket.sendall(CHALLENGE + b"n")
        connection.socket.sendall(b"o" + (FORGED if always or len(plays) == 1 else b""))

    fault = Fault("secret", (challenge,), answers(BODY), method="POST")
    api = restway.API.from_json(
        {"restway": 1, "auth": {"scheme": "digest", "user": "u", "password": "p"}}
    )
    with (
        FaultServer([fault], authority.loopback) as server,
        restway.Client(
            api, base_url=server.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file
        ) as client,
    ):
        if always:
            with pytest.raises(restway.ConnectionLostError, match="answer no request"):
                client.post("secret", body=b"once")
            assert 1 < server.requests["/secret"] < 10
        else:
            assert client.post("secret", body=b"once").body == BODY
            assert server.requests["/secret"] == 3
            assert server.accepted == 2


def test_requests_over_a_unix_domain_socket_never_get_bytes_that_were_there(
    tmp_path: Path,
) -> None:
    turns = Turns()
    fault = Fault("stray", (ANSWER, turns.take, send(FORGED)), answers(BODY))
    path = tmp_path / "api.sock"
    with (
        FaultServer([fault], unix_socket=path) as server,
        restway.Client(
            restway.API.empty(),
            base_url="http://localhost",
            timeout=PATIENCE_SECONDS,
            network=restway.Network(unix_socket=path),
        ) as client,
    ):
        for number in range(ROUNDS):
            assert client.get("stray").body == BODY
            turns.give()
            server.wait_until_played()
            blocking(client, number)


# HTTP/2


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload


def forged_answer(stream: int) -> bytes:
    """Returns a whole answer to a stream (RFC 9113, section 4.1): HEADERS and DATA."""
    headers = frame(1, 4, stream, b"\x88")  # END_HEADERS; :status 200
    return headers + frame(0, 1, stream, b'{"forged": true}')  # END_STREAM


def ping() -> bytes:
    return frame(6, 0, 0, bytes(8))


def leaving() -> bytes:
    """Returns a GOAWAY: no further stream is answered."""
    return frame(7, 0, 0, struct.pack("!II", 1, 0))


ARRIVALS: dict[str, Callable[[int], list[bytes]]] = {
    "the next stream": lambda stream: [forged_answer(stream + 2)],
    # libcurl reads only the first record before it uses the connection.
    "the next stream after a ping": lambda stream: [ping(), forged_answer(stream + 2)],
    "a later stream": lambda stream: [forged_answer(stream + 4)],
    "goaway after a ping": lambda _: [ping(), leaving()],
}


@pytest.mark.parametrize("arrival", ARRIVALS.values(), ids=list(ARRIVALS))
def test_an_answer_to_a_stream_that_is_not_open_is_refused(
    arrival: Callable[[int], list[bytes]], authority: Authority
) -> None:
    turns, delivered = Turns(), Turns()

    def play(stream: Stream) -> None:
        stream.answer()
        stream.flush()
        turns.take()
        for record in arrival(stream.number):
            stream.deliver(record)
        delivered.give()

    with (
        HTTP2Server(authority.loopback, {"stray": play}) as server,
        restway.Client(
            restway.API.empty(),
            base_url=server.url,
            timeout=PATIENCE_SECONDS,
            ca_file=authority.ca_file,
        ) as client,
    ):
        for number in range(ROUNDS):
            client.get("stray").close()
            turns.give()
            delivered.take()
            with client.post("good", params={"n": number}, body=b"once") as response:
                assert response.json()["target"] == f"/good?n={number}"
        check_health(client)


# The number of connections


@pytest.mark.parametrize("has_tickets", [True, False])
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_requests_with_tls_share_as_many_connections_as_may_be_used_at_once(
    version: ssl.TLSVersion, has_tickets: bool, authority: Authority
) -> None:
    requests, connections = 1_000, 32
    with (
        FaultServer((), authority.loopback, version, has_tickets=has_tickets) as server,
        restway.Client(
            restway.API.empty(),
            base_url=server.url,
            timeout=60,
            ca_file=authority.ca_file,
            connections_per_host_max=connections,
        ) as client,
    ):
        calls = [
            client.send(Request.path("GET", "good", params={"n": number}))
            for number in range(requests)
        ]
        for number, call in enumerate(calls):
            with call.wait() as response:
                assert response.json()["target"] == f"/good?n={number}"
        assert server.requests["/good"] == requests
        assert server.accepted == connections


def test_an_origin_with_connections_of_both_protocols_keeps_its_connections(
    authority: Authority,
) -> None:
    requests, connections = 500, 32
    plays = {"slow": resetting(ErrorCodes.HTTP_1_1_REQUIRED)}
    with (
        HTTP2Server(authority.loopback, plays) as server,
        restway.Client(
            restway.API.empty(),
            base_url=server.url,
            timeout=60,
            ca_file=authority.ca_file,
            connections_per_host_max=connections,
        ) as client,
    ):
        server.over_http1.clear()
        client.get("good").close()
        slow = client.send(Request.path("GET", "slow"))
        check_health(client)
        server.over_http1.set()
        slow.wait().close()
        before = server.accepted
        calls = [client.send(Request.path("GET", "good")) for _ in range(requests)]
        assert [call.wait().status for call in calls] == [200] * requests
        assert server.accepted - before <= connections
