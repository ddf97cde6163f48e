"""The classes on which the modules build that `restway-stubs` writes."""

from __future__ import annotations

from .._body import BodyCallOptions, CallOptions
from .._pages import PagedCallIntoOptions, PagedCallOptions, PageOptions
from .._pages_into import AsyncPagesInto, PagesInto
from .._verbs import BodyCallIntoOptions, CallIntoOptions
from .clients import (
    TypedAsyncClient,
    TypedAsyncPagedList,
    TypedAsyncPages,
    TypedClient,
    TypedPage,
    TypedPagedList,
    TypedPages,
    TypedQueryChanges,
    TypedQueryObserver,
    TypedStore,
)
from .entities import (
    Attribute,
    TypedDraft,
    TypedObject,
    TypedObjects,
    TypedQuery,
    TypedResponse,
    Variable,
)

__all__ = [
    "AsyncPagesInto",
    "Attribute",
    "BodyCallIntoOptions",
    "BodyCallOptions",
    "CallIntoOptions",
    "CallOptions",
    "PageOptions",
    "PagedCallIntoOptions",
    "PagedCallOptions",
    "PagesInto",
    "TypedAsyncClient",
    "TypedAsyncPagedList",
    "TypedAsyncPages",
    "TypedClient",
    "TypedDraft",
    "TypedObject",
    "TypedObjects",
    "TypedPage",
    "TypedPagedList",
    "TypedPages",
    "TypedQuery",
    "TypedQueryChanges",
    "TypedQueryObserver",
    "TypedResponse",
    "TypedStore",
    "Variable",
]
