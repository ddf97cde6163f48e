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

from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .._base.hints import PATHS, require
from .._base.interfaces import ClientMethods
from .._client import Client
from .._pages_into import GivesAwaitedPages
from .._request import Request
from .._response import Response
from .._stream import ReceivingBytes, ReceivingEvents, body_receiver, event_receiver, request_of
from .._verbs import AwaitedVerbs, make_coroutine_functions
from ._batch import AnyioBatch
from ._outbox import AnyioOutbox
from ._pages import AnyioPagedList, AnyioPages
from ._streams import AnyioEventStream, AnyioStream
from ._waiting import response_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._api import Described
    from .._body import RequestOptions
    from .._pages import PagedOptions
    from .._stream import EventOptions
    from .._values.reading import Reading

__all__ = [
    "AnyioBatch",
    "AnyioClient",
    "AnyioEventStream",
    "AnyioOutbox",
    "AnyioPagedList",
    "AnyioPages",
    "AnyioStream",
]


class AnyioClient(AwaitedVerbs, GivesAwaitedPages["AnyioPages"], ClientMethods):
    """A client whose calls are awaited in the loop of anyio: of trio, or of asyncio.

    Its keywords are the keywords of `Client`, except `delivery`. It is not bound to one loop.
    Cancelling the scope in which a call is awaited cancels the call.
    """

    def __init__(self, api: Described, environment: str | None = None, **options: Any) -> None:
        if "delivery" in options:
            raise TypeError("an AnyioClient has no delivery mode: its calls are awaited")
        self.client = Client(api, environment, **options)
        """The client behind it, for all that does not wait: its store, drafts and observers."""

    def _expect(self, request: Request, reading: Reading) -> None:
        self.client._expect(request, reading)

    async def _performed(self, request: Request) -> Response:
        return await response_of(lambda on_done: self.client.send(request, on_done))

    def _pages_of(self, target: Request | str, options: PagedOptions) -> AnyioPages:
        return AnyioPages(self.client.pages(target, **options))

    def list(self, target: Request | str, **options: Unpack[RequestOptions]) -> AnyioPagedList:
        return AnyioPagedList(self.client.list(target, **options))

    @property
    def outbox(self) -> AnyioOutbox:
        return AnyioOutbox(self.client.outbox)

    def stream(self, request: Request) -> AnyioStream:
        sent = require(request, Request, PATHS)
        return AnyioStream(self.client, sent, body_receiver(), ReceivingBytes)

    def events(self, target: Request | str, **options: Unpack[EventOptions]) -> AnyioEventStream:
        receiving = partial(ReceivingEvents, self.client._layouts)
        return AnyioEventStream(
            self.client, request_of(target), event_receiver(**options), receiving
        )

    def batch(self) -> AnyioBatch:
        return AnyioBatch(self.client.batch())

    async def close(self) -> None:
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
