"""What the library asks a program: exclusions, failure readers, and how any question is set.

Authentication has questions of its own in `_auth`, a call has one in `_call`.
"""

from __future__ import annotations

import os
import threading
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from . import _ffi as native
from ._boundary import check, failure, optional_name
from ._exceptions import RestwayError
from ._ffi import trampolines
from ._ffi.callbacks import Holding, causes, questions
from ._ffi.trampolines import (
    on_cause_destroy,
    on_exclude_destroy,
    on_exclude_function,
    on_question_destroy,
)

if TYPE_CHECKING:
    from ._object import Layouts


class Sending:
    """Held while a context is set, its call sent and the context taken away again.

    The library copies what a request or a client holds when a call is sent, so each call can have a
    context of its own.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def renew(self) -> None:
        """In a forked child: whoever held the lock is gone."""
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


sending = Sending()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=sending.renew)


def reason_of(error: BaseException) -> bytes:
    """What a function raised, as a sentence for the library."""
    return f"{type(error).__name__}: {error}".replace("\0", "?").encode("utf-8", "replace")


def fail_with(
    error: BaseException, holding: Holding | None, tell: Callable[[int | None, Any], int]
) -> int:
    """Tells the library that a function has failed, so that its error has `error` as `__cause__`.

    Args:
        holding: Keeps `error` as long as the library has errors that carry it; None when the client
            has been collected, and nobody can be told.
        tell: Given the token of `error` and what destroys it; returns a status.
    """
    _let_go_of_locals(error)
    if holding is None:
        return tell(None, native.NULL_DESTROY)
    token = causes.add(_let_go_of_locals, error, holding)
    status = tell(token, on_cause_destroy)
    if status:
        causes.remove(token)
    return status


_CHAIN_MAX = 100
"""How many errors of a chain are looked at."""


def _let_go_of_locals(error: BaseException | None) -> None:
    """The frames of an error may hold anything, also its client; an error that is kept tells the
    lines alone."""
    for _ in range(_CHAIN_MAX):
        if error is None:
            return
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__


def set_question(
    function: Any,
    trampoline: Any,
    *before: Any,
    run: Callable[..., Any] | None,
    callback: object,
    holding: Holding | None = None,
) -> None:
    """Calls `function(*before, trampoline, token, destroy, out_error)`; `run` None sets nobody.

    What is set for a client goes into its `holding`.
    """
    if run is None:
        check(function, *before, type(trampoline)(), None, native.NULL_DESTROY)
        return
    token = questions.add(run, callback, holding)
    try:
        check(function, *before, trampoline, token, on_question_destroy)
    except BaseException:
        questions.remove(token)
        raise


Exclusion = Callable[[str, Optional[str], str, str], object]
"""Given method, path (None for another origin), entity and relationship; true leaves it out."""


def set_exclusion(
    client: native.ClientHandle, exclusion: Exclusion | None, holding: Holding
) -> None:
    """For this package: sets the exclusion of a client, in place of the one before."""
    function = native.lib.restway_client_set_exclusion
    if exclusion is None:
        check(function, client, native.NULL_EXCLUDE, None, native.NULL_DESTROY)
        return
    if not callable(exclusion):
        raise TypeError(f"an exclusion is callable, not {type(exclusion).__name__}")
    token = questions.add(exclusion, exclusion, holding)
    try:
        check(function, client, on_exclude_function, token, on_exclude_destroy)
    except BaseException:
        questions.remove(token)
        raise


class FailureReading(NamedTuple):
    """What a failure reader makes of an answer; None keeps what there is."""

    api_code: str | None = None
    """The API's own code; "" for none."""
    api_message: str | None = None
    """The API's own message; "" for none."""
    message: str | None = None
    """The whole message; it must hold no secret."""
    retryable: bool | None = None
    """Whether the same request may succeed later; retries follow it."""


FailureReader = Callable[[RestwayError], "FailureReading | None"]
"""Given what the document's `errors` found, with the response."""


def set_failure_reader(
    client: native.ClientHandle,
    layouts: Layouts,
    reader: FailureReader | None,
    holding: Holding,
) -> None:
    def run(handle: native.FailureHandle) -> None:
        assert reader is not None
        lib = native.lib
        found = native.own(lib.restway_error_retain(lib.restway_failure_error(handle)))
        reading = reader(failure(lib.restway_error_status(found), found, layouts))
        if reading is not None:
            check(
                lib.restway_failure_replace,
                handle,
                optional_name(reading.api_code),
                optional_name(reading.api_message),
                optional_name(reading.message),
                -1 if reading.retryable is None else int(reading.retryable),
            )

    set_question(
        native.lib.restway_client_set_failure_reader,
        trampolines.on_read_failure_function,
        client,
        run=reader and run,
        callback=reader,
        holding=holding,
    )
