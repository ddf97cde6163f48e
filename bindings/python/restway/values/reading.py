"""Reading objects into the classes of a program: the keyword `into`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast, get_args, get_origin

from .._exceptions import MappingError, Problem
from .._ffi.enums import Domain, Status
from .._hints import unknown_keyword
from .columns import built_of_columns
from .fields import Mismatch, Step
from .source import Shape, read_objects, shape_of
from .walk import converter, kind_of, members

if TYPE_CHECKING:
    from .._object import Object

T = TypeVar("T")

DEPTH = 3
"""How many relationships are followed if a program does not say it."""


class IntoOptions(TypedDict, total=False):
    """The keywords that go with `into`.

    Attributes:
        depth: How many relationships are followed, one behind the other (default 3). A relationship
            that lies deeper counts as missing.
        unknown: The name of the field that takes the attributes for which a class has no field, as
            a dict: `unknown="rest"` with a field `rest: dict[str, Any]`. Without it they are left
            out, unless the class is a model or Struct that decides about them itself.
    """

    depth: int
    unknown: str | None


class Reading:
    """How objects are read into a type."""

    def __init__(self, into: Any, depth: int = DEPTH, unknown: str | None = None) -> None:
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

    def read(self, objects: Sequence[Object]) -> Any:
        """Builds the value of all objects, or of the first one if the type is no list. Raises
        MappingError.
        """
        convert = converter(self._of)
        if not self._is_list:
            if not objects:
                raise _failed([Problem("", "there is no object")])
            (values,) = read_objects(objects[:1], self._shape, self._depth)
            try:
                return convert(values)
            except Mismatch as mismatch:
                raise self._failure(mismatch) from mismatch.__cause__
        quick = self._of_columns(objects)
        if quick is not None:
            return quick
        built = []
        for index, values in enumerate(read_objects(objects, self._shape, self._depth)):
            try:
                built.append(convert(values))
            except Mismatch as mismatch:
                raise self._failure(mismatch.within(index)) from mismatch.__cause__
        return built

    def _of_columns(self, objects: Sequence[Object]) -> list[Any] | None:
        try:
            return built_of_columns(self._of, objects)
        except Mismatch as mismatch:
            raise self._failure(mismatch) from mismatch.__cause__

    def _failure(self, mismatch: Mismatch) -> MappingError:
        details = mismatch.details()
        for number, (steps, reason) in enumerate(mismatch.problems):
            if self._is_too_deep(steps):
                hint = f"{reason} (relationships are read to a depth of {self._depth})"
                details[number] = Problem(details[number].path, hint)
        return _failed(details)

    def _is_too_deep(self, steps: list[Step]) -> bool:
        """Returns whether steps lead to a relationship that is not followed."""
        names = [step for step in steps if isinstance(step, str)]
        shape: Shape | None = self._shape
        for name in names:
            shape = None if shape is None else shape.parts.get(name)
        return shape is not None and len(names) > self._depth


def _failed(details: list[Problem]) -> MappingError:
    path, reason = details[0]
    return MappingError(
        f"{path}: {reason}" if path else reason,
        status=Status.MAPPING,
        domain=Domain.MAPPING,
        field=path or None,
        details=details if len(details) > 1 else [],
    )


def reading_into(into: Any, options: IntoOptions) -> Reading | None:
    """For this package: takes the keywords that go with `into` out of the options of a verb;
    returns None if `into` is None, which takes no such keywords.
    """
    if into is None:
        return None
    return Reading(into, options.pop("depth", DEPTH), options.pop("unknown", None))


def reading_alone(function: str, into: Any, options: IntoOptions) -> Reading | None:
    """For this package: returns how a function reads whose only other keywords go with `into`."""
    reading = reading_into(into, options)
    if options:
        known = IntoOptions.__annotations__ if reading else {}
        raise unknown_keyword(function, options, known, "; it goes with into")
    return reading


def reading_of_each(into: Any, options: IntoOptions) -> Reading | None:
    """For this package: as `reading_into`, for a class that each object is read into."""
    if into is None:
        return None
    if get_origin(into) is list:
        raise TypeError(f"into of pages takes the class of one object, not {into!r}")
    return reading_into(list[into], options)


class ReadsInto:
    """Objects, or something that has objects, which can be read into classes of the program."""

    __slots__ = ()

    def _objects_to_read(self) -> Sequence[Object]:
        """Returns the objects: itself, if it is a sequence of objects."""
        return cast("Sequence[Object]", self)

    def into(self, into: type[T], depth: int = DEPTH, unknown: str | None = None) -> T:
        """Reads the objects into classes of the program: dataclasses, Structs of msgspec, models of
        pydantic or subclasses of TypedDict.

            companies = response.into(list[Company])
            first = response.into(Company)

        Args:
            into: A class, which is made of the first object, or a list of a class. A field takes
                the attribute or the relationship with its name.
            depth: How many relationships are followed, one behind the other. A relationship that
                lies deeper counts as missing.
            unknown: The name of the field that takes the attributes for which the class has no
                field, as a dict. None leaves them out.

        Raises MappingError for a value that is missing or has another type; its `field` is the path
        to the value. Raises TypeError for a type that cannot be read into.
        """
        return cast(T, Reading(into, depth, unknown).read(self._objects_to_read()))
