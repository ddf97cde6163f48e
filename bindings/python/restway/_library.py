"""Functions of the whole library: its version, its log, its plugins, and clocks for tests.

The library writes its records into the loggers `restway.auth`, `restway.transport` and so on
(docs/OPERATING.md). Their levels and handlers are those that `logging` is configured with.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from . import _ffi as native
from ._boundary import Owner, check, make, name, written_text
from ._inspect import SplitURL
from ._lazy import LazyModule, json

_log = LazyModule("restway.details.log")


def follow_logging() -> None:
    """For this package: is called before the library may write a record. Without the module
    `logging` the program has no handlers that could receive it.
    """
    if "logging" in sys.modules:
        _log.follow()


def flush_log() -> None:
    """Waits until the handlers of the loggers `restway.*` have received all records that the
    library has written.

    The records come on a thread of their own, so that no call waits for a handler. The exit of the
    interpreter waits for them, too. Raises WouldBlockError inside a callback.
    """
    check(native.lib.restway_log_flush)


def version() -> str:
    """Returns the version of the loaded library, such as "0.1.0"; raises LibraryError."""
    return native.borrowed(native.lib.restway_version_string()) or ""


def debug_live_handles() -> int:
    """Returns how many handles of the library this process holds; 0 when all are released."""
    native.release_due()
    count: int = native.lib.restway_debug_live_handles()
    return count


def debug_handle_kinds() -> dict[str, int]:
    """Returns which kinds of handles `debug_live_handles` counts, and how many of each, to find
    what a program has not released.

        >>> client = restway.Client(api)
        >>> restway.debug_handle_kinds()
        {'api': 1, 'client': 1}
    """
    native.release_due()
    kinds: dict[str, int] = json.loads(written_text(native.lib.restway_debug_handle_kinds))
    return kinds


class Plugin(NamedTuple):
    """A loaded plugin, as it describes itself; missing texts are empty."""

    name: str
    """The name by which a document and `load_plugin` know it."""
    version: str
    """Its version."""
    licence: str
    """The name of its licence."""
    description: str
    """What it does."""
    path: str
    """The file from which it was loaded."""


def load_plugin(
    path_or_name: str | os.PathLike[str], options: Mapping[str, object] | None = None
) -> None:
    """Loads a plugin for the rest of the process's life; clients that are made later can use its
    mappers and transports.

    Args:
        path_or_name: An absolute path, or a name that is looked for in the directories of
            `RESTWAY_PLUGIN_PATH`, then beside the library. A plugin is a program: load only plugins
            that you would run.
        options: The options of the plugin.

    A plugin may be loaded again with the same options. Raises PluginError, UsageError.
    """
    follow_logging()
    text = None if options is None else json.dumps(dict(options)).encode()
    check(native.lib.restway_plugin_load, name(os.fspath(path_or_name)), text)


def plugins() -> list[Plugin]:
    """Returns the plugins of this process, in the order of loading."""
    lib = native.lib
    texts = (
        lib.restway_plugin_name,
        lib.restway_plugin_version,
        lib.restway_plugin_licence,
        lib.restway_plugin_description,
        lib.restway_plugin_path,
    )
    return [
        Plugin(*(native.borrowed(text(index)) or "" for text in texts))
        for index in range(lib.restway_plugin_count())
    ]


#: The largest time in milliseconds. No clock can show it; ctypes would cut off a larger number.
_SECONDS_MAX = 2**53


class Clock(Owner[native.ClockHandle]):
    """A clock for tests, which does not run but is moved by the program. Clients that are made with
    it use it for their time limits, waits and expiry times. Time limits of libcurl still use the
    machine's clock.

        clock = restway.Clock()
        client = restway.Client(api, clock=clock)
        clock.advance(3600)
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(make(native.ClockHandle, native.lib.restway_clock_create))

    def __repr__(self) -> str:
        if self._owned is None:
            return "<Clock, closed>"
        return "<Clock>" if self.next is None else f"<Clock, next event in {self.next} s>"

    def advance(self, seconds: float) -> None:
        """Moves the clock forward by 0 seconds or more. Everything that becomes due runs on worker
        threads.

        Raises ValueError for a negative number, and UsageError if the new time is too far ahead for
        the clock (some 500 years): it is then not moved.
        """
        if not seconds >= 0:
            raise ValueError(f"time goes on, not back: {seconds}")
        milliseconds = round(min(seconds, _SECONDS_MAX) * 1000)
        check(native.lib.restway_clock_advance, self._handle, milliseconds)

    @property
    def next(self) -> float | None:
        """Returns the seconds until the next event becomes due; None if nothing is due later."""
        milliseconds: int = native.lib.restway_clock_next_milliseconds(self._handle)
        return None if milliseconds < 0 else milliseconds / 1000


def split_url(url: str) -> SplitURL:
    """Splits an absolute http or https URL into its parts.

        page = dict(restway.split_url(link).params)["page"]

    In the query, a `+` is a space. Raises InvalidURLError.
    """
    lib = native.lib
    parts = make(native.UrlHandle, lib.restway_url_split, name(url))
    return SplitURL(
        scheme=native.borrowed(lib.restway_url_scheme(parts)) or "",
        host=native.borrowed(lib.restway_url_host(parts)) or "",
        port=lib.restway_url_port(parts),
        path=native.borrowed(lib.restway_url_path(parts)) or "",
        params=tuple(
            (
                native.borrowed(lib.restway_url_parameter_name(parts, index)) or "",
                native.borrowed(lib.restway_url_parameter_value(parts, index)) or "",
            )
            for index in range(lib.restway_url_parameter_count(parts))
        ),
        fragment=native.borrowed(lib.restway_url_fragment(parts)),
    )


def build_query(params: Mapping[str, str] | Iterable[tuple[str, str]]) -> str:
    """Builds a query of names and values, in their order. All characters except unreserved ones are
    percent-encoded (RFC 3986, section 2.3).

        restway.build_query([("sort", "name"), ("tag", "a b")])  # "sort=name&tag=a%20b"
    """
    if not isinstance(params, Iterable) or isinstance(params, str):
        raise TypeError("params are a mapping, or pairs of a name and a value")
    pairs = list(params.items() if isinstance(params, Mapping) else params)
    names = native.text_array([name(key) for key, _ in pairs])
    values = native.text_array([name(value) for _, value in pairs])
    return written_text(native.lib.restway_url_build_query, names, values, len(pairs))


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
