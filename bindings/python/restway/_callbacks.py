"""What the library calls: trampolines, and the tokens that stand for Python callbacks.

A callback is registered before the library learns its token, and removed in its destroy function.
No exception leaves a trampoline: it goes to `sys.unraisablehook`.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

from . import _native as native
from ._enums import Status

_EXIT_WAIT_SECONDS = 5.0


class Entry(NamedTuple):
    """What stands under a token."""

    run: Callable[..., Any]
    """Called by the trampoline."""
    callback: object
    """What the program gave; named when `run` fails."""


class Registry:
    """Callbacks under integer tokens."""

    def __init__(self) -> None:
        self._tokens = itertools.count(1)
        self._entries: dict[int, Entry] = {}
        self._held = 0
        self._changed = threading.Condition()

    def add(self, run: Callable[..., Any], callback: object) -> int:
        with self._changed:
            self._held += 1
            token = next(self._tokens)
            self._entries[token] = Entry(run, callback)
            return token

    def get(self, token: int | None) -> Entry:
        return self._entries[token or 0]

    def remove(self, token: int | None) -> None:
        with self._changed:
            entry = self._entries.pop(token or 0)
        del entry  # outside the lock: what ends with it may run any code
        with self._changed:
            self._held -= 1
            self._changed.notify_all()

    def wait_until_empty(self, seconds: float) -> bool:
        """Waits until every callback has run for the last time, and is gone with all it held.

        False when that takes too long.
        """
        with self._changed:
            return self._changed.wait_for(lambda: self._held == 0, seconds)

    def forget_all(self) -> None:
        """In a forked child: the parent's callbacks never run here."""
        self._changed = threading.Condition()
        self._entries.clear()
        self._held = 0

    def __len__(self) -> int:
        return self._held


completions = Registry()
observers = Registry()
questions = Registry()
running = Registry()
"""Transforms and hooks that are being asked right now."""
functions = Registry()
"""Transforms and hooks: they live as long as their api."""
logs = Registry()

if hasattr(os, "register_at_fork"):
    for _registry in (completions, observers, questions, running, functions, logs):
        os.register_at_fork(after_in_child=_registry.forget_all)


def wait_at_exit() -> None:
    """Waits for what the closed clients still have to say, while there is an interpreter to run it.

    A callback that comes later would end its thread in the middle of the library.
    """
    completions.wait_until_empty(_EXIT_WAIT_SECONDS)
    observers.wait_until_empty(_EXIT_WAIT_SECONDS)
    questions.wait_until_empty(_EXIT_WAIT_SECONDS)
    running.wait_until_empty(_EXIT_WAIT_SECONDS)


class _Inside(threading.local):
    """Whether this thread is inside a callback, where nothing may block."""

    depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1


inside = _Inside()


class _Unraisable(NamedTuple):
    """What `sys.unraisablehook` is given; Python has no constructor for its own type of it."""

    exc_type: Any
    exc_value: Any
    exc_traceback: Any
    err_msg: str
    object: Any


def report(callback: Any, where: str) -> None:
    """Tells `sys.unraisablehook` about the exception being handled."""
    message = f"Exception ignored in {where}"
    if sys.unraisablehook is sys.__unraisablehook__:  # takes its own type alone
        print(f"{message}: {callback!r}", file=sys.stderr)
        traceback.print_exc()
    else:
        kind, error, trace = sys.exc_info()
        hook: Callable[[Any], object] = sys.unraisablehook
        hook(_Unraisable(kind, error, trace, message, callback))


def _done(
    context: int | None,
    call: native.CallHandle,
    _status: int,
    _response: native.ResponseHandle,
    _error: native.ErrorHandle,
) -> None:
    entry = None
    try:
        entry = completions.get(context)
        with inside:
            entry.run(native.own(native.lib.restway_call_retain(call)))
    except BaseException:
        report(entry and entry.callback, "a completion callback")


def _done_destroy(context: int | None) -> None:
    try:
        completions.remove(context)
    except BaseException:
        report(None, "the end of a completion callback")


def _changed(context: int | None, changes: native.ChangesHandle) -> None:
    entry = None
    try:
        entry = observers.get(context)
        with inside:
            entry.run(native.own(native.lib.restway_changes_retain(changes)))
    except BaseException:
        report(entry and entry.callback, "an observer")


def _changed_destroy(context: int | None) -> None:
    try:
        observers.remove(context)
    except BaseException:
        report(None, "the end of an observer")


def _intercept(context: int | None, request: native.RequestHandle) -> int:
    entry = None
    try:
        entry = questions.get(context)
        with inside:
            status: int = entry.run(native.own(native.lib.restway_request_retain(request)))
            return status
    except BaseException:
        report(entry and entry.callback, "an interceptor")
        return Status.INTERNAL


def _intercept_destroy(context: int | None) -> None:
    try:
        questions.remove(context)
    except BaseException:
        report(None, "the end of an interceptor")


def _transform(
    context: int | None, value: Any, answer: native.AnswerHandle, *, is_encoding: bool
) -> int:
    entry = None
    token = running.add(_transform, None)
    try:
        entry = functions.get(context)
        with inside:
            status: int = entry.run(is_encoding, native.cells(value.contents)[0], answer)
            return status
    except BaseException:
        report(entry and entry.callback, "a transform")
        return Status.INTERNAL
    finally:
        running.remove(token)


def _decode(context: int | None, value: Any, answer: native.AnswerHandle) -> int:
    return _transform(context, value, answer, is_encoding=False)


def _encode(context: int | None, value: Any, answer: native.AnswerHandle) -> int:
    return _transform(context, value, answer, is_encoding=True)


def _hook(context: int | None, rows: native.RowsHandle, answer: native.AnswerHandle) -> int:
    entry = None
    token = running.add(_hook, None)
    try:
        entry = functions.get(context)
        with inside:
            status: int = entry.run(rows, answer)
            return status
    except BaseException:
        report(entry and entry.callback, "a hook")
        return Status.INTERNAL
    finally:
        running.remove(token)


def _function_destroy(context: int | None) -> None:
    try:
        functions.remove(context)
    except BaseException:
        report(None, "the end of a transform or a hook")


def _exclude(
    context: int | None, method: bytes, path: bytes | None, entity: bytes, relationship: bytes
) -> int:
    entry = None
    try:
        entry = questions.get(context)
        with inside:
            texts = (method, path, entity, relationship)
            return 1 if entry.run(*map(native.borrowed, texts)) else 0
    except BaseException:
        report(entry and entry.callback, "an exclusion")
        return -1


def _exclude_destroy(context: int | None) -> None:
    try:
        questions.remove(context)
    except BaseException:
        report(None, "the end of an exclusion")


def _log(context: int | None, level: int, category: bytes, message: bytes) -> None:
    entry = None
    try:
        with native.hindrances:
            entry = logs.get(context)
            entry.run(level, native.borrowed(category), native.borrowed(message))
    except BaseException:
        report(entry and entry.callback, "a log callback")


def _log_destroy(context: int | None) -> None:
    try:
        logs.remove(context)
    except BaseException:
        report(None, "the end of a log callback")


on_done_function = native.DoneFn(_done)
on_done_destroy = native.DestroyFn(_done_destroy)
on_changed_function = native.ChangedFn(_changed)
on_changed_destroy = native.DestroyFn(_changed_destroy)
on_intercept_function = native.InterceptFn(_intercept)
on_intercept_destroy = native.DestroyFn(_intercept_destroy)
on_decode_function = native.TransformFn(_decode)
on_encode_function = native.TransformFn(_encode)
on_hook_function = native.HookFn(_hook)
on_function_destroy = native.DestroyFn(_function_destroy)
on_exclude_function = native.ExcludeFn(_exclude)
on_exclude_destroy = native.DestroyFn(_exclude_destroy)
on_log_function = native.LogFn(_log)
on_log_destroy = native.DestroyFn(_log_destroy)
"""The trampolines as C functions; they live as long as the process."""
