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
from ._async_client import AsyncClient
from ._auth import Authorize, Credential, Exchange, Persist, Refresh, ShouldReplay
from ._batch import (
    AsyncBatch,
    Batch,
    BatchAnswer,
    BatchDecode,
    BatchEncode,
    BatchRequest,
    OnBatchDone,
)
from ._body import BodyOptions, Content, Readable, RequestOptions, Saved, SaveTo
from ._boundary import Attempt, OnAttempt
from ._call import Call, Modifier
from ._client import Client, OnDone
from ._draft import Draft, Linked
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
    RefreshRefusedError,
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
from ._ffi.enums import (
    AttemptReason,
    ChangeKind,
    Domain,
    LogLevel,
    OutboxReason,
    OutboxState,
    Reachability,
    Status,
)
from ._library import (
    Clock,
    LogCallback,
    Plugin,
    debug_live_handles,
    load_plugin,
    plugins,
    set_log,
    version,
)
from ._mapping import NOTHING, HookFunction, Row, Rows, TransformFunction
from ._network import TLS, Network, Proxy
from ._object import Identity, Object, Objects
from ._observer import Change, Changes, Observed, Observer, OnChange
from ._outbox import (
    AsyncOutbox,
    OnFlushed,
    OnItem,
    Outbox,
    OutboxCounts,
    OutboxItem,
    OutboxItems,
)
from ._progress import OnProgress, Progress, Timings
from ._questions import Exclusion, FailureReader, FailureReading
from ._rate import Rate
from ._request import Request, Target
from ._resource import DigestHeader, FileContent, Files, Resource
from ._response import Headers, MappingIssue, Response
from ._store import Operator, Query, Statistics, Store
from ._stream import AsyncStream, AsyncStreamedResponse, Stream, StreamedResponse

__version__ = "0.1.0"

__all__ = [
    "API",
    "NOTHING",
    "TLS",
    "AmbiguousRouteError",
    "AsyncBatch",
    "AsyncClient",
    "AsyncOutbox",
    "AsyncStream",
    "AsyncStreamedResponse",
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
    "DigestHeader",
    "Domain",
    "Draft",
    "DuplicateError",
    "Exchange",
    "Exclusion",
    "FailureReader",
    "FailureReading",
    "FileContent",
    "FileError",
    "Files",
    "ForkedError",
    "FrozenError",
    "HTTPStatusError",
    "Headers",
    "HookFunction",
    "Identity",
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
    "Modifier",
    "Network",
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
    "OutboxReason",
    "OutboxState",
    "Persist",
    "Plugin",
    "PluginError",
    "Problem",
    "Progress",
    "ProtocolError",
    "Proxy",
    "Query",
    "QueuedError",
    "Rate",
    "Reachability",
    "Readable",
    "Refresh",
    "RefreshRefusedError",
    "Request",
    "RequestOptions",
    "ResolveError",
    "Resource",
    "Response",
    "RestwayError",
    "RouteError",
    "Row",
    "Rows",
    "SaveTo",
    "Saved",
    "ShouldReplay",
    "Statistics",
    "Status",
    "StoppedError",
    "Store",
    "StoreError",
    "Stream",
    "StreamedResponse",
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
