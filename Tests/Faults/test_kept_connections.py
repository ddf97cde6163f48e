"""Faults between two requests on a kept connection."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator

import pytest
import restway
from broken_connections import BODY, HEAD_OF_8
from certificates import Authority
from conftest import MakeClient
from connection import (
    SECONDS_MAX,
    Connection,
    Step,
    close,
    deliver,
    notify_and_close,
    reset,
    send,
)
from fault import PATIENCE_SECONDS, Fault, answers
from fault_server import FaultServer
from health import check_health
from malformed_answers import FORGED
from restway import Request

ANSWER = send(HEAD_OF_8 + BODY)


class Gate:
    """Makes the server wait until the test says that the client has its answer."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def open(self) -> None:
        self._event.set()

    def pass_through(self, _connection: Connection) -> None:
        assert self._event.wait(SECONDS_MAX)


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open()


def check_not_used_again(client: restway.Client, server: FaultServer, gate: Gate) -> None:
    """Lets the server end the connection of an answer, and checks that the next request needs only
    one attempt.
    """
    assert client.get("end").body == BODY
    gate.open()
    server.wait_until_played()
    response = client.post("good", body=b"once")  # a POST would not be repeated
    assert response.json() == {"method": "POST", "target": "/good", "bytes": 4}
    assert server.requests["/good"] == 1
    check_health(client)


@pytest.mark.parametrize(
    "step",
    [pytest.param(close, id="closed"), pytest.param(reset, id="reset")],
)
def test_a_connection_that_ended_while_idle_is_not_used_again(
    step: Step, gate: Gate, make_client: MakeClient
) -> None:
    fault = Fault("end", (ANSWER, gate.pass_through, step), answers(BODY))
    with FaultServer([fault]) as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS)
        check_not_used_again(client, server, gate)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize("step", [notify_and_close, close, reset])
def test_a_connection_with_tls_that_ended_while_idle_is_not_used_again(
    step: Step,
    version: ssl.TLSVersion,
    gate: Gate,
    authority: Authority,
    make_client: MakeClient,
) -> None:
    fault = Fault("end", (ANSWER, gate.pass_through, step), answers(BODY))
    with FaultServer([fault], authority.loopback, version) as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file)
        check_not_used_again(client, server, gate)


def test_stray_bytes_on_an_idle_connection_never_answer_the_next_request(
    gate: Gate, make_client: MakeClient
) -> None:
    fault = Fault("stray", (ANSWER, gate.pass_through, deliver(FORGED)), answers(BODY))
    with FaultServer([fault]) as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS)
        assert client.get("stray").body == BODY
        gate.open()
        server.wait_until_played()
        check_health(client)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_request_that_changes_something_is_never_sent_twice(
    method: str, make_client: MakeClient
) -> None:
    fault = Fault("vanish", (reset,), answers(b""))
    with FaultServer([fault]) as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS)
        client.get("good").close()
        with pytest.raises(restway.ConnectionLostError) as caught:
            client.perform(Request.path(method, "vanish"))
        assert f"{method} {server.url}/vanish" in caught.value.message
        assert server.requests["/vanish"] == 1
        check_health(client)


def test_a_get_is_sent_again_when_its_kept_connection_died(make_client: MakeClient) -> None:
    plays: list[Connection] = []

    def die_once(connection: Connection) -> None:
        plays.append(connection)
        (reset if len(plays) == 1 else ANSWER)(connection)

    with FaultServer([Fault("die_once", (die_once,), answers(BODY))]) as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS)
        client.get("good").close()
        assert client.get("die_once").body == BODY
        assert server.requests["/die_once"] == 2
        check_health(client)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize("cookies", [True, False])
def test_a_new_connection_resumes_the_session_of_another_one(
    cookies: bool,
    version: ssl.TLSVersion,
    gate: Gate,
    authority: Authority,
    make_client: MakeClient,
) -> None:
    held = Fault("held", (gate.pass_through, ANSWER), answers(BODY))
    with FaultServer([held], authority.loopback, version) as server:
        client = make_client(
            server.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file, cookies=cookies
        )
        client.get("good")
        call = client.send(Request.path("GET", "held"))
        server.wait_until_asked("/held", 1)
        client.get("good")  # The first connection is in use.
        gate.open()
        assert call.wait().body == BODY
        assert (server.accepted, server.resumed) == (2, 1)


def test_connections_are_kept_and_never_more_than_allowed(make_client: MakeClient) -> None:
    with FaultServer() as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS, connections_per_host_max=2)
        for _ in range(5):
            check_health(client)
        assert server.requests["/good"] == 40
        assert server.accepted <= 2
