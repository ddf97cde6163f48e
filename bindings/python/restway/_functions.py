"""Functions of the program that the library calls: exclusions, failure readers, transforms, hooks
with their rows, and how any of them is set.

The functions for authentication are in `_auth`, modifiers and interceptors in `_pipeline`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Protocol, TypeVar

from . import _ffi as native
from ._base.hints import position
from ._base.lazy import inspect, traceback
from ._enums import Status, ValueKind
from ._exceptions import RestwayError
from ._ffi import trampolines
from ._ffi.callbacks import Holding, causes, functions, questions
from ._ffi.conversion import decode, encode_attribute
from ._ffi.trampolines import (
    on_cause_destroy,
    on_exclude_destroy,
    on_exclude_function,
    on_function_destroy,
    on_question_destroy,
)
from ._handles import Owner, check, failure, optional_name, status_of
from ._handles import name as name_bytes
from ._object import Object

if TYPE_CHECKING:
    import asyncio

    from ._object import Layouts


F = TypeVar("F")

Held = Callable[[], "Holding | None"]
"""Returns the client's `Holding`, or None if the client has been collected."""


class AskedClient(Protocol):
    """The part of a client that calls functions of the program."""

    _holding: Holding
    _layouts: Layouts

    @property
    def _handle(self) -> native.ClientHandle: ...

    def _loop(self) -> asyncio.AbstractEventLoop | None: ...


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
    if callback is not None and not callable(callback):
        raise TypeError(f"expected a function, not {type(callback).__name__}")
    token = questions.add(run, callback, holding)
    try:
        check(function, *before, trampoline, token, on_question_destroy)
    except BaseException:
        questions.remove(token)
        raise


class Registering(Owner[native.ApiHandle]):
    """Registers functions of the program under names of an api; they live as long as the api."""

    __slots__ = ()

    def _register(
        self,
        register: Any,
        key: str,
        *trampolines: Any,
        run: Callable[..., int],
        callback: object,
    ) -> None:
        """Calls `register(api, key, *trampolines, token, destroy, out_error)`."""
        token = functions.add(run, callback)
        try:
            check(
                register, self._handle, name_bytes(key), *trampolines, token, on_function_destroy
            )
        except BaseException:
            functions.remove(token)
            raise


def decorator(add: Callable[[str, Any], None], key: str) -> Callable[[F], F]:
    """Returns a decorator that registers a function under a name."""

    def register(function: F) -> F:
        add(key, function)
        return function

    return register


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

    def run(texts: list[Any], answer: native.AnswerHandle) -> int:
        assert exclusion is not None
        try:
            return 1 if exclusion(*texts) else 0
        except BaseException as error:
            fail(error, answer)
            return -1

    token = questions.add(run, exclusion, holding)
    try:
        check(function, client, on_exclude_function, token, on_exclude_destroy)
    except BaseException:
        questions.remove(token)
        raise


class FailureReading(NamedTuple):
    """The result of a failure reader; None keeps the present value.

        client.set_failure_reader(
            lambda error: restway.FailureReading(api_code=error.response.headers.get("X-Error"))
        )
    """

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


class Nothing(Enum):
    """The type of `NOTHING`."""

    NOTHING = "nothing"


NOTHING = Nothing.NOTHING
"""A transform returns this to leave the attribute unchanged, or out of the payload."""

TransformFunction = Callable[[Any], Any]
"""A function that receives a value, never None, and returns another value, None for null, or
`NOTHING`.
"""


class Transform:
    """The two functions of a transform."""

    __slots__ = ("_functions",)

    def __init__(self, decode: TransformFunction | None, encode: TransformFunction | None) -> None:
        self._functions = (decode, encode)

    def ask(
        self, is_encoding: bool, cell: tuple[int, int, int], handle: native.AnswerHandle
    ) -> int:
        """Calls the function of one direction; returns a status."""
        function = self._functions[is_encoding]
        if function is None:
            return Status.INTERNAL
        try:
            result = function(decode(cell, no_object))
            if result is not NOTHING:
                encoded = encode_attribute(result)
                check(native.lib.restway_answer_set_value, handle, native.ref(encoded))
        except BaseException as error:
            return fail(error, handle)
        return Status.OK


def checked(function: Any, what: str) -> None:
    """Raises TypeError if `function` cannot be used."""
    if not callable(function):
        raise TypeError(f"{what} is callable, not {type(function).__name__}")
    if inspect.iscoroutinefunction(function):
        raise TypeError(f"{what} is a plain function: it is asked on a thread of its own")


def fail(
    error: BaseException, answer: native.AnswerHandle, status: Status = Status.MAPPING
) -> int:
    """Adds the exception's text to an answer, and makes the exception the `__cause__` of the error
    with which a call ends. Returns the status of an error of this package,
    otherwise `status`.
    """
    text = f"{type(error).__name__}: {error}".replace("\0", " ")
    check(native.lib.restway_answer_set_message, answer, text.encode("utf-8", "replace"))
    _let_go_of_locals(error)
    token = causes.add(_let_go_of_locals, error)
    try:
        check(native.lib.restway_answer_set_cause, answer, token, on_cause_destroy)
    except BaseException:
        causes.remove(token)
        raise
    return status_of(error, status)


def no_object(address: int) -> Any:
    """Fails, because attributes hold no objects."""
    raise ValueError("no attribute holds an object")


class Row:
    """The values that will be merged into one object of the store; valid while its hook runs.

    Attributes are read and set by key: `row["name"]`. An attribute that the payload did not contain
    is None, and is not `in` the row.
    """

    __slots__ = ("_rows", "number")

    def __init__(self, rows: Rows, number: int) -> None:
        """For this package."""
        self._rows = rows
        self.number = number
        """The position among all rows of the response."""

    @property
    def entity(self) -> str:
        """The name of its entity."""
        text = native.lib.restway_rows_entity(self._rows.handle, self.number)
        return native.borrowed(text) or ""

    def _cell(self, attribute: str) -> tuple[int, int, int]:
        value = native.values(1)
        key = name_bytes(attribute)
        check(native.lib.restway_rows_get, self._rows.handle, self.number, key, value)
        return native.cells(value)[0]

    def __getitem__(self, attribute: str) -> Any:
        """Raises UnknownAttributeError."""
        return decode(self._cell(attribute), no_object, attribute)

    def __contains__(self, attribute: str) -> bool:
        return self._cell(attribute)[0] != ValueKind.ABSENT

    def __setitem__(self, attribute: str, value: object) -> None:
        """Raises UnknownAttributeError; UsageError for a value of another type."""
        encoded = encode_attribute(value)
        key = name_bytes(attribute)
        function = native.lib.restway_rows_set
        check(function, self._rows.handle, self.number, key, native.ref(encoded))

    def related(self, relationship: str) -> list[Row]:
        """Returns the rows that a relationship leads to; raises UnknownAttributeError."""
        numbers, count = native.rows_out(), native.number()
        key = name_bytes(relationship)
        function = native.lib.restway_rows_related
        check(function, self._rows.handle, self.number, key, native.ref(numbers), native.ref(count))
        return [Row(self._rows, number) for number in numbers[: count.value]]

    def relate(self, relationship: str, targets: Sequence[Row | Object]) -> None:
        """Makes a relationship lead to these rows, or to these objects of the store.

        Raises UnknownAttributeError; UsageError for targets of another entity, or too many.
        """
        key = name_bytes(relationship)
        rows = [target.number for target in targets if isinstance(target, Row)]
        objects = [target._handle for target in targets if isinstance(target, Object)]
        if len(rows) + len(objects) != len(targets) or (rows and objects):
            raise TypeError("expected rows, or objects of the store, and not both")
        if objects:
            array = native.handle_array(native.ObjectHandle, objects)
            function = native.lib.restway_rows_relate_objects
            check(function, self._rows.handle, self.number, key, array, len(objects))
        else:
            numbers = native.row_array(rows)
            function = native.lib.restway_rows_relate
            check(function, self._rows.handle, self.number, key, numbers, len(rows))

    def __repr__(self) -> str:
        return f"<row {self.number}>"


class Rows(Sequence[Row]):
    """The rows that a response was mapped to, in the order of the payload. They are valid while the
    hook runs.
    """

    __slots__ = ("_handle",)

    def __init__(self, handle: native.RowsHandle) -> None:
        """For this package. `handle` is lent."""
        self._handle: native.RowsHandle | None = handle

    @property
    def handle(self) -> native.RowsHandle:
        """For this package. Raises ValueError when the hook has returned."""
        if self._handle is None:
            raise ValueError("rows cannot be used when their hook has returned")
        return self._handle

    def end(self) -> None:
        """For this package."""
        self._handle = None

    def __len__(self) -> int:
        count: int = native.lib.restway_rows_count(self.handle)
        return count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [Row(self, number) for number in range(*index.indices(len(self)))]
        return Row(self, position(index, len(self), "rows"))

    def __repr__(self) -> str:
        return "<Rows, over>" if self._handle is None else f"<Rows {len(self)}>"

    @property
    def results(self) -> list[list[Row]]:
        """The rows that are the results of each descriptor that applied."""
        results = []
        for index in range(native.lib.restway_rows_result_count(self.handle)):
            numbers, count = native.rows_out(), native.number()
            function = native.lib.restway_rows_result
            check(function, self.handle, index, native.ref(numbers), native.ref(count))
            results.append([Row(self, number) for number in numbers[: count.value]])
        return results

    @property
    def own_result(self) -> int:
        """The index of the descriptor that names the hook."""
        index: int = native.lib.restway_rows_own_result(self.handle)
        return index


HookFunction = Callable[[Rows], object]
"""A function that receives the rows of a response. If it raises, the response is discarded."""


class Hook:
    """A hook of the program."""

    __slots__ = ("_function",)

    def __init__(self, function: HookFunction) -> None:
        self._function = function

    def ask(self, handle: native.RowsHandle, answer: native.AnswerHandle) -> int:
        """Calls the hook; returns a status."""
        rows = Rows(handle)
        try:
            self._function(rows)
        except BaseException as error:
            return fail(error, answer)
        finally:
            rows.end()
        return Status.OK
