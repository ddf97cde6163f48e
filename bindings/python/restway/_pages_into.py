"""The pages of a route as values of a class of the program."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from ._base.interfaces import Opens
from ._values.into import T, reading_of_each

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._pages import AwaitedPages, PagedIntoOptions, PagedOptions, Pages
    from ._request import Request
    from ._values.reading import Reading

Awaited = TypeVar("Awaited", bound="AwaitedPages")


class PagesInto(Generic[T]):
    """The values of all objects of a route with pages, for a Client. Iterating over it requests one
    page after the other.

        for issue in client.pages("issues", into=Issue):
            print(issue.title)

    It raises what the iteration over Pages raises, and MappingError for a value that is missing or
    has another type; the path in it begins with the place of the object on its page.
    """

    __slots__ = ("_reading", "pages")

    pages: Pages
    """The pages from which the values come."""

    def __init__(self, pages: Pages, reading: Reading) -> None:
        """For this package: `Client.pages` and `Scope.pages` make these."""
        pages._expect(reading)
        self.pages = pages
        self._reading = reading

    def __iter__(self) -> Iterator[T]:
        return self.pages.each(lambda page: self._reading.read(page.objects_to_read))

    def __repr__(self) -> str:
        return f"<PagesInto, {self.pages!r}>"


class AsyncPagesInto(Generic[T]):
    """The values of all objects of a route with pages, for a client whose calls are awaited.
    Iterating over it requests one page after the other.

        async for issue in client.pages("issues", into=Issue):
            print(issue.title)

    It raises what PagesInto raises. Cancelling the task cancels the call of the page.
    """

    __slots__ = ("_reading", "pages")

    pages: AwaitedPages
    """The pages from which the values come."""

    def __init__(self, pages: AwaitedPages, reading: Reading) -> None:
        """For this package: clients and scopes whose calls are awaited make these."""
        pages._expect(reading)
        self.pages = pages
        self._reading = reading

    def __aiter__(self) -> AsyncIterator[T]:
        return self.pages.each(lambda page: self._reading.read(page.objects_to_read))

    def __repr__(self) -> str:
        return f"<AsyncPagesInto, {self.pages!r}>"


class GivesPages(Opens):
    """The method `pages` of clients and scopes that block."""

    __slots__ = ()

    @abstractmethod
    def _pages_of(self, target: Request | str, options: PagedOptions) -> Pages:
        """Makes the pages of a route."""

    @overload
    def pages(
        self, target: Request | str, *, into: type[T], **options: Unpack[PagedIntoOptions]
    ) -> PagesInto[T]: ...
    @overload
    def pages(self, target: Request | str, **options: Unpack[PagedOptions]) -> Pages: ...
    def pages(
        self, target: Request | str, *, into: Any = None, **options: Unpack[PagedIntoOptions]
    ) -> Any:
        reading = reading_of_each(into, options)
        pages = self._pages_of(target, options)
        return pages if reading is None else PagesInto(pages, reading)


class GivesAwaitedPages(Opens, Generic[Awaited]):
    """The method `pages` of clients and scopes whose calls are awaited."""

    __slots__ = ()

    @abstractmethod
    def _pages_of(self, target: Request | str, options: PagedOptions) -> Awaited:
        """Makes the pages of a route."""

    @overload
    def pages(
        self, target: Request | str, *, into: type[T], **options: Unpack[PagedIntoOptions]
    ) -> AsyncPagesInto[T]: ...
    @overload
    def pages(self, target: Request | str, **options: Unpack[PagedOptions]) -> Awaited: ...
    def pages(
        self, target: Request | str, *, into: Any = None, **options: Unpack[PagedIntoOptions]
    ) -> Any:
        reading = reading_of_each(into, options)
        pages = self._pages_of(target, options)
        return pages if reading is None else AsyncPagesInto(pages, reading)
