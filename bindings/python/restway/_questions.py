"""Functions of the program that the library calls: exclusions, failure readers, and how any of them
is set.

The functions for authentication are in `_auth`, the modifier of a call is in `_call`.
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
    """A lock that is held while a context is set, its call is sent and the context is removed
    again.

    The library copies the state of a request or a client when a call is sent, so each call can have
    a context of its own.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def renew(self) -> None:
        """Makes a new lock in a forked child, where the thread that held the old one does not
        exist.
        """
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


sending = Sending()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=sending.renew)


def reason_of(error: BaseException) -> bytes:
    """Returns the exception of a function as a sentence for the library."""
    return f"{type(error).__name__}: {error}".replace("\0", "?").encode("utf-8", "replace")


def fail_with(
    error: BaseException, holding: Holding | None, tell: Callable[[int | None, Any], int]
) -> int:
    """Reports to the library that a function has failed, so that its error has `error` as
    `__cause__`.

    Args:
        holding: Keeps `error` alive as long as the library has errors that refer to it; None if the
            client has been collected, so that nothing can report the error.
        tell: Called with the token of `error` and its destroy function; returns a status.
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
"""The largest number of errors in a chain whose frames are cleared."""


def _let_go_of_locals(error: BaseException | None) -> None:
    """Clears the frames of an error, which may refer to anything, also to its client. Only the line
    numbers remain.
    """
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
    """Calls `function(*before, trampoline, token, destroy, out_error)`; if `run` is None, it
    removes the function.

    A function that is set for a client is kept in its `holding`.
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
"""A function that receives method, path (None for another origin), entity and relationship. A true
result leaves the relationship out.
"""


def set_exclusion(
    client: native.ClientHandle, exclusion: Exclusion | None, holding: Holding
) -> None:
    """For this package: sets the exclusion of a client, in place of an earlier one."""
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
    """The result of a failure reader; None keeps the present value."""

    api_code: str | None = None
    """The API's own code; "" removes it."""
    api_message: str | None = None
    """The API's own message; "" removes it."""
    message: str | None = None
    """The whole message; it must not contain a secret."""
    retryable: bool | None = None
    """Whether the same request may succeed later; retries follow it."""


FailureReader = Callable[[RestwayError], "FailureReading | None"]
"""A function that receives the error that the document's `errors` made, with the response."""


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
