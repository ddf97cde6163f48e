"""Pages of a route and lists that the store keeps of them, in the loop of anyio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

from .. import _ffi as native
from .._call import Call
from .._exceptions import RestwayError
from .._handles import make
from .._object import Objects
from .._pages import AsyncItemIterator, Page, PagedList, PagedListMethods, Pages, PagesMethods, T
from .._request import Request
from .._response import Response
from ._waiting import Told, response_of, until_told

if TYPE_CHECKING:
    from .._types import BlockingClient
    from .._values.reading import Reading


class AnyioPages(PagesMethods):
    """The pages of a route; iterating over it gives their objects, one page after the other."""

    def __init__(self, pages: Pages) -> None:
        """For this package: `AnyioClient.pages` makes them."""
        self._pages = pages

    def _expect(self, reading: Reading) -> None:
        self._pages._expect(reading)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self.each(lambda page: page.items)

    def each(self, read: Callable[[Page], Iterable[T]]) -> AsyncIterator[T]:
        return AsyncItemIterator(self, read)

    async def next_page(self) -> Page | None:
        pages = self._pages
        if not pages.has_next:
            return None
        function = native.lib.restway_pages_send_next
        try:
            response = await _sent(pages._client, function, pages._handle)
        except RestwayError:
            if pages.has_next:
                self.end_counting()
                raise
            return None  # the server has answered that the page before was the last one
        except BaseException:
            self.end_counting()
            raise
        return pages.page_of(response)

    def end_counting(self) -> None:
        self._pages.end_counting()

    def __repr__(self) -> str:
        return f"<AnyioPages of {self._pages!r}>"


class AnyioPagedList(PagedListMethods):
    """The objects of all pages of a request, as a list that the store keeps."""

    def __init__(self, kept: PagedList) -> None:
        """For this package: `AnyioClient.list` makes them."""
        self.list = kept
        """The list behind it, for all that does not wait: its objects, and observers."""

    @property
    def objects(self) -> Objects:
        return self.list.objects

    @property
    def is_complete(self) -> bool:
        return self.list.is_complete

    async def load_more(self) -> Response | None:
        kept = self.list
        if kept.is_complete:
            return None
        calls: list[Call] = []
        problems: list[RestwayError | None] = []

        def send(told: Told) -> Told:
            def added(problem: RestwayError | None) -> None:
                problems.append(problem)
                told()

            calls.append(kept.send_page(added))
            return calls[0].cancel

        await until_told(send)
        problem = problems[0]
        if problem is None:
            return calls[0].wait()
        if kept.is_complete:
            return None
        raise problem

    def __repr__(self) -> str:
        return f"<AnyioPagedList of {self.list!r}>"


async def _sent(client: BlockingClient, function: Any, handle: native.Handle) -> Response:
    """Sends the request for a page with a function of the library, and waits for its response."""

    def start(_: Request, done: object, token: int | None, destroy: object) -> Any:
        layouts = client._layouts
        return make(native.CallHandle, function, handle, done, token, destroy, layouts=layouts)

    no_request = cast(Request, None)  # the library makes the request
    return await response_of(lambda on_done: client._send_told(no_request, on_done, start, None))
