"""The keyword `into` and the method `into`. The modules that read objects are loaded at the first
use of one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast, get_origin

from .._base.hints import unknown_keyword
from .._base.lazy import LazyModule

if TYPE_CHECKING:
    from .._reading.whole import WholeObject
    from . import reading
else:
    reading = LazyModule("restway._values.reading")

T = TypeVar("T")


class IntoOptions(TypedDict, total=False):
    """The keywords that go with `into`.

    Attributes:
        depth: How many relationships are followed, one behind the other; a relationship that lies
            deeper counts as missing. None (the default) follows all of them: a relationship to one
            that leads back to an object outside counts as missing, and it is an error if the
            objects nest deeper than 64, or if a list has an object that it is in.
        unknown: The name of the field that takes the attributes for which a class has no field, as
            a dict: `unknown="rest"` with a field `rest: dict[str, Any]`. Without it they are left
            out, unless the class is a model or Struct that decides about them itself.
    """

    depth: int | None
    unknown: str | None


def reading_into(into: Any, options: IntoOptions) -> reading.Reading | None:
    """For this package: takes the keywords that go with `into` out of the options of a verb;
    returns None if `into` is None, which takes no such keywords.
    """
    if into is None:
        return None
    return reading.Reading(into, options.pop("depth", None), options.pop("unknown", None))


def reading_alone(function: str, into: Any, options: IntoOptions) -> reading.Reading | None:
    """For this package: returns how a function reads whose only other keywords go with `into`."""
    chosen = reading_into(into, options)
    if options:
        known = IntoOptions.__annotations__ if chosen else {}
        raise unknown_keyword(function, options, known, "; it goes with into")
    return chosen


def reading_of_each(into: Any, options: IntoOptions) -> reading.Reading | None:
    """For this package: as `reading_into`, for a class that each object is read into."""
    if into is None:
        return None
    if get_origin(into) is list:
        raise TypeError(f"into of pages takes the class of one object, not {into!r}")
    return reading_into(list[into], options)


class ReadsInto:
    """Objects, or something that has objects, which can be read into classes of the program."""

    __slots__ = ()

    def _objects_to_read(self) -> Sequence[WholeObject]:
        """Returns the objects: itself, if it is a sequence of objects."""
        return cast("Sequence[WholeObject]", self)

    def into(
        self, into: type[T], depth: int | None = None, unknown: str | None = None
    ) -> T:
        """Reads the objects into classes of the program: dataclasses, Structs of msgspec, models of
        pydantic or subclasses of TypedDict.

            companies = response.into(list[Company])
            first = response.into(Company)

        Args:
            into: A class, which is made of the first object, or a list of a class. A field takes
                the attribute or the relationship with its name.
            depth: How many relationships are followed, one behind the other, as in `IntoOptions`.
            unknown: The name of the field that takes the attributes for which the class has no
                field, as a dict. None leaves them out.

        Raises MappingError for a value that is missing or has another type; its `field` is the path
        to the value. Raises TypeError for a type that cannot be read into.
        """
        return cast(T, reading.Reading(into, depth, unknown).read(self._objects_to_read()))
