"""Clients for trio, and for any program that uses anyio.

    import anyio
    import restway.anyio

    async def main():
        async with restway.anyio.AnyioClient("tracker.json") as client:
            response = await client.route("issue", variables={"number": 7})
            async for issue in client.pages("issues"):
                print(issue.title)

    anyio.run(main, backend="trio")

This module needs the package `anyio`, and `trio` under trio. With asyncio alone,
`restway.AsyncClient` needs neither, and its callbacks may be coroutine functions.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from .. import _ffi as native
from .._boundary import make
from .._client import Client
from .._hints import PATHS, require
from .._object import Object, Objects
from .._pages import Page, Pages
from .._request import Request
from .._response import Response
from .._stream import ReceivingBytes, ReceivingEvents, body_receiver, event_receiver, request_of
from .._verbs import AwaitedVerbs, make_coroutine_functions
from ..values.pages import GivesAwaitedPages
from ._batch import AnyioBatch
from ._streams import AnyioEventStream, AnyioStream
from ._waiting import response_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._api import Described
    from .._pages import PagedOptions
    from .._stream import EventOptions

__all__ = ["AnyioBatch", "AnyioClient", "AnyioEventStream", "AnyioPages", "AnyioStream"]


class AnyioClient(AwaitedVerbs, GivesAwaitedPages["AnyioPages"]):
    """A client whose calls are awaited in the loop of anyio: of trio, or of asyncio.

    Its keywords are the keywords of `Client`, except `delivery`. It is not bound to one loop.
    Cancelling the scope in which a call is awaited cancels the call.
    """

    def __init__(self, api: Described, environment: str | None = None, **options: Any) -> None:
        if "delivery" in options:
            raise TypeError("an AnyioClient has no delivery mode: its calls are awaited")
        self.client = Client(api, environment, **options)
        """The client behind it, for all that does not wait: its store, drafts and observers."""

    async def _performed(self, request: Request) -> Response:
        return await response_of(lambda on_done: self.client.send(request, on_done))

    def _pages_of(self, target: Request | str, options: PagedOptions) -> AnyioPages:
        return AnyioPages(self.client.pages(target, **options))

    def stream(self, request: Request) -> AnyioStream:
        """Sends a request and reads the body of its answer while it arrives, as `Client.stream`
        does.

            async with client.stream(restway.Request.path("GET", "reports/7")) as response:
                async for piece in response.iter_bytes():
                    digest.update(piece)
        """
        sent = require(request, Request, PATHS)
        return AnyioStream(self.client, sent, body_receiver(), ReceivingBytes)

    def events(self, target: Request | str, **options: Unpack[EventOptions]) -> AnyioEventStream:
        """Sends a request and reads its answer as an event stream, as `Client.events` does.

            async with client.events("issues/changes") as events:
                async for event in events:
                    print(event.name, event.object)
        """
        receiving = partial(ReceivingEvents, self.client._layouts)
        return AnyioEventStream(
            self.client, request_of(target), event_receiver(**options), receiving
        )

    def batch(self) -> AnyioBatch:
        """Makes a batch session: requests that are sent together.

        Raises ConfigError when the API document has no `batch`.
        """
        return AnyioBatch(self.client.batch())

    async def close(self) -> None:
        """Closes the client: new requests and pending awaits raise ClosedError."""
        self.client.close()

    async def __aenter__(self) -> AnyioClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AnyioClient of {self.client!r}>"


make_coroutine_functions(AnyioClient)


class AnyioPages:
    """The pages of a route; iterating over it gives their objects, one page after the other."""

    def __init__(self, pages: Pages) -> None:
        """For this package: `AnyioClient.pages` makes them."""
        self._pages = pages

    async def __aiter__(self) -> AsyncIterator[Object]:
        async for objects in self.parts():
            for item in objects:
                yield item

    async def parts(self) -> AsyncIterator[Objects]:
        """For this package: returns the objects of each page."""
        page = await self.next_page()
        while page is not None:
            yield page.objects
            page = await self.next_page()

    async def next_page(self) -> Page | None:
        """Requests the next page; returns None after the last one."""
        pages = self._pages
        if not pages.has_next:
            return None

        def start(_: Request, done: object, token: int | None, destroy: object) -> Any:
            function, handle = native.lib.restway_pages_send_next, pages._handle
            layouts = pages._client._layouts
            return make(native.CallHandle, function, handle, done, token, destroy, layouts=layouts)

        no_request = cast(Request, None)  # the library makes the request
        response = await response_of(
            lambda on_done: pages._client._send_told(no_request, on_done, start, None)
        )
        return pages.page_of(response)

    def __repr__(self) -> str:
        return f"<AnyioPages of {self._pages!r}>"
