"""Finds where the answers to failures have the code, the message and the list of problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from .kinds import ListKind, MapKind, ObjectKind, ScalarKind
from .model import Operation

_MESSAGES = ("message", "error_description", "errorMessage", "error_message", "detail", "msg",
             "defaultMessage", "description", "title", "error")  # fmt: skip
_CODES = ("code", "error_code", "errorCode", "type", "error")
_LISTS = ("errors", "details", "problems", "violations", "detail", "fieldErrors", "invalid_params",
          "invalid-params")  # fmt: skip
_FIELDS = ("field", "attr", "loc", "parameter", "param", "pointer", "path", "property",
           "propertyPath", "name")  # fmt: skip


def errors_of(operations: Iterable[Operation]) -> dict[str, Any] | None:
    """Returns the section `errors` of a document: what most answers to failures have."""
    shapes: Counter[ObjectKind] = Counter()
    for operation in operations:
        successes = operation.successes
        for answer in operation.answers:
            if answer in successes:
                continue
            for content in answer.contents:
                if isinstance(content.kind, ObjectKind):
                    shapes[content.kind] += 1
    errors: dict[str, Any] = {}
    for shape, _ in shapes.most_common():
        for key, value in _errors(shape).items():
            errors.setdefault(key, value)
    return errors or None


def _errors(shape: ObjectKind) -> dict[str, Any]:
    inner = shape.properties.get("error")
    if inner is not None and isinstance(inner.kind, ObjectKind):
        return {key: f"error.{value}" for key, value in _texts(inner.kind).items()}
    errors: dict[str, Any] = dict(_texts(shape))
    for name in _LISTS:
        one = shape.properties.get(name)
        kind = one.kind if one is not None else None
        if isinstance(kind, MapKind):  # the messages of each field: Laravel, Rails
            errors["details"] = name
            break
        if isinstance(kind, ListKind):
            errors["details"] = name
            if isinstance(kind.element, ObjectKind):
                parts = _texts(kind.element)
                field = _field(kind.element)
                if field is not None:
                    parts["field"] = field
                errors["details"] = {"details": name, **parts}
            if name == "detail":  # FastAPI has a text in the place of the list, too
                errors.setdefault("message", name)
            break
    return errors


def _field(shape: ObjectKind) -> str | None:
    """Returns the key path of the field in a problem."""
    source = shape.properties.get("source")
    if source is not None and isinstance(source.kind, ObjectKind):  # JSON:API
        found = _field(source.kind)
        return f"source.{found}" if found is not None else None
    return next((key for key in _FIELDS if key in shape.properties), None)


def _texts(shape: ObjectKind) -> dict[str, Any]:
    """Returns the code and the message of an object."""
    scalars = [key for key, one in shape.properties.items() if isinstance(one.kind, ScalarKind)]
    message = next((name for name in _MESSAGES if name in scalars), None)
    code = next((name for name in _CODES if name in scalars and name != message), None)
    found = {"code": code, "message": message}
    return {key: value for key, value in found.items() if value is not None and "." not in value}
