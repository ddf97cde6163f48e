"""The clients as their parts use them: pages, streams, batches, outbox and cache know neither
`Client` nor `AsyncClient`. Only type checkers read this module.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar, Optional, Protocol

from . import _ffi as native
from ._body import Reading as Body
from ._call import Call, OnDone
from ._enums import Delivery
from ._event_loop import Link, Watcher
from ._ffi.callbacks import Holding
from ._object import Layouts
from ._request import Request
from ._response import Response
from ._values.reading import Reading

Start = Callable[[Request, object, Optional[int], object], native.CallHandle]
"""Starts a call. It takes the request, the function, its token and the destroy function of the
token.
"""


class AnyClient(Protocol):
    """A client of either kind."""

    _discriminator: str | None
    _holding: Holding
    _layouts: Layouts
    _may_block: ClassVar[bool]

    @property
    def _handle(self) -> native.ClientHandle: ...

    def _expect(self, request: Request, reading: Reading) -> None: ...


class BlockingClient(AnyClient, Protocol):
    """A client whose calls block or run a callback."""

    _delivery: Delivery

    def send(self, request: Request, on_done: OnDone | None = None) -> Call: ...

    def process(self, timeout: float | None = 0) -> int: ...

    def _send(
        self, request: Request, on_done: OnDone | None, start: Start | None = None
    ) -> Call: ...

    def _send_told(
        self, request: Request | None, on_done: OnDone | None, start: Start, mode: Delivery | None
    ) -> Call: ...


class AwaitedClient(AnyClient, Protocol):
    """A client whose calls are awaited in one event loop."""

    def send(self, request: Request) -> asyncio.Future[Response]: ...

    def _linked(self) -> Link: ...

    def _start(
        self, request: Request
    ) -> tuple[asyncio.Future[Response], native.CallHandle]: ...

    def _watcher(self, request: Request) -> Watcher | None: ...

    def _sent(
        self, call: native.CallHandle, reading: Body | None, future: asyncio.Future[Response]
    ) -> None: ...
