"""Authentication: the questions of a client, as Python functions."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from . import _native as native
from . import _questions as asked
from ._boundary import check, name, optional_name
from ._credential import Credential, credential_of, native_credential
from ._enums import Status
from ._exceptions import ClosedError, RestwayError
from ._failures import failure

if TYPE_CHECKING:
    from ._object import Layouts


class Exchange:
    """One send of a call, as an authorize function sees it; of no use after that has returned."""

    __slots__ = ("_handle",)

    def __init__(self, handle: native.ExchangeHandle) -> None:
        """For this package. `handle` is borrowed."""
        self._handle = handle

    @property
    def method(self) -> str:
        return native.borrowed(native.lib.restway_exchange_method(self._handle)) or ""

    @property
    def url(self) -> str:
        """With its query, as it goes out."""
        return native.borrowed(native.lib.restway_exchange_url(self._handle)) or ""

    @property
    def body(self) -> bytes:
        """As it goes out; empty when there is none."""
        length = native.number()
        address = native.lib.restway_exchange_body(self._handle, native.ref(length))
        return native.read(address, length.value)

    @property
    def attempt(self) -> int:
        """Which send of its call this is: 1 for the first."""
        number: int = native.lib.restway_exchange_attempt(self._handle)
        return number

    def header(self, header: str) -> str | None:
        """A header, by name without regard to case."""
        return native.borrowed(native.lib.restway_exchange_header(self._handle, name(header)))

    def set_header(self, header: str, value: str | None) -> None:
        """Sets a header of this send; None sends it without. Raises UsageError."""
        check(
            native.lib.restway_exchange_set_header,
            self._handle,
            name(header),
            optional_name(value),
        )

    def add_parameter(self, parameter: str, value: str) -> None:
        """Adds to the query of this send. Raises UsageError."""
        check(
            native.lib.restway_exchange_add_parameter, self._handle, name(parameter), name(value)
        )


Fresh = Union[Credential, str, None]
"""What a refresh brings: a credential, a token, or None when the program keeps it itself."""
Authorize = Callable[[Exchange], object]
ShouldReplay = Callable[[RestwayError], bool]
Refresh = Callable[[], Union[Fresh, Awaitable[Fresh]]]
Persist = Callable[[Credential], object]


def set_authorize(client: native.ClientHandle, authorize: Authorize | None) -> None:
    def run(handle: native.ExchangeHandle) -> int:
        assert authorize is not None
        try:
            authorize(Exchange(handle))
        except RestwayError as error:
            return error.status or Status.CANCELLED
        return Status.OK

    asked.set_question(
        native.lib.restway_client_set_authorize,
        asked.on_authorize_function,
        client,
        run=authorize and run,
        callback=authorize,
    )


def set_should_replay(
    client: native.ClientHandle, layouts: Layouts, should_replay: ShouldReplay | None
) -> None:
    def run(borrowed: native.ErrorHandle) -> bool:
        assert should_replay is not None
        handle = native.own(native.lib.restway_error_retain(borrowed))
        status = native.lib.restway_error_status(handle)
        return bool(should_replay(failure(status, handle, layouts)))

    asked.set_question(
        native.lib.restway_client_set_should_replay,
        asked.on_should_replay_function,
        client,
        run=should_replay and run,
        callback=should_replay,
    )


def set_persist(client: native.ClientHandle, persist: Persist | None) -> None:
    def run(fields: Any) -> None:
        assert persist is not None
        persist(credential_of(fields))

    asked.set_question(
        native.lib.restway_client_set_persist,
        asked.on_persist_function,
        client,
        run=persist and run,
        callback=persist,
    )


def set_refresh(
    client: native.ClientHandle,
    refresh: Refresh | None,
    loop: asyncio.AbstractEventLoop | None,
) -> None:
    """A coroutine function runs in `loop`, a plain one on a thread of its own, where it may block.
    """
    if refresh is not None and inspect.iscoroutinefunction(refresh) and loop is None:
        raise TypeError("a coroutine refreshes an AsyncClient, within its event loop")

    def run(handle: native.RefreshHandle) -> None:
        assert refresh is not None
        if loop is not None and inspect.iscoroutinefunction(refresh):
            loop.call_soon_threadsafe(_start, loop, refresh, handle)
        else:
            threading.Thread(
                target=_run, args=([refresh], handle), name="restway-refresh", daemon=True
            ).start()

    asked.set_question(
        native.lib.restway_client_set_refresh,
        asked.on_refresh_function,
        client,
        run=refresh and run,
        callback=refresh,
    )


_running: set[asyncio.Task[None]] = set()
"""A loop holds its tasks weakly."""


class _Refusal(NamedTuple):
    """Why there is nothing fresh. Of an error only this is kept: its frames hold handles."""

    reason: str
    is_temporary: bool


def _refusal(error: BaseException) -> _Refusal:
    reason = f"{type(error).__name__}: {error}".replace("\0", "?")
    return _Refusal(reason, isinstance(error, RestwayError) and error.retryable)


def _start(
    loop: asyncio.AbstractEventLoop,
    refresh: Callable[[], Coroutine[Any, Any, Fresh]],
    handle: native.RefreshHandle,
) -> None:
    async def ask() -> Fresh | _Refusal:
        try:
            return await refresh()
        except BaseException as error:
            return _refusal(error)

    async def run() -> None:
        _tell(handle, await ask())

    task = loop.create_task(run())
    _running.add(task)
    task.add_done_callback(_running.discard)


def _ask(refresh: Callable[[], Fresh]) -> Fresh | _Refusal:
    try:
        return refresh()
    except BaseException as error:
        return _refusal(error)


def _run(asked: list[Callable[[], Fresh]], handle: native.RefreshHandle) -> None:
    """`asked` is emptied: a thread holds its arguments to its end."""
    _tell(handle, _ask(asked.pop()))


def _tell(handle: native.RefreshHandle, answer: Fresh | _Refusal) -> None:
    """Who waits goes on at once, so nothing is held any more but the answer."""
    if not isinstance(answer, _Refusal):
        try:
            check(native.lib.restway_refresh_succeed, handle, native_credential(answer))
        except ClosedError:
            return  # overtaken, timed out or closed: nobody wants it any more
        except (RestwayError, TypeError, ValueError) as error:
            answer = _refusal(error)
        else:
            return
    # That it is over already is no news to anybody.
    native.lib.restway_refresh_fail(handle, answer.reason.encode(), int(answer.is_temporary), None)
