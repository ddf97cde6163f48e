"""Stored requests as values: the items of the outbox and their numbers by state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from typing import NamedTuple, Union, overload

from . import _ffi as native
from ._base.hints import Hinting, position, require_number
from ._enums import OutboxReason, OutboxState, Status
from ._exceptions import QueuedError, RestwayError
from ._ffi.conversion import JSONValue, json_value
from ._handles import failure
from ._object import Layouts
from ._response import Response

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class OutboxItem(NamedTuple):
    """A stored request (an item of the outbox) at one moment.

        for item in client.outbox.items():
            print(item.id, item.state.name, item.method, item.path, item.last_error)
    """

    id: int
    """The number of the item, as `QueuedError.outbox_id` has it."""
    state: OutboxState
    """The state of the item: it waits, is being sent, is blocked by another item, is dead, or is
    parked until its conflict is resolved (`Outbox.conflicts`).
    """
    method: str
    """The method, such as "PATCH"."""
    path: str
    """The path below the base URL, without its query."""
    lane: str
    """The queue in which the item stands. The items of one lane are sent one after the other."""
    key: str
    """The Idempotency-Key that is sent with every attempt."""
    body: bytes | None
    """The body; None for a request without one."""
    created: datetime
    """When the request was stored."""
    attempts: int
    """How often the item may have reached the server."""
    next_attempt: datetime | None
    """When the outbox may send the item again by itself; None means at once."""
    last_error: str | None
    """The message of the last failure; None before the first one."""
    response: Response | None
    """The server's answer to a dead letter, or to an item in a report."""
    reason: OutboxReason
    """Why the item is a dead letter; NONE for another item. An item with KEY_REUSED needs `edit`,
    which gives it a new key: a retry gets the same answer. VERSION: the server refuses the version
        that it has just sent for the object, or sends none that can be used.

    Four reasons say why an item waits. NOT_THE_API: a hotspot or a proxy has answered in
    place of the API. CREDENTIAL: the server refused the credential of the last attempt, or the
    client had none; `set_credential` starts the item. OTHER_USER: another user stored it, and only
    a client of that user sends it. CONFLICT: it waits behind a parked item about its object as a
    whole.
    """
    error: RestwayError | None = None
    """The error of a dead letter, as the call would have raised it: with the API's code, its
    message, and the details for each field. None for another item.
    """

    def __repr__(self) -> str:
        body = "no body" if self.body is None else f"{len(self.body)} bytes"
        reason = "" if self.reason is OutboxReason.NONE else f" {self.reason.name}"
        state = f"{self.state.name}{reason}"
        return f"<OutboxItem {self.id} {state}: {self.method} {self.path}, {body}>"


class OutboxItems(Hinting, Sequence[OutboxItem]):
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
        """The reason why a flush could not go on, or why a reported item is dead."""

    def export(self) -> JSONValue:
        """Returns all items as JSON, without secrets."""
        length = native.number()
        text = native.lib.restway_outbox_items_json(self._handle, native.ref(length))
        return json_value(text)

    @overload
    def __getitem__(self, index: int) -> OutboxItem: ...
    @overload
    def __getitem__(self, index: slice) -> list[OutboxItem]: ...
    def __getitem__(self, index: int | slice) -> OutboxItem | list[OutboxItem]:
        if isinstance(index, slice):
            return self._items[index]
        return self._items[position(index, len(self._items), "items")]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[OutboxItem]:
        return iter(self._items)

    def __repr__(self) -> str:
        shown = [f"{item.id} {item.state.name} {item.method} {item.path}" for item in self[:3]]
        more = ", …" if len(self) > 3 else ""
        return f"<OutboxItems {len(self)}: [{', '.join(shown)}{more}]>"


class OutboxCounts(NamedTuple):
    """The numbers of stored requests, by state."""

    waiting: int
    """Requests that are sent when the server can be reached."""
    sending: int
    """Requests that are being sent."""
    blocked: int
    """Requests that wait for another request, which stands before them in their lane."""
    dead: int
    """Dead letters: requests that the server has refused for good. They stay until the program
    retries, edits or drops them.
    """
    parked: int
    """Requests that are not sent before their conflict is resolved (`Outbox.conflicts`)."""


Stored = Union[QueuedError, OutboxItem, int]
"""A stored request: the error of its call, the item, or the number of the item."""


def number_of(stored: Stored) -> int:
    """For this package: returns the number of a stored request; raises TypeError or ValueError."""
    if isinstance(stored, QueuedError):
        return stored.outbox_id
    if isinstance(stored, OutboxItem):
        return stored.id
    if not isinstance(stored, int) or isinstance(stored, bool):
        hint = "; a QueuedError, an OutboxItem or a number is an item"
        raise TypeError(f"expected an int, not {type(stored).__name__}{hint}")
    return require_number(stored, "the number of an item", least=-(2**63))


def ended_item(item: OutboxItem, error: RestwayError | None) -> OutboxItem:
    """For this package: returns an item that has ended; raises if its end is not known."""
    is_known = item.state in (OutboxState.DELIVERED, OutboxState.DEAD)
    if error is not None and not is_known and error.status != Status.CANCELLED:
        raise error
    return item


def item_of(handle: native.OutboxItemHandle, layouts: Layouts) -> OutboxItem:
    """For this package: returns an item with the values of a handle, which are read at once."""
    lib = native.lib
    length = native.number()
    start = lib.restway_outbox_item_body(handle, native.ref(length))
    response = lib.restway_outbox_item_response(handle)
    due = lib.restway_outbox_item_next_attempt(handle)
    error = lib.restway_outbox_item_error(handle)
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
        failure(lib.restway_error_status(error), error, layouts) if error else None,
    )


def _time(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)


def reason_of(status: int, error: native.ErrorHandle) -> RestwayError | None:
    return failure(status, error, None) if status else None


OnItem = Callable[[OutboxItem, "RestwayError | None"], object]
"""A function that is called when an item was delivered, has become a dead letter or was parked; if
it was not delivered, the second argument is the error.
"""

OnFlushed = Callable[[OutboxItems], object]
"""A function that is called when a flush has ended; it receives the items that were sent."""
