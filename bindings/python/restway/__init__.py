"""Restway: an API described once, used as objects.

    import restway

    api = restway.API.load("demo.restway.json")
    with restway.Client(api, base_url="http://127.0.0.1:8080/v2") as client:
        for enterprise in client.get("enterprises", params={"city": "Rome"}).objects:
            print(enterprise.name, enterprise["creationDate"])

`restway.AsyncClient` is the same for asyncio: `await client.get("enterprises")`.

Importing this package does not load the shared library; its first use does. `LibraryError` says
where it was looked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from . import _exceptions
from ._api import API
from ._auth import Authorize, Exchange, Persist, Refresh, ShouldReplay
from ._base import hints as _hints
from ._base.headers import Headers
from ._body import (
    BodyOptions,
    CacheFilter,
    CacheUse,
    Content,
    Readable,
    RequestOptions,
    Saved,
    SaveTo,
    Storing,
)
from ._call import Call, OnDone, OnProgress
from ._client import Client
from ._conflicts import Conflict, ConflictValue, Resolver, Side
from ._draft import Draft, Linked
from ._enums import (
    AttemptReason,
    CacheState,
    ChangeKind,
    ChangeSource,
    ConflictKind,
    Domain,
    LifecycleKind,
    Offline,
    OutboxReason,
    OutboxState,
    Reachability,
    Status,
    StatusClass,
)
from ._exceptions import *  # noqa: F403 (it has an exception for each status)
from ._ffi.conversion import JSONValue
from ._functions import (
    NOTHING,
    Exclusion,
    FailureReader,
    FailureReading,
    HookFunction,
    Row,
    Rows,
    TransformFunction,
)
from ._handles import OnAttempt
from ._handles.outgoing import OutgoingRequest
from ._library import (
    Clock,
    Plugin,
    debug_handle_kinds,
    debug_live_handles,
    flush_log,
    load_plugin,
    plugins,
    status_class,
    version,
)
from ._network import Cookies, DefaultHeaders
from ._object import Identity, Object, Objects
from ._parsing import Data, EncoderFunction, MapProgress, ParserFunction, ValidatorFunction
from ._pipeline import PipelineContext, Stage, StageFunction
from ._query import Operator, Query, Visibility
from ._reading.tables import Columns
from ._reading.values import ObjectValue
from ._request import Request, Target
from ._resource import DigestHeader, FileContent, Files, Resource, Resumable, Resumption
from ._response import MappingIssue, Response, StreamEvent
from ._store import Pending, PendingValue, Statistics, Store
from ._transaction import Change, Changes, Transaction
from ._values import Record

if TYPE_CHECKING:
    from ._async_client import AsyncClient
    from ._batch import (
        AsyncBatch,
        Batch,
        BatchAnswer,
        BatchDecode,
        BatchEncode,
        BatchRequest,
        OnBatchDone,
    )
    from ._cache import AsyncCache, Cache, CacheEntry, CacheOptions, CacheStatistics
    from ._config import TLS, Cookie, Credential, Network, Proxy, Rate, Timeouts
    from ._details import Attempt, CacheNote, Progress, Timings
    from ._library.urls import SplitURL, build_query, split_url
    from ._lifecycle import CallInfo, LifecycleEvent, LifecycleEvents, OnLifecycle
    from ._observers import (
        Observed,
        Observer,
        OnChange,
        OnQueryChange,
        QueryChanges,
        QueryObserver,
    )
    from ._outbox import AsyncOutbox, Outbox
    from ._outbox_items import OnFlushed, OnItem, OutboxCounts, OutboxItem, OutboxItems, Stored
    from ._pages import (
        AsyncPagedList,
        AsyncPages,
        Page,
        PagedList,
        PagedOptions,
        PageOptions,
        Pages,
    )
    from ._pages_into import AsyncPagesInto, PagesInto
    from ._routing import AsyncRoutingClient, RoutingClient
    from ._scope import AsyncScope, Scope
    from ._stream import (
        AsyncEventStream,
        AsyncStream,
        AsyncStreamedResponse,
        EventOptions,
        EventStream,
        Stream,
        StreamedResponse,
    )

__version__ = "0.1.0"

#: Names whose modules are loaded when the name is first used, since many programs do not use it.
_MODULES = {
    "AsyncBatch": "_batch",
    "AsyncCache": "_cache",
    "AsyncClient": "_async_client",
    "AsyncEventStream": "_stream",
    "AsyncOutbox": "_outbox",
    "AsyncPagedList": "_pages",
    "AsyncPages": "_pages",
    "AsyncPagesInto": "_pages_into",
    "AsyncRoutingClient": "_routing",
    "AsyncScope": "_scope",
    "AsyncStream": "_stream",
    "AsyncStreamedResponse": "_stream",
    "Attempt": "_details",
    "Batch": "_batch",
    "BatchAnswer": "_batch",
    "BatchDecode": "_batch",
    "BatchEncode": "_batch",
    "BatchRequest": "_batch",
    "Cache": "_cache",
    "CacheEntry": "_cache",
    "CacheNote": "_details",
    "CacheOptions": "_cache",
    "CacheStatistics": "_cache",
    "CallInfo": "_lifecycle",
    "Cookie": "_config",
    "Credential": "_config",
    "EventOptions": "_stream",
    "EventStream": "_stream",
    "LifecycleEvent": "_lifecycle",
    "LifecycleEvents": "_lifecycle",
    "Network": "_config",
    "Observed": "_observers",
    "Observer": "_observers",
    "OnBatchDone": "_batch",
    "OnChange": "_observers",
    "OnFlushed": "_outbox_items",
    "OnItem": "_outbox_items",
    "OnLifecycle": "_lifecycle",
    "OnQueryChange": "_observers",
    "Outbox": "_outbox",
    "OutboxCounts": "_outbox_items",
    "OutboxItem": "_outbox_items",
    "OutboxItems": "_outbox_items",
    "Page": "_pages",
    "PageOptions": "_pages",
    "PagedList": "_pages",
    "PagedOptions": "_pages",
    "Pages": "_pages",
    "PagesInto": "_pages_into",
    "Progress": "_details",
    "Proxy": "_config",
    "QueryChanges": "_observers",
    "QueryObserver": "_observers",
    "Rate": "_config",
    "RoutingClient": "_routing",
    "Scope": "_scope",
    "SplitURL": "_library.urls",
    "Stored": "_outbox_items",
    "Stream": "_stream",
    "StreamedResponse": "_stream",
    "TLS": "_config",
    "Timeouts": "_config",
    "Timings": "_details",
    "build_query": "_library.urls",
    "split_url": "_library.urls",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})


__all__ = [
    "API",
    "NOTHING",
    "TLS",
    "AsyncBatch",
    "AsyncCache",
    "AsyncClient",
    "AsyncEventStream",
    "AsyncOutbox",
    "AsyncPagedList",
    "AsyncPages",
    "AsyncPagesInto",
    "AsyncRoutingClient",
    "AsyncScope",
    "AsyncStream",
    "AsyncStreamedResponse",
    "Attempt",
    "AttemptReason",
    "Authorize",
    "Batch",
    "BatchAnswer",
    "BatchDecode",
    "BatchEncode",
    "BatchRequest",
    "BodyOptions",
    "Cache",
    "CacheEntry",
    "CacheFilter",
    "CacheNote",
    "CacheOptions",
    "CacheState",
    "CacheStatistics",
    "CacheUse",
    "Call",
    "CallInfo",
    "Change",
    "ChangeKind",
    "ChangeSource",
    "Changes",
    "Client",
    "Clock",
    "Columns",
    "Conflict",
    "ConflictKind",
    "ConflictValue",
    "Content",
    "Cookie",
    "Cookies",
    "Credential",
    "Data",
    "DefaultHeaders",
    "DigestHeader",
    "Domain",
    "Draft",
    "EncoderFunction",
    "EventOptions",
    "EventStream",
    "Exchange",
    "Exclusion",
    "FailureReader",
    "FailureReading",
    "FileContent",
    "Files",
    "Headers",
    "HookFunction",
    "Identity",
    "JSONValue",
    "LifecycleEvent",
    "LifecycleEvents",
    "LifecycleKind",
    "Linked",
    "MapProgress",
    "MappingIssue",
    "Network",
    "Object",
    "ObjectValue",
    "Objects",
    "Observed",
    "Observer",
    "Offline",
    "OnAttempt",
    "OnBatchDone",
    "OnChange",
    "OnDone",
    "OnFlushed",
    "OnItem",
    "OnLifecycle",
    "OnProgress",
    "OnQueryChange",
    "Operator",
    "Outbox",
    "OutboxCounts",
    "OutboxItem",
    "OutboxItems",
    "OutboxReason",
    "OutboxState",
    "OutgoingRequest",
    "Page",
    "PageOptions",
    "PagedList",
    "PagedOptions",
    "Pages",
    "PagesInto",
    "ParserFunction",
    "Pending",
    "PendingValue",
    "Persist",
    "PipelineContext",
    "Plugin",
    "Progress",
    "Proxy",
    "Query",
    "QueryChanges",
    "QueryObserver",
    "Rate",
    "Reachability",
    "Readable",
    "Record",
    "Refresh",
    "Request",
    "RequestOptions",
    "Resolver",
    "Resource",
    "Response",
    "Resumable",
    "Resumption",
    "RoutingClient",
    "Row",
    "Rows",
    "SaveTo",
    "Saved",
    "Scope",
    "ShouldReplay",
    "Side",
    "SplitURL",
    "Stage",
    "StageFunction",
    "Statistics",
    "Status",
    "StatusClass",
    "Store",
    "Stored",
    "Storing",
    "Stream",
    "StreamEvent",
    "StreamedResponse",
    "Target",
    "Timeouts",
    "Timings",
    "Transaction",
    "TransformFunction",
    "ValidatorFunction",
    "Visibility",
    "__version__",
    "build_query",
    "debug_handle_kinds",
    "debug_live_handles",
    "flush_log",
    "load_plugin",
    "plugins",
    "split_url",
    "status_class",
    "version",
]
__all__ += _exceptions.__all__

_VERBS = {"get", "head", "post", "put", "patch", "delete", "options", "stream"}

if not TYPE_CHECKING:  # a type checker would take every name for a member of the package

    def __getattr__(name: str) -> object:
        if name in _MODULES:
            module = importlib.import_module(f"{__name__}.{_MODULES[name]}")
            value = globals()[name] = getattr(module, name)  # later uses do not come here
            return value
        if name in _VERBS:
            hint = f"; a client has it: restway.Client(...).{name}"
        else:
            hint = "" if name.startswith("_") else _hints.nearest(name, __all__)
        raise AttributeError(f"module 'restway' has no attribute {name!r}{hint}")
