"""Lists of instances, built from columns of values: the quick way for plain classes.

A class is plain if it is called with the values of its fields in their order and checks none of
them, and if each field has the type of an attribute, possibly with None. The walk builds everything
else, and explains what does not fit.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import Any, NamedTuple, get_args, get_origin

from .._reading.columns import Column
from .._reading.whole import WholeObjects
from .fields import Field, Mismatch
from .walk import UNIONS, kind_of

_PLAIN = {bool, int, float, str, date, datetime}


class _Plain(NamedTuple):
    """A field with the type of an attribute."""

    field: Field
    type: type
    takes_none: bool


def built_of_columns(of: Any, objects: Sequence[Any]) -> list[Any] | None:
    """Builds an instance of each object; None if the walk has to do it. Raises Mismatch."""
    if not isinstance(objects, WholeObjects):
        return None
    fields = _plain_fields(of)
    days = {each.field.name for each in fields if each.type is date}
    days -= {each.field.name for each in fields if each.type is datetime}
    columns = objects._read_columns([each.field.name for each in fields], days)
    fitting = [values for each in fields if (values := _fitting(each, columns)) is not None]
    if not fields or len(fitting) < len(fields):
        return None
    built: list[Any] = []
    try:
        built.extend(map(of, *fitting))  # it keeps the instances from before an error
    except (TypeError, ValueError) as error:  # of its __post_init__
        raise Mismatch(str(error), len(built)) from error
    return built


@lru_cache(maxsize=1024)
def _plain_fields(of: Any) -> tuple[_Plain, ...]:
    """Returns the fields of a plain class, and none of any other class."""
    kind = kind_of(of)
    if kind is None or not kind.is_unchecked or kind.wants_all(of):
        return ()
    fields = kind.fields(of)
    parameters = inspect.signature(of).parameters.values()
    keys = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    if [field.key for field in fields] != keys or len(keys) != len(parameters):
        return ()
    found = []
    for field in fields:
        is_union = get_origin(field.type) in UNIONS
        types = set(get_args(field.type)) if is_union else {field.type}
        plain = types - {type(None)}
        if len(plain) != 1 or not plain <= _PLAIN:
            return ()
        found.append(_Plain(field, plain.pop(), type(None) in types))
    return tuple(found)


def _fitting(plain: _Plain, columns: dict[str, Column]) -> list[Any] | None:
    """Returns the values for a field, or None if its column has others."""
    column = columns.get(plain.field.name)
    if column is None:
        return None
    if column.has_null and not plain.takes_none:
        return None
    if column.has_absent and not (plain.takes_none and plain.field.is_required):
        return None  # the default of the field is needed, or a value is missing
    if column.type is plain.type:
        return column.values
    if (column.type, plain.type) == (int, float):
        return [None if value is None else float(value) for value in column.values]
    if (column.type, plain.type) == (datetime, date):  # another field has its time
        return [None if value is None else value.date() for value in column.values]
    return None
