"""Converts Swagger 2 into OpenAPI 3, as far as this package reads it.

Everything stays where it is, so that references, and the places in the report, fit the file. Only
bodies, answers, servers and schemes get the form that OpenAPI 3 has for them.
"""

from __future__ import annotations

import copy
from typing import Any

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch")

_STYLES = {
    "multi": ("form", True),
    "pipes": ("pipeDelimited", False),
    "ssv": ("spaceDelimited", False),
}

_FLOWS = {"application": "clientCredentials", "accessCode": "authorizationCode"}


def converted(value: Any) -> Any:
    """Returns the value of a file in the form of OpenAPI 3; other values stay as they are."""
    if not isinstance(value, dict) or not str(value.get("swagger", "")).startswith("2"):
        return value
    root = copy.deepcopy(value)
    parameters = _members(root.get("parameters"))
    for item in _members(root.get("paths")).values():
        shared = _members(item).get("parameters")
        for method, operation in _members(item).items():
            if method in _METHODS and isinstance(operation, dict):
                _convert_operation(operation, root, parameters, shared)
        if isinstance(shared, list):
            item["parameters"] = [one for one in shared if not _is_body(_followed(one, parameters))]
    for response in _members(root.get("responses")).values():
        _convert_response(response, _types(root, {}, "produces"))
    _add_servers(root)
    schemes = _members(root.get("securityDefinitions"))
    root["components"] = {
        "securitySchemes": {name: _scheme(scheme) for name, scheme in schemes.items()}
    }
    return root


def _members(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _types(root: dict[str, Any], operation: dict[str, Any], key: str) -> list[str]:
    types = operation.get(key, root.get(key))
    found = [one for one in types if isinstance(one, str)] if isinstance(types, list) else []
    return found or ["application/json"]


def _followed(parameter: Any, parameters: dict[str, Any]) -> Any:
    reference = _members(parameter).get("$ref")
    if isinstance(reference, str) and reference.startswith("#/parameters/"):
        return parameters.get(reference.rpartition("/")[2], parameter)
    return parameter


def _is_body(parameter: Any) -> bool:
    return _members(parameter).get("in") in ("body", "formData")


def _convert_operation(
    operation: dict[str, Any], root: dict[str, Any], parameters: dict[str, Any], shared: Any
) -> None:
    own = operation.get("parameters")
    listed = own if isinstance(own, list) else []
    inherited = shared if isinstance(shared, list) else []
    followed = [_followed(one, parameters) for one in [*inherited, *listed]]
    bodies = [one for one in followed if _is_body(one)]
    if bodies:
        operation["requestBody"] = {"content": _body(bodies, operation, root)}
    operation["parameters"] = [one for one in listed if not _is_body(_followed(one, parameters))]
    for parameter in operation["parameters"]:
        _convert_style(_followed(parameter, parameters))
    for response in _members(operation.get("responses")).values():
        _convert_response(response, _types(root, operation, "produces"))


def _convert_style(parameter: Any) -> None:
    if isinstance(parameter, dict) and parameter.get("type") == "array":
        style, explode = _STYLES.get(str(parameter.get("collectionFormat")), ("form", False))
        if parameter.get("in") == "query":
            parameter.update(style=style, explode=explode)


def _body(bodies: list[Any], operation: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    whole = [one for one in bodies if one["in"] == "body"]
    if whole:
        schema = whole[0].get("schema", {})
        return {one: {"schema": schema} for one in _types(root, operation, "consumes")}
    has_file = any(one.get("type") == "file" for one in bodies)
    fields = {str(one.get("name")): _field(one) for one in bodies}
    kind = "multipart/form-data" if has_file else "application/x-www-form-urlencoded"
    return {kind: {"schema": {"type": "object", "properties": fields}}}


def _field(parameter: dict[str, Any]) -> dict[str, Any]:
    schema = {key: one for key, one in parameter.items() if key not in ("in", "name", "required")}
    return {**schema, "type": "string"} if schema.get("type") == "file" else schema


def _convert_response(response: Any, types: list[str]) -> None:
    if not isinstance(response, dict) or "schema" not in response:
        return
    schema, examples = response["schema"], _members(response.get("examples"))
    content: dict[str, Any] = {}
    for media_type in dict.fromkeys([*types, *examples]):
        content[media_type] = {"schema": schema}
        if media_type in examples:
            content[media_type]["example"] = examples[media_type]
    response["content"] = content


def _add_servers(root: dict[str, Any]) -> None:
    host, path = root.get("host"), root.get("basePath", "")
    schemes = root.get("schemes") if isinstance(root.get("schemes"), list) else ["https"]
    if isinstance(host, str) and host:
        chosen = [one for one in schemes or ["https"] if one in ("http", "https")] or ["https"]
        root["servers"] = [{"url": f"{one}://{host}{path}"} for one in chosen]
    else:
        root["servers"] = [{"url": path or "/"}]


def _scheme(scheme: Any) -> Any:
    kind = _members(scheme).get("type")
    if kind == "basic":
        return {"type": "http", "scheme": "basic"}
    if kind == "oauth2":
        flow = str(scheme.get("flow"))
        keys = {"tokenUrl": "tokenUrl", "authorizationUrl": "authorizationUrl", "scopes": "scopes"}
        values = {name: scheme[key] for key, name in keys.items() if key in scheme}
        return {"type": "oauth2", "flows": {_FLOWS.get(flow, flow): values}}
    return scheme
