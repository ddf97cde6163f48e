"""What the clients of this package share about authentication and retries."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from . import _native as native
from ._auth import (
    Authorize,
    Persist,
    Refresh,
    ShouldReplay,
    set_authorize,
    set_persist,
    set_refresh,
    set_should_replay,
)
from ._boundary import check
from ._credential import Credential, native_credential
from ._failure_reading import FailureReader, set_failure_reader

if TYPE_CHECKING:
    from ._object import Layouts


class _Keep:
    """Stands for "leave it as it is"."""

    def __repr__(self) -> str:
        return "..."


_KEEP = _Keep()


class _Client(Protocol):
    _layouts: Layouts

    @property
    def _handle(self) -> native.ClientHandle: ...

    def _loop(self) -> asyncio.AbstractEventLoop | None: ...


class ClientAuth:
    """The questions of a client about credentials and failures."""

    __slots__ = ()

    def set_auth(
        self: _Client,
        *,
        authorize: Authorize | _Keep | None = _KEEP,
        should_replay: ShouldReplay | _Keep | None = _KEEP,
        refresh: Refresh | _Keep | None = _KEEP,
        persist: Persist | _Keep | None = _KEEP,
    ) -> None:
        """Sets who answers the client's questions about its credential; None sets nobody.

        Args:
            authorize: Given an `Exchange` for every send to a trusted origin, when all other
                headers stand; a RestwayError that it raises ends the call with its class, anything
                else with CancelledError. It runs on a thread of the library; what blocks raises
                WouldBlockError there.
            should_replay: Given the RestwayError of every answer that is not a success; says
                whether the credential is dead. As `authorize` otherwise.
            refresh: Gets a new credential: returns a `Credential`, a token, or None when the
                program keeps it itself; never called while it runs. What it raises fails everybody
                who waits; only an error that is `retryable` lets the next call try again. A plain
                function runs on a thread of its own, where it may block; of an AsyncClient it may
                be a coroutine function, which runs in the client's loop. Requests that it sends
                through the same client need `auth="none"` or `auth="bypass"`.
            persist: Given the whole `Credential` that a refresh has brought, before anything goes
                out with it.

        Raises TypeError, ClosedError; RuntimeError for a coroutine function outside of a loop.
        """
        handle = self._handle
        if not isinstance(authorize, _Keep):
            set_authorize(handle, authorize)
        if not isinstance(should_replay, _Keep):
            set_should_replay(handle, self._layouts, should_replay)
        if not isinstance(persist, _Keep):
            set_persist(handle, persist)
        if not isinstance(refresh, _Keep):
            loop = self._loop() if asyncio.iscoroutinefunction(refresh) else None
            set_refresh(handle, refresh, loop)

    def set_credential(self: _Client, credential: Credential | str | None) -> None:
        """Says that there is a new credential: who waits for a refresh goes out with it.

        Args:
            credential: A str is a token; None when `authorize` knows the new one already.

        Raises UsageError for what cannot stand in a header; ClosedError.
        """
        check(
            native.lib.restway_client_set_credential, self._handle, native_credential(credential)
        )

    def set_retry(self: _Client, policy: Mapping[str, Any] | None) -> None:
        """Sets the retry policy, in place of the document's `retry`; None retries nothing.

        Args:
            policy: What would stand under `retry` in a document: `{"attempts": 3}`.

        Raises ConfigError with every problem; ClosedError.
        """
        text = b"" if policy is None else json.dumps(dict(policy)).encode()
        check(
            native.lib.restway_client_set_retry, self._handle, text if text else None, len(text)
        )

    def set_failure_reader(self: _Client, reader: FailureReader | None) -> None:
        """Sets who reads the API's own errors; None sets nobody.

        Args:
            reader: Given the RestwayError of every answer that is not a success, with its
                response; returns a `FailureReading`, or None to leave it as it is. It runs on a
                thread of the library; an exception in it goes to `sys.unraisablehook`.
        """
        set_failure_reader(self._handle, self._layouts, reader)
