"""Every fault ends as expected, in time and once, and leaves a client that works."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from calls import check, notified, outcome_of, perform, request_of
from conftest import MakeClient
from fault import PATIENCE_SECONDS, Fault
from fault_server import FaultServer
from health import check_health
from parameters import each
from restway import Request, Response, Status
from table import FAULTS

ANSWERING = [fault for fault in FAULTS if not fault.needs_new_connection]


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(FAULTS) as server:
        yield server


def test_every_fault_has_a_name_of_its_own() -> None:
    names = [fault.name for fault in FAULTS]
    assert sorted(set(names)) == sorted(names)
    assert len(names) >= 15


@pytest.mark.parametrize("fault", each(FAULTS))
def test_a_blocking_call_ends_as_expected_and_the_pool_is_healthy(
    fault: Fault, server: FaultServer, make_client: MakeClient
) -> None:
    client = make_client(server.url, timeout=PATIENCE_SECONDS, **fault.options)
    with server.playing(fault):
        check(perform(client, request_of(fault)), fault, server.url)
    server.wait_until_played()
    check_health(client)


@pytest.mark.parametrize("fault", each(FAULTS))
def test_a_callback_is_told_exactly_once_and_the_pool_is_healthy(
    fault: Fault, server: FaultServer, make_client: MakeClient
) -> None:
    client = make_client(server.url, timeout=PATIENCE_SECONDS, **fault.options)
    with server.playing(fault):
        check(notified(client, request_of(fault)), fault, server.url)
    server.wait_until_played()
    check_health(client)


@pytest.mark.parametrize("fault", each(ANSWERING))
def test_a_kept_connection_changes_nothing(
    fault: Fault, server: FaultServer, make_client: MakeClient
) -> None:
    client = make_client(server.url, timeout=PATIENCE_SECONDS, **fault.options)
    client.get("good").close()
    check(perform(client, request_of(fault)), fault, server.url)
    server.wait_until_played()
    check_health(client)


def test_all_faults_at_once_leave_good_requests_alone(
    server: FaultServer, make_client: MakeClient
) -> None:
    client = make_client(server.url, timeout=PATIENCE_SECONDS, connections_per_host_max=8)
    faults = [
        fault
        for fault in ANSWERING
        if not fault.options and fault.timeout == PATIENCE_SECONDS
    ]
    # Some servers answer a GET and end the connection without saying so. The next request on that
    # connection may be lost before a server reads it: a GET is repeated, a POST is reported as
    # lost. So the POSTs come first: requests start in the order in which they are sent.
    faults.sort(key=lambda fault: fault.method != "POST")
    bad, good = [], []
    for fault in faults:
        bad.append(client.send(request_of(fault)))
        good.append(client.send(Request.path("GET", "good")))
    ended = [outcome_of(call) for call in bad]
    statuses = [Status.OK if isinstance(end, Response) else end.status for end in ended]
    assert statuses == [fault.outcome.status for fault in faults]
    assert [call.wait().status for call in good] == [200] * len(good)
    check_health(client)
