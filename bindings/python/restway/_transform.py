"""Transforms: functions of the program that values go through while they are mapped."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from typing import Any

from . import _native as native
from ._boundary import check
from ._enums import Status
from ._exceptions import RestwayError
from ._values import decode, encode_attribute


class Nothing(Enum):
    """See `NOTHING`."""

    NOTHING = "nothing"


NOTHING = Nothing.NOTHING
"""Returned by a transform: the attribute stays as it was, or is left out of the payload."""

TransformFunction = Callable[[Any], Any]
"""Given a value that is not None; returns another one, None for null, or `NOTHING`."""


class Transform:
    """The two directions of a transform, to be asked."""

    __slots__ = ("_functions",)

    def __init__(self, decode: TransformFunction | None, encode: TransformFunction | None) -> None:
        self._functions = (decode, encode)

    def ask(
        self, is_encoding: bool, cell: tuple[int, int, int], handle: native.AnswerHandle
    ) -> int:
        """Asks; returns a status."""
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
    """TypeError when `function` cannot be asked."""
    if not callable(function):
        raise TypeError(f"{what} is callable, not {type(function).__name__}")
    if inspect.iscoroutinefunction(function):
        raise TypeError(f"{what} is a plain function: it is asked on a thread of its own")


def fail(
    error: BaseException, answer: native.AnswerHandle, status: Status = Status.MAPPING
) -> int:
    """Tells an answer what was raised; that of an error of this package, else `status`."""
    text = f"{type(error).__name__}: {error}".replace("\0", " ")
    check(native.lib.restway_answer_set_message, answer, text.encode("utf-8", "replace"))
    if isinstance(error, RestwayError) and error.status != Status.OK:
        return error.status
    return status


def no_object(address: int) -> Any:
    """Attributes hold no objects."""
    raise ValueError("no attribute holds an object")
