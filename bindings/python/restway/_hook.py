"""Hooks: functions of the program that see a response's rows before the store does."""

from __future__ import annotations

from collections.abc import Callable

from . import _native as native
from ._enums import Status
from ._rows import Rows
from ._transform import fail

HookFunction = Callable[[Rows], object]
"""Given the rows of a response; what it raises discards the response."""


class Hook:
    """A hook, to be asked."""

    __slots__ = ("_function",)

    def __init__(self, function: HookFunction) -> None:
        self._function = function

    def ask(self, handle: native.RowsHandle, answer: native.AnswerHandle) -> int:
        """Asks; returns a status."""
        rows = Rows(handle)
        try:
            self._function(rows)
        except BaseException as error:
            return fail(error, answer)
        finally:
            rows.end()
        return Status.OK
