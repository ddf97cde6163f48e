"""Numbers about a client."""

from __future__ import annotations

from pathlib import Path

import pytest

import restway

from .conftest import MakeClient


def test_metrics_count_calls_failures_and_exchanges(client: restway.Client) -> None:
    for _ in range(2):
        client.get("status")
    with pytest.raises(restway.HTTPStatusError):
        client.get("bad/status/404")
    found = client.metrics()
    assert found["calls"] == {"started": 3, "succeeded": 2, "inFlight": 0, "waiting": 0}
    assert found["failures"] == {"RESTWAY_E_HTTP": 1}
    assert found["exchanges"] == {"1xx": 0, "2xx": 2, "3xx": 0, "4xx": 1, "5xx": 0, "failed": 0}
    assert found["connections"] == {"opened": 1, "reused": 2}
    assert found["bytes"]["received"] > 0
    assert "outbox" not in found


def test_metrics_count_bytes_that_were_sent(client: restway.Client) -> None:
    client.post("echo", json={"a": 1})
    assert client.metrics()["bytes"]["sent"] == len('{"a": 1}')


def test_metrics_count_retries(make_client: MakeClient) -> None:
    clock = restway.Clock()
    client = make_client(clock=clock)
    client.set_retry({"attempts": 3})
    call = client.send(restway.Request.path("GET", "bad/status/503"))
    for _ in range(2):
        while clock.next is None:
            assert not call.done
        clock.advance(clock.next)
    with pytest.raises(restway.HTTPStatusError):
        call.wait()
    found = client.metrics()
    assert found["attempts"] == {"retries": 2, "replays": 0}
    assert found["exchanges"]["5xx"] == 3
    assert found["calls"]["started"] == 1


def test_metrics_show_calls_in_flight_and_failures_of_the_transport(
    make_client: MakeClient,
) -> None:
    client = make_client()
    call = client.send(restway.Request.path("GET", "bad/slow", params={"ms": 20000}))
    assert client.metrics()["calls"]["inFlight"] == 1
    call.cancel()
    with pytest.raises(restway.CancelledError):
        call.wait()
    assert client.metrics()["failures"] == {"RESTWAY_E_CANCELLED": 1}
    nowhere = make_client(base_url="http://127.0.0.1:1")
    with pytest.raises(restway.ConnectError):
        nowhere.get("status")
    assert nowhere.metrics()["exchanges"]["failed"] == 1


def test_metrics_show_the_outbox(make_client: MakeClient, tmp_path: Path) -> None:
    client = make_client(outbox_path=tmp_path / "outbox")
    assert client.metrics()["outbox"] == {"waiting": 0, "sending": 0, "blocked": 0, "dead": 0}
    client.close()
