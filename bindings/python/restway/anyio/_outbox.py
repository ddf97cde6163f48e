"""The outbox of a client in the loop of anyio."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Optional, TypeVar

import anyio

from .. import _ffi as native
from .._exceptions import RestwayError
from .._handles.waiting import not_in_time, require_waiting, seconds_of
from .._outbox import Outbox, OutboxMethods
from .._outbox_items import (
    OutboxItem,
    OutboxItems,
    Stored,
    ended_item,
    item_of,
    number_of,
    reason_of,
)
from ..progress import Wanted
from ..progress._flushes import counting
from ._waiting import until_brought

T = TypeVar("T")

Ended = tuple[OutboxItem, Optional[RestwayError]]
"""An item that has come to its end, and the reason why its end is not known."""


class AnyioOutbox(OutboxMethods):
    """The outbox of an AnyioClient.

        sent = await client.outbox.flush()
    """

    def __init__(self, outbox: Outbox) -> None:
        """For this package: `AnyioClient.outbox` makes it."""
        self.outbox = outbox
        """The outbox behind it, for all that does not wait: its items, and observers."""

    async def flush(
        self,
        *,
        force: bool = False,
        wait: Literal[True] = True,
        timeout: float | None = None,
        progress: Wanted = None,
    ) -> OutboxItems:
        require_waiting(wait)
        outbox = self.outbox

        def begin(bring: Callable[[OutboxItems], object]) -> None:
            outbox._flush(bring, force)

        with counting(progress, outbox._waiting, outbox._tell_end):
            items = await _within(timeout, begin, "the flush")
        if items.error is not None:
            raise items.error
        return items

    async def wait(self, stored: Stored, timeout: float | None = None) -> OutboxItem:
        outbox, number = self.outbox, number_of(stored)
        layouts = outbox._layouts

        def begin(bring: Callable[[Ended], object]) -> None:
            def told(
                handle: native.OutboxItemHandle, status: int, error: native.ErrorHandle
            ) -> None:
                bring((item_of(handle, layouts), reason_of(status, error)))

            outbox._await(number, told)

        return ended_item(*await _within(timeout, begin, f"item {number} of the outbox"))

    def __repr__(self) -> str:
        return f"<AnyioOutbox of {self.outbox!r}>"


async def _within(
    timeout: float | None, begin: Callable[[Callable[[T], object]], object], what: str
) -> T:
    """Waits for what another thread brings, see `until_brought`; raises TimedOutError."""
    with anyio.move_on_after(seconds_of(timeout)):
        return await until_brought(begin)
    raise not_in_time(what, timeout)
