"""Authentication: credentials, and the functions of the program that the client calls about them.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from . import _ffi as native
from . import _functions as asked
from ._base.hints import require_mapping
from ._base.lazy import asyncio, inspect, json
from ._enums import Status
from ._exceptions import ClosedError, RefreshRefusedError, RestwayError
from ._ffi import trampolines
from ._ffi.callbacks import Holding
from ._functions import AskedClient, FailureReader, Held, set_failure_reader
from ._handles import check, failure, milliseconds, name, optional_name, status_of

if TYPE_CHECKING:
    from ._config import Credential
    from ._object import Layouts


def native_credential(credential: Credential | str | None) -> Any:
    """Returns `credential` in the form that the library takes; a str is a token. None stays None.
    """
    if credential is None:
        return None
    from ._config import Credential

    if isinstance(credential, str):
        credential = Credential(token=credential)
    if not isinstance(credential, Credential):
        raise TypeError(f"a Credential, a token or None, not {type(credential).__name__}")
    fields = native.Credential()
    check(native.lib.restway_credential_init, native.ref(fields), native.size_of(fields))
    fields.user = optional_name(credential.user)
    fields.password = optional_name(credential.password)
    fields.token = optional_name(credential.token)
    fields.refresh_token = optional_name(credential.refresh_token)
    fields.expires_in_milliseconds = milliseconds(credential.expires_in, unbounded=0)
    return native.ref(fields)


def credential_of(fields: Any) -> Credential:
    """Returns a copy of a credential that the library lends."""
    from ._config import Credential

    expiry = fields.expires_in_milliseconds
    return Credential(
        user=native.borrowed(fields.user),
        password=native.borrowed(fields.password),
        token=native.borrowed(fields.token),
        refresh_token=native.borrowed(fields.refresh_token),
        expires_in=expiry / 1000 if expiry else None,
    )


class Exchange:
    """One attempt of a call, as an authorize function sees it. It is valid until that function
    returns.

        def authorize(exchange):
            exchange.set_header("X-Signature", sign(exchange.url, exchange.body))

        client.set_auth(authorize=authorize)
    """

    __slots__ = ("_handle",)

    def __init__(self, handle: native.ExchangeHandle) -> None:
        """For this package. `handle` is borrowed."""
        self._handle = handle

    @property
    def method(self) -> str:
        """The method, such as "GET"."""
        return native.borrowed(native.lib.restway_exchange_method(self._handle)) or ""

    @property
    def url(self) -> str:
        """The URL with its query, as it is sent."""
        return native.borrowed(native.lib.restway_exchange_url(self._handle)) or ""

    @property
    def body(self) -> bytes:
        """The body as it is sent; empty if the request has no body."""
        length = native.number()
        address = native.lib.restway_exchange_body(self._handle, native.ref(length))
        return native.read(address, length.value)

    @property
    def attempt(self) -> int:
        """The number of this attempt of the call: 1 for the first."""
        number: int = native.lib.restway_exchange_attempt(self._handle)
        return number

    def header(self, header: str) -> str | None:
        """Returns the value of a header; the case of its name does not matter."""
        return native.borrowed(native.lib.restway_exchange_header(self._handle, name(header)))

    def __repr__(self) -> str:
        return f"<Exchange {self.method} {self.url.partition('?')[0]}, attempt {self.attempt}>"

    def set_header(self, header: str, value: str | None) -> None:
        """Sets a header of this attempt; None removes it. Raises UsageError."""
        check(
            native.lib.restway_exchange_set_header,
            self._handle,
            name(header),
            optional_name(value),
        )

    def add_parameter(self, parameter: str, value: str) -> None:
        """Adds a parameter to the query of this attempt. Raises UsageError."""
        check(
            native.lib.restway_exchange_add_parameter, self._handle, name(parameter), name(value)
        )


Fresh = Union["Credential", str, None]
"""The result of a refresh: a credential, a token, or None when the program keeps the credential
itself.
"""
Authorize = Callable[[Exchange], object]
"""A function that is called for every attempt and may set its headers and parameters."""

ShouldReplay = Callable[[RestwayError], bool]
"""A function that receives the error of an answer, and returns whether the credential is no longer
valid.
"""

Refresh = Callable[[], Union[Fresh, Awaitable[Fresh]]]
"""A function that gets a new credential: a `Credential`, a token, or None if the program keeps the
credential itself. For an AsyncClient it may be a coroutine function.
"""

Persist = Callable[["Credential"], object]
"""A function that receives each credential that a refresh has brought, for example to keep it in a
file.
"""


def set_authorize(
    client: native.ClientHandle, authorize: Authorize | None, holding: Holding
) -> None:
    held = weakref.ref(holding)

    def run(handle: native.ExchangeHandle) -> int:
        assert authorize is not None
        try:
            authorize(Exchange(handle))
        except BaseException as error:
            reason = asked.reason_of(error)
            asked.fail_with(
                error,
                held(),
                lambda cause, destroy: native.lib.restway_exchange_set_refusal(
                    handle, reason, cause, destroy, None
                ),
            )
            return status_of(error, Status.CANCELLED)
        return Status.OK

    asked.set_question(
        native.lib.restway_client_set_authorize,
        trampolines.on_authorize_function,
        client,
        run=authorize and run,
        callback=authorize,
        holding=holding,
    )


def set_should_replay(
    client: native.ClientHandle,
    layouts: Layouts,
    should_replay: ShouldReplay | None,
    holding: Holding,
) -> None:
    def run(borrowed: native.ErrorHandle) -> bool:
        assert should_replay is not None
        handle = native.own(native.lib.restway_error_retain(borrowed))
        status = native.lib.restway_error_status(handle)
        return bool(should_replay(failure(status, handle, layouts)))

    asked.set_question(
        native.lib.restway_client_set_should_replay,
        trampolines.on_should_replay_function,
        client,
        run=should_replay and run,
        callback=should_replay,
        holding=holding,
    )


def set_persist(
    client: native.ClientHandle, persist: Persist | None, holding: Holding
) -> None:
    def run(fields: Any) -> None:
        assert persist is not None
        persist(credential_of(fields))

    asked.set_question(
        native.lib.restway_client_set_persist,
        trampolines.on_persist_function,
        client,
        run=persist and run,
        callback=persist,
        holding=holding,
    )


def set_refresh(
    client: native.ClientHandle,
    refresh: Refresh | None,
    loop: asyncio.AbstractEventLoop | None,
    holding: Holding,
) -> None:
    """Runs a coroutine function in `loop`, and a plain function on a thread of its own, where it
    may block.
    """
    if refresh is not None and inspect.iscoroutinefunction(refresh) and loop is None:
        raise TypeError("a coroutine refreshes an AsyncClient, within its event loop")
    held = weakref.ref(holding)

    def run(handle: native.RefreshHandle) -> None:
        assert refresh is not None
        if loop is not None and inspect.iscoroutinefunction(refresh):
            loop.call_soon_threadsafe(_start, loop, refresh, handle, held)
        else:
            threading.Thread(
                target=_run, args=([refresh], handle, held), name="restway-refresh", daemon=True
            ).start()

    asked.set_question(
        native.lib.restway_client_set_refresh,
        trampolines.on_refresh_function,
        client,
        run=refresh and run,
        callback=refresh,
        holding=holding,
    )


_running: set[asyncio.Task[None]] = set()
"""The running refreshes: a loop refers to its tasks only weakly."""


class _Raised(NamedTuple):
    """The exception that a refresh function raised."""

    error: BaseException




def _start(
    loop: asyncio.AbstractEventLoop,
    refresh: Callable[[], Coroutine[Any, Any, Fresh]],
    handle: native.RefreshHandle,
    held: Held,
) -> None:
    async def ask() -> Fresh | _Raised:
        try:
            return await refresh()
        except BaseException as error:
            return _Raised(error)

    async def run() -> None:
        _tell(handle, await ask(), held)

    task = loop.create_task(run())
    _running.add(task)
    task.add_done_callback(_running.discard)


def _ask(refresh: Callable[[], Fresh]) -> Fresh | _Raised:
    try:
        return refresh()
    except BaseException as error:
        return _Raised(error)


def _run(asked: list[Callable[[], Fresh]], handle: native.RefreshHandle, held: Held) -> None:
    """Runs a plain function. `asked` is emptied, because a thread keeps its arguments until it
    ends.
    """
    _tell(handle, _ask(asked.pop()), held)


def _tell(handle: native.RefreshHandle, answer: Fresh | _Raised, held: Held) -> None:
    """Ends the refresh. The waiting calls continue at once, so only the answer may still be
    referenced here.
    """
    if not isinstance(answer, _Raised):
        try:
            check(native.lib.restway_refresh_succeed, handle, native_credential(answer))
        except ClosedError:
            return  # replaced, timed out or closed: nothing waits for this refresh any more
        except (RestwayError, TypeError, ValueError) as error:
            answer = _Raised(error)
        else:
            return
    raised = answer.error
    reason, is_final = asked.reason_of(raised), int(isinstance(raised, RefreshRefusedError))
    # A refresh that has already ended is not an error.
    asked.fail_with(
        raised,
        held(),
        lambda cause, destroy: native.lib.restway_refresh_fail(
            handle, reason, is_final, cause, destroy, None
        ),
    )


class _Keep:
    """The default of an argument that is left as it is."""

    def __repr__(self) -> str:
        return "..."


_KEEP = _Keep()


class ClientAuth:
    """The functions of a client that the library calls about credentials and failures."""

    __slots__ = ()

    def set_auth(
        self: AskedClient,
        *,
        authorize: Authorize | _Keep | None = _KEEP,
        should_replay: ShouldReplay | _Keep | None = _KEEP,
        refresh: Refresh | _Keep | None = _KEEP,
        persist: Persist | _Keep | None = _KEEP,
    ) -> None:
        """Sets the functions that the client calls about its credential; None removes a function.

        Args:
            authorize: Called with an `Exchange` for every attempt to a trusted origin, after all
                other headers are set. If it raises a RestwayError, the call fails with an error of
                the same class, otherwise with CancelledError; the `__cause__` of that error is the
                exception. It runs on a thread of the library, where blocking calls raise
                WouldBlockError.
            should_replay: Called with the RestwayError of every answer that is not a success;
                returns whether the credential is no longer valid. It runs where `authorize` does.
                If it raises, the document's `auth.replay` decides.
            refresh: Gets a new credential: returns a `Credential`, a token, or None if the program
                keeps the credential itself. It is never called while an earlier refresh runs. If it
                raises, all waiting calls fail with AuthError, whose `__cause__` is the exception.
                The refresh has then failed for the time being: the first call after one second
                calls it again. It raises RefreshRefusedError to declare that no refresh can
                succeed; every later call then fails at once, until `set_credential`. A plain
                function runs on a thread of its own, where it may block; for an AsyncClient it may
                be a coroutine function, which runs in the client's loop. Requests that it sends
                through the same client need `auth="none"` or `auth="bypass"`.
            persist: Called with the whole `Credential` that a refresh has brought, before any
                request is sent with it.

        The functions may refer to the client: it can be garbage-collected nevertheless. Raises
        TypeError, ClosedError; RuntimeError for a coroutine function outside an event loop.
        """
        handle, holding = self._handle, self._holding
        if not isinstance(authorize, _Keep):
            set_authorize(handle, authorize, holding)
        if not isinstance(should_replay, _Keep):
            set_should_replay(handle, self._layouts, should_replay, holding)
        if not isinstance(persist, _Keep):
            set_persist(handle, persist, holding)
        if not isinstance(refresh, _Keep):
            loop = self._loop() if asyncio.iscoroutinefunction(refresh) else None
            set_refresh(handle, refresh, loop, holding)

    def set_credential(self: AskedClient, credential: Credential | str | None) -> None:
        """Replaces the whole credential. Calls that wait for a refresh are sent with it, and so are
        stored requests that wait for a credential.

            client.set_credential(restway.Credential(token=token, refresh_token=refresh_token))
            client.set_credential(None)  # signs out

        Args:
            credential: A str is a token. A field that is None has no value, whatever the credential
                before had; only the user name or client identifier of the document, with its
                password or secret, stands in for a missing user. None and a credential without
                fields remove everything, so that nobody is signed in. If an `authorize` function
                keeps the credential itself, None says that it has the new one.

        Raises UsageError for a field that cannot be sent (a token that a header cannot hold, a
        control character, or, with the schemes `basic` and `digest`, a user name with a colon);
        ClosedError.
        """
        check(
            native.lib.restway_client_set_credential, self._handle, native_credential(credential)
        )

    def set_retry(self: AskedClient, policy: Mapping[str, Any] | None) -> None:
        """Sets the retry policy, in place of the document's `retry`; with None no call is retried.

        Args:
            policy: A policy as under `retry` in a document: `{"attempts": 3}`.

        Raises ConfigError with every problem; ClosedError.
        """
        if policy is not None:
            require_mapping(policy, "the keys of a retry policy")
        text = b"" if policy is None else json.dumps(dict(policy)).encode()
        check(
            native.lib.restway_client_set_retry, self._handle, text if text else None, len(text)
        )

    def set_failure_reader(self: AskedClient, reader: FailureReader | None) -> None:
        """Sets the function that reads the API's own errors; None removes it.

        Args:
            reader: Called with the RestwayError of every answer that is not a success, with its
                response; returns a `FailureReading`, or None to keep the error as it is. It runs on
                a thread of the library; an exception in it goes to `sys.unraisablehook`.
        """
        set_failure_reader(self._handle, self._layouts, reader, self._holding)
