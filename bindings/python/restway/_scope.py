"""Scopes: path variables for many requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from . import _ffi as native
from ._base.hints import require
from ._base.interfaces import Scoping, Sends
from ._base.lazy import asyncio
from ._batch import AsyncBatch, Batch
from ._ffi.conversion import encode
from ._handles import Owner, check, make, name
from ._pages import AsyncPagedList, AsyncPages, PagedList, Pages
from ._pages_into import GivesAwaitedPages, GivesPages
from ._request import Request
from ._response import Response
from ._stream import AsyncEventStream, AsyncStream, EventStream, Stream, request_of
from ._verbs import AwaitedVerbs, BlockingVerbs, make_coroutine_functions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._body import RequestOptions
    from ._call import Call, OnDone
    from ._pages import PagedOptions
    from ._stream import EventOptions
    from ._types import AwaitedClient, BlockingClient
    from ._values.reading import Reading

    class _Client(BlockingClient, Protocol):
        def perform(self, request: Request, *, timeout: float | None = None) -> Response: ...
        def stream(self, request: Request) -> Stream: ...
        def events(
            self, target: Request | str, **options: Unpack[EventOptions]
        ) -> EventStream: ...

    class _AsyncClient(AwaitedClient, Protocol):
        async def perform(self, request: Request) -> Response: ...
        def stream(self, request: Request) -> AsyncStream: ...
        def events(
            self, target: Request | str, **options: Unpack[EventOptions]
        ) -> AsyncEventStream: ...


class ScopeBase(Scoping, Sends, Owner[native.ScopeHandle]):
    """The common part of all scopes: their variables.

    A variable of a path gets the first of these values: the one in the `variables` of the request,
    the attribute of the object or draft that the request is about, the variable that this object
    remembers (`Store.variables`), the variable of the scope. Variables of the scope that a path
    does not have are ignored.
    """

    __slots__ = ("_variables",)

    _made_by = "use Client.scope or AsyncClient.scope"

    def __init__(self, variables: Mapping[str, Any]) -> None:
        super().__init__(make(native.ScopeHandle, native.lib.restway_scope_create, None))
        self._variables = dict(variables)
        for key, value in variables.items():
            check(
                native.lib.restway_scope_set_variable,
                self._handle,
                name(key),
                native.ref(encode(value)),
            )

    @property
    def variables(self) -> dict[str, Any]:
        """A copy of the variables of the scope, with those of the scopes around it."""
        return dict(self._variables)

    def request(self, request: Request) -> Request:
        """Returns a copy of a request whose variables this scope fills; any client can send it."""
        handle = make(
            native.RequestHandle,
            native.lib.restway_scope_request,
            self._handle,
            require(request, Request)._handle,
        )
        made = Request(handle)
        made._shown = request._shown
        made._reading = request._reading
        made._on_progress = request._on_progress
        made._interval = request._interval
        return made

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {', '.join(self._variables) or 'no variables'}>"


class Scope(ScopeBase, BlockingVerbs, GivesPages):
    """Path variables that are filled for all that is done through the scope; `Client.scope` makes
    it.

        hello = client.scope(owner="octocat", repo="hello")
        for issue in hello.route("issues").objects:
            hello.scope(number=issue.number).route("close")

    It is usable from any thread, and does everything as its client does.
    """

    __slots__ = ("_client",)

    def __init__(self, client: _Client, variables: Mapping[str, Any]) -> None:
        """For this package: `Client.scope` makes scopes."""
        super().__init__(variables)
        self._client = client

    def scope(self, **variables: Any) -> Scope:
        return Scope(self._client, {**self._variables, **variables})

    def _expect(self, request: Request, reading: Reading) -> None:
        self._client._expect(self.request(request), reading)

    def _performed(self, request: Request, timeout: float | None) -> Response:
        return self._client.perform(self.request(request), timeout=timeout)

    def send(self, request: Request, on_done: OnDone | None = None) -> Call:
        return self._client.send(self.request(request), on_done)

    def stream(self, request: Request) -> Stream:
        return self._client.stream(self.request(request))

    def events(self, target: Request | str, **options: Unpack[EventOptions]) -> EventStream:
        return self._client.events(self.request(request_of(target)), **options)

    def _pages_of(self, target: Request | str, options: PagedOptions) -> Pages:
        return Pages(self._client, target, options, self.request)

    def list(self, target: Request | str, **options: Unpack[RequestOptions]) -> PagedList:
        return PagedList(self._client, target, options, self.request)

    def batch(self) -> Batch:
        return Batch(self._client, self.request)


class AsyncScope(ScopeBase, AwaitedVerbs, GivesAwaitedPages["AsyncPages"]):
    """Path variables that are filled for all that is done through the scope; `AsyncClient.scope`
    makes it.

        hello = client.scope(owner="octocat", repo="hello")
        response = await hello.route("issues")
    """

    __slots__ = ("_client",)

    def __init__(self, client: _AsyncClient, variables: Mapping[str, Any]) -> None:
        """For this package: `AsyncClient.scope` makes scopes."""
        super().__init__(variables)
        self._client = client

    def scope(self, **variables: Any) -> AsyncScope:
        return AsyncScope(self._client, {**self._variables, **variables})

    def _expect(self, request: Request, reading: Reading) -> None:
        self._client._expect(self.request(request), reading)

    async def _performed(self, request: Request) -> Response:
        return await self._client.perform(self.request(request))

    def send(self, request: Request) -> asyncio.Future[Response]:
        return self._client.send(self.request(request))

    def stream(self, request: Request) -> AsyncStream:
        return self._client.stream(self.request(request))

    def events(self, target: Request | str, **options: Unpack[EventOptions]) -> AsyncEventStream:
        return self._client.events(self.request(request_of(target)), **options)

    def _pages_of(self, target: Request | str, options: PagedOptions) -> AsyncPages:
        return AsyncPages(self._client, target, options, self.request)

    def list(self, target: Request | str, **options: Unpack[RequestOptions]) -> AsyncPagedList:
        return AsyncPagedList(self._client, target, options, self.request)

    def batch(self) -> AsyncBatch:
        return AsyncBatch(self._client, self.request)


make_coroutine_functions(AsyncScope)
