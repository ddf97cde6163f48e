"""Servers that cannot be trusted, and TLS that breaks."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from dataclasses import replace

import pytest
import restway
from broken_connections import (
    BODY,
    BROKEN_CONNECTIONS,
    HEAD_IN_CHUNKS,
    HEAD_OF_8,
    HEAD_TO_THE_END,
)
from calls import Ended, check, notified, perform, request_of
from certificates import Authority
from conftest import MakeClient
from connection import Connection, close, reset, say_goodbye, send, stall, wait_for_bytes
from fault import (
    PATIENCE_SECONDS,
    TIMEOUT_SECONDS,
    Fault,
    Outcome,
    answers,
    lost,
    times_out,
)
from fault_server import FaultServer
from health import check_health
from parameters import each
from restway import Request, Status


def distrusts(says: str, code: int) -> Outcome:
    return Outcome(Status.TLS, restway.TLSError, says, frozenset({code}))


Way = Callable[[restway.Client, Request], Ended]
NOBODY_VOUCHES, NO_HANDSHAKE = 60, 35

HANDSHAKES = (
    Fault("no_tls_at_all", (send(HEAD_OF_8 + BODY), stall), distrusts("", NO_HANDSHAKE)),
    Fault("close_in_handshake", (wait_for_bytes, close), distrusts("", NO_HANDSHAKE)),
    Fault("reset_in_handshake", (wait_for_bytes, reset), distrusts("", NO_HANDSHAKE)),
    Fault("stall_in_handshake", (stall,), times_out(""), timeout=TIMEOUT_SECONDS),
)

OLD_HEAD = HEAD_TO_THE_END.replace(b"1.1", b"1.0")
NO_CONTENT = b"HTTP/1.1 204 Any\r\nConnection: close\r\n\r\n"
CUT_OFF = lost("close_notify.* may be cut off", 56)

#: Without close_notify an attacker may have ended the connection (RFC 9112, section 9.8): a body
#: that ends with the connection may be cut off, whatever it looks like.
ENDS = (
    Fault("cut_off", (send(HEAD_TO_THE_END + BODY), close), CUT_OFF),
    Fault("cut_off_of_old", (send(OLD_HEAD + BODY), close), CUT_OFF),
    Fault("cut_off_before", (send(HEAD_TO_THE_END), close), CUT_OFF),
    Fault("goodbye", (send(HEAD_TO_THE_END + BODY), say_goodbye), answers(BODY)),
    Fault("goodbye_of_old", (send(OLD_HEAD + BODY), say_goodbye), answers(BODY)),
    Fault("goodbye_at_once", (send(HEAD_TO_THE_END), send(BODY), say_goodbye), answers(BODY)),
    # These bodies have an end of their own.
    Fault("length", (send(HEAD_OF_8 + BODY), close), answers(BODY)),
    Fault(
        "chunks",
        (send(HEAD_IN_CHUNKS + b"8\r\n" + BODY + b"\r\n0\r\n\r\n"), close),
        answers(BODY),
    ),
    Fault("no_body", (send(NO_CONTENT), close), answers(b"", 204)),
    Fault("no_body_of_head", (send(HEAD_TO_THE_END), close), answers(b""), method="HEAD"),
)
UNDER_TLS = tuple(
    fault for fault in BROKEN_CONNECTIONS if fault.name in {"reset_in_body", "refuse"}
)
VERSIONS = [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]


@pytest.mark.parametrize("way", [perform, notified])
@pytest.mark.parametrize(
    ("shown", "says"),
    [("another_host", "subject"), ("self_signed", "self.signed")],
)
def test_a_server_that_is_not_who_it_says_gets_no_request(
    shown: str, says: str, way: Way, authority: Authority, make_client: MakeClient
) -> None:
    fault = Fault("good", (), distrusts(says, NOBODY_VOUCHES))
    with FaultServer(certificate=getattr(authority, shown)) as bad, FaultServer() as fine:
        client = make_client(bad.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file)
        check(way(client, Request.path("GET", "good?secret=1")), fault, bad.url)
        assert sum(bad.requests.values()) == 0
        check_health(client, fine.url)


def test_a_server_nobody_vouches_for_gets_no_request(
    authority: Authority, make_client: MakeClient
) -> None:
    fault = Fault("good", (), distrusts("certificate", NOBODY_VOUCHES))
    with FaultServer(certificate=authority.loopback) as bad, FaultServer() as fine:
        client = make_client(bad.url, timeout=PATIENCE_SECONDS)
        check(perform(client, Request.path("GET", "good?secret=1")), fault, bad.url)
        assert sum(bad.requests.values()) == 0
        check_health(client, fine.url)


@pytest.mark.parametrize("fault", HANDSHAKES, ids=str)
def test_a_broken_handshake_is_told_as_one(fault: Fault, make_client: MakeClient) -> None:
    armed = replace(fault, at_accept=True)
    with FaultServer() as server:
        origin = server.url.replace("http:", "https:")
        client = make_client(origin, timeout=PATIENCE_SECONDS)
        request = Request.path("GET", fault.name, timeout=fault.timeout)
        with server.playing(armed):
            check(perform(client, request), fault, origin)
        check_health(client, server.url)


def test_the_connect_timeout_covers_the_handshake(make_client: MakeClient) -> None:
    fault = Fault("good", (stall,), times_out(""), at_accept=True, timeout=TIMEOUT_SECONDS)
    with FaultServer() as server:
        origin = server.url.replace("http:", "https:")
        client = make_client(origin, connect_timeout=TIMEOUT_SECONDS)
        with server.playing(fault):
            check(perform(client, Request.path("GET", "good")), fault, origin)
        check_health(client, server.url)


def test_a_trusted_server_answers(authority: Authority, make_client: MakeClient) -> None:
    with FaultServer(certificate=authority.loopback) as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file)
        check_health(client)


@pytest.mark.parametrize("fault", each(UNDER_TLS))
def test_faults_under_tls_end_as_without(
    fault: Fault, authority: Authority, make_client: MakeClient
) -> None:
    with FaultServer(UNDER_TLS, authority.loopback) as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file)
        with server.playing(fault):
            check(perform(client, Request.path("GET", fault.name)), fault, server.url)
        check_health(client)


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
@pytest.mark.parametrize("fault", each(ENDS))
def test_only_a_goodbye_of_tls_ends_a_body_without_a_length(
    fault: Fault, version: ssl.TLSVersion, authority: Authority, make_client: MakeClient
) -> None:
    with FaultServer(ENDS, authority.loopback, version) as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file)
        check(perform(client, request_of(fault)), fault, server.url)
        # The connection is kept, and was made for another request.
        client.get("good").close()
        accepted = server.accepted
        check(notified(client, request_of(fault)), fault, server.url)
        assert server.accepted == accepted
        check_health(client)


def test_the_goodbye_of_a_connection_made_anew_in_midst_of_a_call_is_heard(
    authority: Authority, make_client: MakeClient
) -> None:
    asked: list[str] = []
    fault = Fault("goodbye", (), answers(BODY))

    def close_first(connection: Connection) -> None:
        asked.append("once more")
        if len(asked) == 1:
            close(connection)
            return
        send(HEAD_TO_THE_END + BODY)(connection)
        say_goodbye(connection)

    played = replace(fault, steps=(close_first,))
    with FaultServer((played,), authority.loopback) as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file)
        client.get("good").close()
        check(perform(client, request_of(fault)), fault, server.url)
        assert len(asked) == 2
        check_health(client)
