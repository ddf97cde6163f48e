"""Interceptors: asked about each call before it goes out.

The library asks with a request alone. So that what an interceptor raises is told by the very call
that it refused, each call is sent with a context of its own.
"""

from __future__ import annotations

import inspect
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from . import _native as native
from ._boundary import check
from ._callbacks import on_intercept_destroy, on_intercept_function, questions
from ._enums import Status
from ._exceptions import RestwayError
from ._request import Request

Interceptor = Callable[[Request], object]
"""Given a private copy of a request before it goes out; `Request.update` changes it."""

_sending = threading.RLock()
"""Held while a context is set, its call sent and the context taken away again."""


def _renew_lock() -> None:
    """In a forked child: whoever held the lock is gone."""
    global _sending
    _sending = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


class Question:
    """An interceptor, to be asked about one call; knows what it raised."""

    __slots__ = ("_interceptor", "_raised")

    def __init__(self, interceptor: Interceptor) -> None:
        self._interceptor = interceptor
        self._raised: BaseException | None = None

    def ask(self, handle: native.RequestHandle) -> int:
        """Asks; returns a status. `handle` is owned."""
        try:
            self._interceptor(Request(handle))
        except BaseException as error:
            self._raised = error
            if isinstance(error, RestwayError) and error.status != Status.OK:
                return error.status
            return Status.CANCELLED
        return Status.OK

    def explain(self, error: RestwayError) -> None:
        """Says in `error`, which the call failed with, what the interceptor raised, if it did."""
        raised = self._raised
        if raised is None or error.__cause__ is raised:
            return
        error.message = f"{error.message}: {type(raised).__name__}: {raised}"
        error.args = (error.message,)
        error.__cause__ = raised


def checked(interceptor: Interceptor | None) -> Interceptor | None:
    """`interceptor`, or TypeError when it cannot be one."""
    if interceptor is None:
        return None
    if not callable(interceptor):
        raise TypeError(f"an interceptor is callable, not {type(interceptor).__name__}")
    if inspect.iscoroutinefunction(interceptor):
        raise TypeError("an interceptor is a plain function: it is asked on a thread of its own")
    return interceptor


@contextmanager
def asking(client: native.ClientHandle, interceptor: Interceptor) -> Iterator[Question]:
    """Calls that are sent within this context are asked about; raises ClosedError, ForkedError."""
    question = Question(interceptor)
    function = native.lib.restway_client_set_interceptor
    with _sending:
        token = questions.add(question.ask, interceptor)
        try:
            check(function, client, on_intercept_function, token, on_intercept_destroy)
        except BaseException:
            questions.remove(token)
            raise
        try:
            yield question
        finally:
            # A client that was closed meanwhile has let go of it already.
            function(client, native.NULL_INTERCEPT, None, native.NULL_DESTROY, None)
