"""The fields of classes: what the walk asks of each kind of classes, and errors with a path."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Union, get_type_hints

from .._exceptions import Problem

Step = Union[str, int]
"""A name or a position on the way to a value."""


@dataclass(frozen=True)
class Field:
    """A field of a class."""

    name: str
    """The name of the attribute or relationship in the document."""
    key: str
    """The name in the class."""
    type: Any
    """The type, as the class declares it."""
    is_required: bool
    """Whether the class cannot be made without a value."""


class Kind(ABC):
    """One kind of classes, such as dataclasses."""

    converts: bool
    """Whether the walk converts the values of fields. A library that validates does so itself."""
    is_unchecked = False
    """Whether a class is called with the values of its fields and does not check their types."""

    @abstractmethod
    def has(self, of: type) -> bool:
        """Returns whether a class is of this kind."""

    @abstractmethod
    def fields(self, of: type) -> list[Field]:
        """Returns the fields of a class."""

    def may_fill_in(self, of: type) -> bool:
        """Returns whether a class may make values for required fields itself."""
        return False

    def wants_all(self, of: type) -> bool:
        """Returns whether a class itself decides about values that it has no field for."""
        return False

    @abstractmethod
    def make(self, of: type, values: dict[str, Any]) -> Any:
        """Makes an instance.

        Args:
            values: The converted values by the names in the class; if the kind does not convert,
                the plain values by the names in the document.

        Raises Mismatch.
        """

    @abstractmethod
    def values(self, instance: Any) -> dict[str, Any]:
        """Returns the values of an instance by the names in the document."""

    def json_values(self, instance: Any) -> dict[str, Any]:
        """Returns the values of an instance as its library writes them in JSON, as far as it does.
        """
        return self.values(instance)


class Mismatch(Exception):
    """A value that does not fit. Each container on the way out puts its step in front."""

    def __init__(self, reason: str, *steps: Step) -> None:
        super().__init__(reason)
        self.problems = [(list(steps), reason)]

    @classmethod
    def of(cls, problems: list[tuple[list[Step], str]]) -> Mismatch:
        """Returns a mismatch of several values."""
        made = cls(problems[0][1])
        made.problems = problems
        return made

    def within(self, step: Step) -> Mismatch:
        """Returns the mismatch as the container sees it in which the value has this place."""
        for steps, _ in self.problems:
            steps.insert(0, step)
        return self

    def details(self) -> list[Problem]:
        """Returns each value that does not fit, with its path: `[3].user.login`."""
        return [Problem(path_of(steps), reason) for steps, reason in self.problems]


def path_of(steps: list[Step]) -> str:
    """Writes the way to a value."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def type_hints(of: type) -> Mapping[str, Any]:
    """Returns the types of the fields of a class; raises TypeError if one names an unknown type."""
    try:
        return get_type_hints(of, include_extras=True)
    except NameError as error:
        raise TypeError(f"a type in {of.__name__} cannot be found: {error}") from error
