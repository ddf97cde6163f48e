"""Functions of the program that take part in mapping: transforms, and hooks with their rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from . import _ffi as native
from ._boundary import check
from ._boundary import name as name_bytes
from ._exceptions import RestwayError
from ._ffi.conversion import decode, encode_attribute
from ._ffi.enums import Status, ValueKind
from ._object import Object


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
    """Adds the exception's text to an answer. Returns the status of an error of this package,
    otherwise `status`.
    """
    text = f"{type(error).__name__}: {error}".replace("\0", " ")
    check(native.lib.restway_answer_set_message, answer, text.encode("utf-8", "replace"))
    if isinstance(error, RestwayError) and error.status != Status.OK:
        return error.status
    return status


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
        return Row(self, range(len(self))[index])

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
