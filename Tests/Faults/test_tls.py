"""Servers that cannot be trusted, and TLS that breaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import restway
from broken_connections import BODY, BROKEN_CONNECTIONS, HEAD_OF_8, HEAD_TO_THE_END
from calls import Ended, check, notified, perform
from certificates import Authority
from conftest import MakeClient
from connection import close, reset, send, stall, wait_for_bytes
from fault import (
    PATIENCE_SECONDS,
    TIMEOUT_SECONDS,
    Fault,
    Outcome,
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

#: Without a close_notify an end may be an attacker's.
TRUNCATED = Fault(
    "truncated",
    (send(HEAD_TO_THE_END + BODY), close),
    lost("", 56),
    known_bug="libcurl 7.88 takes the end of the connection for the end of the body",
)
UNDER_TLS = (
    TRUNCATED,
    *(fault for fault in BROKEN_CONNECTIONS if fault.name in {"reset_in_body", "refuse"}),
)


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
