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
`restway.AsyncClient` does more: it also has streams, events, batches and coroutine functions as
callbacks.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast, overload

import anyio

from .. import _ffi as native
from .._boundary import make
from .._call import Call
from .._client import Client
from .._object import Object, Objects
from .._pages import Page, Pages
from .._request import Request
from .._response import Response
from .._verbs import AwaitedVerbs, T, make_coroutine_functions
from ..values import reading_of_each
from ..values.pages import AsyncPagesInto

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._api import Described
    from .._client import OnDone
    from .._pages import PagedIntoOptions, PagedOptions

__all__ = ["AnyioClient", "AnyioPages"]

Begin = Callable[["OnDone"], Call]
"""Sends a request, with the function that is called when its call has completed."""


def _soon() -> Callable[[Callable[[], object]], object]:
    """Returns the function with which another thread has the running loop call something."""
    try:
        return asyncio.get_running_loop().call_soon_threadsafe
    except RuntimeError:
        import trio

        return trio.lowlevel.current_trio_token().run_sync_soon


async def _response_of(begin: Begin) -> Response:
    """Waits for the call that `begin` makes. If the task is cancelled, the call is cancelled, too.
    """
    done, soon = anyio.Event(), _soon()

    def on_done(_: Call) -> None:
        try:
            soon(done.set)
        except RuntimeError:  # the loop has ended: nobody waits any more
            return

    call = begin(on_done)
    try:
        await done.wait()
    except BaseException:
        call.cancel()
        with anyio.CancelScope(shield=True):
            await done.wait()
        raise
    return call.wait()


class AnyioClient(AwaitedVerbs):
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
        return await _response_of(lambda on_done: self.client.send(request, on_done))

    @overload
    def pages(
        self, target: Request | str, *, into: type[T], **options: Unpack[PagedIntoOptions]
    ) -> AsyncPagesInto[T]: ...
    @overload
    def pages(self, target: Request | str, **options: Unpack[PagedOptions]) -> AnyioPages: ...
    def pages(
        self, target: Request | str, *, into: Any = None, **options: Unpack[PagedIntoOptions]
    ) -> Any:
        """Reads a route page by page, as `Client.pages` does.

            async for issue in client.pages("issues"):
                print(issue.title)
        """
        reading = reading_of_each(into, options)
        pages = AnyioPages(self.client.pages(target, **cast("PagedOptions", options)))
        return pages if reading is None else AsyncPagesInto(pages, reading)

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
        response = await _response_of(
            lambda on_done: pages._client._send_told(no_request, on_done, start, None)
        )
        return pages.page_of(response)
