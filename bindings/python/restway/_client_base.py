"""What the clients of this package share: their options, their store, their modifier."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Union

from . import _ffi as native
from ._api import API
from ._auth import ClientAuth
from ._batch import BatchDecode, BatchEncode, set_batch_format
from ._boundary import Owner, check, make, milliseconds, name, optional_name
from ._call import Modifier, checked
from ._draft import Draft
from ._ffi.callbacks import Closing, Holding, close_at_exit
from ._ffi.enums import ClientFlag, CurlFlag, Delivery, Reachability
from ._library import Clock
from ._object import Layouts, Object
from ._questions import Exclusion, set_exclusion
from ._request import Request
from ._response import Response
from ._store import Store

Path = Union[str, "os.PathLike[str]"]

_COMMAND_BYTES = 4096
"""Room for most curl commands; longer ones are written a second time."""


class ClientBase(ClientAuth, Owner[native.ClientHandle], Closing):
    """One api in one environment, with its connections and its store."""

    __slots__ = ("_delivery", "_holding", "_layouts", "_modifier", "api")

    api: API
    """The api that the client was made of."""


    _may_block: ClassVar[bool] = True
    """Whether a thread may wait for a call."""

    _deliveries: ClassVar[dict[str, Delivery]]
    """The delivery modes of the class; the first is the default."""

    def __init__(
        self,
        api: API,
        environment: str | None = None,
        *,
        base_url: str | None = None,
        user_agent: str | None = None,
        timeout: float | None = None,
        connect_timeout: float | None = None,
        idle_timeout: float | None = None,
        strict_mapping: bool = False,
        cookies: bool = True,
        load_plugins: bool = False,
        follow_redirects: bool = True,
        body_bytes_max: int | None = None,
        objects_max: int | None = None,
        nesting_depth_max: int | None = None,
        redirects_max: int | None = None,
        connections_max: int | None = None,
        connections_per_host_max: int | None = None,
        ca_file: Path | None = None,
        store_path: Path | None = None,
        outbox_path: Path | None = None,
        file_mode: int | None = None,
        transport: str | None = None,
        transport_options: Mapping[str, object] | None = None,
        gone_is_deleted: bool = False,
        delivery: Literal["thread", "process"] | None = None,
        clock: Clock | None = None,
        random_seed: int = 0,
    ) -> None:
        """Makes a client; nothing is connected before the first request.

        Args:
            api: Frozen by this: its entities and descriptors can no longer change.
            environment: The environment's name; None takes the document's.
            base_url: Replaces the environment's base URL.
            user_agent: The User-Agent; None takes "restway/<version>".
            timeout: Seconds for each attempt, redirects and a wait for a credential included
                (default 60).
            connect_timeout: Seconds until a connection stands (default 10).
            idle_timeout: Seconds without a byte moving (default 30).
            strict_mapping: A mapping issue fails the call with MappingError.
            cookies: Whether cookies are kept in memory and sent.
            load_plugins: Whether the plugins that the API document asks for are loaded: programs
                that run in this process.
            follow_redirects: Whether redirects are followed; else one is an answer like any other.
            body_bytes_max: The largest body of a response, decoded, in bytes (default 256 MiB).
            objects_max: The most objects of one response (default 10,000,000).
            nesting_depth_max: The deepest nesting of a JSON body, 1 to 2,048 (default 512).
            redirects_max: The most redirects of one call (default 10).
            connections_max: The most connections (default 256).
            connections_per_host_max: The most connections to one host (default 32).
            ca_file: Certificates (PEM) that may vouch for servers, in place of the system's.
            store_path: The file of a SQLite store, in place of what the API document says.
            outbox_path: The file of the outbox, in place of the one that the API document names,
                which needs no `outbox` then.
            file_mode: The permissions of the files that the client makes, for its store and its
                outbox: 0o600 (the default) or more, without execution, as in 0o640. The umask does
                not change them, and a file that exists keeps its own.
            transport: What performs the exchanges: "libcurl", or a transport of a plugin.
            transport_options: What that transport takes, in place of what the API document, or
                whoever loaded the plugin, says.
            gone_is_deleted: A DELETE that is answered with 404 or 410 has done what it should.
            delivery: Where callbacks of `Client.send` run: "thread" (default), on a thread of the
                library, or "process", inside `Client.process`. Not for an AsyncClient.
            clock: What times are measured on, for tests; None takes the machine's clock.
            random_seed: Makes the waits between attempts repeatable, for tests.

        None takes what the API document says, else the default; `math.inf` sets no time-out.
        Requests go through the proxy that the environment names (`http_proxy` and its like, as
        libcurl reads them); where it names none at this moment, it is not asked again.
        Raises UnknownEnvironmentError, InvalidURLError, StoreError, PluginError, UsageError,
        ValueError.
        """
        if delivery is not None and delivery not in self._deliveries:
            raise ValueError(f"no delivery mode of {type(self).__name__}: {delivery!r}")
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
        options = native.ClientOptions()
        check(
            native.lib.restway_client_options_init,
            native.ref(options),
            native.size_of(options),
        )
        options.environment = optional_name(environment)
        options.base_url = optional_name(base_url)
        options.user_agent = optional_name(user_agent)
        options.delivery = mode
        options.flags = flags
        options.timeout_milliseconds = milliseconds(timeout, unbounded=-1)
        options.connect_timeout_milliseconds = milliseconds(connect_timeout, unbounded=-1)
        options.idle_timeout_milliseconds = milliseconds(idle_timeout, unbounded=-1)
        options.body_bytes_max = _bound("body_bytes_max", body_bytes_max)
        options.objects_max = _bound("objects_max", objects_max)
        options.nesting_depth_max = _bound("nesting_depth_max", nesting_depth_max, bits=31)
        options.redirects_max = -1 if redirects_max == 0 else _bound("redirects_max", redirects_max)
        options.connections_max = _bound("connections_max", connections_max, bits=31)
        options.connections_per_host_max = _bound(
            "connections_per_host_max", connections_per_host_max, bits=31
        )
        if clock is not None:
            options.clock = clock._handle
        options.random_seed = random_seed
        options.ca_file = None if ca_file is None else name(os.fspath(ca_file))
        options.store_path = None if store_path is None else name(os.fspath(store_path))
        options.outbox_path = None if outbox_path is None else name(os.fspath(outbox_path))
        options.file_mode = _bound("file_mode", file_mode)
        options.transport = optional_name(transport)
        if transport_options is not None:
            options.transport_options = json.dumps(dict(transport_options)).encode()
        handle = make(
            native.ClientHandle,
            native.lib.restway_client_create,
            api._handle,
            native.ref(options),
        )
        super().__init__(handle)
        self.api = api
        self._layouts = Layouts(
            native.own(native.lib.restway_client_store(handle)), Response.retained
        )
        self._delivery = mode
        self._holding = Holding()
        self._modifier: Modifier | None = None
        close_at_exit(self)

    @property
    def store(self) -> Store:
        """The client's store, which may outlive it."""
        handle = native.own(native.lib.restway_client_store(self._handle))
        return Store(handle, self._layouts)

    def draft(self, of: str | Object, /, **values: Any) -> Draft:
        """A draft: a new object of the entity called `of`, or a copy of the object `of`.

        Args:
            values: Attributes and relationships to set, as `Draft.update` does.

        Raises UnknownEntityError, UsageError (an object of another api), KeyError.
        """
        lib, store = native.lib, self._layouts.store
        if isinstance(of, Object):
            handle = make(native.DraftHandle, lib.restway_draft_copy, store, of._handle)
        else:
            handle = make(native.DraftHandle, lib.restway_draft_create, store, name(of))
        draft = Draft(handle, self._layouts)
        draft.update(**values)
        return draft

    def set_exclusion(self, exclusion: Exclusion | None) -> None:
        """Sets who may leave relationships out of what is sent; None sets nobody.

        Args:
            exclusion: Asked about each relationship of each object that is written, with the
                method and the path of the request, the name of the object's real entity and that
                of the relationship; a true answer leaves it out. It runs on a worker thread.
                When it raises, nothing is sent: the call fails with CancelledError, and what was
                raised goes to `sys.unraisablehook`.

        Raises TypeError, ClosedError.
        """
        set_exclusion(self._handle, exclusion, self._holding)

    @property
    def reachability(self) -> Reachability:
        """What is taken for true of the way to the server: what the program has said, else what
        the last exchange showed.
        """
        return Reachability(native.lib.restway_client_reachability(self._handle))

    def set_reachability(self, reachability: Reachability) -> None:
        """Says whether the server can be reached.

        Args:
            reachability: While it is UNREACHABLE, requests that may be stored are stored at once,
                and the outbox sends nothing by itself. Any other word flushes the outbox; UNKNOWN
                takes back what was said before.

        Raises ClosedError, ValueError.
        """
        word = Reachability(reachability)
        check(native.lib.restway_client_set_reachability, self._handle, word)

    def set_batch_format(self, encode: BatchEncode | None, decode: BatchDecode | None) -> None:
        """Sets how batches are written and read; None for both: as the built-in format does.

        Args:
            encode: Given the `BatchRequest`s of a call; returns its body, or that and its media
                type.
            decode: Given the body of a 2xx answer and how many requests there are; returns a
                `BatchAnswer` for each. Both run on a thread of the library, for different calls
                side by side; what they raise fails the requests of the call with BatchError.

        Raises TypeError, ClosedError.
        """
        set_batch_format(self._handle, encode, decode, self._holding)

    def set_modifier(self, modifier: Modifier | None) -> None:
        """Sets who is asked about each call before it goes out; None sets nobody.

        Args:
            modifier: Given a private copy of the request, which `Request.update` changes on its
                way to the wire. It runs on a thread of the library, for different calls side by
                side; what blocks raises WouldBlockError there. When it raises, the call is
                refused: it fails with the class of an exception of this package, else with
                CancelledError, and has what was raised as its `__cause__`.

        Calls that were sent before keep the modifier of their time. Raises TypeError.
        """
        self._modifier = checked(modifier)

    def curl_command(self, request: Request, reveal: bool = False) -> str:
        """The curl command that would send `request` as this client would, for a shell.

        Args:
            reveal: Writes out credentials, cookies and tokens. Otherwise `[redacted]` stands in
                their place: in headers, in the query, and in members of a JSON or form body that
                are secret by their name.

        Raises a RouteError when no URL can be made of the request.
        """
        flags = CurlFlag.REVEAL if reveal else CurlFlag(0)
        size = _COMMAND_BYTES
        while True:
            command, length = native.bytes_out(size), native.number()
            check(
                native.lib.restway_request_to_curl,
                request._handle,
                self._handle,
                flags,
                command,
                size,
                native.ref(length),
            )
            if length.value < size:
                return native.borrowed(command.value) or ""
            size = length.value + 1

    def _loop(self) -> asyncio.AbstractEventLoop | None:
        """Where coroutine functions of this client run."""
        return None

    def _close_at_exit(self) -> None:
        if self._owned is not None:
            native.lib.restway_client_close(self._owned)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"


def _bound(what: str, value: int | None, bits: int = 63) -> int:
    """A limit as the library takes it: 0, its default, for None."""
    if value is None:
        return 0
    if not 0 < value < 2**bits:
        raise ValueError(f"{what} is out of range: {value}")
    return value
