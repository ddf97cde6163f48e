"""The walk: builds values of a type from plain values, such as dicts, lists and texts."""

from __future__ import annotations

import collections.abc
import types
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from enum import Enum
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from .dataclass_kind import DataclassKind
from .fields import Kind, Mismatch, Step
from .model_kind import ModelKind
from .struct_kind import StructKind
from .typed_dict_kind import TypedDictKind

if TYPE_CHECKING:
    from decimal import Decimal
    from uuid import UUID

Converter = Callable[[Any], Any]
"""Builds a value of one type; raises Mismatch."""

_KINDS: tuple[Kind, ...] = (ModelKind(), StructKind(), TypedDictKind(), DataclassKind())
UNIONS = {Union, getattr(types, "UnionType", Union)}
_LISTS: dict[Any, Callable[[Iterable[Any]], Any]] = {
    list: list,
    set: set,
    frozenset: frozenset,
    collections.abc.Sequence: list,
    collections.abc.MutableSequence: list,
    collections.abc.Collection: list,
    collections.abc.Iterable: list,
    collections.abc.Set: set,
}
_MAPPINGS = {dict, collections.abc.Mapping, collections.abc.MutableMapping}
_WORDS = {
    type(None): "null", dict: "an object", list: "a list", bool: "a bool", int: "an int",
    float: "a float", str: "a str", bytes: "bytes", datetime: "a datetime", date: "a date",
}


def kind_of(of: Any) -> Kind | None:
    """Returns the kind of a class, or None for any other type."""
    if not isinstance(of, type) or get_origin(of) is not None:
        return None
    return _kind_of_class(of)


@lru_cache(maxsize=1024)
def _kind_of_class(of: type) -> Kind | None:
    return next((kind for kind in _KINDS if kind.has(of)), None)


def entity_of(of: type) -> str:
    """Returns the entity whose objects a class takes in a union: its name, unless the class itself
    names another one in `__restway_entity__`, as written classes do. It is not inherited.
    """
    name = vars(of).get("__restway_entity__")
    return name if isinstance(name, str) else of.__name__


def bare(annotation: Any) -> Any:
    """Returns a type without what only describes it, such as `Annotated` and `NotRequired`."""
    while True:
        if hasattr(annotation, "__supertype__"):  # a NewType
            annotation = annotation.__supertype__
        elif hasattr(annotation, "__value__"):  # an alias of the statement `type`
            annotation = annotation.__value__
        elif get_origin(annotation) is Annotated or _is_qualifier(get_origin(annotation)):
            annotation = get_args(annotation)[0]
        else:
            return annotation


def _is_qualifier(origin: Any) -> bool:
    return getattr(origin, "_name", None) in ("Required", "NotRequired", "ReadOnly")


def members(annotation: Any) -> tuple[Any, ...]:
    """Returns the types of a union; a type that is no union is its only member."""
    annotation = bare(annotation)
    if get_origin(annotation) in UNIONS:
        return tuple(bare(member) for member in get_args(annotation))
    return (annotation,)


def is_mapping(annotation: Any) -> bool:
    """Returns whether a type is a mapping, such as `dict[str, Contact]`."""
    return annotation in _MAPPINGS or get_origin(annotation) in _MAPPINGS


def converter(annotation: Any) -> Converter:
    """Returns what builds values of a type. Raises TypeError for a type that cannot be built."""
    return _converter(bare(annotation))


@lru_cache(maxsize=1024)
def _converter(annotation: Any) -> Converter:
    origin, arguments = get_origin(annotation), get_args(annotation)
    kind = kind_of(annotation)
    if kind is not None:
        return _ClassConverter(annotation, kind)
    if annotation in (Any, object) or isinstance(annotation, TypeVar):
        return _unchanged
    if origin in UNIONS:
        return _union(members(annotation))
    if origin is Literal:
        return partial(_chosen, arguments)
    if annotation in _LISTS or origin in _LISTS:
        return _list(_LISTS[origin or annotation], arguments[0] if arguments else Any)
    if annotation is tuple or origin is tuple:
        return _tuple(arguments)
    if is_mapping(annotation):
        return _mapping(*(arguments or (Any, Any)))
    if isinstance(annotation, type):
        return _of_class(annotation)
    raise TypeError(f"values cannot be read into the type {annotation!r}")


def _of_class(of: type) -> Converter:
    known = _SCALARS.get(of) or _TEXTS.get((of.__module__, of.__name__))
    if known is not None:
        return known
    if issubclass(of, Enum):
        return partial(_made, of)
    return partial(_instance, of)


class _ClassConverter:
    """Builds instances of a class. It is prepared at its first use, because a class may contain
    itself.
    """

    def __init__(self, of: type, kind: Kind) -> None:
        self._of = of
        self._kind = kind
        self._fields: list[tuple[str, str, Converter, bool]] | None = None

    def __call__(self, value: Any) -> Any:
        if not isinstance(value, dict):
            raise _unexpected(f"an object for {self._of.__name__}", value)
        if not self._kind.converts:
            return self._kind.make(self._of, value)
        if self._fields is None:
            self._fields = [
                (field.name, field.key, converter(field.type), field.is_required)
                for field in self._kind.fields(self._of)
            ]
        given = {}
        for name, key, convert, is_required in self._fields:
            if name in value:
                given[key] = _item(convert, name, value[name])
            elif is_required:
                raise Mismatch("a value is missing", name)
        return self._kind.make(self._of, given)


def _unexpected(expected: str, value: Any) -> Mismatch:
    return Mismatch(f"expected {expected}, not {_WORDS.get(type(value), type(value).__name__)}")


def _unchanged(value: Any) -> Any:
    return value


def _exactly(of: type, value: Any) -> Any:
    if type(value) is not of:
        raise _unexpected(_WORDS[of], value)
    return value


def _float(value: Any) -> float:
    if type(value) is not float and type(value) is not int:
        raise _unexpected("a float", value)
    return float(value)


def _date(value: Any) -> date:
    """An attribute of the type date is a datetime in UTC; a date in JSON is a text."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if not isinstance(value, str):
        raise _unexpected("a date", value)
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise Mismatch(f"expected a date: {error}") from None


def _datetime(value: Any) -> datetime:
    """A time in JSON is a text."""
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str):
        raise _unexpected("a datetime", value)
    try:
        return datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError as error:
        raise Mismatch(f"expected a datetime: {error}") from None


def _uuid(value: Any) -> UUID:
    from uuid import UUID

    try:
        return UUID(_exactly(str, value))
    except ValueError:
        raise Mismatch(f"expected a UUID, not {value!r}") from None


def _decimal(value: Any) -> Decimal:
    from decimal import Decimal, InvalidOperation

    if type(value) not in (int, float, str):
        raise _unexpected("a decimal number", value)
    try:
        return Decimal(str(value))
    except InvalidOperation:
        raise Mismatch(f"expected a decimal number, not {value!r}") from None


def _made(of: type, value: Any) -> Any:
    try:
        return of(value)
    except (ValueError, TypeError):
        raise Mismatch(f"{value!r} is no {of.__name__}") from None


def _instance(of: type, value: Any) -> Any:
    if not isinstance(value, of):
        raise _unexpected(of.__name__, value)
    return value


def _chosen(choices: tuple[Any, ...], value: Any) -> Any:
    for choice in choices:
        if choice == value and type(choice) is type(value):
            return value
    raise Mismatch(f"expected one of {', '.join(map(repr, choices))}, not {value!r}")


class OfEntity(dict[str, Any]):
    """The values of an object that may be of several entities."""

    __slots__ = ("entity", "is_a")

    entity: str
    """The name of its entity."""
    is_a: Callable[[str], bool]
    """Whether an entity, or one that extends it, has brought the object."""


def _union(of: tuple[Any, ...]) -> Converter:
    converters = [converter(member) for member in of if member is not type(None)]
    takes_none = type(None) in of
    classes = {entity_of(member): converter(member) for member in of if kind_of(member)}

    def convert(value: Any) -> Any:
        if value is None and takes_none:
            return None
        if isinstance(value, OfEntity):
            shapes = (name for name in classes if value.is_a(name))
            name = value.entity if value.entity in classes else next(shapes, None)
            if name is not None:
                return classes[name](value)
        found: Mismatch | None = None
        for each in converters:
            try:
                return each(value)
            except Mismatch as mismatch:
                found = found or mismatch
        raise found or _unexpected("null", value)

    return convert


def _list(make: Callable[[Iterable[Any]], Any], of: Any) -> Converter:
    convert = converter(of)

    def convert_all(value: Any) -> Any:
        if not isinstance(value, list):
            raise _unexpected("a list", value)
        return make([_item(convert, index, item) for index, item in enumerate(value)])

    return convert_all


def _tuple(of: tuple[Any, ...]) -> Converter:
    if not of or of[1:] == (...,):
        return _list(tuple, of[0] if of else Any)
    converters = [converter(member) for member in of]

    def convert(value: Any) -> Any:
        if not isinstance(value, list) or len(value) != len(converters):
            raise _unexpected(f"a list of {len(converters)}", value)
        pairs = enumerate(zip(converters, value))
        return tuple([_item(each, index, item) for index, (each, item) in pairs])

    return convert


def _mapping(key: Any, of: Any) -> Converter:
    # The keys of JSON are texts; those of a relationship are attributes.
    convert_key, convert = str if key is str else converter(key), converter(of)

    def convert_all(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise _unexpected("an object", value)
        return {convert_key(name): _item(convert, name, item) for name, item in value.items()}

    return convert_all


def _item(convert: Converter, step: Step, value: Any) -> Any:
    try:
        return convert(value)
    except Mismatch as mismatch:
        mismatch.within(step)
        raise


_SCALARS: dict[type, Converter] = {
    **{of: partial(_exactly, of) for of in (bool, int, str, bytes, type(None))},
    float: _float,
    date: _date,
    datetime: _datetime,
}

_TEXTS: dict[tuple[str, str], Converter] = {
    ("uuid", "UUID"): _uuid,
    ("decimal", "Decimal"): _decimal,
}
"""Classes by module and name, so that only programs that use their modules import them."""
