"""Several clients behind one face: each request goes to the client of its route."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Generic, Literal, TypeVar

from . import _ffi as native
from ._async_client import AsyncClient
from ._base.hints import require, require_mapping
from ._base.interfaces import Sends
from ._base.lazy import asyncio
from ._call import Call, OnDone
from ._client import Client
from ._client_base import ClientBase
from ._handles import Owner, check, make, name
from ._request import Request
from ._response import Response
from ._stream import AsyncEventStream, AsyncStream, EventStream, Stream, request_of
from ._verbs import AwaitedVerbs, BlockingVerbs, make_coroutine_functions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._stream import EventOptions
    from ._values.reading import Reading

AnyClient = TypeVar("AnyClient", bound=ClientBase)


class _Routing(Sends, Owner[native.RoutingClientHandle], Generic[AnyClient]):
    """The common part: clients by the names of routes."""

    __slots__ = ("_clients",)

    _kind: ClassVar[type[ClientBase]]
    """The class of the clients."""

    def __init__(
        self, clients: Mapping[str, AnyClient], *, default: AnyClient | None = None
    ) -> None:
        """Makes a routing client. It keeps its clients alive, and does not close them.

        Args:
            clients: The clients by the names of routes. One client may have several routes.
            default: The client of all requests whose route has no client. A request to a path, or
                about an object or a draft, names no route.

        Raises UnknownRouteError if the API document of a client does not have its route; TypeError.
        """
        require_mapping(clients, "the clients")
        known = [*clients.values(), *([] if default is None else [default])]
        for client in known:
            if not isinstance(client, self._kind):
                expected = self._kind.__name__
                raise TypeError(f"expected {expected}s, not {type(client).__name__}")
        lib = native.lib
        standard = None if default is None else default._handle
        handle = make(native.RoutingClientHandle, lib.restway_routing_client_create, standard)
        for route, client in clients.items():
            check(lib.restway_routing_client_add, handle, name(route), client._handle)
        super().__init__(handle)
        self._clients = {client._handle.value: client for client in known}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self._clients)} clients>"

    def find(self, request: Request) -> AnyClient:
        """Returns the client of a request: the client of the route that it names, or else the
        default client.

            routing.find(request).pages(request)

        Raises UnknownRouteError if no client fits.
        """
        function = native.lib.restway_routing_client_find
        sent = require(request, Request)._handle
        found = make(native.ClientHandle, function, self._handle, sent)
        return self._clients[found.value]


class RoutingClient(_Routing[Client], BlockingVerbs):
    """Several clients behind one face: each request goes to the client of its route.

        client = restway.RoutingClient({"issues": tracker, "issue": tracker}, default=shop)
        client.route("issues", variables={"owner": "octo"})  # with the tracker
        client.get("orders/7")  # with the shop

    All methods raise UnknownRouteError if no client fits. It is usable from any thread. Closing it
    does not close its clients.
    """

    __slots__ = ()

    _kind: ClassVar = Client

    def _expect(self, request: Request, reading: Reading) -> None:
        self.find(request)._expect(request, reading)

    def _performed(self, request: Request, timeout: float | None) -> Response:
        return self.find(request).perform(request, timeout=timeout)

    def send(
        self,
        request: Request,
        on_done: OnDone | None = None,
        *,
        delivery: Literal["thread", "process"] | None = None,
    ) -> Call:
        return self.find(request).send(request, on_done, delivery=delivery)

    def stream(self, request: Request) -> Stream:
        return self.find(request).stream(request)

    def events(self, target: Request | str, **options: Unpack[EventOptions]) -> EventStream:
        request = request_of(target)
        return self.find(request).events(request, **options)


class AsyncRoutingClient(_Routing[AsyncClient], AwaitedVerbs):
    """Several AsyncClients behind one face, as `RoutingClient` for asyncio.

        client = restway.AsyncRoutingClient({"issues": tracker}, default=shop)
        await client.route("issues", variables={"owner": "octo"})

    All methods raise UnknownRouteError if no client fits.
    """

    _kind: ClassVar = AsyncClient

    def _expect(self, request: Request, reading: Reading) -> None:
        self.find(request)._expect(request, reading)

    async def _performed(self, request: Request) -> Response:
        return await self.find(request).perform(request)

    def send(self, request: Request) -> asyncio.Future[Response]:
        return self.find(request).send(request)

    def stream(self, request: Request) -> AsyncStream:
        return self.find(request).stream(request)

    def events(self, target: Request | str, **options: Unpack[EventOptions]) -> AsyncEventStream:
        request = request_of(target)
        return self.find(request).events(request, **options)


make_coroutine_functions(AsyncRoutingClient)
