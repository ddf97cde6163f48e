"""The outbox: requests that could not reach the server, stored until they have been delivered."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from . import _ffi as native
from ._base.hints import Hinting, require, require_function
from ._base.interfaces import OneText
from ._base.lazy import asyncio
from ._conflicts import Conflict, parked
from ._enums import OutboxFlag, OutboxState
from ._exceptions import RestwayError, UsageError
from ._ffi.callbacks import completions
from ._ffi.trampolines import (
    on_done_destroy,
    on_ended_item_function,
    on_flushed_function,
    on_item_function,
    on_observed_function,
)
from ._functions import set_question
from ._handles import check, content, make, optional_name
from ._handles.waiting import (
    Result,
    not_in_time,
    refuse_inside_callbacks,
    require_waiting,
    seconds_of,
)
from ._object import Layouts, Object
from ._outbox_items import (
    OnFlushed,
    OnItem,
    OutboxCounts,
    OutboxItem,
    OutboxItems,
    Stored,
    ended_item,
    item_of,
    number_of,
    reason_of,
)
from .progress import Wanted
from .progress._flushes import counting

if TYPE_CHECKING:
    from ._types import AnyClient, AwaitedClient, BlockingClient


Brought = TypeVar("Brought")


class OutboxMethods(OneText, ABC):
    """The methods of an outbox that wait, or are awaited."""

    __slots__ = ()

    @abstractmethod
    def flush(self, *arguments: Any, **options: Any) -> Any:
        """Sends the stored requests.

            items = client.outbox.flush(wait=True, timeout=30)
            items = await client.outbox.flush(timeout=30)  # of an AsyncClient or AnyioClient

        Args:
            on_flushed: Of a Client alone: called at most once, when the flush has ended, where
                `on_done` of `send` is called; not together with `wait`.
            force: Whether requests that the server has asked to hold back (Retry-After) are sent,
                too.
            wait: Whether this waits until the flush has ended; it then returns the sent items with
                their present state, also those that a flush which began by itself has delivered,
                or made dead letters of, in the ten seconds before. Otherwise it returns None at
                once. If the callbacks of the client run inside `process`, they run during the wait.
                Where the flush is awaited, it is always True.
            timeout: Seconds to wait at most; None waits without a limit. The flush goes on when
                they have passed, also if the task or its scope is cancelled.
            progress: With `wait`, True shows a bar of the items on a terminal
                (`restway.progress`); a function receives the number of items that have come to
                their end, and of all that waited, on their way or behind others, too. With an
                AnyioClient it runs on a thread of the library.

        Raises ClosedError; ConfigError when the client has no outbox. If it waits, it also raises
        OutboxError if the flush could not go on, and TimedOutError; a Client WouldBlockError inside
        a callback. In the main thread, signals are handled during the wait.
        """

    @abstractmethod
    def wait(self, stored: Any, timeout: float | None = None) -> Any:
        """Waits until a stored request has come to its end; returns its item.

            try:
                client.post(draft)  # or: await client.post(draft)
            except restway.QueuedError as queued:
                item = client.outbox.wait(queued, timeout=60)  # or: await client.outbox.wait(...)
                if item.state is not restway.OutboxState.DELIVERED:
                    print(item.state.name, item.reason.name, item.last_error)

        The state of the item is DELIVERED if the server has accepted it, DEAD if it has become a
        dead letter (`reason` and `last_error` say why), and GONE if it was dropped or withdrawn. A
        parked item has not come to its end.

        Args:
            stored: The error of the call, the item, or its number.
            timeout: Seconds to wait at most; None waits without a limit.

        Raises TimedOutError; UsageError if nobody remembers the item any more; OutboxError if
        another process has delivered or dropped it; ClosedError; with a Client WouldBlockError
        inside a callback. In the main thread, signals are handled during the wait.
        """


class OutboxBase(OutboxMethods, Hinting):
    """The common part of the outboxes of all clients. It is usable from any thread."""

    __slots__ = ("_client",)

    def __init__(self, client: AnyClient) -> None:
        """For this package: `client.outbox`."""
        self._client = client

    def __len__(self) -> int:
        return sum(self.counts())

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._client!r}>"

    @property
    def needs_flushing(self) -> bool:
        """Returns whether a flush could deliver any item except dead letters and the items that
        they block.

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
        return OutboxCounts(
            counts.waiting, counts.sending, counts.blocked, counts.dead, counts.parked
        )

    def items(self) -> OutboxItems:
        """Lists all stored requests, oldest first. Raises as `needs_flushing`."""
        handle = make(native.OutboxItemsHandle, native.lib.restway_outbox_list, self._handle)
        return OutboxItems(handle, self._layouts)

    def conflicts(self) -> list[Conflict]:
        """Returns the parked conflicts, oldest first, with the newest values that the server has
        sent.

            for conflict in client.outbox.conflicts():
                for name, value in conflict.items():
                    print(f"{name}: {value.mine} here, {value.theirs} at the server")

        A conflict whose values the server has meanwhile is not there: it ends as delivered. Raises
        as `needs_flushing`, and StoreError.
        """
        return parked(self._handle, self._layouts)

    def _waiting(self) -> list[int]:
        """Returns the items that a flush may send: not those that wait behind a dead letter or a
        parked item.
        """
        numbers, held_lanes = [], set()
        for item in self.items():
            if item.state in (OutboxState.DEAD, OutboxState.PARKED):
                held_lanes.add(item.lane)
            elif item.state is not OutboxState.BLOCKED or item.lane not in held_lanes:
                numbers.append(item.id)
        return numbers

    def find(self, stored: Stored) -> OutboxItem:
        """Finds one stored request: by the error of its call, by its number, or by an item, which
        is then read again. Raises UsageError if it is no longer stored.
        """
        function, number = native.lib.restway_outbox_find, number_of(stored)
        handle = make(native.OutboxItemHandle, function, self._handle, number)
        return item_of(handle, self._layouts)

    def has_pending(self, object: Object) -> bool:
        """Returns whether a stored request, which the server has not accepted yet, is about
        `object`.
        """
        out = native.truth_out()
        function = native.lib.restway_outbox_has_pending
        check(function, self._handle, require(object, Object)._handle, native.ref(out))
        return bool(out.value)

    def retry(self, stored: Stored) -> None:
        """Sends a dead letter again, unchanged and with the same key: the item, the error of its
        call, or its number. Raises UsageError for another item.
        """
        check(native.lib.restway_outbox_retry, self._handle, number_of(stored))

    def edit(
        self, stored: Stored, body: bytes | str | None, media_type: str | None = None
    ) -> None:
        """Gives a dead letter another body and a new key, and sends it again.

        Args:
            stored: The item, the error of its call, or its number.
            body: The new body. A str is sent as UTF-8; None removes the body.
            media_type: The Content-Type of the body; None keeps the item's.

        Raises UsageError for an item that is not a dead letter.
        """
        given = None if body is None else content(body)
        check(
            native.lib.restway_outbox_edit,
            self._handle,
            number_of(stored),
            given,
            len(given or b""),
            optional_name(media_type),
        )

    def drop(self, stored: Stored) -> int:
        """Removes an item from the outbox: the item, the error of its call, or its number. If its
        request was to create an object, all items that depend on that object are removed too.

        The store takes the changes of the removed items back: it shows the newest values of the
        server, and over them the changes of the items that are left. An object whose DELETE is
        dropped is found again. Objects that only the removed items made are deleted.

        Returns how many items were removed. Raises UsageError if the item is no longer stored.
        Raises StoreError if the items are removed but the store cannot be written: it takes the
        changes back at the next drop, or when a client opens the outbox again.
        """
        count = native.number()
        check(
            native.lib.restway_outbox_drop, self._handle, number_of(stored), native.ref(count)
        )
        return int(count.value)

    def drop_all(self) -> int:
        """Removes all items and takes back their changes, as `drop` does.

        Returns how many items were removed.
        """
        count = native.number()
        check(native.lib.restway_outbox_drop_all, self._handle, native.ref(count))
        return int(count.value)

    @abstractmethod
    def observe(self, on_item: OnItem | None = None, on_flushed: OnFlushed | None = None) -> None:
        """Sets the functions that are called when an item comes to an end or is parked, and when a
        flush that sent anything has ended; they replace the earlier functions. None removes a
        function. They are called where `on_done` of `send` is called, or by the event loop of an
        AsyncClient.
        """

    @property
    def _handle(self) -> native.ClientHandle:
        return self._client._handle

    @property
    def _layouts(self) -> Layouts:
        return self._client._layouts


class Outbox(OutboxBase):
    """The outbox of a Client.

        for item in client.outbox.items():
            if item.state is restway.OutboxState.DEAD:
                client.outbox.drop(item)
    """

    __slots__ = ()

    _client: BlockingClient

    @overload
    def flush(self, on_flushed: OnFlushed | None = None, *, force: bool = False) -> None: ...
    @overload
    def flush(
        self, *, force: bool = False, wait: Literal[True], timeout: float | None = None,
        progress: Wanted = None,
    ) -> OutboxItems: ...
    def flush(
        self,
        on_flushed: OnFlushed | None = None,
        *,
        force: bool = False,
        wait: bool = False,
        timeout: float | None = None,
        progress: Wanted = None,
    ) -> OutboxItems | None:
        if not wait:
            if timeout is not None or progress is not None:
                raise TypeError("a timeout and progress need wait=True")
            self._flush(on_flushed, force)
            return None
        if on_flushed is not None:
            raise TypeError("a flush has on_flushed or wait=True, not both")
        refuse_inside_callbacks()
        flushed: Result[OutboxItems] = Result()
        with counting(progress, self._waiting, self._tell_end):
            self._flush(flushed.set, force)
            items = flushed.wait(self._client, timeout, "the flush")
        if items.error is not None:
            raise items.error
        return items

    def wait(self, stored: Stored, timeout: float | None = None) -> OutboxItem:
        number, layouts = number_of(stored), self._layouts
        refuse_inside_callbacks()
        ended: Result[tuple[OutboxItem, RestwayError | None]] = Result()

        def run(handle: native.OutboxItemHandle, status: int, error: native.ErrorHandle) -> None:
            ended.set((item_of(handle, layouts), reason_of(status, error)))

        self._await(number, run)
        return ended_item(*ended.wait(self._client, timeout, f"item {number} of the outbox"))

    def _await(self, number: int, run: Callable[..., object]) -> None:
        token = completions.add(run, run)
        try:
            told = (on_ended_item_function, token, on_done_destroy)
            check(native.lib.restway_outbox_await, self._handle, number, *told)
        except BaseException:
            completions.remove(token)
            raise

    def _tell_end(self, number: int, ended: Callable[[], object]) -> None:
        try:
            self._await(number, lambda *_: ended())
        except UsageError:  # it was removed meanwhile
            ended()

    def _flush(self, on_flushed: OnFlushed | None, force: bool) -> None:
        require_function(on_flushed, "on_flushed")
        lib, flags = native.lib, OutboxFlag.FORCE if force else 0
        if on_flushed is None:
            nobody = (native.NULL_OUTBOX_FLUSHED, None, native.NULL_DESTROY)
            check(lib.restway_outbox_flush, self._handle, flags, *nobody)
            return
        given, layouts = on_flushed, self._layouts

        def run(items: native.OutboxItemsHandle, status: int, error: native.ErrorHandle) -> None:
            given(OutboxItems(items, layouts, reason_of(status, error)))

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
        layouts = self._layouts

        def run(
            told: native.OutboxItemHandle | native.OutboxItemsHandle,
            status: int,
            error: native.ErrorHandle,
        ) -> None:
            reason = reason_of(status, error)
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
    """The outbox of an AsyncClient.

        sent = await client.outbox.flush()
        print(len(sent), "requests were sent,", len(client.outbox), "are left")
    """

    __slots__ = ()

    _client: AwaitedClient

    async def flush(
        self,
        *,
        force: bool = False,
        wait: Literal[True] = True,
        timeout: float | None = None,
        progress: Wanted = None,
    ) -> OutboxItems:
        require_waiting(wait)
        outbox = self._client._linked().outbox
        with counting(progress, self._waiting, outbox.tell_end):
            flush = outbox.flush(OutboxFlag.FORCE if force else 0)
            items = await _within(timeout, asyncio.shield(flush), "the flush")
        if items.error is not None:
            raise items.error
        return items

    def observe(
        self, on_item: OnItem | None = None, on_flushed: OnFlushed | None = None
    ) -> None:
        self._client._linked().outbox.observe(on_item, on_flushed)

    async def wait(self, stored: Stored, timeout: float | None = None) -> OutboxItem:
        number = number_of(stored)
        ended = self._client._linked().outbox.wait(number)
        return ended_item(*await _within(timeout, ended, f"item {number} of the outbox"))


async def _within(
    timeout: float | None, future: asyncio.Future[Brought], what: str
) -> Brought:
    """Waits for a future; raises TimedOutError."""
    try:
        return await asyncio.wait_for(future, seconds_of(timeout))
    except asyncio.TimeoutError:
        if not future.cancelled():
            raise
        raise not_in_time(what, timeout) from None
