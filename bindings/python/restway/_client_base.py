"""The common part of all clients: options, store.

Functions import what only they use, so that making a client loads no more than it needs.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn

from . import _ffi as native
from ._api import API, Described, api_of
from ._auth import ClientAuth
from ._base.hints import Secrets, member, require, unknown_keyword
from ._base.interfaces import ClientMethods, ObservingMethods, Scoping, Sends
from ._base.lazy import asyncio, json
from ._conflicts import ClientConflicts, Conflict
from ._draft import Draft
from ._enums import ClientFlag, CurlFlag, Delivery, Reachability, TraceFlag
from ._ffi.callbacks import Closing, Holding, close_at_exit, questions
from ._ffi.conversion import JSONValue, json_value
from ._ffi.options import CLIENT_OPTIONS
from ._ffi.trampolines import on_question_destroy, on_span_function
from ._functions import Exclusion, set_exclusion
from ._handles import (
    Owner,
    check,
    make,
    name,
    optional_name,
    set_numbers,
    written_text,
)
from ._handles.outgoing import OutgoingRequest
from ._library import Clock, follow_logging
from ._network import ClientNetwork, network_options
from ._object import Layouts, Object
from ._pipeline import ClientPipeline
from ._request import Request, request_for
from ._response import Response
from ._store import Store

if TYPE_CHECKING:
    from ._batch import BatchDecode, BatchEncode
    from ._cache import CacheOptions
    from ._config import Network, Path, Proxy, TLSChoice
    from ._lifecycle import CallInfo
    from ._values.reading import Reading


class ClientBase(
    ClientAuth,
    ClientConflicts,
    ClientNetwork,
    ClientPipeline,
    ClientMethods,
    ObservingMethods,
    Scoping,
    Sends,
    Owner[native.ClientHandle],
    Closing,
):
    """One api in one environment, with its connections and its store."""

    __slots__ = ("_delivery", "_discriminator", "_holding", "_layouts", "_place", "api")

    api: API
    """The api that the client was made of."""

    _may_block: ClassVar[bool] = True
    """Whether a thread may wait for a call."""

    _deliveries: ClassVar[dict[str, Delivery]]
    """The delivery modes of the class; the first is the default."""

    def __init__(
        self,
        api: Described,
        environment: str | None = None,
        *,
        base_url: str | None = None,
        user_agent: str | None = None,
        timeout: float | None = None,
        connect_timeout: float | None = None,
        first_byte_timeout: float | None = None,
        idle_timeout: float | None = None,
        too_slow: float | None = None,
        strict_mapping: bool = False,
        cookies: bool = True,
        load_plugins: bool = False,
        follow_redirects: bool = True,
        body_bytes_max: int | None = None,
        save_bytes_max: int | None = None,
        objects_max: int | None = None,
        nesting_depth_max: int | None = None,
        redirects_max: int | None = None,
        connections_max: int | None = None,
        connections_per_host_max: int | None = None,
        ca_file: Path | None = None,
        tls: TLSChoice | None = None,
        proxy: Proxy | str | None = None,
        network: Network | None = None,
        store_path: Path | None = None,
        outbox_path: Path | None = None,
        cache: CacheOptions | Path | bool | None = None,
        file_mode: int | None = None,
        transport: str | None = None,
        transport_options: Mapping[str, object] | None = None,
        languages: Sequence[str] = (),
        gone_is_deleted: bool = False,
        fail_unreachable: bool = False,
        delivery: Literal["thread", "process"] | None = None,
        clock: Clock | None = None,
        random_seed: int = 0,
        **unknown: NoReturn,
    ) -> None:
        """Makes a client. It connects to no server before its first request, unless its outbox
        holds requests that can be sent.

        Args:
            api: The api, the path of its document, or the document as a mapping. The client freezes
                it: its entities and descriptors can no longer change.
            environment: The environment's name; None takes the document's.
            base_url: Replaces the environment's base URL, whose other settings stay.
            user_agent: The User-Agent; None takes `restway/VERSION`.
            timeout: The time limit of each attempt in seconds, including redirects and the wait for
                a credential (default 60).
            connect_timeout: The time limit for making a connection in seconds (default 10).
            first_byte_timeout: The time limit in seconds from the last byte of a request to the
                first byte of its answer (default: no limit).
            idle_timeout: The longest time in seconds in which no byte is sent or received (default
                30).
            too_slow: The age in seconds at which observers of calls learn that a call is too slow
                (default: never).
            strict_mapping: A mapping issue fails the call with MappingError.
            cookies: Whether cookies are kept in memory and sent.
            load_plugins: Whether the plugins that the API document names are loaded. Plugins are
                programs that run in this process.
            follow_redirects: Whether redirects are followed. If not, the redirect is the answer.
            body_bytes_max: The size limit of a response body in bytes, after decoding (default 256
                MiB).
            save_bytes_max: The size limit of a body that is saved in a file, in bytes after
                decoding (default: no limit).
            objects_max: The largest number of objects in one response (default 10,000,000).
            nesting_depth_max: The deepest nesting of a JSON body, 1 to 2,048 (default 512).
            redirects_max: The largest number of redirects of one call (default 10).
            connections_max: The largest number of connections (default 256).
            connections_per_host_max: The largest number of connections to one host (default 32).
            ca_file: A PEM file with the certificates of trusted authorities, in place of the
                system's.
            tls: TLS settings: a `TLS`, or a mapping from origins to `TLS`, in which None is for all
                other origins.
            proxy: A `Proxy` or its URL; "" uses no proxy, and None the proxy of the environment
                variables.
            network: Where connections go to, and with which version of HTTP.
            store_path: The file of a SQLite store, in place of the store that the API document
                names.
            outbox_path: The file of the outbox, in place of the file that the API document names.
                The document then needs no `outbox`, or an `outbox` without a path.
            cache: Turns the response cache on, also if the API document has none: the path of its
                file, True for a cache in memory, or `CacheOptions`. None takes the document's
                choice. False turns the cache off, also if the document has one.
            file_mode: The permissions of the files that the client creates for its store, its
                outbox and its cache: 0o600 (the default) or more, without execute permission, for
                example 0o640. The umask does not change them. A file that exists keeps its
                permissions.
            transport: The name of the transport, which performs the HTTP exchanges: "libcurl", or a
                transport of a plugin.
            transport_options: The options of that transport, in place of those in the API document
                or those with which the plugin was loaded.
            languages: The languages of answers, the preferred one first, at most 10. The default
                header `Accept-Language: de-CH, de;q=0.9` is made of `["de-CH", "de"]`.
            gone_is_deleted: Whether a DELETE that is answered with 404 or 410 counts as a success.
            fail_unreachable: Whether a call fails at once with ConnectError while
                `set_reachability` says that the server cannot be reached, unless the outbox may
                store its request or the cache answers it.
            delivery: Where callbacks of `Client.send` run: "thread" (the default) on a thread of
                the library, or "process" inside `Client.process`. An AsyncClient does not
                have this option.
            clock: The clock for all times of the client, for tests; None uses the machine's clock.
            random_seed: A seed that makes the waits between attempts repeatable, for tests.

        None takes the value of the API document, or the default if the document has no value. For
        a time in seconds, `math.inf` sets no limit. Without `proxy`, requests use the proxy that
        the environment variables name (`http_proxy` and so on, as libcurl reads them). If they name
        no proxy when the client is made, they are not read again. Raises UnknownEnvironmentError,
        InvalidURLError, StoreError, PluginError, UsageError, ValueError, FileError for the file of
        a cache that belongs to another program, and ConfigError for a network setting that cannot
        be used, such as a missing file.
        """
        given = locals()
        if unknown:
            raise unknown_keyword(type(self).__name__, unknown, _KEYWORDS, table="client")
        api = api_of(api)
        if delivery is not None and delivery not in self._deliveries:
            raise no_delivery(self, delivery)
        mode = self._deliveries[delivery] if delivery else next(iter(self._deliveries.values()))
        flags = ClientFlag(0)
        if strict_mapping:
            flags |= ClientFlag.STRICT_MAPPING
        if not cookies:
            flags |= ClientFlag.NO_COOKIES
        if load_plugins:
            flags |= ClientFlag.LOAD_PLUGINS
        if not follow_redirects:
            flags |= ClientFlag.NO_REDIRECTS
        if gone_is_deleted:
            flags |= ClientFlag.GONE_IS_DELETED
        if fail_unreachable:
            flags |= ClientFlag.FAIL_UNREACHABLE
        options = native.ClientOptions()
        check(
            native.lib.restway_client_options_init,
            native.ref(options),
            native.size_of(options),
        )
        options.environment = optional_name(environment, "environment")
        options.base_url = optional_name(base_url, "base_url")
        options.user_agent = optional_name(user_agent, "user_agent")
        options.delivery = mode
        options.flags = flags
        set_numbers(options, CLIENT_OPTIONS, given)
        if clock is not None:
            options.clock = clock._handle
        options.random_seed = random_seed
        options.ca_file = None if ca_file is None else name(os.fspath(ca_file))
        options.store_path = None if store_path is None else name(os.fspath(store_path))
        options.outbox_path = None if outbox_path is None else name(os.fspath(outbox_path))
        if cache is not None:
            from ._cache import set_cache_options

            set_cache_options(options, cache)
        options.network = network_options(tls, proxy, network)
        options.transport = optional_name(transport)
        if transport_options is not None:
            options.transport_options = json.dumps(dict(transport_options)).encode()
        if isinstance(languages, str):
            raise TypeError("languages are a list of language tags, not one str")
        tags = [name(language) for language in languages]
        options.languages, options.language_count = native.text_array(tags), len(tags)
        follow_logging()
        handle = make(
            native.ClientHandle,
            native.lib.restway_client_create,
            api._handle,
            native.ref(options),
        )
        super().__init__(handle)
        self.api = api
        self._place = base_url or environment
        self._layouts = Layouts(
            native.own(native.lib.restway_client_store(handle)),
            Response.retained,
            Conflict.retained,
            api,
            Secrets(api),
        )
        self._delivery = mode
        self._holding = Holding(api)
        self._discriminator: str | None = None
        close_at_exit(self)

    @property
    def store(self) -> Store:
        """The client's store, which may outlive it."""
        handle = native.own(native.lib.restway_client_store(self._handle))
        return Store(handle, self._layouts)

    def draft(self, of: str | Object, /, **values: Any) -> Draft:
        """Makes a draft: a mutable copy of the object `of`, or a new object of the entity called
        `of`.

        Args:
            values: Attributes and relationships to set, as `Draft.update` does.

        Raises UnknownEntityError, UsageError (an object of another api, or an object that no store
        keeps), KeyError.
        """
        lib, store = native.lib, self._layouts.store
        if isinstance(of, Object):
            handle = make(native.DraftHandle, lib.restway_draft_copy, store, of._handle)
        else:
            if not isinstance(of, str):
                kind = type(of).__name__
                raise TypeError(f"a draft is of an Object or of the name of an entity, not {kind}")
            handle = make(native.DraftHandle, lib.restway_draft_create, store, name(of))
        draft = Draft(handle, self._layouts)
        draft.update(**values)
        return draft

    def set_exclusion(self, exclusion: Exclusion | None) -> None:
        """Sets the function that leaves relationships out of requests; None removes it.

        Args:
            exclusion: Called for each relationship of each object that is written, with the method
                and the path of the request, the name of the object's own entity and the name of the
                relationship. A true result leaves the relationship out. It runs on a worker thread.
                If it raises, nothing is sent: the call fails with CancelledError, whose `__cause__`
                is the exception.

        Raises TypeError, ClosedError.
        """
        set_exclusion(self._handle, exclusion, self._holding)

    @property
    def reachability(self) -> Reachability:
        """Whether the client takes the server for reachable: the value that the program has set, or
        else the result of the last exchange.
        """
        return Reachability(native.lib.restway_client_reachability(self._handle))

    def set_reachability(self, reachability: Reachability) -> None:
        """Tells the client whether the server can be reached.

        Args:
            reachability: With UNREACHABLE, requests that may be stored are stored at once, requests
                that may be read offline are answered by the cache if it has an answer, and the
                outbox sends nothing by itself. Any other value flushes the outbox; UNKNOWN clears
                the earlier value.

        Raises ClosedError; TypeError for anything but a member of Reachability, also for a bool.
        """
        word = member(Reachability, reachability)
        check(native.lib.restway_client_set_reachability, self._handle, word)

    def set_batch_format(self, encode: BatchEncode | None, decode: BatchDecode | None) -> None:
        """Sets the batch format of the client. If both functions are None, the built-in format is
        used.

        Args:
            encode: Called with the `BatchRequest`s of a call; returns its body, or the body and its
                media type.
            decode: Called with the body of a 2xx answer and the number of requests; returns a
                `BatchAnswer` for each. Both functions run on a thread of the library, for different
                calls at the same time. If one raises, the requests of the call fail with
                BatchError.

        Raises TypeError, ClosedError.
        """
        from ._batch import set_batch_format

        set_batch_format(self._handle, encode, decode, self._holding)

    def curl_command(self, request: Request, reveal: bool = False) -> str:
        """Returns a curl command for the shell that sends `request` as this client does.

        Args:
            reveal: Whether credentials, cookies and tokens are written. Otherwise `[redacted]`
                replaces them: in headers, in the query, and in members of a JSON or form body whose
                name is secret.

        Raises a RouteError when no URL can be made of the request.
        """
        flags = CurlFlag.REVEAL if reveal else CurlFlag(0)
        function = native.lib.restway_request_to_curl
        sent = require(request, Request)._handle
        return written_text(function, sent, self._handle, flags)

    def inspect(self, request: Request) -> OutgoingRequest:
        """Returns `request` as this client would send it now, without sending it: its method, URL,
        headers with the present credential, and body.

            sent = client.inspect(restway.Request.draft("POST", draft))
            print(sent.url, sent.headers["Content-Type"], sent.body)

        Neither a modifier nor an authorize function is called. Raises as `send` does;
        WouldBlockError inside a callback, if the body needs a function of the program.
        """
        made = make(
            native.OutgoingHandle,
            native.lib.restway_client_inspect,
            self._handle,
            require(request, Request)._handle,
        )
        return OutgoingRequest(made)

    def _expect(self, request: Request, reading: Reading) -> None:
        reading.expect(self._handle, require(request, Request)._handle)

    def url(self, object: Object, method: str = "GET") -> str:
        """Returns the URL of an object, which the object router finds by entity and method.

        Parameters that the API document adds to requests are not part of it. Raises a RouteError.
        """
        function = native.lib.restway_client_url
        handle = require(object, Object)._handle
        return written_text(function, self._handle, name(method), handle)

    def encode(
        self, subject: Object | Draft, method: str = "POST", route: str | None = None
    ) -> JSONValue:
        """Returns the JSON that a request about an object or a draft would send; None if it would
        send no body.

            client.encode(client.draft("Enterprise", name="Café"))  # {"name": "Café"}

        Args:
            route: The name of the route; None lets the object router find the path.

        Raises as `inspect` does; MappingError if the body is not JSON.
        """
        request = Request.route(route, method).about(subject) if route else None
        body = self.inspect(request or request_for(method, subject, {})).body
        return json_value(body) if body else None

    def instrument(
        self,
        *,
        tracer_provider: Any = None,
        meter_provider: Any = None,
        header: bool = True,
        all_origins: bool = False,
    ) -> None:
        """Feeds OpenTelemetry, if the package `opentelemetry-api` (1.30 or newer) is installed: a
        span for each call, in the context of the caller, and the metric
        `http.client.request.duration`.

            client.instrument()

        Args:
            tracer_provider: None takes the global provider.
            meter_provider: None takes the global provider.
            header: Whether requests to trusted origins carry `traceparent`; a header that the
                program sets wins.
            all_origins: Whether requests to all other origins carry it, too.

        Raises ModuleNotFoundError, ClosedError.
        """
        flags = TraceFlag.HEADER if header else TraceFlag(0)
        if all_origins:
            flags |= TraceFlag.ALL_ORIGINS
        from ._library.tracing import Spans

        spans = Spans(tracer_provider, meter_provider)
        set_tracing = native.lib.restway_client_set_tracing
        token = questions.add(spans.told, spans, self._holding)
        try:
            check(set_tracing, self._handle, flags, on_span_function, token, on_question_destroy)
        except BaseException:
            questions.remove(token)
            raise

    def active_calls(self) -> list[CallInfo]:
        """Returns the calls that are in flight, the oldest first, with those that the library makes
        by itself.

            for call in client.active_calls():
                if call.age > 30:
                    call.cancel()
        """
        from ._lifecycle import active_calls

        return active_calls(self._handle)

    def metrics(self) -> dict[str, dict[str, int]]:
        """Returns what the client has done since it was made: numbers of calls, failures by the
        name of their status, attempts, exchanges by the class of their status, bytes, connections,
        and the requests of its outbox.

            client.metrics()["exchanges"]["5xx"]

        Raises OutboxError.
        """
        found: dict[str, dict[str, int]] = json.loads(
            written_text(native.lib.restway_client_metrics, self._handle)
        )
        return found

    if not TYPE_CHECKING:

        def _hint_for(self, name: str) -> str:
            is_route = self.api._owned is not None and name in self.api.names("routes")
            return f"; client.route({name!r}) uses the route" if is_route else ""

    def _loop(self) -> asyncio.AbstractEventLoop | None:
        """The event loop in which coroutine functions of this client run."""
        return None

    def _close_at_exit(self) -> None:
        if self._owned is not None:
            native.lib.restway_client_close(self._owned)

    def __repr__(self) -> str:
        kind = type(self).__name__
        if self._owned is None:
            return f"<{kind}, closed>"
        place = self._place or self.api.json("/environment") or "its environment"
        return f"<{kind} of {place}>"


def no_delivery(client: ClientBase, delivery: object) -> ValueError | TypeError:
    """For this package: returns the error for a delivery mode that a class of clients lacks."""
    kind, known = type(client).__name__, ", ".join(client._deliveries)
    error = ValueError if isinstance(delivery, str) else TypeError
    return error(f"no delivery mode of {kind}: {delivery!r}; there is {known}")


_KEYWORDS = ClientBase.__init__.__kwdefaults__ or {}
