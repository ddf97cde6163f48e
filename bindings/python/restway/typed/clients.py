"""The classes on which the clients, stores, pages and lists of generated modules build. Like those
of `entities`, they exist for type checkers, and have no objects of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from .._async_client import AsyncClient
from .._client import Client
from .._object import Object
from .._observers import QueryChanges, QueryObserver
from .._pages import AsyncPagedList, AsyncPages, Page, PagedList, Pages
from .._store import Store
from .entities import Kind, TypedObjects, TypedQuery

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

Found = TypeVar("Found", bound=Object)


class TypedStore(Store):
    """The base of stores that know the entities of a document."""

    if TYPE_CHECKING:

        def newest(self, object: Found) -> Found | None: ...

        def confirmed(self, object: Found) -> Found | None: ...


class TypedQueryChanges(QueryChanges, Generic[Kind]):
    """Changes in the result of a query for objects of one entity, as `QueryChanges`."""

    if TYPE_CHECKING:
        objects: TypedObjects[Kind]  # type: ignore[assignment]


class TypedQueryObserver(QueryObserver, Generic[Kind]):
    """An observer of a query for objects of one entity, as `QueryObserver`."""

    if TYPE_CHECKING:

        @property
        def objects(self) -> TypedObjects[Kind]: ...  # type: ignore[override]


class TypedPage(Page, Generic[Kind]):
    """A page with objects of one entity, as `Page`."""

    if TYPE_CHECKING:
        objects: TypedObjects[Kind]  # type: ignore[assignment]


class TypedPages(Pages, Generic[Kind]):
    """Pages with objects of one entity, as `Pages`."""

    if TYPE_CHECKING:

        def __iter__(self) -> Iterator[Kind]: ...

        @property
        def pages(self) -> Iterator[TypedPage[Kind]]: ...

        def next_page(self, timeout: float | None = None) -> TypedPage[Kind] | None: ...


class TypedAsyncPages(AsyncPages, Generic[Kind]):
    """Pages with objects of one entity, as `AsyncPages`."""

    if TYPE_CHECKING:

        def __aiter__(self) -> AsyncIterator[Kind]: ...

        @property
        def pages(self) -> AsyncIterator[TypedPage[Kind]]: ...

        async def next_page(self) -> TypedPage[Kind] | None: ...


class TypedPagedList(PagedList, Generic[Kind]):
    """A list of objects of one entity, as `PagedList`."""

    if TYPE_CHECKING:

        @property
        def objects(self) -> TypedObjects[Kind]: ...  # type: ignore[override]


class TypedAsyncPagedList(AsyncPagedList, Generic[Kind]):
    """A list of objects of one entity, as `AsyncPagedList`."""

    if TYPE_CHECKING:

        @property
        def objects(self) -> TypedObjects[Kind]: ...  # type: ignore[override]


class TypedClient(Client):
    """The base of clients that know a document."""

    if TYPE_CHECKING:

        def observe_query(  # type: ignore[override]
            self, on_change: Callable[[TypedQueryChanges[Found]], object], query: TypedQuery[Found]
        ) -> TypedQueryObserver[Found]: ...


class TypedAsyncClient(AsyncClient):
    """The base of clients that know a document and whose calls are awaited."""

    if TYPE_CHECKING:

        def observe_query(  # type: ignore[override]
            self, on_change: Callable[[TypedQueryChanges[Found]], object], query: TypedQuery[Found]
        ) -> TypedQueryObserver[Found]: ...
