"""The pages of a route: its objects, and the answers that have them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, cast

from . import _ffi as native
from ._body import CallOptions, RequestOptions
from ._boundary import Owner, check, make
from ._call import Call
from ._lazy import asyncio
from ._object import Object, Objects
from ._request import Request
from ._response import Response
from .progress import OnNumbers, Reported, Wanted, reporting
from .values import IntoOptions

if TYPE_CHECKING:
    from ._async_client import AsyncClient
    from ._client import Client
    from ._client_base import ClientBase


Scoped = Callable[[Request], Request]
"""Returns a copy of a request whose variables a scope fills."""

Send = Callable[[], "tuple[asyncio.Future[Response], native.CallHandle]"]
"""Sends the request for a page, and returns its future and its call."""


class PageOptions(TypedDict, total=False):
    """How pages are requested."""

    pages_max: int | None
    """The most pages that are requested; None for no bound."""
    objects_max: int | None
    """The most objects that the program gets; None for no bound. The last page ends there."""
    prefetch: bool
    """Whether the next page is requested while the program uses one."""
    progress: Reported
    """True shows a bar of the objects on a terminal (`restway.progress`); a function receives the
    number of objects so far, and their total or None.
    """


class PagedCallOptions(PageOptions, CallOptions, total=False):
    """How pages are requested, and what their requests have but for `variables`."""


class PagedCallIntoOptions(IntoOptions, PagedCallOptions, total=False):
    """The keywords that go with `into`, and those of `PagedCallOptions`."""


class PagedOptions(PagedCallOptions, RequestOptions, total=False):
    """How pages are requested, and what their requests have."""


class PagedIntoOptions(IntoOptions, PagedOptions, total=False):
    """The keywords that go with `into`, and those of `PagedOptions`."""


class Page:
    """One answer of a route with pages."""

    __slots__ = ("is_last", "number", "objects", "offset", "response", "total")

    objects: Objects
    """The objects of the first response descriptor that applies, as far as `objects_max` goes."""
    response: Response
    """The whole answer."""
    number: int
    """The number of pages that came before it."""
    offset: int | None
    """The number of objects before the page; None if it is not known."""
    total: int | None
    """The number of objects on all pages, as the API says; None if it does not say."""
    is_last: bool
    """Whether the API has no more pages. A bound makes no last page."""

    def __init__(self, response: Response, pages: native.PagesHandle) -> None:
        """For this package: reads the page that came last."""
        listed = make(native.ListHandle, native.lib.restway_pages_objects, pages)
        read = native.Page()
        check(native.lib.restway_page_init, native.ref(read), native.size_of(read))
        check(native.lib.restway_pages_position, pages, native.ref(read))
        self.objects = Objects(listed, None, response._layouts)
        self.response = response
        self.number = read.number
        self.offset = None if read.offset < 0 else read.offset
        self.total = None if read.total < 0 else read.total
        self.is_last = bool(read.is_last)

    def __repr__(self) -> str:
        return f"<Page {self.number}, {len(self.objects)} objects>"


class _Counting:
    """Reports how many objects have come, as the keyword `progress` asks for it."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._stack = ExitStack()
        self._tell: OnNumbers | None = None
        self._done = 0

    def add(self, page: Page, is_last: bool) -> None:
        """Reports a page."""
        self._done += len(page.objects)
        if self._tell is None:
            self._tell = self._stack.enter_context(reporting(self._wanted, "pages", "objects"))
        if self._tell is not None:
            self._tell(self._done, page.total)
        if is_last:
            self.end()

    def end(self) -> None:
        """Closes the bar; a later page begins another one."""
        self._tell = None
        self._stack.close()


class PagesBase(Owner[native.PagesHandle]):
    """The part that Pages and AsyncPages have in common."""

    __slots__ = ("_client", "_counting")

    _made_by = "`pages` of a client makes it"

    def __init__(
        self,
        client: ClientBase,
        target: Request | str,
        options: PagedOptions,
        scoped: Scoped | None = None,
    ) -> None:
        """For this package: `Client.pages` and `Scope.pages` make pages."""
        read = native.PageOptions()
        check(native.lib.restway_page_options_init, native.ref(read), native.size_of(read))
        read.pages_max = _bound("pages_max", options.pop("pages_max", None))
        read.objects_max = _bound("objects_max", options.pop("objects_max", None))
        read.prefetch = options.pop("prefetch", False)
        self._counting = _Counting(options.pop("progress", None))
        request = _request(target, cast(RequestOptions, options), scoped)
        super().__init__(
            make(
                native.PagesHandle,
                native.lib.restway_client_pages,
                client._handle,
                request._handle,
                native.ref(read),
            )
        )
        self._client = client

    @property
    def has_next(self) -> bool:
        """Whether a page can be asked for. It is also true if the next page leads to an error."""
        return bool(native.lib.restway_pages_has_next(self._handle))

    def page_of(self, response: Response) -> Page:
        """For this package: returns the page that came last, and reports it."""
        page = Page(response, self._handle)
        self._counting.add(page, not self.has_next)
        return page

    def __repr__(self) -> str:
        kind = type(self).__name__
        if self._owned is None:
            return f"<{kind}, closed>"
        return f"<{kind}, {'a page can be asked for' if self.has_next else 'all pages have come'}>"

    def cancel(self) -> None:
        """Cancels the call for the next page, if it is on its way. The page can be asked for again.
        """
        native.lib.restway_pages_cancel(self._handle)


class Pages(PagesBase):
    """The pages of a route, for a Client. Iterating over it gives their objects, one page after the
    other.

        for issue in client.pages("issues", variables={"owner": "octo"}):
            print(issue.title)

    Raises, while it iterates, what `Client.perform` raises; ProtocolError if a page leads back to
    an earlier one, or has the objects of the page before it; MappingError if an answer has a value
    of another kind than the document says; InvalidURLError if it leads to an origin that is not
    trusted. After a failed call, the iteration goes on with the same page.
    """

    __slots__ = ()
    _client: Client

    def __iter__(self) -> Iterator[Object]:
        for objects in self.parts():
            yield from objects

    def parts(self) -> Iterator[Objects]:
        """For this package: returns the objects of each page, and closes the bar at the end."""
        try:
            for page in self.pages:
                yield page.objects
        finally:
            self._counting.end()

    @property
    def pages(self) -> Iterator[Page]:
        """The pages themselves, from the first one that was not asked for yet.

            for page in client.pages("issues").pages:
                print(page.offset, page.total, len(page.objects))
        """
        page = self.next_page()
        while page is not None:
            yield page
            page = self.next_page()

    def next_page(self, timeout: float | None = None) -> Page | None:
        """Requests the next page and waits for it; returns None after the last one.

        Args:
            timeout: As for `Client.perform`.
        """
        client, handle = self._client, self._handle
        if not self.has_next:
            return None
        call = _send(client, native.lib.restway_pages_send_next, handle)
        return self.page_of(call.wait(timeout))


class AsyncPages(PagesBase):
    """The pages of a route, for an AsyncClient. Iterating over it gives their objects, one page
    after the other.

        async for issue in client.pages("issues", variables={"owner": "octo"}):
            print(issue.title)

    It raises what Pages raises. Cancelling the task cancels the call of the page.
    """

    __slots__ = ()
    _client: AsyncClient

    async def __aiter__(self) -> AsyncIterator[Object]:
        async for objects in self.parts():
            for item in objects:
                yield item

    async def parts(self) -> AsyncIterator[Objects]:
        """For this package: returns the objects of each page, and closes the bar at the end."""
        try:
            async for page in self.pages:
                yield page.objects
        finally:
            self._counting.end()

    @property
    async def pages(self) -> AsyncIterator[Page]:
        """The pages themselves, from the first one that was not asked for yet.

            async for page in client.pages("issues").pages:
                print(page.offset, page.total, len(page.objects))
        """
        page = await self.next_page()
        while page is not None:
            yield page
            page = await self.next_page()

    async def next_page(self) -> Page | None:
        """Requests the next page; returns None after the last one."""
        client, handle = self._client, self._handle
        if not self.has_next:
            return None
        send = native.bare.restway_pages_send_next
        response = await _next(client, partial(client._linked().send_page, send, handle))
        return self.page_of(response)


class PagedListBase(Owner[native.PagedListHandle]):
    """The part that PagedList and AsyncPagedList have in common."""

    __slots__ = ("_client",)

    _made_by = "`list` of a client makes it"

    def __init__(
        self,
        client: ClientBase,
        target: Request | str,
        options: RequestOptions,
        scoped: Scoped | None = None,
    ) -> None:
        """For this package: `Client.list` and `Scope.list` open lists."""
        super().__init__(
            make(
                native.PagedListHandle,
                native.lib.restway_client_paged_list,
                client._handle,
                _request(target, options, scoped)._handle,
            )
        )
        self._client = client

    @property
    def objects(self) -> Objects:
        """The newest snapshots of the objects of all pages that were loaded, in their order. An
        object that came on several pages stands at its last place. Deleted objects are left out.
        """
        function = native.lib.restway_paged_list_objects
        return Objects(make(native.ListHandle, function, self._handle), None, self._client._layouts)

    @property
    def is_complete(self) -> bool:
        """Whether the list has all pages."""
        return bool(native.lib.restway_paged_list_is_complete(self._handle))

    @property
    def total(self) -> int | None:
        """The number of objects on all pages, as the API has said last; None if it has not said."""
        total: int = native.lib.restway_paged_list_total(self._handle)
        return None if total < 0 else total

    def __repr__(self) -> str:
        kind = type(self).__name__
        if self._owned is None:
            return f"<{kind}, closed>"
        state = "complete" if self.is_complete else "not complete"
        return f"<{kind}, {len(self.objects)} objects, {state}>"

    def _start_observing(self, changed: Any, token: int, destroy: Any) -> native.ObserverHandle:
        """For `observe` of the client, which may be given the list."""
        start = native.lib.restway_paged_list_observe
        return make(native.ObserverHandle, start, self._handle, changed, token, destroy)

    def restart(self) -> None:
        """Lets the next page that is loaded be the first one again: it replaces all objects. Until
        it has come, the list stays as it is.
        """
        native.lib.restway_paged_list_restart(self._handle)


class PagedList(PagedListBase):
    """The objects of all pages of a request, as a list that the store keeps; for a Client. It can
    be read without a network, and goes on after a restart.

        issues = client.list("issues", variables={"owner": "octo"})
        while not issues.is_complete and len(issues.objects) < 200:
            issues.load_more()
        for issue in issues.objects:
            print(issue.title)

    `client.observe(on_change, issues)` observes it: `on_change` is called for each transaction that
    changes one of its objects, and for each page that is added.
    """

    __slots__ = ()
    _client: Client

    def load_more(self, timeout: float | None = None) -> Response | None:
        """Requests the next page, adds its objects, and returns its answer; returns None if the
        list is complete.

        Args:
            timeout: As for `Client.perform`.

        Raises what the iteration over Pages raises; StoreError if the page could not be added.
        After an error, the same page can be loaded again.
        """
        if self.is_complete:
            return None
        return _send(self._client, native.lib.restway_paged_list_send, self._handle).wait(timeout)


class AsyncPagedList(PagedListBase):
    """The objects of all pages of a request, as a list that the store keeps; for an AsyncClient.

        issues = client.list("issues", variables={"owner": "octo"})
        await issues.load_more()
    """

    __slots__ = ()
    _client: AsyncClient

    async def load_more(self) -> Response | None:
        """Requests the next page, adds its objects, and returns its answer; returns None if the
        list is complete. It raises what `PagedList.load_more` raises.
        """
        client = self._client
        if self.is_complete:
            return None
        send = native.bare.restway_paged_list_send
        return await _next(client, partial(client._linked().send_page, send, self._handle))


async def _next(client: AsyncClient, send: Send) -> Response:
    """Sends the request for a page with `send`, and waits for its response."""
    future, call = send()
    try:
        return await future
    except asyncio.CancelledError:
        native.lib.restway_call_cancel(call)
        raise
    finally:
        del call  # the traceback of an exception would keep the client alive


def _send(client: Client, function: Any, pages: native.Handle) -> Call:
    """Sends the request for a page. The call can be waited for so that signals are handled."""
    nobody = (native.NULL_DONE, None, native.NULL_DESTROY)
    return Call(make(native.CallHandle, function, pages, *nobody, layouts=client._layouts), client)


def _request(
    target: Request | str, options: RequestOptions, scoped: Scoped | None
) -> Request:
    if isinstance(target, Request):
        if options:
            raise TypeError("a Request has its options already")
        request = target
    elif isinstance(target, str):
        request = Request.route(target, **options)
    else:
        kind = type(target).__name__
        raise TypeError(f"pages are of the name of a route or of a Request, not {kind}")
    return request if scoped is None else scoped(request)


def _bound(what: str, value: int | None) -> int:
    if value is not None and value <= 0:
        raise ValueError(f"{what} is more than 0, not {value}")
    return value or 0
