"""The pages of a route: its objects, and the answers that have them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypedDict, TypeVar, cast

from . import _ffi as native
from ._base.interfaces import OneText
from ._base.lazy import asyncio
from ._body import CallOptions, RequestOptions
from ._call import Call
from ._enums import Delivery
from ._exceptions import RestwayError
from ._ffi.callbacks import completions, contexts
from ._ffi.options import PAGE_OPTIONS
from ._ffi.trampolines import on_done_destroy, on_done_function
from ._handles import Owner, check, failure, make, set_numbers
from ._handles.waiting import Result
from ._object import Objects
from ._request import Request
from ._response import Response
from ._values import IntoOptions
from .progress import OnNumbers, Reported, Wanted, reporting

if TYPE_CHECKING:
    from ._request import Scoped
    from ._types import AnyClient, AwaitedClient, BlockingClient
    from ._values.reading import Reading

T = TypeVar("T")

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

    __slots__ = ("is_last", "number", "objects", "offset", "response", "total", "values")

    objects: Objects
    """The objects of the first response descriptor that applies, as far as `objects_max` goes."""
    values: list[Any]
    """The values of the page, if the first response descriptor describes a value: the elements of a
    list, the values of a map, or a single value. Empty for a page of objects.
    """
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
        # Only a page of values counts more than its objects.
        is_of_values = read.object_count > len(self.objects)
        self.values = _listed(response.value)[: read.object_count] if is_of_values else []
        self.number = read.number
        self.offset = None if read.offset < 0 else read.offset
        self.total = None if read.total < 0 else read.total
        self.is_last = bool(read.is_last)

    @property
    def items(self) -> Iterable[Any]:
        """The elements that an iteration over the pages gives of this page: its objects, or its
        values.
        """
        return self.values or self.objects

    @property
    def objects_to_read(self) -> Objects:
        """For this package: the objects, which `into` reads."""
        if self.values:
            raise TypeError("the pages of this route have values, which are read without `into`")
        return self.objects

    def __repr__(self) -> str:
        if self.values:
            return f"<Page {self.number}, {len(self.values)} values>"
        return f"<Page {self.number}, {len(self.objects)} objects>"


def _listed(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else [value]


class _Counting:
    """Reports how many objects have come, as the keyword `progress` asks for it."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._stack = ExitStack()
        self._tell: OnNumbers | None = None
        self._done = 0

    def add(self, page: Page, is_last: bool) -> None:
        """Reports a page."""
        self._done += len(page.values or page.objects)
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


class PagesMethods(OneText, ABC):
    """The methods of pages that wait, or are awaited."""

    __slots__ = ()

    @abstractmethod
    def next_page(self, *arguments: Any, **options: Any) -> Any:
        """Requests the next page and waits for it; returns None after the last one.

        Args:
            timeout: As for `perform`, which waits for a limited time only where a client blocks.
        """

    @abstractmethod
    def each(self, read: Callable[[Page], Iterable[T]]) -> Any:
        """For this package: iterates over what `read` gives of each page."""

    @abstractmethod
    def end_counting(self) -> None:
        """For this package: closes the bar, because a loop has ended."""


class PagesBase(PagesMethods, Owner[native.PagesHandle]):
    """The part that Pages and AsyncPages have in common."""

    __slots__ = ("_client", "_counting", "_request")

    _made_by = "`pages` of a client makes it"

    def __init__(
        self,
        client: AnyClient,
        target: Request | str,
        options: PagedOptions,
        scoped: Scoped | None = None,
    ) -> None:
        """For this package: `Client.pages` and `Scope.pages` make pages."""
        read = native.PageOptions()
        check(native.lib.restway_page_options_init, native.ref(read), native.size_of(read))
        numbers = {"pages_max": options.pop("pages_max", None)}
        numbers["objects_max"] = options.pop("objects_max", None)
        set_numbers(read, PAGE_OPTIONS, numbers)
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
        self._request = request

    def _expect(self, reading: Reading) -> None:
        self._client._expect(self._request, reading)

    @property
    @abstractmethod
    def pages(self) -> Any:
        """The pages themselves, from the first one that was not asked for yet.

            for page in client.pages("issues").pages:  # or `async for`
                print(page.offset, page.total, len(page.objects))
        """

    @property
    def has_next(self) -> bool:
        """Whether a page can be asked for. It is also true if the next page leads to an error."""
        return bool(native.lib.restway_pages_has_next(self._handle))

    def page_of(self, response: Response) -> Page:
        """For this package: returns the page that came last, and reports it."""
        page = Page(response, self._handle)
        self._counting.add(page, not self.has_next)
        return page

    def end_counting(self) -> None:
        self._counting.end()

    def __repr__(self) -> str:
        kind = type(self).__name__
        if self._owned is None:
            return f"<{kind}, closed>"
        return f"<{kind}, {'a page can be asked for' if self.has_next else 'all pages have come'}>"

    def cancel(self) -> None:
        """Cancels the call for the next page, if it is on its way. The page can be asked for again.
        """
        native.lib.restway_pages_cancel(self._handle)


class _HasPages(Protocol):
    """Pages that are requested one after the other."""

    def next_page(self) -> Page | None: ...
    def end_counting(self) -> None: ...


class AwaitedPages(Protocol):
    """Pages that are awaited one after the other: of an AsyncClient, or of an AnyioClient."""

    def __aiter__(self) -> AsyncIterator[Any]: ...
    def each(self, read: Callable[[Page], Iterable[T]]) -> AsyncIterator[T]: ...
    def next_page(self) -> Awaitable[Page | None]: ...
    def end_counting(self) -> None: ...
    def _expect(self, reading: Reading) -> None: ...


_END: Any = object()


class _Items(Generic[T]):
    """The rest of a page. If it cannot be read, it raises the same error again."""

    def __init__(self, read: Callable[[Page], Iterable[T]]) -> None:
        self._read = read
        self._rest: Iterator[T] = iter(())
        self._failure: Exception | None = None

    def begin(self, page: Page) -> None:
        self._rest = iter(self._read(page))

    def next(self) -> T:
        """Returns the next item of the page, or `_END`."""
        if self._failure is not None:
            raise self._failure
        try:
            return next(self._rest, _END)
        except Exception as error:
            self._failure = error
            raise


class PageIterator(Iterator[Page]):
    """For this package: the pages of a route. After an error, it asks for the same page again."""

    __slots__ = ("_pages",)

    def __init__(self, pages: _HasPages) -> None:
        self._pages = pages

    def __next__(self) -> Page:
        page = self._pages.next_page()
        if page is None:
            raise StopIteration
        return page


class ItemIterator(Iterator[T]):
    """For this package: what `read` gives of each page. After an error, it goes on with the same
    page.
    """

    __slots__ = ("_items", "_pages")

    def __init__(self, pages: _HasPages, read: Callable[[Page], Iterable[T]]) -> None:
        self._pages = pages
        self._items = _Items(read)

    def __next__(self) -> T:
        while (item := self._items.next()) is _END:
            page = self._pages.next_page()
            if page is None:
                raise StopIteration
            self._items.begin(page)
        return item

    def __del__(self) -> None:
        self._pages.end_counting()


class AsyncPageIterator(AsyncIterator[Page]):
    """For this package: the pages of a route. After an error, it asks for the same page again."""

    __slots__ = ("_pages",)

    def __init__(self, pages: AwaitedPages) -> None:
        self._pages = pages

    async def __anext__(self) -> Page:
        page = await self._pages.next_page()
        if page is None:
            raise StopAsyncIteration
        return page


class AsyncItemIterator(AsyncIterator[T]):
    """For this package: what `read` gives of each page. After an error, it goes on with the same
    page.
    """

    __slots__ = ("_items", "_pages")

    def __init__(self, pages: AwaitedPages, read: Callable[[Page], Iterable[T]]) -> None:
        self._pages = pages
        self._items = _Items(read)

    async def __anext__(self) -> T:
        while (item := self._items.next()) is _END:
            page = await self._pages.next_page()
            if page is None:
                raise StopAsyncIteration
            self._items.begin(page)
        return item

    def __del__(self) -> None:
        self._pages.end_counting()


class Pages(PagesBase):
    """The pages of a route, for a Client. Iterating over it gives their objects, one page after the
    other.

        for issue in client.pages("issues", variables={"owner": "octo"}):
            print(issue.title)

    Raises, while it iterates, what `Client.perform` raises; ProtocolError if a page leads back to
    an earlier one, or has the objects of the page before it; MappingError if an answer has a value
    of another kind than the document says; InvalidURLError if it leads to an origin that is not
    trusted. After a failed call, the same iterator goes on with the same page. Pages of a route
    whose response is a value give values.
    """

    __slots__ = ()
    _client: BlockingClient

    def __iter__(self) -> Iterator[Any]:
        return self.each(_items_of)

    def each(self, read: Callable[[Page], Iterable[T]]) -> Iterator[T]:
        return ItemIterator(self, read)

    @property
    def pages(self) -> Iterator[Page]:
        return PageIterator(self)

    def next_page(self, timeout: float | None = None) -> Page | None:
        client, handle = self._client, self._handle
        if not self.has_next:
            return None
        call = _send(client, native.lib.restway_pages_send_next, handle)
        try:
            response = call.wait(timeout)
        except RestwayError:
            if self.has_next:
                self.end_counting()
                raise
            return None  # the server has answered that the page before was the last one
        except BaseException:
            self.end_counting()
            raise
        return self.page_of(response)


class AsyncPages(PagesBase):
    """The pages of a route, for an AsyncClient. Iterating over it gives their objects, one page
    after the other.

        async for issue in client.pages("issues", variables={"owner": "octo"}):
            print(issue.title)

    It raises what Pages raises. Cancelling the task cancels the call of the page.
    """

    __slots__ = ()
    _client: AwaitedClient

    def __aiter__(self) -> AsyncIterator[Any]:
        return self.each(_items_of)

    def each(self, read: Callable[[Page], Iterable[T]]) -> AsyncIterator[T]:
        return AsyncItemIterator(self, read)

    @property
    def pages(self) -> AsyncIterator[Page]:
        return AsyncPageIterator(self)

    async def next_page(self) -> Page | None:
        client, handle = self._client, self._handle
        if not self.has_next:
            return None
        send = native.bare.restway_pages_send_next
        try:
            response = await _next(client, partial(client._linked().send_page, send, handle))
        except RestwayError:
            if self.has_next:
                self.end_counting()
                raise
            return None  # the server has answered that the page before was the last one
        except BaseException:
            self.end_counting()
            raise
        return self.page_of(response)


def _items_of(page: Page) -> Iterable[Any]:
    return page.items


class PagedListMethods(OneText, ABC):
    """The properties of every list of the objects of all pages."""

    __slots__ = ()

    @property
    @abstractmethod
    def objects(self) -> Objects:
        """The newest snapshots of the objects of all pages that were loaded, in their order. An
        object that came on several pages stands at its last place. Deleted objects are left out.
        """

    @property
    @abstractmethod
    def is_complete(self) -> bool:
        """Whether the list has all pages."""

    @abstractmethod
    def load_more(self, *arguments: Any, **options: Any) -> Any:
        """Requests the next page, adds its objects, and returns its answer; returns None if the
        list is complete.

        Args:
            timeout: As for `perform`, which waits for a limited time only where a client blocks.

        Raises what the iteration over Pages raises; StoreError if the page could not be added.
        After an error, the same page can be loaded again.
        """


class PagedListBase(PagedListMethods, Owner[native.PagedListHandle]):
    """The part that PagedList and AsyncPagedList have in common."""

    __slots__ = ("_client",)

    _made_by = "`list` of a client makes it"

    def __init__(
        self,
        client: AnyClient,
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
        function = native.lib.restway_paged_list_objects
        return Objects(make(native.ListHandle, function, self._handle), None, self._client._layouts)

    @property
    def is_complete(self) -> bool:
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
    _client: BlockingClient

    def load_more(self, timeout: float | None = None) -> Response | None:
        if self.is_complete:
            return None
        try:
            return self._load(timeout)
        except RestwayError:
            if not self.is_complete:
                raise
            return None

    def _load(self, timeout: float | None) -> Response:
        added: Result[RestwayError | None] = Result()
        response = self.send_page(added.set).wait(timeout)
        problem = added.wait(self._client, None, "the page")
        if problem is not None:
            raise problem
        return response

    def send_page(self, added: Callable[[RestwayError | None], object]) -> Call:
        """For this package: requests the next page. `added` gets the error with which this ends, or
        None: only a callback learns that a page has come but could not be added to the list.
        """
        layouts = self._client._layouts

        def run(_: native.CallHandle, status: int, error: native.ErrorHandle) -> None:
            added(failure(status, error, layouts) if status else None)

        token = completions.add(run, run)
        contexts.keep(token, self._client._holding)
        told = (on_done_function, token, on_done_destroy)
        send = native.lib.restway_paged_list_send
        try:
            handle = make(native.CallHandle, send, self._handle, *told, layouts=layouts)
        except BaseException:
            contexts.drop(token)
            completions.remove(token)
            raise
        return Call(handle, self._client)


class AsyncPagedList(PagedListBase):
    """The objects of all pages of a request, as a list that the store keeps; for an AsyncClient.

        issues = client.list("issues", variables={"owner": "octo"})
        await issues.load_more()
    """

    __slots__ = ()
    _client: AwaitedClient

    async def load_more(self) -> Response | None:
        client = self._client
        if self.is_complete:
            return None
        send = native.bare.restway_paged_list_send
        try:
            return await _next(client, partial(client._linked().send_page, send, self._handle))
        except RestwayError:
            if not self.is_complete:
                raise
            return None


async def _next(client: AwaitedClient, send: Send) -> Response:
    """Sends the request for a page with `send`, and waits for its response."""
    future, call = send()
    try:
        return await future
    except asyncio.CancelledError:
        native.lib.restway_call_cancel(call)
        raise
    finally:
        del call  # the traceback of an exception would keep the client alive


def _send(client: BlockingClient, function: Any, pages: native.Handle) -> Call:
    """Sends the request for a page. The call can be waited for so that signals are handled."""

    def start(_: object, *told: object) -> native.CallHandle:
        return make(native.CallHandle, function, pages, *told, layouts=client._layouts)

    if client._delivery is Delivery.PROCESS:  # its notices would wait for `process`
        return Call(start(None, native.NULL_DONE, None, native.NULL_DESTROY), client)
    return client._send_told(None, None, start, None)


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
