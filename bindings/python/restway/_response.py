"""Responses and events of streams, the objects that they were mapped to, and the progress and
timings of calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Protocol

from . import _ffi as native
from ._base.headers import Headers
from ._body import Saved, saved_of
from ._enums import CacheState, Domain, Status, StatusClass
from ._exceptions import MappingError, RestwayError
from ._ffi.conversion import JSONValue, decode, json_value
from ._functions import no_object
from ._handles import Owner, attempts_of, check
from ._handles.outgoing import OutgoingRequest, request_of
from ._library import status_class
from ._object import Layouts, Object, Objects, first_object
from ._reading.shapes import converted
from ._reading.tables import Tabular
from ._values import ReadsInto

if TYPE_CHECKING:
    from ._details import Attempt, CacheNote, Progress, Timings


def progress_of(read: Any) -> Progress:
    """Returns a copy of a progress of the library."""
    from ._details import Progress

    def known(total: int) -> int | None:
        return None if total < 0 else total

    return Progress(
        read.upload_done,
        known(read.upload_total),
        read.download_done,
        known(read.download_total),
        read.mapping_done,
        known(read.mapping_total),
        read.fraction,
    )


def call_progress(call: native.CallHandle) -> Progress:
    read = native.Progress()
    check(native.lib.restway_progress_init, native.ref(read), native.size_of(read))
    check(native.lib.restway_call_progress, call, native.ref(read))
    return progress_of(read)


def timings_of(response: native.ResponseHandle) -> Timings:
    """For this package: reads the timings of a response."""
    from ._details import Timings

    read = native.Timings()
    check(native.lib.restway_timings_init, native.ref(read), native.size_of(read))
    check(native.lib.restway_response_timings, response, native.ref(read))
    return Timings(
        queued=_seconds(read.queued_microseconds),
        name_lookup=_seconds(read.name_lookup_microseconds),
        connect=_seconds(read.connect_microseconds),
        tls=_seconds(read.tls_microseconds),
        first_byte=_seconds(read.first_byte_microseconds),
        exchange=_seconds(read.exchange_microseconds),
        decode=_seconds(read.decode_microseconds),
        map=_seconds(read.map_microseconds),
        total=_seconds(read.total_microseconds),
        store=_seconds(read.store_microseconds),
    )


def _seconds(microseconds: int) -> float | None:
    return None if microseconds < 0 else microseconds / 1e6


def cache_note(function: Any, *arguments: Any) -> CacheNote | None:
    """For this package: returns the note that a function of the library writes; None for a note
    that says nothing.
    """
    from ._details import CacheNote

    read = native.CacheNote()
    check(native.lib.restway_cache_note_init, native.ref(read), native.size_of(read))
    check(function, *arguments, native.ref(read))
    state = CacheState(read.state)
    if state is CacheState.NONE:
        return None
    return CacheNote(state, read.age_seconds, read.lifetime_seconds, bool(read.is_stale))


class MappingIssue(NamedTuple):
    """A value of the body that did not fit and was left out."""

    key_path: str
    """The key path with list positions: `array_of_enterprises[3].id`."""
    reason: str
    """The reason."""


_HTTP_VERSIONS = {10: "1.0", 11: "1.1", 20: "2", 30: "3"}


class Response(Tabular, ReadsInto, Owner[native.ResponseHandle]):
    """A response. It is immutable, usable from any thread, and a context manager.

        response = client.get("enterprises", params={"city": "Wien"})
        print(response.status, response.headers["Content-Type"], len(response.objects))
    """

    __slots__ = ("_headers", "_layouts")

    def __init__(self, handle: native.ResponseHandle, layouts: Layouts) -> None:
        """For this package: clients and calls make responses. `handle` is owned."""
        # This replaces the general initialiser, because a response is made for each call.
        if not isinstance(handle, native.OwnedResponseHandle):
            raise self._refusal(handle)
        self._owned = handle
        self._layouts = layouts
        self._headers: Headers | None = None

    if not TYPE_CHECKING:  # a type checker would take a response for a sequence

        def _no_list(self, *_: object) -> NoReturn:
            raise TypeError("a Response is no list; `objects` are its objects, `json()` its JSON")

        __getitem__ = __len__ = _no_list

        def __bool__(self) -> bool:
            return True

    @classmethod
    def retained(cls, handle: native.ResponseHandle, layouts: Layouts) -> Response:
        """For this package: returns a Response for a borrowed handle."""
        return cls(native.own(native.lib.restway_response_retain(handle)), layouts)

    @property
    def status(self) -> int:
        """The HTTP status code; 0 without an answer (`found`)."""
        status: int = native.lib.restway_response_status(self._handle)
        return status

    @property
    def status_class(self) -> StatusClass:
        """The class of the status: `StatusClass.SUCCESS` for 2xx, and so on."""
        return status_class(self.status)

    @property
    def request(self) -> OutgoingRequest | None:
        """The request that led to the response: the request of the last exchange, after redirects.
        It is the prepared request if nothing was sent, because a cache or the outbox has answered,
        and for a request in a batch. None for a response that was made without a call.
        """
        return request_of(native.lib.restway_response_request(self._handle))

    @property
    def http_version(self) -> str | None:
        """The version of HTTP in which the server has answered: "1.0", "1.1", "2" or "3". None for
        a response that the outbox has made. The response to a request in a batch has "1.1".
        """
        number: int = native.lib.restway_response_http_version(self._handle)
        return _HTTP_VERSIONS.get(number)

    @property
    def url(self) -> str:
        """The URL of the response, after redirects."""
        return native.borrowed(native.lib.restway_response_url(self._handle)) or ""

    @property
    def location(self) -> str | None:
        """The header `Location` as an absolute URL: a relative one is resolved against `url`. None
        if the header is missing or is no http or https URL.
        """
        return native.borrowed(native.lib.restway_response_location(self._handle))

    @property
    def headers(self) -> Headers:
        """The headers; the case of names does not matter."""
        if self._headers is None:
            handle, lib = self._handle, native.lib
            self._headers = Headers(
                (
                    native.borrowed(lib.restway_response_header_name(handle, index)) or "",
                    native.borrowed(lib.restway_response_header_value(handle, index)) or "",
                )
                for index in range(lib.restway_response_header_count(handle))
            )
        return self._headers

    @property
    def trailers(self) -> Headers:
        """The trailers, header fields after the body (RFC 9110, section 6.5). Most responses have
        no trailers.
        """
        handle, lib = self._handle, native.lib
        return Headers(
            (
                native.borrowed(lib.restway_response_trailer_name(handle, index)) or "",
                native.borrowed(lib.restway_response_trailer_value(handle, index)) or "",
            )
            for index in range(lib.restway_response_trailer_count(handle))
        )

    @property
    def body(self) -> bytes:
        """The body as it was received, with its content coding (gzip, deflate, br or zstd) removed.

        Any other coding stays: servers write names that are no codings (utf-8, none, aws-chunked).
        If the body then cannot be mapped, the error names the coding.
        """
        handle, length = self._handle, native.number()
        return native.read(
            native.lib.restway_response_body(handle, native.ref(length)), length.value
        )

    @property
    def text(self) -> str:
        """The body as text in the charset of its Content-Type, otherwise in UTF-8; invalid bytes
        are replaced.
        """
        charset = "utf-8"
        for parameter in self.headers.get("Content-Type", "").split(";")[1:]:
            key, _, value = parameter.partition("=")
            if key.strip().lower() == "charset":
                charset = value.strip().strip("\"'")
        try:
            return self.body.decode(charset, "replace")
        except (LookupError, ValueError):  # the charset is unknown
            return self.body.decode("utf-8", "replace")

    def json(self) -> JSONValue:
        """Returns the body, parsed as JSON; raises MappingError if it is not JSON.

        A body that is not UTF-8 is read in the charset that its Content-Type declares.
        """
        text = native.lib.restway_response_json(self._handle, None)
        if text is None:
            media_type = self.headers.get("Content-Type") or "no media type"
            raise MappingError(
                f"the body of {self.url.partition('?')[0]} ({media_type}) is not valid JSON; "
                "`text` shows it",
                status=Status.MAPPING,
                domain=Domain.MAPPING,
                http_status=self.status,
                response=self,
            )
        return json_value(text)

    @property
    def parser(self) -> str:
        """The name of the parser that has read the answer: the `parse` of the request or its route,
        otherwise "objects".
        """
        return native.borrowed(native.lib.restway_response_parser(self._handle)) or ""

    @property
    def value(self) -> Any:
        """The result of the parser: with "objects" the objects, or the value of an
        answer whose route names a type in place of an entity; JSON with "json", a str
        with "text", bytes with "bytes", the headers with "headers", None with "nothing", and what a
        parser of the program has returned.

        With "objects", the value of an answer without a body is None, unless its route describes
        objects: then it is the empty list.

            client.route("report", parse="text").value
        """
        parser = self.parser
        declared = native.borrowed(native.lib.restway_response_value_type(self._handle))
        if parser == "objects" and declared is None:
            return self.objects if self.is_mapped or self.body else None
        if parser == "headers":
            return self.headers
        value = native.values(1)
        check(native.lib.restway_response_value, self._handle, value)
        return converted(decode(native.cells(value)[0], no_object), declared)

    @property
    def saved(self) -> Saved | None:
        """The file in which the body was saved, if the request asked for that (`save_to`)."""
        return saved_of(self._handle)

    @property
    def suggested_name(self) -> str | None:
        """The file name that the server suggests, by Content-Disposition or the end of the URL's
        path, made safe for any folder; None if there is no name.
        """
        return native.borrowed(native.lib.restway_response_suggested_name(self._handle))

    @property
    def cache(self) -> CacheNote | None:
        """The part of the response cache in the answer; None if the cache was not asked."""
        return cache_note(native.lib.restway_response_cache, self._handle)

    @property
    def found(self) -> bool:
        """Whether there is an answer. Only a request with `cache="only"` gets a response without
        one: the cache has nothing, and the network must not be used. Such a response is false as a
        condition, too.
        """
        note = None if self.status else self.cache
        return note is None or note.state is not CacheState.MISSING

    def __bool__(self) -> bool:
        return self._owned is None or self.found

    @property
    def timings(self) -> Timings:
        """The duration of each phase of the call, in seconds."""
        return timings_of(self._handle)

    @property
    def attempts(self) -> list[Attempt]:
        """All attempts of the call, the first one first."""
        return attempts_of(self._handle)

    @property
    def is_mapped(self) -> bool:
        """Whether a descriptor applied. If a descriptor applied and `objects` is empty, the answer
        contained no objects.
        """
        return bool(native.lib.restway_response_is_mapped(self._handle))

    @property
    def objects(self) -> Objects:
        """The objects of all descriptors, in their order: one for each element that yields an
        object.
        """
        handle = native.own(native.lib.restway_response_list(self._handle))
        return Objects(handle, None, self._layouts)

    def _objects_to_read(self) -> Objects:
        return self.objects

    @property
    def object(self) -> Object | None:
        """The first object, or None."""
        return first_object(self._owned or self._handle, self._layouts)

    def to_dicts(self, depth: int = 1) -> list[dict[str, Any]]:
        """Returns the objects as dicts with all their values, read in one call; see
        `Object.to_dict`.
        """
        return self.objects.to_dicts(depth)

    def _export(self, depth: int, schema: Any, array: Any) -> None:
        self.objects._export(depth, schema, array)

    @property
    def results(self) -> list[Objects]:
        """The objects of each descriptor that applied, in their order."""
        handle, objects, results = self._handle, self.objects, []
        for index in range(native.lib.restway_response_result_count(handle)):
            first, count = native.number(), native.number()
            check(
                native.lib.restway_response_result,
                handle,
                index,
                native.ref(first),
                native.ref(count),
            )
            results.append(objects[first.value : first.value + count.value])
        return results

    @property
    def issue_count(self) -> int:
        """How many values did not fit and were left out."""
        count: int = native.lib.restway_response_issue_count(self._handle)
        return count

    @property
    def issues(self) -> list[MappingIssue]:
        """The first 100 of the values that did not fit."""
        handle, lib, issues = self._handle, native.lib, []
        for index in range(self.issue_count):
            key_path = native.borrowed(lib.restway_response_issue_key_path(handle, index))
            if key_path is None:
                break  # it was counted, but not kept
            reason = native.borrowed(lib.restway_response_issue_reason(handle, index))
            issues.append(MappingIssue(key_path, reason or ""))
        return issues

    def __repr__(self) -> str:
        if self._owned is None:
            return "<Response, closed>"
        url = self.url.partition("?")[0]  # a query may contain secrets
        count = native.lib.restway_response_object_count(self._handle)
        # The response of a mapping, and one of the outbox, have no answer.
        answer = f"{self.status} {url}" if self.status else "without an answer"
        return f"<Response {answer} ({count} objects)>"


class StreamEvent(NamedTuple):
    """One event of an event stream. Its objects are in the store.

        with client.events("orders/changes") as events:
            for event in events:
                print(event.name, event.object or event.data)
    """

    name: str
    """The name that the server gave the event, or "message"."""
    id: str
    """The ID of the event. An event without an ID of its own has the last ID that the server sent
    before this event. The text is empty if the server has not sent any ID.
    """
    data: bytes
    """The data, without the framing of the format."""
    objects: tuple[Object, ...]
    """The objects to which the event was mapped."""
    error: RestwayError | None
    """The error if the event could not be mapped, usually a MappingError; otherwise None. The
    stream continues after an event with an error.
    """

    def __repr__(self) -> str:  # the data may hold secrets
        return f"<StreamEvent {self.name!r}, {len(self.data)} bytes, {len(self.objects)} objects>"

    @property
    def object(self) -> Object | None:
        """The first object to which the event was mapped; None for an event without objects."""
        return self.objects[0] if self.objects else None

    @property
    def text(self) -> str:
        """The data as text; bytes that are not UTF-8 are replaced."""
        return self.data.decode("utf-8", "replace")

    def json(self) -> JSONValue:
        """Parses the data. Raises MappingError if it is not JSON."""
        return json_value(self.data)


class ByteStream(Protocol):
    """The part of a stream that its response needs."""

    trailers: Headers

    async def next(self) -> bytes | None:
        """Waits for the next piece; None at the end."""


class StreamHead:
    """The head of a streamed response, which arrives before the body."""

    def __init__(self, response: Response) -> None:
        self._response = response

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.status} {self.url.partition('?')[0]}>"

    @property
    def status(self) -> int:
        """The HTTP status code."""
        return self._response.status

    @property
    def url(self) -> str:
        """The URL of the response, after redirects."""
        return self._response.url

    @property
    def headers(self) -> Headers:
        """The headers."""
        return self._response.headers

    @property
    def suggested_name(self) -> str | None:
        """The file name that the server suggests; see `Response.suggested_name`."""
        return self._response.suggested_name
