"""Values of the program's own classes in requests: as bodies, parameters and path variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Union, cast

from .._base.lazy import LazyModule
from .._ffi.conversion import json_bytes, json_default, plain_of

if TYPE_CHECKING:
    from . import walk
else:
    walk = LazyModule("restway._values.walk")


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


class _Struct(Protocol):
    __struct_fields__: ClassVar[tuple[str, ...]]


class _Model(Protocol):
    def model_dump(self) -> dict[str, Any]: ...


Record = Union[Mapping[str, Any], _Dataclass, _Struct, _Model]
"""Values by name: a mapping, or an instance of a dataclass, a Struct or a pydantic model."""

Parameters = Union[Record, Iterable[tuple[str, Any]]]
"""Parameters by name, or pairs, in which a name may stand several times."""

Nulls = Literal["keep", "omit"]
"""Whether None is sent, or left out."""

_SCALARS = frozenset({str, int, float, bool, type(None), bytes, datetime, date})
_CONTAINERS = frozenset({dict, list, tuple})


def is_record(value: object) -> bool:
    """Returns whether a value has values by name."""
    return isinstance(value, Mapping) or walk.kind_of(type(value)) is not None


def by_name(record: Record, nulls: Nulls | None) -> Mapping[str, Any]:
    """Returns variables by name, those of classes inside the record as dicts; raises TypeError for
    anything else.
    """
    if not is_record(record):
        raise TypeError(
            "variables are a mapping, a dataclass, a Struct or a pydantic model, "
            f"not {type(record).__name__}"
        )
    found: Mapping[str, Any] = _plain(record, _omits(nulls))
    return found


def pairs_of(parameters: Parameters, nulls: Nulls | None) -> list[tuple[str, Any]]:
    """Returns parameters as pairs, with the values of classes as dicts."""
    omits = _omits(nulls)
    if is_record(parameters):
        return list(_plain(parameters, omits).items())
    pairs: Any = list(cast("Iterable[Any]", parameters))
    if isinstance(parameters, str) or not all(len(pair) == 2 for pair in pairs):
        raise TypeError("params are a mapping, or pairs of a name and a value")
    return [(key, _plain(value, omits)) for key, value in pairs if not (omits and value is None)]


def json_of(value: object, nulls: Nulls | None) -> bytes:
    """Writes JSON in which instances of classes are objects; raises TypeError or ValueError."""
    if _omits(nulls):
        return json_bytes(_plain(value, omits=True, is_json=True), _json_default)
    try:
        return json_bytes(value, _json_default)
    except TypeError:  # possibly because of a key that is not a text, which the walk converts
        return json_bytes(_plain(value, omits=False, is_json=True), _json_default)


def _omits(nulls: Nulls | None) -> bool:
    if nulls is not None and not isinstance(nulls, str):
        raise TypeError(f"nulls is 'keep' or 'omit', not {type(nulls).__name__}")
    if nulls not in (None, "keep", "omit"):
        raise ValueError(f"nulls is 'keep' or 'omit', not {nulls!r}")
    return nulls == "omit"


def _plain(value: Any, omits: bool, is_json: bool = False) -> Any:
    """Returns a value without instances of classes. If `omits`, None is left out of mappings. If
    `is_json`, the values of a class are as its library writes them in JSON, and keys are texts.
    """
    if type(value) in _SCALARS:
        return value
    kind = None if type(value) in _CONTAINERS else walk.kind_of(type(value))
    if kind is not None:
        value = kind.json_values(value) if is_json else kind.values(value)
    if isinstance(value, Mapping):
        return {
            _json_key(key) if is_json else key: _plain(item, omits, is_json)
            for key, item in value.items()
            if not (omits and item is None)
        }
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item, omits, is_json) for item in value]
    return plain_of(value)


def _json_key(key: Any) -> Any:
    """Returns a key of a mapping as `json.dumps` takes it."""
    if isinstance(key, str):
        return key
    key = plain_of(key)
    return json_default(key) if isinstance(key, date) else key


def _json_default(value: Any) -> Any:
    """Converts a value that JSON does not know, for `json.dumps`."""
    made = _plain(value, omits=False, is_json=True)
    return json_default(value) if made is value else made
