"""Registries of Python callbacks, under tokens that the library receives as contexts.

A callback is registered before the library learns its token, and removed in its destroy function.
No exception leaves a trampoline: it goes to `sys.unraisablehook`. When the process ends, clients
are closed while the interpreter can still run their callbacks.

A registry lives as long as the process, so the objects in it are never garbage-collected. A
function that may refer to its client is therefore kept in the `Holding` of that client, which the
garbage collector can see; the registry refers to the holding weakly.
"""

from __future__ import annotations

import atexit
import itertools
import os
import sys
import threading
import weakref
from abc import abstractmethod
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Any, NamedTuple

from .._base.lazy import signal, traceback
from .loader import lib
from .structures import NULL_DESTROY, NULL_LOG

_EXIT_WAIT_SECONDS = 5.0

class Entry(NamedTuple):
    """The entry of a token."""

    run: Callable[..., Any]
    """The function that the trampoline calls."""
    callback: object
    """The function of the program; the report of a failure names it."""


class Tokens:
    """Numbers of which no two are equal, also if several threads take them at the same time."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self.renew()

    def renew(self) -> None:
        """Makes a new lock in a forked child, where the thread that held the old one does not
        exist.
        """
        # A finaliser may run while the lock is held, and take a number itself.
        self._lock = threading.RLock()

    def __next__(self) -> int:
        with self._lock:
            return next(self._numbers)


tokens = Tokens()


class Holding:
    """The functions that were given to one client, which owns this object. The tokens are those of
    the registries.
    """

    __slots__ = ("__weakref__", "api", "entries", "has_stages")

    def __init__(self, api: object) -> None:
        self.api = api
        self.entries: dict[int, Entry] = {}
        self.has_stages = False
        """Whether the client was given modifiers or interceptors."""


class HeldFunctions:
    """Functions of one client that an event loop calls.

    They are kept in the client's holding, to which this object refers weakly.
    """

    __slots__ = ("_holding",)

    def __init__(self, holding: Holding) -> None:
        self._holding = weakref.ref(holding)

    def keep_context(self, token: int) -> None:
        """Keeps the context of the caller for the modifiers and interceptors of a call."""
        holding = self._holding()
        if holding is not None:
            contexts.keep(token, holding)

    def put(self, token: int, function: Callable[..., object] | None, before: int = 0) -> None:
        """Keeps a function under a token, in place of the function under `before`; None keeps no
        function.
        """
        holding = self._holding()
        if holding is not None:
            holding.entries.pop(before, None)
            if function is not None:
                holding.entries[token] = Entry(function, function)

    def get(self, token: int) -> Callable[..., object] | None:
        """Returns the function under a token; None if it has been removed."""
        holding = self._holding()
        entry = None if holding is None else holding.entries.get(token)
        return None if entry is None else entry.run


class Contexts:
    """The contexts (of `contextvars`) of those who have sent calls, by the tokens of the calls, for
    the modifiers and interceptors that these calls have.
    """

    def __init__(self) -> None:
        self.apis: weakref.WeakSet[object] = weakref.WeakSet()
        """The apis that were given modifiers or interceptors, which all their clients may have."""
        self._kept: dict[int, Context] = {}

    def are_wanted(self, holding: Holding) -> bool:
        """Returns whether the calls of a client may have modifiers or interceptors."""
        return holding.has_stages or holding.api in self.apis

    def keep(self, token: int, holding: Holding) -> None:
        """Keeps the present context for a call, if its client wants it."""
        if self.are_wanted(holding):
            self._kept[token] = copy_context()

    def drop(self, token: int | None) -> None:
        """Forgets the context of a call that has ended."""
        if self._kept:
            self._kept.pop(token or 0, None)

    def get(self, token: int | None) -> Context:
        """Returns a copy of the context of a call. It is an empty one for a call that nobody has
        sent, such as a call of the outbox.
        """
        kept = self._kept.get(token or 0)
        return Context() if kept is None else kept.copy()

    def forget_all(self) -> None:
        """Clears the contexts in a forked child, which has no calls of its parent."""
        self._kept.clear()


contexts = Contexts()


class Gone(Exception):
    """The client of a function has been garbage-collected, and the function with it."""


class Registry:
    """Callbacks under integer tokens."""

    def __init__(self) -> None:
        self._entries: dict[int, Entry | weakref.ref[Holding]] = {}
        self._held = 0
        self._changed = threading.Condition()

    def add(
        self, run: Callable[..., Any], callback: object, holding: Holding | None = None
    ) -> int:
        """Registers a callback; with a `holding`, the callback lives only as long as the holding.
        """
        entry = Entry(run, callback)
        with self._changed:
            self._held += 1
            token = next(tokens)
            if holding is None:
                self._entries[token] = entry
            else:
                holding.entries[token] = entry
                self._entries[token] = weakref.ref(holding)
            return token

    def get(self, token: int | None) -> Entry:
        """Returns the entry of a token. Raises Gone if the holding of the callback has been
        collected.
        """
        found = self._entries[token or 0]
        if isinstance(found, Entry):
            return found
        holding = found()
        entry = None if holding is None else holding.entries.get(token or 0)
        if entry is None:
            raise Gone
        return entry

    def remove(self, token: int | None) -> None:
        with self._changed:
            found = self._entries.pop(token or 0, None)
        if found is None:
            return  # the callback of the parent of a forked child
        entry: Entry | None = None
        if isinstance(found, Entry):
            entry = found
        else:
            holding = found()
            entry = None if holding is None else holding.entries.pop(token or 0, None)
            del holding
        del found, entry  # outside the lock: freeing these may run any code
        with self._changed:
            self._held -= 1
            self._changed.notify_all()

    def wait_until_empty(self, seconds: float) -> bool:
        """Waits until every callback has run for the last time, and its objects have been freed.

        Returns False when the time has passed first.
        """
        with self._changed:
            return self._changed.wait_for(lambda: self._held == 0, seconds)

    def forget_all(self) -> None:
        """Clears the registry in a forked child: the parent's callbacks never run there."""
        self._changed = threading.Condition()
        self._entries.clear()
        self._held = 0

    def __len__(self) -> int:
        return self._held


completions = Registry()
observers = Registry()
questions = Registry()
causes = Registry()
"""The exceptions of authorize and refresh functions, as long as an error of the library refers to
them.
"""
running = Registry()
"""Transforms, hooks and body readers that are running right now."""
functions = Registry()
"""Transforms and hooks, which live as long as their api, and body readers."""
receivers = Registry()
"""The receivers of streams and event streams, which live as long as their calls."""
logs = Registry()

_ALL = (completions, observers, questions, causes, running, functions, receivers, logs)

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=contexts.forget_all)
    for _registry in _ALL:
        os.register_at_fork(after_in_child=_registry.forget_all)


def cause_of(token: int) -> BaseException | None:
    """Returns the exception that an error of the library refers to; None for a cause that another
    part of the program attached to the error.
    """
    try:
        raised = causes.get(token).callback
    except (Gone, KeyError):
        return None
    return raised if isinstance(raised, BaseException) else None


def wait_at_exit() -> None:
    """Waits for the callbacks of closed clients while the interpreter can still run them.

    A later callback would end its thread inside the library.
    """
    # A worker frees the receiver of a stream after its call has completed.
    for registry in (completions, observers, questions, running, receivers):
        registry.wait_until_empty(_EXIT_WAIT_SECONDS)


class _Inside(threading.local):
    """Counts how deep this thread is inside callbacks, where nothing may block."""

    depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1


inside = _Inside()


def _leaves_process(error: BaseException) -> bool:
    """Whether the exception ends the program (KeyboardInterrupt, SystemExit), or the handler of a
    signal has raised it: Python runs handlers while it runs a callback, too.
    """
    if not isinstance(error, Exception):
        return True
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    codes = {getattr(getattr(each, "__func__", each), "__code__", None) for each in handlers}
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in codes:
            return True
        trace = trace.tb_next
    return False


class _Raised(threading.local):
    """The exception of a callback that leaves the `process` of this thread."""

    #: Ends `process` after the present callback; None if this is not the main thread inside of
    #: `process`.
    stop: Callable[[], None] | None = None
    error: BaseException | None = None

    def keeps(self, error: BaseException) -> bool:
        """Keeps an exception that leaves `process`; false for other exceptions."""
        if self.stop is None or not _leaves_process(error):
            return False
        if self.error is None:
            self.error = error
        self.stop()
        return True


raised = _Raised()


class _Unraisable(NamedTuple):
    """The argument of `sys.unraisablehook`; Python's own type for it has no constructor."""

    exc_type: Any
    exc_value: Any
    exc_traceback: Any
    err_msg: str
    object: Any


def report(callback: Any, where: str) -> None:
    """Reports the exception being handled to `sys.unraisablehook`.

    It is no error that a client has been collected while the library was about to call its
    function.
    """
    error = sys.exc_info()[1]
    if isinstance(error, Gone):
        return
    if error is not None and raised.keeps(error):
        return
    message = f"Exception ignored in {where}"
    if sys.unraisablehook is sys.__unraisablehook__:  # it accepts only its own type
        print(f"{message}: {callback!r}", file=sys.stderr)
        traceback.print_exc()
    else:
        kind, error, trace = sys.exc_info()
        hook: Callable[[Any], object] = sys.unraisablehook
        hook(_Unraisable(kind, error, trace, message, callback))


class Closing:
    """Something that is closed before the interpreter ends."""

    __slots__ = ()

    @abstractmethod
    def _close_at_exit(self) -> None:
        """Ends all calls; their callbacks run at once or soon afterwards."""


class _Open:
    """The objects that are closed at exit, with weak references."""

    def __init__(self) -> None:
        self.forget_all()

    def forget_all(self) -> None:
        """Begins anew, also in a forked child, which closes nothing of its parent's."""
        self._all: weakref.WeakSet[Closing] = weakref.WeakSet()
        # A finaliser may run while the lock is held, and make a client itself.
        self._lock = threading.RLock()

    def add(self, closing: Closing) -> None:
        with self._lock:
            self._all.add(closing)

    def list(self) -> list[Closing]:
        with self._lock:
            return list(self._all)


_open = _Open()
_exiting = False


def close_at_exit(closing: Closing) -> None:
    """Remembers, with a weak reference, something that is closed at exit."""
    _open.add(closing)


def stop_daemon_thread() -> None:
    """Does not return in a daemon thread whose call was ended by the exit.

    Such a thread ends with the process. It does not report an error of its call, because the thread
    did not cause it. A callback continues: the exit waits for it.
    """
    if _exiting and not inside.depth and threading.current_thread().daemon:
        threading.Event().wait()


@atexit.register
def _shut_logging_down() -> None:
    """Closes the handlers of `logging` after the function below has run: exit functions run in the
    reverse order of their registration, and `logging` may have been imported later.
    """
    if "logging" in sys.modules:
        sys.modules["logging"].shutdown()


@atexit.register
def _close_all() -> None:
    global _exiting
    _exiting = True
    closing = _open.list()
    for each in closing:
        each._close_at_exit()
    wait_at_exit()
    # A client that is closed by now may have written records. Without a function for records, the
    # library was perhaps never loaded.
    if len(logs):
        lib.restway_log_set(None, NULL_LOG, None, NULL_DESTROY, None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open.forget_all)
    os.register_at_fork(after_in_child=tokens.renew)
