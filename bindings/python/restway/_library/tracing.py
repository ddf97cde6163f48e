"""Spans and metrics of calls for OpenTelemetry."""

from __future__ import annotations

import importlib
from typing import Any

from .. import _ffi as native
from . import version

#: The version of the semantic conventions for the names of spans, metrics and attributes.
_SCHEMA = "https://opentelemetry.io/schemas/1.44.0"

#: The boundaries that the semantic conventions advise for durations, in seconds.
_BOUNDARIES = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)

#: The attributes of a span that the metric has, too. All others have too many values.
_OF_METRIC = frozenset(
    {
        "http.request.method", "server.address", "server.port", "http.response.status_code",
        "network.protocol.version", "error.type",
    }
)


class Spans:
    """For this package: gives the spans of calls to the API of OpenTelemetry."""

    def __init__(self, tracer_provider: Any, meter_provider: Any) -> None:
        self._trace = importlib.import_module("opentelemetry.trace")
        metrics = importlib.import_module("opentelemetry.metrics")
        context = importlib.import_module("opentelemetry.trace.propagation.tracecontext")
        self._propagator = context.TraceContextTextMapPropagator()
        self._tracer = self._trace.get_tracer("restway", version(), tracer_provider, _SCHEMA)
        meter = metrics.get_meter("restway", version(), meter_provider, _SCHEMA)
        self._duration = meter.create_histogram(
            "http.client.request.duration",
            unit="s",
            description="Duration of HTTP client requests.",
            explicit_bucket_boundaries_advisory=_BOUNDARIES,
        )
        self._open: dict[int, Any] = {}

    def told(self, span: native.Span, begins: bool) -> str:
        """Begins or ends the span of a call; returns the `traceparent` of a span that begins."""
        attributes = _attributes(span)
        if not begins:
            self._end(span, attributes)
            return ""
        begun = self._tracer.start_span(
            native.borrowed(span.name) or "",
            kind=self._trace.SpanKind.CLIENT,
            attributes=attributes,
            start_time=span.start_microseconds * 1000,
        )
        self._open[span.call_id] = begun
        carrier: dict[str, str] = {}
        self._propagator.inject(carrier, self._trace.set_span_in_context(begun))
        return carrier.get("traceparent", "")

    def _end(self, span: native.Span, attributes: dict[str, str | int]) -> None:
        begun = self._open.pop(span.call_id, None)
        if begun is None:
            return
        if span.status:
            begun.set_status(self._trace.StatusCode.ERROR)
        begun.set_attributes(attributes)
        begun.end(end_time=span.end_microseconds * 1000)
        seconds = (span.end_microseconds - span.start_microseconds) / 1e6
        kept = {name: value for name, value in attributes.items() if name in _OF_METRIC}
        self._duration.record(seconds, kept, context=self._trace.set_span_in_context(begun))


def _attributes(span: native.Span) -> dict[str, str | int]:
    found: dict[str, str | int] = {}
    for index in range(span.attribute_count):
        each = span.attributes[index]
        name, text = native.borrowed(each.name) or "", native.borrowed(each.text)
        found[name] = each.number if text is None else text
    return found
