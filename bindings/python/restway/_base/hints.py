"""Messages of mistakes: the nearest name, the type that was expected, and how it is done instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from .._exceptions import RestwayError

T = TypeVar("T")
E = TypeVar("E", bound=IntEnum)


def nearest(name: str, known: Iterable[str]) -> str:
    """Returns `; did you mean 'x'?` for the known name that is most like `name`, or "".

    Names that differ only in case and underscores are most alike.
    """
    names = list(known)
    plain = _plain(name)
    for candidate in names:
        if _plain(candidate) == plain:
            return f"; did you mean {candidate!r}?"
    from difflib import get_close_matches  # only a mistake needs it

    found = get_close_matches(name, names, n=1, cutoff=_LIKENESS_MIN)
    return f"; did you mean {found[0]!r}?" if found else ""


_LIKENESS_MIN = 0.65
"""How much a name must be like another to be taken for it. With less, hints name anything."""


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def no_attribute(
    entity: str, name: object, known: Iterable[str], of: type | None = None
) -> str:
    """Returns the message for an attribute that an entity does not have.

    Args:
        of: The class whose members programs may have meant; None for a key.
    """
    hint = ""
    if isinstance(name, str):
        hint = (instead(of, name) if of else "") or nearest(name, known)
    return f"{entity} has no attribute {name!r}{hint}"


def instead(of: type, name: str) -> str:
    """Returns what stands in a class for a name that programs often expect, or ""."""
    from .mistakes import INSTEAD  # only a mistake needs it

    found = (INSTEAD.get(kind.__name__, {}).get(name) for kind in of.__mro__)
    hint = next(filter(None, found), None)
    return f"; {hint}" if hint else ""


def not_pickled(of: type) -> TypeError:
    """Returns the error for an object that is copied or pickled."""
    from .mistakes import PICKLED  # only a mistake needs it

    found = (PICKLED.get(kind.__name__) for kind in of.__mro__)
    hint = next(filter(None, found), None)
    article = "an" if of.__name__[0] in "AEIO" else "a"
    told = f"{article} {of.__name__} can be neither copied nor pickled"
    return TypeError(f"{told}; {hint}" if hint else told)


def unchangeable(entity: str, name: object) -> str:
    """Returns the message for an attempt to change an object."""
    change = f"draft.{name} = ..." if isinstance(name, str) and name.isidentifier() else (
        f"draft[{name!r}] = ..."
    )
    return (
        f"this {entity} cannot be changed, because objects are snapshots; make a draft: "
        f"draft = client.draft(object); {change}; client.patch(draft)"
    )


def out_of_range(index: int, count: int, what: str) -> IndexError:
    """Returns the error for an index into a sequence of `count` things."""
    there_are = f"there is 1 {what[:-1]}" if count == 1 else f"there are {count} {what}"
    return IndexError(f"index {index} is out of range: {there_are}")


def position(index: Any, count: int, what: str) -> int:
    """Returns the position in a sequence that `index` names, which may count from the end.

    Raises IndexError, and TypeError for an index that is not a number.
    """
    try:
        place: int = range(count)[index]
    except IndexError:
        raise out_of_range(index, count, what) from None
    except TypeError:
        raise TypeError(
            f"an index of {what} is a number or a slice, not {type(index).__name__}"
        ) from None
    return place


def require(value: object, kind: type[T], hint: str = "") -> T:
    """Returns `value` if it is a `kind`; raises TypeError otherwise, with a hint."""
    if isinstance(value, kind):
        return value
    name = kind.__name__
    article = "an" if name[0] in "AEIOaeio" else "a"
    raise TypeError(f"expected {article} {name}, not {type(value).__name__}{hint}")


def member(kind: type[E], value: object) -> E:
    """Returns the member of an enumeration that `value` is, or whose number it is; raises TypeError
    for anything else, also a bool, and ValueError for another number.
    """
    if isinstance(value, kind):
        return value
    if type(value) is not int:
        names = ", ".join(each.name for each in kind)
        told = f"expected one of {kind.__name__} ({names}), not {type(value).__name__}"
        raise TypeError(told)
    return kind(value)


def require_number(value: object, what: str, least: int = 0, most: int = 2**63 - 1) -> int:
    """Returns `value` if it is an int in a range; raises TypeError, also for a bool, or ValueError.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{what} is an int, not {type(value).__name__}")
    if not least <= value <= most:
        raise ValueError(f"{what} is out of range: {value}")
    return value


def require_depth(depth: object) -> None:
    """Raises TypeError or ValueError if a number of relationships cannot be followed."""
    if not isinstance(depth, int):
        raise TypeError(f"a depth is an int, not {type(depth).__name__}")
    if not 0 <= depth <= _DEPTH_MAX:
        raise ValueError(f"a depth is 0 to {_DEPTH_MAX}, not {depth}")


_DEPTH_MAX = 16


def require_mapping(value: object, what: str) -> None:
    """Raises TypeError if `value` is no mapping."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{what} are a mapping of names and values, not {type(value).__name__}")


def require_function(value: Callable[..., Any] | None, what: str, hint: str = "") -> None:
    """Raises TypeError if `value` is neither None nor a function."""
    if value is not None and not callable(value):
        raise TypeError(f"{what} is a function, not {type(value).__name__}{hint}")


def unknown_keyword(
    what: str,
    unknown: Mapping[str, object],
    known: Iterable[str],
    otherwise: str = "",
    table: Literal["client", "request"] | None = None,
) -> TypeError:
    """Returns the error for keywords that a function does not have.

    Args:
        otherwise: The hint if no keyword is like it.
        table: The table of `mistakes.KEYWORDS` that may say what stands for the keyword.
    """
    from .mistakes import KEYWORDS, SYNONYMS  # only a mistake needs them

    keyword = next(iter(unknown))
    hint = KEYWORDS.get(table or "", {}).get(keyword)
    if hint is None:
        hint = nearest(SYNONYMS.get(keyword, keyword), known) or otherwise
    else:
        hint = f"; {hint}"
    return TypeError(f"{what} has no keyword {keyword!r}{hint}")


def keywords_alone(verb: str, such_as: str) -> TypeError:
    """Returns the error for a second positional argument of a verb."""
    return TypeError(
        f"{verb} takes a path, an object or a draft; all else has a keyword, such as "
        f"{such_as}={{...}}"
    )


PATHS = "; get, post, put, patch and delete of a client take a path"
"""The hint for a path in place of a request."""

_TEXT_CHARACTERS_MAX = 200
_VALUE_CHARACTERS_MAX = 40


_REDACTED = "[redacted]"

_SECRET_NAMES = frozenset(
    [
        "password", "passwd", "secret", "clientsecret", "token", "accesstoken", "refreshtoken",
        "idtoken", "apikey", "jwt", "authorization",
    ]
)
"""The names that are secret in every document. Names such as `key` and `session`, which the library
takes for secrets in queries, are names of plain values as well.
"""


def _bare(text: str) -> str:
    return text.lower().replace("-", "").replace("_", "")


class Secrets:
    """For this package: says which values of objects are secret, by the `redact` of a document."""

    __slots__ = ("_api", "_names", "_of_entity")

    def __init__(self, api: Any) -> None:
        self._api = api
        self._names: frozenset[str] | None = None
        self._of_entity: dict[str, frozenset[str]] = {}

    @property
    def names(self) -> frozenset[str]:
        """The secret names, without case and separators."""
        if self._names is None:
            given = self._api.json("/redact") or []
            self._names = _SECRET_NAMES.union(_bare(name) for name in given)
        return self._names

    def hides(self, entity: str, attribute: str) -> bool:
        """Returns whether an attribute is secret: by its own name, or by that of its member."""
        if _bare(attribute) in self.names:
            return True
        if entity not in self._of_entity:
            described = self._api.json(f"/entities/{entity}/attributes")
            described = described if isinstance(described, dict) else {}
            self._of_entity[entity] = frozenset(
                name
                for name, rule in described.items()
                if isinstance(rule, dict)
                and _bare(str(rule.get("source", "")).rpartition(".")[2]) in self.names
            )
        return attribute in self._of_entity[entity]

    def shown(self, value: Any) -> Any:
        """Returns JSON without the values of secret members."""
        if isinstance(value, dict):
            return {
                name: _REDACTED if _bare(str(name)) in self.names else self.shown(member)
                for name, member in value.items()
            }
        return [self.shown(element) for element in value] if isinstance(value, list) else value


def object_text(shown: Any) -> str:
    """Returns the `repr` of an object: its entity, its identity and its first attributes, without
    the values that the document's `redact` hides.
    """
    identity = shown.identity
    text = f"<{shown.entity} {f'#{shown.store_key}' if identity is None else repr(identity)}"
    is_shown = identity is None
    for name in shown:
        value = _value_text(shown, name)
        if not is_shown and value == repr(identity):
            is_shown = True  # the identity is already the first part
            continue
        part = f" {name}={value}"
        if len(text) + len(part) > _TEXT_CHARACTERS_MAX:
            return f"{text} …>"
        text += part
    return f"{text}>"


def _value_text(shown: Any, name: str) -> str:
    secrets: Secrets = shown._layouts.secrets
    try:
        if secrets.hides(shown.entity, name):
            return _REDACTED
        value = shown[name]
        if isinstance(value, (dict, list)):
            value = secrets.shown(value)
    except RestwayError:
        return "?"
    text = value.isoformat() if isinstance(value, datetime) else repr(value)
    if len(text) <= _VALUE_CHARACTERS_MAX:
        return text
    return f"{text[: _VALUE_CHARACTERS_MAX - 1]}…"


class Unchangeable:
    """The base of `Object`: an attempt to change it is answered with how to make a draft."""

    __slots__ = ()

    if not TYPE_CHECKING:  # a type checker would take every change for possible

        def __setattr__(self, name: str, _: object) -> None:
            raise AttributeError(unchangeable(self.entity, name))

        def __delattr__(self, name: str) -> None:
            raise AttributeError(unchangeable(self.entity, name))

        def __setitem__(self, name: str, _: object) -> None:
            raise TypeError(unchangeable(self.entity, name))

        def __delitem__(self, name: str) -> None:
            raise TypeError(unchangeable(self.entity, name))


class Hinting:
    """The base of classes that answer an attribute that does not exist with the nearest one."""

    __slots__ = ()

    if not TYPE_CHECKING:  # a type checker would take every name for an attribute

        def __getattr__(self, name: str) -> Any:
            kind = type(self)
            hint = ""
            if isinstance(self, Sequence) and len(self) and name in dir(self[0]):
                hint = f"; its elements have it: [0].{name}"
            elif not name.startswith("_"):
                public = [known for known in dir(kind) if not known.startswith("_")]
                if name not in public:  # otherwise its property has raised
                    hint = instead(kind, name) or self._hint_for(name) or nearest(name, public)
            raise AttributeError(f"{kind.__name__} has no attribute {name!r}{hint}")

        def _hint_for(self, name: str) -> str:
            """Returns a hint that depends on this instance, or ""."""
            return ""


class RequestText(Hinting):
    """The base of classes whose `repr` shows their request."""

    _request: Any

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._request!r}>"
