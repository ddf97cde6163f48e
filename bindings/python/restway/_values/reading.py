"""Reading objects into the classes of a program."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, get_args, get_origin

from .. import _ffi as native
from .._base.hints import no_attribute
from .._enums import Domain, Status
from .._exceptions import MappingError, Problem
from .._handles import check
from .columns import built_of_columns
from .fields import Mismatch, Step
from .source import Shape, read_object, shape_of
from .walk import converter, kind_of, members

if TYPE_CHECKING:
    from .._reading.whole import WholeObject

class Reading:
    """How objects are read into a type."""

    def __init__(
        self, into: Any, depth: int | None = None, unknown: str | None = None
    ) -> None:
        if depth is not None:
            if not isinstance(depth, int) or isinstance(depth, bool):
                raise TypeError(f"a depth is an int, not {type(depth).__name__}")
            if depth < 0:
                raise ValueError(f"a depth is 0 or more, not {depth}")
        self._is_list = get_origin(into) is list
        self._of = get_args(into)[0] if self._is_list else into
        if not all(kind_of(each) for each in members(self._of)):
            raise TypeError(
                "into takes a dataclass, a Struct, a pydantic model, a TypedDict or a list of "
                f"one of them, not {into!r}"
            )
        shape = shape_of(self._of, unknown)
        assert shape is not None
        if unknown is not None and shape.rest is None:
            raise TypeError(f"no field {unknown!r} in {self._of!r} takes the unknown attributes")
        self._shape = shape
        self._depth = depth

    def expect(self, client: native.ClientHandle, request: native.RequestHandle) -> None:
        """Raises MappingError if the API document says that the answer to a request of a client
        cannot be read so. Nothing is sent.
        """
        failure: MappingError | None = None
        for each in members(self._of):  # one class of a union is enough
            needed = _needed(each)
            try:
                check(
                    native.lib.restway_client_check_objects,
                    client,
                    request,
                    _name_of(each).encode(),
                    None,
                    native.text_array(needed),
                    len(needed),
                )
                return
            except MappingError as error:
                failure = failure or error
        assert failure is not None
        raise failure

    def read(self, objects: Sequence[WholeObject]) -> Any:
        """Builds the value of all objects, or of the first one if the type is no list. Raises
        MappingError.
        """
        convert = converter(self._of)
        if not self._is_list:
            if not objects:
                raise _failed([Problem("", "there is no object")])
            try:
                return convert(read_object(objects[0], self._shape, self._depth))
            except Mismatch as mismatch:
                raise self._failure(mismatch, objects[0]) from mismatch.__cause__
        quick = self._of_columns(objects)
        if quick is not None:
            return quick
        built = []
        for index, item in enumerate(objects):
            try:
                built.append(convert(read_object(item, self._shape, self._depth)))
            except Mismatch as mismatch:
                mismatch.within(index)
                raise self._failure(mismatch, item) from mismatch.__cause__
        return built

    def _of_columns(self, objects: Sequence[WholeObject]) -> list[Any] | None:
        try:
            return built_of_columns(self._of, objects)
        except Mismatch as mismatch:
            raise self._failure(mismatch) from mismatch.__cause__

    def _failure(self, mismatch: Mismatch, item: WholeObject | None = None) -> MappingError:
        """Returns the error for values that do not fit; `item` is the object that has them."""
        details = mismatch.details()
        for number, (steps, reason) in enumerate(mismatch.problems):
            hint = f"relationships are read to a depth of {self._depth}"
            if not self._is_too_deep(steps):
                hint = "" if item is None else _without_attribute(item, steps)
            if hint:
                details[number] = Problem(details[number].path, f"{reason} ({hint})")
        return _failed(details)

    def _is_too_deep(self, steps: list[Step]) -> bool:
        """Returns whether steps lead to a relationship that is not followed."""
        names = [step for step in steps if isinstance(step, str)]
        shape: Shape | None = self._shape
        for name in names:
            shape = None if shape is None else shape.parts.get(name)
        return shape is not None and self._depth is not None and len(names) > self._depth


@lru_cache(maxsize=1024)
def _needed(of: type) -> list[bytes]:
    """Returns the attributes and relationships without which no instance can be made."""
    kind = kind_of(of)
    assert kind is not None
    if kind.may_fill_in(of):
        return []
    return [
        each.name.encode()
        for each in kind.fields(of)
        # None stands for a value that was not received.
        if each.is_required and type(None) not in members(each.type)
    ]


def _name_of(of: Any) -> str:
    return getattr(of, "__qualname__", "") or repr(of)


def _without_attribute(item: WholeObject, steps: list[Step]) -> str:
    """Returns a hint if a field of the class has a name that the object's entity does not have."""
    names = [step for step in steps if isinstance(step, str)]
    layout = item._known()
    known = [*layout.names, *layout.relationships]
    if len(names) != 1 or names[0] in known:
        return ""
    return no_attribute(item.entity, names[0], known)


def _failed(details: list[Problem]) -> MappingError:
    path, reason = details[0]
    return MappingError(
        f"{path}: {reason}" if path else reason,
        status=Status.MAPPING,
        domain=Domain.MAPPING,
        field=path or None,
        details=details if len(details) > 1 else [],
    )
