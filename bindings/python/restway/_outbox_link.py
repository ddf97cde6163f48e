"""The way of an outbox's events into one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from . import _native as native
from ._boundary import check
from ._enums import EventKind
from ._exceptions import RestwayError
from ._failures import failure
from ._object import Layouts
from ._outbox import (
    OnFlushed,
    OnItem,
    OutboxItems,
    on_item_function,
    on_observed_function,
)
from ._structures import OutboxItemsHandle
from ._structures_outbox import NULL_OUTBOX_FLUSHED, NULL_OUTBOX_ITEM


class OutboxLink:
    """Completes the flushes of one client on its loop, and tells its observer."""

    __slots__ = ("_handle", "_layouts", "_loop", "_observer", "_on_flushed", "_on_item", "_tokens",
                 "flushes")

    def __init__(
        self,
        handle: native.ClientHandle,
        layouts: Layouts,
        loop: asyncio.AbstractEventLoop,
        tokens: Iterator[int],
    ) -> None:
        self._handle = handle
        self._layouts = layouts
        self._loop = loop
        self._tokens = tokens
        self._observer = 0
        self._on_item: OnItem | None = None
        self._on_flushed: OnFlushed | None = None
        self.flushes: dict[int, asyncio.Future[OutboxItems]] = {}
        """Those that are not over, by their tokens."""

    def flush(self, flags: int) -> asyncio.Future[OutboxItems]:
        """Flushes; the future is done when that is over."""
        token = next(self._tokens)
        nobody = (NULL_OUTBOX_FLUSHED, token, native.NULL_DESTROY)
        check(native.lib.restway_outbox_flush, self._handle, flags, *nobody)
        future: asyncio.Future[OutboxItems] = self._loop.create_future()
        self.flushes[token] = future
        return future

    def observe(self, on_item: OnItem | None, on_flushed: OnFlushed | None) -> None:
        """Calls these with what the library tells; None nobody."""
        token = next(self._tokens)
        check(
            native.lib.restway_client_set_outbox_observer,
            self._handle,
            on_item_function if on_item else NULL_OUTBOX_ITEM,
            on_observed_function if on_flushed else NULL_OUTBOX_FLUSHED,
            token,
            native.NULL_DESTROY,
        )
        self._observer, self._on_item, self._on_flushed = token, on_item, on_flushed

    def take(self, kind: int, token: int, status: int, payload: int) -> None:
        """An event has come."""
        handle = native.own(OutboxItemsHandle(payload))
        error: RestwayError | None = None
        if status:
            error = failure(status, native.lib.restway_outbox_items_error(handle), None)
        items = OutboxItems(handle, self._layouts, error)
        future = self.flushes.pop(token, None)
        if future is not None:
            if not future.done():
                future.set_result(items)
            return
        if token != self._observer:
            return  # of an observer that has been replaced
        try:
            if kind == EventKind.OUTBOX_ITEM:
                if self._on_item is not None:
                    self._on_item(items[0], error)
            elif self._on_flushed is not None:
                self._on_flushed(items)
        except Exception as raised:
            self._loop.call_exception_handler(
                {"message": "Exception in an observer of the outbox", "exception": raised}
            )
