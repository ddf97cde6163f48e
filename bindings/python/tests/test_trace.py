"""Spans and metrics of OpenTelemetry, and the header `traceparent`."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import restway

from .conftest import MakeClient
from .peer import Peer

trace = pytest.importorskip("opentelemetry.trace")
export = pytest.importorskip("opentelemetry.sdk.metrics.export")
sdk_metrics = pytest.importorskip("opentelemetry.sdk.metrics")
sdk_trace = pytest.importorskip("opentelemetry.sdk.trace")
conventions = pytest.importorskip("opentelemetry.semconv.metrics.http_metrics")

Processor: Any = sdk_trace.SpanProcessor

SECONDS_MAX = 30.0
GIVEN = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class Ended(Processor):  # type: ignore[misc]
    """Collects the spans of the library; a span ends a little after its call."""

    def __init__(self) -> None:
        self._spans: list[Any] = []
        self._changed = threading.Condition()

    def on_end(self, span: Any) -> None:
        with self._changed:
            self._spans.append(span)
            self._changed.notify_all()

    def wait(self, count: int) -> list[Any]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self._spans) >= count, SECONDS_MAX)
            return list(self._spans)


@pytest.fixture
def ended() -> Ended:
    return Ended()


@pytest.fixture
def provider(ended: Ended) -> Iterator[Any]:
    provider = sdk_trace.TracerProvider()
    provider.add_span_processor(ended)
    yield provider
    provider.shutdown()


def test_a_call_is_a_span_of_the_callers_context(
    client: restway.Client, ended: Ended, provider: Any
) -> None:
    client.instrument(tracer_provider=provider)
    with provider.get_tracer("test").start_as_current_span("outer") as outer:
        response = client.get("echo?token=geheim&page=2")
    spans = {span.kind: span for span in ended.wait(2)}
    span = spans[trace.SpanKind.CLIENT]
    assert span.parent.span_id == outer.get_span_context().span_id
    attributes = dict(span.attributes)
    assert attributes.pop("url.full").endswith("/echo?token=[redacted]&page=2")
    assert attributes.pop("server.port") > 0
    attributes.pop("url.template", None)
    assert attributes == {
        "http.request.method": "GET",
        "server.address": "127.0.0.1",
        "http.response.status_code": 200,
        "network.protocol.version": "1.1",
    }
    assert span.name.split()[0] == "GET"
    assert span.instrumentation_scope.schema_url == "https://opentelemetry.io/schemas/1.44.0"
    assert span.status.status_code == trace.StatusCode.UNSET
    assert span.end_time >= span.start_time
    context = span.get_span_context()
    assert f"00-{context.trace_id:032x}-{context.span_id:016x}-" in response.text


def test_a_method_that_the_conventions_do_not_list_is_named_apart(
    client: restway.Client, ended: Ended, provider: Any
) -> None:
    client.instrument(tracer_provider=provider)
    client.perform(restway.Request.path("M-SEARCH", "echo"))
    (span,) = ended.wait(1)
    assert span.name.split()[0] == "HTTP"
    assert span.attributes["http.request.method"] == "_OTHER"
    assert span.attributes["http.request.method_original"] == "M-SEARCH"


def test_a_failure_is_an_error_of_its_span(
    client: restway.Client, make_client: MakeClient, ended: Ended, provider: Any
) -> None:
    client.instrument(tracer_provider=provider)
    with pytest.raises(restway.HTTPStatusError):
        client.get("bad/status/404")
    nowhere = make_client(base_url="http://127.0.0.1:1")
    nowhere.instrument(tracer_provider=provider)
    with pytest.raises(restway.ConnectError):
        nowhere.get("status")
    nowhere.close()
    spans = ended.wait(2)
    assert {span.attributes["error.type"] for span in spans} == {"404", "RESTWAY_E_CONNECT"}
    assert {span.status.status_code for span in spans} == {trace.StatusCode.ERROR}


def test_a_header_of_the_program_wins_and_the_header_can_be_left_out(
    client: restway.Client, provider: Any
) -> None:
    client.instrument(tracer_provider=provider)
    assert client.get("echo", headers={"traceparent": GIVEN}).text.count("00-") == 1
    assert GIVEN in client.get("echo", headers={"traceparent": GIVEN}).text
    client.instrument(tracer_provider=provider, header=False)
    assert "traceparent" not in client.get("echo").text.lower()


def test_other_origins_get_the_header_only_if_asked(
    demo_url: str, peer: Peer, provider: Any
) -> None:
    routes = {"elsewhere": {"path": ":base/x", "absolute": True}}
    api = restway.API.from_json({"restway": 1, "routes": routes})
    peer.respond(b"{}")
    with restway.Client(api, base_url=demo_url) as client:
        client.instrument(tracer_provider=provider)
        client.route("elsewhere", variables={"base": peer.url})
        client.instrument(tracer_provider=provider, all_origins=True)
        client.route("elsewhere", variables={"base": peer.url})
    assert [b"traceparent" in request.lower() for request in peer.requests] == [False, True]


def test_a_retry_is_counted_in_its_span(
    make_client: MakeClient, ended: Ended, provider: Any
) -> None:
    clock = restway.Clock()
    client = make_client(clock=clock)
    client.set_retry({"attempts": 2})
    client.instrument(tracer_provider=provider)
    call = client.send(restway.Request.path("GET", "bad/status/503"))
    while clock.next is None:
        assert not call.done
    clock.advance(clock.next)
    with pytest.raises(restway.HTTPStatusError):
        call.wait()
    (span,) = ended.wait(1)
    assert span.attributes["http.request.resend_count"] == 1
    assert span.attributes["http.response.status_code"] == 503


def test_without_the_package_instrument_says_so(
    client: restway.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    with pytest.raises(ModuleNotFoundError, match="opentelemetry"):
        client.instrument()


def test_the_duration_is_a_metric(client: restway.Client, ended: Ended, provider: Any) -> None:
    reader = export.InMemoryMetricReader()
    meters = sdk_metrics.MeterProvider(metric_readers=[reader])
    client.instrument(tracer_provider=provider, meter_provider=meters)
    client.get("status")
    ended.wait(1)
    client.close()
    found = None
    while found is None:  # the duration is recorded right after the end of the span
        found = reader.get_metrics_data()
    (scope,) = found.resource_metrics[0].scope_metrics
    assert scope.schema_url == "https://opentelemetry.io/schemas/1.44.0"
    (metric,) = scope.metrics
    assert (metric.name, metric.unit) == (conventions.HTTP_CLIENT_REQUEST_DURATION, "s")
    (point,) = metric.data.data_points
    assert point.count == 1
    assert "url.full" not in point.attributes
    assert point.attributes["http.response.status_code"] == 200
    meters.shutdown()
