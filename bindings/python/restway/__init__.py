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

from ._api import API
from ._async_batch import AsyncBatch
from ._async_client import AsyncClient
from ._attempts import Attempt, OnAttempt
from ._auth import Authorize, Exchange, Persist, Refresh, ShouldReplay
from ._batch import Batch, OnBatchDone
from ._batch_format import BatchAnswer, BatchDecode, BatchEncode, BatchRequest
from ._body import Content, Readable
from ._call import Call
from ._changes import Change, Changes
from ._client import Client, OnDone
from ._clock import Clock
from ._credential import Credential
from ._draft import Draft, Linked
from ._enums import (
    AttemptReason,
    ChangeKind,
    Domain,
    LogLevel,
    OutboxState,
    Reachability,
    Status,
)
from ._exceptions import (
    AmbiguousRouteError,
    AuthError,
    BatchError,
    CancelledError,
    ClosedError,
    ConfigError,
    ConnectError,
    ConnectionLostError,
    DuplicateError,
    FileError,
    ForkedError,
    FrozenError,
    HTTPStatusError,
    InternalError,
    InvalidURLError,
    LibraryError,
    MappingError,
    MethodNotAllowedError,
    MissingVariableError,
    NoObjectError,
    OutboxError,
    OutOfMemoryError,
    PluginError,
    Problem,
    ProtocolError,
    QueuedError,
    ResolveError,
    RestwayError,
    RouteError,
    StoppedError,
    StoreError,
    TimedOutError,
    TLSError,
    TooLargeError,
    TooManyRedirectsError,
    TransportError,
    UnknownAttributeError,
    UnknownEntityError,
    UnknownEnvironmentError,
    UnknownRouteError,
    UsageError,
    WouldBlockError,
)
from ._exclusion import Exclusion
from ._failure_reading import FailureReader, FailureReading
from ._headers import Headers
from ._hook import HookFunction
from ._interception import Interceptor
from ._log import LogCallback, debug_live_handles, set_log, version
from ._object import Identity, Object
from ._objects import Objects
from ._observer import Observed, Observer, OnChange
from ._options import BodyOptions, RequestOptions
from ._outbox import (
    AsyncOutbox,
    OnFlushed,
    OnItem,
    Outbox,
    OutboxCounts,
    OutboxItem,
    OutboxItems,
)
from ._plugins import Plugin, load_plugin, plugins
from ._progress import OnProgress, Progress
from ._query import Operator, Query
from ._request import Request
from ._response import MappingIssue, Response
from ._rows import Row, Rows
from ._store import Statistics, Store
from ._timings import Timings
from ._transform import NOTHING, TransformFunction
from ._verbs import Target

__version__ = "0.1.0"

__all__ = [
    "API",
    "NOTHING",
    "AmbiguousRouteError",
    "AsyncBatch",
    "AsyncClient",
    "AsyncOutbox",
    "Attempt",
    "AttemptReason",
    "AuthError",
    "Authorize",
    "Batch",
    "BatchAnswer",
    "BatchDecode",
    "BatchEncode",
    "BatchError",
    "BatchRequest",
    "BodyOptions",
    "Call",
    "CancelledError",
    "Change",
    "ChangeKind",
    "Changes",
    "Client",
    "Clock",
    "ClosedError",
    "ConfigError",
    "ConnectError",
    "ConnectionLostError",
    "Content",
    "Credential",
    "Domain",
    "Draft",
    "DuplicateError",
    "Exchange",
    "Exclusion",
    "FailureReader",
    "FailureReading",
    "FileError",
    "ForkedError",
    "FrozenError",
    "HTTPStatusError",
    "Headers",
    "HookFunction",
    "Identity",
    "Interceptor",
    "InternalError",
    "InvalidURLError",
    "LibraryError",
    "Linked",
    "LogCallback",
    "LogLevel",
    "MappingError",
    "MappingIssue",
    "MethodNotAllowedError",
    "MissingVariableError",
    "NoObjectError",
    "Object",
    "Objects",
    "Observed",
    "Observer",
    "OnAttempt",
    "OnBatchDone",
    "OnChange",
    "OnDone",
    "OnFlushed",
    "OnItem",
    "OnProgress",
    "Operator",
    "OutOfMemoryError",
    "Outbox",
    "OutboxCounts",
    "OutboxError",
    "OutboxItem",
    "OutboxItems",
    "OutboxState",
    "Persist",
    "Plugin",
    "PluginError",
    "Problem",
    "Progress",
    "ProtocolError",
    "Query",
    "QueuedError",
    "Reachability",
    "Readable",
    "Refresh",
    "Request",
    "RequestOptions",
    "ResolveError",
    "Response",
    "RestwayError",
    "RouteError",
    "Row",
    "Rows",
    "ShouldReplay",
    "Statistics",
    "Status",
    "StoppedError",
    "Store",
    "StoreError",
    "TLSError",
    "Target",
    "TimedOutError",
    "Timings",
    "TooLargeError",
    "TooManyRedirectsError",
    "TransformFunction",
    "TransportError",
    "UnknownAttributeError",
    "UnknownEntityError",
    "UnknownEnvironmentError",
    "UnknownRouteError",
    "UsageError",
    "WouldBlockError",
    "__version__",
    "debug_live_handles",
    "load_plugin",
    "plugins",
    "set_log",
    "version",
]
