"""Requests."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Union

from . import _ffi as native
from ._base.hints import require, require_function, require_mapping, unknown_keyword
from ._body import (
    CacheUse,
    Content,
    Reading,
    Saving,
    Storing,
    reading_of,
    set_auth_mode,
    set_body_reading,
    set_caching,
    set_offline,
    set_save_to,
)
from ._draft import Draft
from ._enums import Serialization
from ._ffi.conversion import encode
from ._ffi.trampolines import on_progress_function
from ._functions import sending, set_question
from ._handles import (
    Owner,
    check,
    chosen,
    errors,
    failed,
    make,
    milliseconds,
    name,
    optional_name,
)
from ._library import follow_logging
from ._object import Object, Objects
from ._resource import (
    DigestHeader,
    Files,
    Resource,
    Resumption,
    add_files,
    set_resource,
    set_resumable,
)
from ._response import progress_of
from ._values import Nulls, Parameters, Record, by_name, is_record, json_of, pairs_of
from .progress._calls import CallWanted, call_watcher

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._body import BodyOptions, RequestOptions
    from ._call import OnProgress
    from ._config import Timeouts
    from ._details import Progress


class Request(Owner[native.RequestHandle]):
    """A request. It is made once and sent any number of times, through any client.

    Sending copies the request: later changes by `update` affect only later sends.

    The constructors `path`, `route`, `object` and `draft` make requests. Their other keywords, and
    the keywords of `update`, are the keywords of `BodyOptions`. They raise UsageError, TypeError,
    ValueError, OverflowError. The library looks for the route, and checks that all variables have
    values, when the request is sent.
    """

    __slots__ = ("_interval", "_on_progress", "_reading", "_shown")

    _made_by = "use Request.path, Request.route, Request.object or Request.draft"

    def __init__(self, handle: native.RequestHandle, *_: object) -> None:
        """For this package: requests are made by `path`, `route`, `object` and `draft`."""
        # This replaces the general initialiser, because a request is made for each call.
        follow_logging()
        if not isinstance(handle, native.OwnedRequestHandle):
            raise self._refusal(handle)
        self._owned = handle
        self._reading: Reading | None = None
        self._on_progress: OnProgress | None = None
        self._interval = 0
        self._shown: tuple[str | None, str] | None = None

    @property
    def reading(self) -> Reading | None:
        """For this package: the reader of its body, or None."""
        return self._reading

    @classmethod
    def path(
        cls,
        method: str,
        path: str,
        **options: Unpack[BodyOptions],
    ) -> Request:
        """Makes a request to a path below the environment's base URL, such as `enterprises/12`.

        `method` is any token but CONNECT: GET, POST, REPORT. Methods are case-sensitive. The path
        may have a query and variables.
        """
        return _path_request(method, path)._with(options, method, path)

    @classmethod
    def route(
        cls, route: str, /, method: str | None = None, **options: Unpack[BodyOptions]
    ) -> Request:
        """Makes a request to a named route; `method` is one of the route's methods, None takes its
        first.
        """
        function = native.lib.restway_request_create_route
        if not isinstance(method, (str, type(None))):
            kind = type(method).__name__
            raise TypeError(f"after the name of a route comes a method, not {kind}{_VALUES_HINT}")
        text = name(route, "the name of a route")
        handle = make(native.RequestHandle, function, optional_name(method), text)
        return cls(handle)._with(options, method, route)

    @classmethod
    def object(
        cls,
        method: str,
        object: Object,
        **options: Unpack[BodyOptions],
    ) -> Request:
        """Makes a request about an object. Its entity and `method` find the route, and its
        attributes fill the path's variables.
        """
        function, about = native.lib.restway_request_create_object, require(object, Object)._handle
        handle = make(native.RequestHandle, function, name(method), about)
        return cls(handle)._with(options, method, "of an Object")

    @classmethod
    def draft(
        cls,
        method: str,
        draft: Draft,
        **options: Unpack[BodyOptions],
    ) -> Request:
        """Makes a request about a draft, like a request about an object. The draft is also written
        into the body of a POST, PUT or PATCH. Its values are copied when the request is sent.
        """
        hint = "; client.draft(object) makes one" if isinstance(draft, Object) else ""
        about = require(draft, Draft, hint)._handle
        function = native.lib.restway_request_create_draft
        handle = make(native.RequestHandle, function, name(method), about)
        return cls(handle)._with(options, method, "of a Draft")

    def _with(self, options: RequestOptions, method: str | None, target: str) -> Request:
        """Sets what a new request shows of itself, and its options; returns the request."""
        self._shown = method, target
        if options:
            self.update(**options)
        return self

    def about(self, subject: Object | Draft) -> Request:
        """Sets the object or draft that a request to a path or a route is about; returns the
        request itself.

        It fills the variables that have no value of their own. A draft is written into the body of
        a POST, PUT or PATCH, and an object if a request descriptor says so.
        """
        lib = native.lib
        if isinstance(subject, Draft):
            check(lib.restway_request_set_draft, self._handle, subject._handle)
        elif isinstance(subject, Object):
            check(lib.restway_request_set_object, self._handle, subject._handle)
        else:
            raise TypeError(f"expected an Object or a Draft, not {type(subject).__name__}")
        return self

    def update(
        self,
        *,
        variables: Record | None = None,
        params: Parameters | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: Content | None = None,
        media_type: str | None = None,
        json: Any = None,
        timeout: float | Timeouts | None = None,
        priority: int | None = None,
        auth: Literal["default", "bypass", "none"] | None = None,
        idempotency_key: str | Literal[True] | None = None,
        lane: str | None = None,
        offline: Storing | None = None,
        optimistic: bool | None = None,
        digest: Iterable[DigestHeader] | None = None,
        files: Files | None = None,
        serialization: Literal["json", "url", "form", "none"] | None = None,
        gzip: bool | None = None,
        expect_continue: bool | None = None,
        resumable: Resumption | None = None,
        save_to: Saving | None = None,
        cache: CacheUse | None = None,
        cache_ttl: float | None = None,
        parse: str | None = None,
        nulls: Nulls | None = None,
        route: str | None = None,
        progress: CallWanted = None,
        **unknown: NoReturn,
    ) -> None:
        """Changes the given options and keeps all others; see `BodyOptions`.

        Variables, parameters and headers replace earlier ones with the same name; files are added
        to earlier ones. Raises UsageError, FileError, TypeError, ValueError, OverflowError; options
        before the wrong one stay changed.
        """
        if unknown:
            known = [*_KEYWORDS, "depth"]  # it goes with `into` of a verb
            raise unknown_keyword("a request", unknown, known, _VALUES_HINT, "request")
        if route is not None:
            check(native.lib.restway_request_set_route, self._handle, name(route))
        self._fill(variables, params, headers, timeout, nulls)
        self._set_body(body, media_type, json, digest, nulls)
        if media_type in _GENERAL_TYPES and not _has_content_type(headers):
            # The library takes such a media type for the default of a body without one.
            given = self._handle, b"Content-Type", name(media_type)
            check(native.lib.restway_request_set_header, *given)
        self._set_sending(files, serialization, gzip, expect_continue, resumable)
        if priority is not None:
            if not -(2**31) <= require(priority, int) < 2**31:
                raise OverflowError(f"a priority has 32 bits, which {priority} exceeds")
            check(native.lib.restway_request_set_priority, self._handle, priority)
        if auth is not None:
            set_auth_mode(self._handle, auth)
        if idempotency_key is not None:
            key = None if idempotency_key is True else name(idempotency_key)
            check(native.lib.restway_request_set_idempotency_key, self._handle, key)
        if lane is not None:
            check(native.lib.restway_request_set_lane, self._handle, name(lane))
        if offline is not None:
            set_offline(self._handle, offline)
        if optimistic is not None:
            check(native.lib.restway_request_set_optimistic, self._handle, bool(optimistic))
        if save_to is not None:
            set_save_to(self._handle, save_to)
        if cache is not None or cache_ttl is not None:
            set_caching(self._handle, cache, cache_ttl)
        if progress is not None:
            self.watch(call_watcher(progress))
        if parse is not None:
            check(native.lib.restway_request_set_parser, self._handle, name(parse))

    def _set_sending(
        self,
        files: Files | None,
        serialization: str | None,
        gzip: bool | None,
        expect_continue: bool | None,
        resumable: Resumption | None,
    ) -> None:
        handle, lib = self._handle, native.lib
        if files is not None:
            add_files(handle, files)
        if serialization is not None:
            number = chosen(_SERIALIZATIONS, serialization, "serialization")
            check(lib.restway_request_set_serialization, handle, number)
        if gzip is not None:
            check(lib.restway_request_set_gzip, handle, bool(gzip))
        if expect_continue is not None:
            check(lib.restway_request_set_expect_continue, handle, bool(expect_continue))
        if resumable is not None:
            set_resumable(handle, resumable)

    def watch(self, on_progress: OnProgress | None, interval: float = 0.1) -> None:
        """Asks for the progress of the calls that are made with this request.

        Args:
            on_progress: Called with the `Call` and its `Progress`, where `on_done` functions of a
                Client run, or in the loop of an AsyncClient. With None no function is called, but
                `Call.progress` counts bytes. A call drops the function when it completes, so the
                function may refer to the call.
            interval: The shortest time in seconds between two calls of the function; 0 turns them
                off.

                def show(call: restway.Call, progress: restway.Progress) -> None:
                    print(f"{progress.fraction:.0%}")
                    if progress.download_done > LIMIT:
                        call.cancel()

                request.watch(show, interval=1)
        """
        require_function(on_progress, "on_progress")
        if interval < 0:
            raise ValueError(f"an interval is 0 seconds or more, not {interval}")
        self._interval = -(-round(interval * 1_000_000) // 1_000)
        self._set_progress(None)
        self._on_progress = on_progress if interval else None

    def _set_progress(self, run: Callable[[native.CallHandle, Any], None] | None) -> None:
        set_question(
            native.lib.restway_request_set_progress,
            on_progress_function,
            self._handle,
            self._interval,
            run=run,
            callback=self._on_progress,
        )

    @contextmanager
    def telling(self, tell: Callable[[native.CallHandle, Progress], None]) -> Iterator[None]:
        """For this package: `tell` receives the progress of calls that are sent in this context.
        Only such a call refers to `tell`, until it completes.
        """

        def run(call: native.CallHandle, progress: Any) -> None:
            owned = native.own(native.lib.restway_call_retain(call))
            tell(owned, progress_of(progress))

        with sending:
            self._set_progress(run)
            try:
                yield
            finally:
                self._set_progress(None)

    def _fill(
        self,
        variables: Record | None,
        params: Parameters | None,
        headers: Mapping[str, str | None] | None,
        timeout: float | Timeouts | None,
        nulls: Nulls | None,
    ) -> None:
        handle, lib = self._handle, native.lib
        if variables is not None:
            function = lib.restway_request_set_variable
            for key, value in by_name(variables, nulls).items():
                check(function, handle, name(key), native.ref(encode(value)))
        if params is not None:
            _set_parameters(handle, params, nulls)
        if headers:
            require_mapping(headers, "headers")
            function = lib.restway_request_set_header
            for key, text in headers.items():
                check(function, handle, name(key), optional_name(text, f"the value of {key}"))
        if isinstance(timeout, (int, float)):
            check(lib.restway_request_set_timeout, handle, milliseconds(timeout, unbounded=-1))
        elif timeout is not None:
            from ._config import set_timeouts

            set_timeouts(handle, timeout)

    def _set_body(
        self,
        body: Content | None,
        media_type: str | None,
        json: builtins.object,
        digest: Iterable[DigestHeader] | None,
        nulls: Nulls | None,
    ) -> None:
        if digest is not None and not isinstance(body, Resource):
            raise TypeError("a digest needs a Resource as the body")
        if json is not None:
            if body is not None:
                raise TypeError("a request has a body or json, not both")
            content, default_type = json_of(json, nulls), "application/json"
        elif body is None:
            if media_type is not None:
                raise TypeError("a media_type needs a body")
            return
        elif isinstance(body, Resource):
            if media_type is not None:
                raise TypeError("a Resource has a media_type of its own")
            set_resource(self._handle, body, digest)
            self._reading = None
            return
        elif isinstance(body, str):
            content, default_type = body.encode(), "text/plain; charset=utf-8"
        elif isinstance(body, (bytes, bytearray, memoryview)):
            content, default_type = bytes(body), "application/octet-stream"
        elif is_record(body):
            content, default_type = json_of(body, nulls), "application/json"
        else:
            reading = reading_of(body)
            set_body_reading(self._handle, reading, media_type or "application/octet-stream")
            self._reading = reading
            return
        self._reading = None
        given = content, len(content), name(media_type or default_type)
        check(native.lib.restway_request_set_body, self._handle, *given)


    def __repr__(self) -> str:
        method, target = self._shown or (None, "")
        parts = ["Request", method, target.partition("?")[0]]
        return f"<{' '.join(part for part in parts if part)}>"


_KEYWORDS = Request.update.__kwdefaults__ or {}
_VALUES_HINT = (
    "; variables of a path are given as variables={...}, values of a body as json={...} or a draft"
)


def _set_parameters(
    handle: native.RequestHandle, parameters: Parameters, nulls: Nulls | None
) -> None:
    """Sets parameters. A name that stands in several pairs has all its values, in their order."""
    pairs = pairs_of(parameters, nulls)
    counts = Counter(key for key, _ in pairs)
    begun: set[str] = set()
    for key, value in pairs:
        function = native.lib.restway_request_set_parameter
        if counts[key] > 1:
            if key not in begun:
                begun.add(key)
                check(function, handle, name(key), native.ref(encode([])))
            function = native.lib.restway_request_add_parameter
        check(function, handle, name(key), native.ref(encode(value)))


_GENERAL_TYPES = ("application/json", "application/octet-stream", "text/plain; charset=utf-8")


def _has_content_type(headers: Mapping[str, str | None] | None) -> bool:
    return any(header.lower() == "content-type" for header in headers or ())


_SERIALIZATIONS = {kind.name.lower(): kind for kind in Serialization}

_METHODS = {
    text: text.encode()
    for text in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
}


def _path_request(method: str, path: str) -> Request:
    """Makes a request to a path."""
    handle = native.OwnedRequestHandle()
    status = native.bare.restway_request_create(
        _METHODS.get(method) or name(method), name(path), native.ref(handle), errors.out
    )
    if status:
        raise failed(status)
    return Request(handle)


def request_for(method: str, target: str | Object | Draft, options: RequestOptions) -> Request:
    """For this package: makes a request to a path, or about an object or a draft."""
    if isinstance(target, str):
        return _path_request(method, target)._with(options, method, target)
    if isinstance(target, Draft):
        return Request.draft(method, target, **options)
    if not isinstance(target, Object):
        hint = "; send one of them" if isinstance(target, Objects) else ""
        kind = type(target).__name__
        raise TypeError(f"{method} takes a path, an Object or a Draft, not {kind}{hint}")
    return Request.object(method, target, **options)


_OF_BODIES = (
    "body", "media_type", "json", "digest", "files", "serialization", "gzip", "expect_continue",
)


def request_without_body(
    method: str, target: str | Object | Draft, options: RequestOptions
) -> Request:
    """For this package: makes a request with a method that usually has no body."""
    if options:
        for keyword in _OF_BODIES:
            if keyword in options:
                hint = f"Request.path({method!r}, path, {keyword}=...) does"
                raise TypeError(f"{method.lower()}() takes no {keyword}; {hint}")
    return request_for(method, target, options)


Target = Union[str, Object, Draft]
"""A path below the base URL, or an object or draft whose path the object router finds."""


Scoped = Callable[[Request], Request]
"""Returns a copy of a request whose variables a scope fills."""
