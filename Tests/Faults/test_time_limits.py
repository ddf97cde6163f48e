"""Time limits of phases: for a client, a route and a request. The message names the limit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
import restway
from certificates import Authority
from conftest import MakeClient
from peer_process import listener, port_of
from restway import TLS, Timeouts

LIMITS = {
    "total": (Timeouts(total=0.2), "the total time limit of 200 ms"),
    "connect": (Timeouts(connect=0.2), "the connect time limit of 200 ms"),
    "first byte": (Timeouts(first_byte=0.2), "the first-byte time limit of 200 ms"),
    "idle": (Timeouts(idle=0.5), "the idle time limit of 500 ms"),
}


@pytest.fixture(name="place")
def _place() -> Iterator[str]:
    """The host and port of a server that takes connections and never answers."""
    with listener() as listening:
        yield f"127.0.0.1:{port_of(listening)}"


def says(client: restway.Client, route: str | None = None, **options: Any) -> str:
    request = (
        restway.Request.path("GET", "good", **options)
        if route is None
        else restway.Request.route(route, **options)
    )
    with pytest.raises(restway.TimedOutError) as caught:
        client.perform(request)
    return str(caught.value)


def scheme_of(name: str) -> str:
    """A connection over TLS is not ready before the server has answered."""
    return "https" if name == "connect" else "http"


@pytest.mark.parametrize("name", LIMITS)
def test_a_request_has_limits_of_its_own(
    name: str, place: str, make_client: MakeClient, authority: Authority
) -> None:
    timeouts, text = LIMITS[name]
    tls = TLS(ca_file=authority.ca_file)
    client = make_client(f"{scheme_of(name)}://{place}", tls=tls)
    assert text in says(client, timeout=timeouts)


@pytest.mark.parametrize("name", LIMITS)
def test_a_client_has_limits(
    name: str, place: str, make_client: MakeClient, authority: Authority
) -> None:
    timeouts, text = LIMITS[name]
    client = make_client(
        f"{scheme_of(name)}://{place}", tls=TLS(ca_file=authority.ca_file),
        timeout=timeouts.total, connect_timeout=timeouts.connect,
        first_byte_timeout=timeouts.first_byte, idle_timeout=timeouts.idle,
    )
    assert text in says(client)


def test_a_route_has_limits_in_place_of_the_environments(place: str) -> None:
    api = restway.API.from_json({
        "restway": 1,
        "environments": {
            "here": {"baseURL": f"http://{place}", "firstByteTimeoutMilliseconds": 250}
        },
        "routes": {"quick": {"path": "quick", "firstByteTimeoutMilliseconds": 150}},
    })
    with restway.Client(api) as client:
        assert "first-byte time limit of 250 ms" in says(client)
        assert "first-byte time limit of 150 ms" in says(client, "quick")
        limits = Timeouts(first_byte=math.inf, total=0.2)
        assert "total time limit of 200 ms" in says(client, "quick", timeout=limits)


def test_a_wait_for_a_connection_names_the_limit(place: str, make_client: MakeClient) -> None:
    client = make_client(f"http://{place}", connections_max=1, connections_per_host_max=1)
    first = client.send(restway.Request.path("GET", "good"))
    text = says(client, timeout=0.2)
    assert "waiting for a connection" in text
    assert "total time limit of 200 ms" in text
    first.cancel()
    with pytest.raises(restway.CancelledError):
        first.wait()
