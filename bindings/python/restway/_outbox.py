"""The outbox: requests that could not reach the server, stored until they have been delivered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, NamedTuple, overload

from . import _ffi as native
from ._boundary import check, failure, make, optional_name
from ._exceptions import RestwayError
from ._ffi.callbacks import completions
from ._ffi.conversion import JSONValue, json_value
from ._ffi.enums import OutboxFlag, OutboxReason, OutboxState
from ._ffi.trampolines import (
    on_done_destroy,
    on_flushed_function,
    on_item_function,
    on_observed_function,
)
from ._object import Layouts, Object
from ._questions import set_question
from ._response import Response

if TYPE_CHECKING:
    from ._async_client import AsyncClient
    from ._client_base import ClientBase

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class OutboxItem(NamedTuple):
    """A stored request as it stood at one moment."""

    id: int
    state: OutboxState
    method: str
    path: str
    """Below the base URL, without its query."""
    lane: str
    key: str
    """The Idempotency-Key that goes along with every attempt."""
    body: bytes | None
    created: datetime
    attempts: int
    """How often it may have reached the server."""
    next_attempt: datetime | None
    """When it may go out again by itself; None: now."""
    last_error: str | None
    response: Response | None
    """What the server answered: of a dead letter, and in reports."""
    reason: OutboxReason
    """Why it is a dead letter; NONE for another item. One with KEY_REUSED needs `edit`, which gives
    it a new key: a retry is answered the same."""


class OutboxItems(Sequence[OutboxItem]):
    """Stored requests, oldest first."""

    __slots__ = ("_handle", "_items", "error")

    def __init__(
        self, handle: native.OutboxItemsHandle, layouts: Layouts, error: RestwayError | None = None
    ) -> None:
        """For this package. `handle` is owned."""
        lib = native.lib
        self._handle = handle
        self._items = [
            item_of(lib.restway_outbox_items_item(handle, index), layouts)
            for index in range(lib.restway_outbox_items_count(handle))
        ]
        self.error = error
        """Of a flush: why it could not go on; of an item that was told: why it is dead."""

    def export(self) -> JSONValue:
        """All of them as JSON, without secrets."""
        length = native.number()
        text = native.lib.restway_outbox_items_json(self._handle, native.ref(length))
        return json_value(text)

    @overload
    def __getitem__(self, index: int) -> OutboxItem: ...
    @overload
    def __getitem__(self, index: slice) -> list[OutboxItem]: ...
    def __getitem__(self, index: int | slice) -> OutboxItem | list[OutboxItem]:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[OutboxItem]:
        return iter(self._items)


class OutboxCounts(NamedTuple):
    """How many requests are stored, by state."""

    waiting: int
    sending: int
    blocked: int
    dead: int


OnItem = Callable[[OutboxItem, "RestwayError | None"], object]
"""Told that an item was delivered, or is a dead letter, and then why."""

OnFlushed = Callable[[OutboxItems], object]
"""Told that a flush is over, and what was sent."""


class OutboxBase:
    """What the outboxes of all clients share. Usable from any thread."""

    __slots__ = ("_client",)

    def __init__(self, client: ClientBase) -> None:
        """For this package: `client.outbox`."""
        self._client = client

    def __len__(self) -> int:
        return sum(self.counts())

    def __bool__(self) -> bool:
        return True

    @property
    def needs_flushing(self) -> bool:
        """Whether a flush could deliver anything: dead letters, and what they block, do not count.

        Raises OutboxError, ClosedError; ConfigError when the client has no outbox.
        """
        out = native.truth_out()
        check(native.lib.restway_outbox_needs_flushing, self._handle, native.ref(out))
        return bool(out.value)

    def counts(self) -> OutboxCounts:
        """Counts the items. Raises as `needs_flushing`."""
        counts = native.OutboxCounts()
        init = native.lib.restway_outbox_counts_init
        check(init, native.ref(counts), native.size_of(counts))
        check(native.lib.restway_outbox_count, self._handle, native.ref(counts))
        return OutboxCounts(counts.waiting, counts.sending, counts.blocked, counts.dead)

    def items(self) -> OutboxItems:
        """All stored requests, oldest first. Raises as `needs_flushing`."""
        handle = make(native.OutboxItemsHandle, native.lib.restway_outbox_list, self._handle)
        return OutboxItems(handle, self._layouts)

    def find(self, id: int) -> OutboxItem:
        """One stored request. Raises UsageError when it is no longer stored."""
        handle = make(native.OutboxItemHandle, native.lib.restway_outbox_find, self._handle, id)
        return item_of(handle, self._layouts)

    def has_pending(self, object: Object) -> bool:
        """Whether a stored request is about `object`: the server has not heard of its changes."""
        out = native.truth_out()
        function = native.lib.restway_outbox_has_pending
        check(function, self._handle, object._handle, native.ref(out))
        return bool(out.value)

    def retry(self, id: int) -> None:
        """Lets a dead letter go out again as it is. Raises UsageError for anything else."""
        check(native.lib.restway_outbox_retry, self._handle, id)

    def edit(self, id: int, body: bytes | str | None, media_type: str | None = None) -> None:
        """Gives a dead letter another body and a new key, and lets it go out again.

        Args:
            body: A str is sent as UTF-8; None takes it away.
            media_type: None keeps what it has.

        Raises UsageError for anything that is no dead letter.
        """
        content = body.encode() if isinstance(body, str) else body
        check(
            native.lib.restway_outbox_edit,
            self._handle,
            id,
            content,
            len(content or b""),
            optional_name(media_type),
        )

    def drop(self, id: int) -> int:
        """Takes an item out, and with one that makes an object all that depend on that.

        The store takes back what these had changed: attributes and relationships that still have
        the value of that change, and that no later item changes, get back what they had before;
        objects that only these items made are deleted.

        Answers how many are gone. Raises UsageError when it is no longer stored. Raises StoreError
        when the items are gone and the store cannot be written: the store takes the change back at
        the next drop, or when a client opens the outbox again.
        """
        count = native.number()
        check(native.lib.restway_outbox_drop, self._handle, id, native.ref(count))
        return int(count.value)

    def drop_all(self) -> int:
        """Takes all items out, and takes back what they had changed, as `drop` does.

        Answers how many there were.
        """
        count = native.number()
        check(native.lib.restway_outbox_drop_all, self._handle, native.ref(count))
        return int(count.value)

    @property
    def _handle(self) -> native.ClientHandle:
        return self._client._handle

    @property
    def _layouts(self) -> Layouts:
        return self._client._layouts


class Outbox(OutboxBase):
    """The outbox of a Client."""

    __slots__ = ()

    def flush(self, on_flushed: OnFlushed | None = None, *, force: bool = False) -> None:
        """Sends what is stored, without waiting.

        Args:
            on_flushed: Called exactly once when that is over, where `on_done` of `send` is.
            force: Also what the server has asked to hold back (Retry-After).

        Raises ClosedError; ConfigError when the client has no outbox.
        """
        lib, flags = native.lib, OutboxFlag.FORCE if force else 0
        if on_flushed is None:
            nobody = (native.NULL_OUTBOX_FLUSHED, None, native.NULL_DESTROY)
            check(lib.restway_outbox_flush, self._handle, flags, *nobody)
            return
        given, layouts = on_flushed, self._layouts

        def run(items: native.OutboxItemsHandle, status: int, error: native.ErrorHandle) -> None:
            given(OutboxItems(items, layouts, _reason(status, error)))

        token = completions.add(run, on_flushed)
        try:
            told = (on_flushed_function, token, on_done_destroy)
            check(lib.restway_outbox_flush, self._handle, flags, *told)
        except BaseException:
            completions.remove(token)
            raise

    def observe(
        self, on_item: OnItem | None = None, on_flushed: OnFlushed | None = None
    ) -> None:
        """Sets who is told of items that come to an end, and of flushes in which anything was sent,
        in place of those before; None tells nobody. They are called where `on_done` of `send` is.
        """
        layouts = self._layouts

        def run(
            told: native.OutboxItemHandle | native.OutboxItemsHandle,
            status: int,
            error: native.ErrorHandle,
        ) -> None:
            reason = _reason(status, error)
            if isinstance(told, native.OutboxItemHandle):
                if on_item is not None:
                    on_item(item_of(told, layouts), reason)
            elif on_flushed is not None:
                on_flushed(OutboxItems(told, layouts, reason))

        wanted = on_item or on_flushed
        set_question(
            native.lib.restway_client_set_outbox_observer,
            on_observed_function,
            self._handle,
            on_item_function if wanted else native.NULL_OUTBOX_ITEM,
            run=run if wanted else None,
            callback=wanted,
            holding=self._client._holding,
        )


class AsyncOutbox(OutboxBase):
    """The outbox of an AsyncClient."""

    __slots__ = ()

    _client: AsyncClient

    async def flush(self, *, force: bool = False) -> OutboxItems:
        """Sends what is stored; answers what was sent, each as it stands now.

        Args:
            force: Also what the server has asked to hold back (Retry-After).

        Raises OutboxError, ClosedError; ConfigError when the client has no outbox.
        """
        outbox = self._client._linked().outbox
        items = await asyncio.shield(outbox.flush(OutboxFlag.FORCE if force else 0))
        if items.error is not None:
            raise items.error
        return items

    def observe(
        self, on_item: OnItem | None = None, on_flushed: OnFlushed | None = None
    ) -> None:
        """Sets who is told of items that come to an end, and of flushes in which anything was sent,
        in place of those before; None tells nobody. They are called by the event loop.
        """
        self._client._linked().outbox.observe(on_item, on_flushed)


def item_of(handle: native.OutboxItemHandle, layouts: Layouts) -> OutboxItem:
    """For this package: what a handle says, which is read at once."""
    lib = native.lib
    length = native.number()
    start = lib.restway_outbox_item_body(handle, native.ref(length))
    response = lib.restway_outbox_item_response(handle)
    due = lib.restway_outbox_item_next_attempt(handle)
    return OutboxItem(
        lib.restway_outbox_item_id(handle),
        OutboxState(lib.restway_outbox_item_state(handle)),
        native.borrowed(lib.restway_outbox_item_method(handle)) or "",
        native.borrowed(lib.restway_outbox_item_path(handle)) or "",
        native.borrowed(lib.restway_outbox_item_lane(handle)) or "",
        native.borrowed(lib.restway_outbox_item_key(handle)) or "",
        native.read(start, length.value) if start else None,
        _time(lib.restway_outbox_item_created(handle)),
        lib.restway_outbox_item_attempts(handle),
        _time(due) if due else None,
        native.borrowed(lib.restway_outbox_item_last_error(handle)),
        Response.retained(response, layouts) if response else None,
        OutboxReason(lib.restway_outbox_item_reason(handle)),
    )


def _time(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)


def _reason(status: int, error: native.ErrorHandle) -> RestwayError | None:
    return failure(status, error, None) if status else None
