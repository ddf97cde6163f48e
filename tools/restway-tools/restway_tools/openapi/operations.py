"""Reads the operations of a description: parameters, bodies and answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from .model import Answer, Content, Operation, Parameter, Where
from .reading import BrokenReference, Node
from .schemas import Schemas

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")

_OTHER_METHOD = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
"""A method of `additionalOperations` (RFC 9110, section 9.1)."""

_STYLES = {"path": "simple", "header": "simple", "query": "form", "cookie": "form"}

_MEDIA_TYPE = re.compile(r"[\w!#$%&'*+.^`|~-]+/[\w!#$%&'*+.^`|~-]+ *(?:;.*)?", re.ASCII)
"""A type and a subtype (RFC 9110, section 8.3.1), or a range of them, with any parameters."""

_STATUS = re.compile(r"[1-5](?:[0-9]{2}|XX)|default", re.IGNORECASE)


def read_operations(root: Node, schemas: Schemas) -> list[Operation]:
    """Returns the operations of all paths. Broken parts are noted and left out."""
    operations: list[Operation] = []
    names: set[str] = set()
    for path, item in root.get("paths").items():
        item = item.followed_or_none() or item
        if not path.startswith("/") or not isinstance(item.value, dict):
            item.note("left out", "a path that is no object, or does not begin with a slash")
            continue
        for method, node in _by_method(item):
            node = node.followed_or_none() or node
            if not isinstance(node.value, dict):
                node.note("left out", "an operation that is no object")
                continue
            operation = Operation(_name(node, method, path, names), method, path, node)
            names.add(operation.name)
            _read(operation, item, schemas)
            operations.append(operation)
    return operations


def _by_method(item: Node) -> Iterator[tuple[str, Node]]:
    """Returns the operations of a path, with their methods as they are sent."""
    for key, node in item.items():
        if key in _METHODS:
            yield key.upper(), node
    for method, node in item.get("additionalOperations").items():  # OpenAPI 3.2
        if not _OTHER_METHOD.fullmatch(method) or method.lower() in (*_METHODS, "connect"):
            node.note("left out", f"{method!r} is no method that can stand here")
        else:
            yield method, node


def _name(node: Node, method: str, path: str, names: set[str]) -> str:
    by_path = f"{method} {path}"
    name = node.text("operationId")
    if name is not None and name in names:
        node.note("bent", f"the name {name!r} stands twice: this route is called {by_path!r}")
        return by_path
    return name or by_path


def _read(operation: Operation, item: Node, schemas: Schemas) -> None:
    node = operation.node
    parameters: dict[tuple[str, str], Parameter] = {}
    for source in (item, node):
        for element in source.get("parameters").elements():
            parameter = _parameter(element, schemas)
            if parameter is not None:
                parameters[parameter.where, parameter.name] = parameter
    operation.parameters = list(parameters.values())
    body = node.get("requestBody").followed_or_none()
    if body is not None:
        operation.bodies = _contents(body, schemas)
    for status, answer in node.get("responses").items():
        if not _STATUS.fullmatch(status):
            answer.note("left out", f"{status!r} is no status")
            continue
        found = answer.followed_or_none()
        if found is not None:
            headers = {name.lower() for name in found.get("headers").members}
            operation.answers.append(Answer(status, found, _contents(found, schemas), headers))
    if node.get("callbacks").members:
        node.get("callbacks").note("left out", "the requests of the server to the program")
    if "security" in node.members:
        operation.security = alternatives(node.get("security"))
    holder = node if "servers" in node.members else item
    operation.server_nodes = list(holder.get("servers").elements())


def alternatives(node: Node) -> list[list[str]]:
    """Returns the names of the schemes of each alternative of `security`."""
    return [list(element.members) for element in node.elements()]


def _parameter(element: Node, schemas: Schemas) -> Parameter | None:
    node = element.followed_or_none()
    if node is None:
        return None
    name, where = node.text("name"), node.members.get("in")
    if name is None or not isinstance(where, str) or where not in _STYLES:
        element.note("left out", "a parameter without a name or a place")
        return None
    schema = node.get("schema")
    if schema.value is None:
        contents = [content.get("schema") for _, content in node.get("content").items()]
        schema = contents[0] if contents else schema
    if schema.value is None and "type" in node.members:  # Swagger 2
        schema = node
    style = node.text("style") or _STYLES[where]
    explode = node.members.get("explode")
    return Parameter(
        name,
        cast(Where, where),
        element if "$ref" not in element.members else node,
        schemas.kind(schema),
        node.flag("required") or where == "path",
        style,
        explode if isinstance(explode, bool) else style in ("form", "deepObject"),
    )


def _contents(node: Node, schemas: Schemas) -> list[Content]:
    contents = []
    for media_type, content in node.get("content").items():
        if not _MEDIA_TYPE.fullmatch(media_type):
            content.note("bent", f"{media_type!r} is no media type: the body has any type")
            media_type = "*/*"
        schema = content.get("schema")
        kind = schemas.kind(schema) if schema.value is not None else None
        contents.append(Content(media_type, content, kind, _examples(content)))
    return contents


def _examples(content: Node) -> list[tuple[str, Any]]:
    """Returns the examples of a body, each with its place."""
    if "example" in content.members:
        return [(content.get("example").place, content.members["example"])]
    found: list[tuple[str, Any]] = []
    for _, element in content.get("examples").items():
        try:
            example = element.followed()
        except BrokenReference as error:
            element.note("left out", f"a broken reference: {error}")
            continue
        if "value" in example.members:
            found.append((element.place, example.members["value"]))
    return found
