"""What the library asks besides the interceptor: trampolines, and setting who answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _native as native
from ._boundary import check
from ._callbacks import inside, questions, report
from ._enums import Status


def _authorize(context: int | None, exchange: native.ExchangeHandle) -> int:
    entry = None
    try:
        entry = questions.get(context)
        with inside:
            status: int = entry.run(exchange)
            return status
    except BaseException:
        report(entry and entry.callback, "an authorize function")
        return Status.CANCELLED


def _should_replay(context: int | None, error: native.ErrorHandle) -> int:
    entry = None
    try:
        entry = questions.get(context)
        with inside:
            return 1 if entry.run(error) else 0
    except BaseException:
        report(entry and entry.callback, "a should_replay function")
        return 0


def _refresh(context: int | None, refresh: native.RefreshHandle) -> None:
    entry = None
    try:
        handle = native.own(native.RefreshHandle(refresh.value))
        entry = questions.get(context)
        with inside:
            entry.run(handle)
    except BaseException:
        report(entry and entry.callback, "a refresh function")


def _told(what: str) -> Callable[..., None]:
    """A trampoline without an answer."""

    def run(context: int | None, *arguments: Any) -> None:
        entry = None
        try:
            entry = questions.get(context)
            with inside:
                entry.run(*arguments)
        except BaseException:
            report(entry and entry.callback, what)

    return run


def _destroy(context: int | None) -> None:
    try:
        questions.remove(context)
    except BaseException:
        report(None, "the end of a question")


on_authorize_function = native.AuthorizeFn(_authorize)
on_should_replay_function = native.ShouldReplayFn(_should_replay)
on_refresh_function = native.RefreshFn(_refresh)
on_persist_function = native.PersistFn(_told("a persist function"))
on_attempt_function = native.AttemptFn(_told("an attempt observer"))
on_progress_function = native.ProgressFn(_told("a progress function"))
on_read_failure_function = native.ReadFailureFn(_told("a failure reader"))
on_question_destroy = native.DestroyFn(_destroy)
"""The trampolines as C functions; they live as long as the process."""


def set_question(
    function: Any, trampoline: Any, *before: Any, run: Callable[..., Any] | None, callback: object
) -> None:
    """Calls `function(*before, trampoline, token, destroy, out_error)`; `run` None sets nobody."""
    if run is None:
        check(function, *before, type(trampoline)(), None, native.NULL_DESTROY)
        return
    token = questions.add(run, callback)
    try:
        check(function, *before, trampoline, token, on_question_destroy)
    except BaseException:
        questions.remove(token)
        raise
