"""The pages of a route as values of a class of the program."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Generic

from .into import T

if TYPE_CHECKING:
    from .._pages import AsyncPages, Pages
    from ..anyio import AnyioPages
    from .reading import Reading


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
        self.pages = pages
        self._reading = reading

    def __iter__(self) -> Iterator[T]:
        for objects in self.pages.parts():
            yield from self._reading.read(objects)

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

    pages: AsyncPages | AnyioPages
    """The pages from which the values come."""

    def __init__(self, pages: AsyncPages | AnyioPages, reading: Reading) -> None:
        """For this package: clients and scopes whose calls are awaited make these."""
        self.pages = pages
        self._reading = reading

    async def __aiter__(self) -> AsyncIterator[T]:
        async for objects in self.pages.parts():
            for value in self._reading.read(objects):
                yield value

    def __repr__(self) -> str:
        return f"<AsyncPagesInto, {self.pages!r}>"
