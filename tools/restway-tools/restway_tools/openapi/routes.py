"""Writes the operations as routes of an API document."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .bodies import Bodies, Body
from .entities import Entities
from .identity import answered
from .kinds import FreeKind, ListKind, ScalarKind
from .landing import Landing, landing_of, objects_of
from .model import Answer, Content, Operation, Parameter
from .notes import Report
from .pages import pages_of
from .resources import Resource, Resources

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")

Names = dict[tuple[str, str], str]
"""The variables of a template by the places and the names of their parameters."""

_ENCODINGS = {"application/x-www-form-urlencoded": "url", "multipart/form-data": "form"}


@dataclass(frozen=True)
class Served:
    """The resource whose objects a route sends."""

    resource: Resource
    variable: str | None = None
    """The variable of the path that is the identity of an object."""


class Routes:
    """The routes of a document."""

    def __init__(
        self,
        operations: list[Operation],
        resources: Resources,
        bodies: Bodies,
        entities: Entities,
        report: Report,
        *,
        is_jsonapi: bool = False,
    ) -> None:
        self._is_jsonapi = is_jsonapi
        self.written: dict[str, dict[str, Any]] = {}
        self._resources = resources
        self._bodies = bodies
        self._entities = entities
        self._report = report
        self._equal: dict[tuple[str, str], list[str]] = {}
        self._reads = {one.path: one for one in operations if one.method == "GET"}

    def add(self, operation: Operation, *, has_auth: bool) -> None:
        """Writes the route of an operation."""
        shape = re.sub(r"\{[^{}]*\}", "{}", matched_path(_path(operation)).strip("/"))
        self._equal.setdefault((operation.method, shape), []).append(operation.name)
        route: dict[str, Any] = {}
        if operation.method != "GET":
            route["method"] = operation.method
        served = self._served(operation)
        names = _variables(operation, served)
        route["path"] = self._path(operation, names)
        if served is not None:
            route["entity"] = self._entities.add(served.resource)
        self._add_answers(operation, route)
        self._add_body(operation, route)
        if has_auth and not operation.has_credential:
            route["auth"] = False
        self._add_remarks(operation, names, route)
        self.written[operation.name] = route

    def shared_responses(self) -> list[dict[str, Any]]:
        """Takes the descriptors out of routes that have one method, one path and equal descriptors,
        and returns them for the section `responses`, where each stands once for all of them.
        """
        shared: list[dict[str, Any]] = []
        for (method, _), names in self._equal.items():
            routes = [self.written[name] for name in names if "response" in self.written[name]]
            if len(routes) < 2 or any(one["response"] != routes[0]["response"] for one in routes):
                continue
            path = matched_path(routes[0]["path"])
            for descriptor in descriptors_of(routes[0]):
                shared.append({"method": method, "path": path, **descriptor})
            for route in routes:
                del route["response"]
        return shared

    def _path(self, operation: Operation, names: Names) -> str:
        path = _template(operation, names)
        query = [name for (where, _), name in names.items() if where == "query"]
        if query:
            operator = "&" if "?" in path else "?"
            path += f"{{{operator}{','.join(query)}}}"
        return path or "/"

    def _add_answers(self, operation: Operation, route: dict[str, Any]) -> None:
        descriptors: list[dict[str, Any]] = []
        values: list[dict[str, Any]] = []
        others: list[str] = []
        accepted: list[str] = []
        for answer in operation.successes:
            contents = self._chosen(answer)
            if not contents:
                others += [one.media_type for one in answer.contents]
            accepted += [one.media_type for one in answer.contents if one.is_json]
            for content, media_type in contents:
                if content.kind is None:
                    continue
                landing = landing_of(content.kind)
                common = {} if media_type is None else {"mediaType": media_type}
                common["status"] = _status(answer)
                if landing.target is None:
                    values.append({"type": self._entities.type_of(content.kind), **common})
                    continue
                resource = self._resources.resource(landing.target, operation.name)
                descriptors.append({**self._descriptor(landing, resource), **common})
                if content.envelope is not None:  # JSON:API
                    landing = Landing("entity", landing.target, "data", content.envelope)
                pages = pages_of(operation, answer, landing, resource.identity)
                if pages is None and content.envelope is not None and operation.method == "GET":
                    pages = {}
                if pages is not None and "pages" not in route and _is_list(content, landing):
                    route["pages"] = pages
                beside = self._beside(landing, pages)
                if beside is not None:
                    descriptors.append({**beside, **common})
        if descriptors and self._entities.has_typed_answers:
            descriptors += values
        elif descriptors and values:
            operation.node.note("left out", "the answers with values, beside those with objects")
        descriptors = joined_statuses(descriptors)
        if descriptors:
            route["response"] = descriptors[0] if len(descriptors) == 1 else descriptors
        elif values:
            route["parse"] = "json"
        elif others:
            route["parse"] = "text" if all(one.startswith("text/") for one in others) else "bytes"
            accepted = others
        types = [one for one in dict.fromkeys(accepted) if "*" not in one]
        if any(not _is_usual(one) for one in types):
            route["accept"] = types

    def _chosen(self, answer: Answer) -> list[tuple[Content, str | None]]:
        """Returns the JSON contents of an answer. Each has its media type if media types tell
        several schemas apart; if the API document cannot name media types, only the first content
        is returned.
        """
        contents = [one for one in answer.contents if one.is_json]
        different: list[Content] = []
        for content in contents:
            if all(content.kind is not one.kind for one in different):
                different.append(content)
        if len(different) < 2:
            return [(one, None) for one in different]
        if self._entities.has_typed_answers:
            return [(one, _named_type(one.media_type)) for one in contents]
        for content in different[1:]:
            reason = f"the answer is mapped as {contents[0].media_type}"
            content.node.note("left out", f"{content.media_type}: {reason}")
        return [(contents[0], None)]

    def _descriptor(self, landing: Landing, resource: Resource) -> dict[str, Any]:
        objects = objects_of(landing.target) if landing.target is not None else []
        descriptor: dict[str, Any] = {"entity": self._entities.add(resource, objects)}
        if landing.key is not None:
            descriptor["keyPath"] = _key_path(landing.key)
        return descriptor

    def _beside(self, landing: Landing, pages: dict[str, Any] | None) -> dict[str, Any] | None:
        """Returns a descriptor of the members beside the objects of an envelope: the only one,
        or the whole body as JSON. A page has its total itself.
        """
        if landing.envelope is None or landing.key is None:
            return None
        if self._is_jsonapi:
            has_meta = "meta" in landing.envelope.properties
            return {"type": "json", "keyPath": "meta"} if has_meta else None
        total = (pages or {}).get("total")
        members = {
            key: one
            for key, one in landing.envelope.properties.items()
            if key not in (landing.key, total) and key and "\0" not in key
        }
        if not members:
            return None
        if not self._entities.has_typed_answers:
            for key, one in members.items():
                self._report.add("left out", one.place, f"{key!r} beside the list of an answer")
            return None
        if len(members) > 1:
            return {"type": "json"}
        key, one = next(iter(members.items()))
        return {"type": self._entities.type_of(one.kind), "keyPath": _key_path(key)}

    def _add_body(self, operation: Operation, route: dict[str, Any]) -> None:
        types = [content.media_type for content in operation.bodies]
        if types and not any(one.is_json for one in operation.bodies):
            encoding = next((_ENCODINGS[one] for one in types if one in _ENCODINGS), None)
            if encoding is not None:
                route["serializationName"] = encoding
                if not any(map(_is_nested, operation.bodies)):
                    route["forms"] = {"lists": "repeat"}
                for content in operation.bodies:
                    _note_joined_lists(content)
        body = self._bodies.of(operation)
        if body is not None:
            requests = [self._request(operation, body, one) for one in body.resources]
            route["request"] = requests[0] if len(requests) == 1 else requests

    def _request(self, operation: Operation, body: Body, resource: Resource) -> dict[str, Any]:
        """Returns the request descriptor of a resource that a body has."""
        objects = [one for one in body.objects if self._resources.resource(one, "") is resource]
        names = [self._entities.add_body(resource, one) for one in objects]
        request: dict[str, Any] = {"entity": names[0]}
        if body.key is not None:
            request["keyPath"] = _key_path(body.key)
        if operation.method == "PATCH":
            request["changedOnly"] = True
        all_of_it = [item for one in objects for item in one.properties.items()]
        sent = {key for key, one in all_of_it if not one.is_read_only}
        others = [one for one in self._entities.relationships_of(resource) if one not in sent]
        attributes = self._entities.excludable_attributes(resource)
        others += dict.fromkeys(key for key, _ in all_of_it if key in attributes - sent)
        return {**request, "exclude": others} if others else request

    def _served(self, operation: Operation) -> Served | None:
        """Returns the resource whose objects are read, made, changed or removed by an operation,
        and the variable of its path that is their identity.
        """
        method, variable = operation.method, operation.last_variable
        if method == "POST":
            body = self._bodies.of(operation)
            made = body.resources[0] if body is not None and len(body.resources) == 1 else None
            return Served(made) if made is not None and self._is_made(operation, made) else None
        if variable is None or method not in ("GET", "PUT", "PATCH", "DELETE"):
            return None
        resource = self._subject(operation)
        if resource is None or resource.identity is None or resource.members:
            return None
        if variable not in resource.confirmations or not _VARIABLE.fullmatch(resource.identity):
            return None
        above = operation.path.rstrip("/").rpartition("/")[0]
        if f"{{{resource.identity}}}" in above:
            return None  # because the object would fill this variable as well
        return Served(resource, variable)

    def _subject(self, operation: Operation) -> Resource | None:
        """Returns the resource of the object to which the path of an operation leads."""
        read = self._reads.get(operation.path)
        if read is not None:
            return answered(read, self._resources)
        if operation.path.count("{") != 1:
            return None  # such a path may lead to a part of another object, such as a member
        if operation.method != "DELETE":
            return answered(operation, self._resources)
        above = self._reads.get(operation.path.rstrip("/").rpartition("/")[0])
        return answered(above, self._resources, is_list=True) if above is not None else None

    def _is_made(self, operation: Operation, resource: Resource) -> bool:
        """Returns whether a POST makes objects of a resource with answers."""
        return not resource.is_of_bodies and resource in self._bodies.subjects(operation)

    def _add_remarks(self, operation: Operation, names: Names, route: dict[str, Any]) -> None:
        node = operation.node
        if operation.environment is not None:
            route["x-environment"] = operation.environment
        if node.flag("deprecated"):
            route["x-deprecated"] = True
        text = node.text("summary") or node.text("description")
        if text is not None:
            route["x-description"] = text
        for key, value in node.members.items():
            if key.startswith("x-") and "pag" in key.lower():
                route[key] = value
        parameters = [_parameter(one, names) for one in operation.parameters]
        if parameters:
            route["x-parameters"] = parameters
        bodies = [content.media_type for content in operation.bodies]
        if bodies:
            route["x-body"] = bodies


def descriptors_of(route: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the response descriptors of a route."""
    written = route.get("response", [])
    return [written] if isinstance(written, dict) else written


def matched_path(path: str) -> str:
    """Returns the part of a template that decides matches: its path, and the parameters of its
    query that have no variable.
    """
    base, _, query = re.sub(r"\{[?&#][^}]*\}", "", path).partition("?")
    fixed = sorted(pair for pair in query.split("&") if pair and "{" not in pair)
    return f"{base}?{'&'.join(fixed)}" if fixed else base


def _path(operation: Operation) -> str:
    """Returns the path without a fragment, by which some descriptions tell operations apart."""
    return operation.path.partition("#")[0]


def _named_type(media_type: str) -> str:
    """Returns a media type as a descriptor names it: JSON has no charset."""
    name, *parameters = [part.strip() for part in media_type.split(";")]
    kept = [one for one in parameters if one and not one.lower().startswith("charset=")]
    return "; ".join([name, *kept])


def _is_nested(content: Content) -> bool:
    """Returns whether a form writes lists as the names of their elements (`a[0]`)."""
    return any(one.text("style") == "deepObject" for _, one in content.node.get("encoding").items())


def _note_joined_lists(content: Content) -> None:
    """Notes the lists of a form that stand in one text each."""
    for _, one in content.node.get("encoding").items():
        is_joined = one.members.get("explode") is False
        if is_joined or one.text("style") in ("spaceDelimited", "pipeDelimited"):
            one.note("bent", "a list in one text: the program joins the values itself")


def _status(answer: Answer) -> str:
    status = answer.status.lower()
    return "2xx" if status == "default" else status


def _key_path(key: str) -> str | list[str]:
    return [key] if "." in key else key


def _is_usual(media_type: str) -> bool:
    """Returns whether requests accept a type that their route does not name."""
    name = media_type.partition(";")[0].strip().lower()
    return name == "application/json" or name.endswith("+json")


def _is_list(content: Content, landing: Landing) -> bool:
    kind = content.kind
    if landing.envelope is not None and landing.key is not None:
        kind = landing.envelope.properties[landing.key].kind
    return isinstance(kind, ListKind)


def joined_statuses(descriptors: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns descriptors without the status if all successes are mapped in the same way."""
    ways: dict[str, list[dict[str, Any]]] = {}
    for one in descriptors:
        way = {key: value for key, value in one.items() if key != "status"}
        ways.setdefault(one["status"], []).append(way)
    first = next(iter(ways.values()), [])
    return first if all(way == first for way in ways.values()) else descriptors


def _variables(operation: Operation, served: Served | None) -> Names:
    """Returns the variables of the template by the places and names of their parameters: variables
    of the path, and lists of the query whose elements stand in one text, which an expression
    writes.
    """
    names: Names = {}
    for name in re.findall(r"\{([^{}]*)\}", _path(operation)):
        variable = name if _VARIABLE.fullmatch(name) else re.sub(r"\W", "_", name, flags=re.ASCII)
        variable = variable if _VARIABLE.fullmatch(variable) else f"_{variable}"
        if served is not None and name == served.variable and served.resource.identity is not None:
            variable = served.resource.identity  # so that an object fills it
        if variable != name:
            operation.node.note("bent", f"the variable {name!r} is called {variable!r}")
        names["path", name] = variable
    for one in operation.parameters:
        is_joined = isinstance(one.kind, (ListKind, FreeKind)) and not one.explode
        if one.where == "cookie":
            one.node.note("left out", f"the cookie {one.name!r}")
        elif one.where == "query" and one.style not in ("form", "deepObject"):
            one.node.note("bent", f"the style {one.style}: the program joins the values itself")
        elif one.where == "query" and one.style == "form" and is_joined:
            if _VARIABLE.fullmatch(one.name) and one.name not in names.values():
                names["query", one.name] = one.name
            else:
                one.node.note("bent", "the program joins the values with commas itself")
    return names


def _template(operation: Operation, names: Names) -> str:
    """Returns the path as a template of Restway."""
    given = {one.name: one for one in operation.parameters if one.where == "path"}
    parts: list[str] = []
    for text, name in re.findall(r"([^{}]+)|\{([^{}]*)\}", _path(operation).lstrip("/")):
        if text:
            parts.append(re.sub(r"([\\:@])", r"\\\1", text))
        else:
            parts.append("{" + _operator(given.get(name)) + names.get(("path", name), name) + "}")
    return "".join(parts)


def _operator(parameter: Parameter | None) -> str:
    if parameter is None:
        return ""
    if any(value is True for key, value in parameter.node.members.items() if "multi-seg" in key):
        return "+"
    return {"label": ".", "matrix": ";"}.get(parameter.style, "")


def _parameter(one: Parameter, names: Names) -> dict[str, Any]:
    written: dict[str, Any] = {"name": one.name, "in": one.where}
    if (one.where, one.name) in names:
        written["variable"] = names[one.where, one.name]
    if one.is_required:
        written["required"] = True
    if isinstance(one.kind, ScalarKind):
        written["type"] = one.kind.type
        if one.kind.enumeration:
            written["enum"] = list(one.kind.enumeration)
    elif isinstance(one.kind, ListKind):
        written["type"] = "list"
    if one.where == "query" and (one.style != "form" or not one.explode):
        written["style"] = one.style
    return written
