"""Checks an imported document: every operation is called by name, and answered with its examples.

A modifier of the client gives the examples as answers, so that nothing is sent. The objects are
compared with the examples in a store in memory, in a SQLite store, and after a round trip: a draft
of each object is written as JSON, which is mapped again.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from restway import API, Client, ConfigError, Object, PipelineContext, Response, RestwayError

from .comparing import (
    NO_OBJECT,
    Comparison,
    Tally,
    joined_shapes,
    key_path,
    same_json,
    scalars_in,
)
from .examples import Composer
from .importer import Imported
from .jsonapi import document_of, flat
from .kinds import MISSING
from .model import Content, Operation
from .routes import descriptors_of, matched_path

BESIDE = "it stands beside the objects of the answer"
OTHER_TYPE = "the document maps another media type of this answer"
OTHER_VALUE = "the value of the answer is another one"

_DRAFTS = "x-draft-of-the-check"


@dataclass(frozen=True)
class Example:
    """An example of an answer of an operation."""

    operation: Operation
    status: int
    media_type: str
    value: Any
    place: str
    is_published: bool
    """Whether the description has it; otherwise it is composed of the schema."""
    body: Any = MISSING
    """The body, if it is not the value: JSON:API has the objects in another form."""


@dataclass
class CheckResult:
    """The findings of a check."""

    problems: list[str] = field(default_factory=list)
    """Why the library refuses the document; nothing else was checked then."""
    operations: int = 0
    """How many operations were called."""
    failures: dict[str, str] = field(default_factory=dict)
    """The errors of calls, by the place of the example."""
    published: dict[str, Tally] = field(default_factory=dict)
    """The comparisons with published examples: `memory`, `sqlite` and `draft`."""
    composed: dict[str, Tally] = field(default_factory=dict)
    """The comparisons with examples that were composed of schemas."""

    @property
    def share(self) -> float | None:
        """The share of the values of published examples that arrived everywhere; of the composed
        ones if no example is published. None if no value was compared.
        """
        tallies = [one for one in self.published.values() if one.total]
        tallies = tallies or [one for one in self.composed.values() if one.total]
        return min((one.share for one in tallies), default=None)

    def to_json(self) -> dict[str, Any]:
        """Returns the result as a value for JSON."""
        return {
            "problems": self.problems,
            "operations": self.operations,
            "failures": self.failures,
            "published": {way: _tally(one) for way, one in self.published.items()},
            "composed": {way: _tally(one) for way, one in self.composed.items()},
        }

    def to_text(self) -> str:
        """Returns the result as text."""
        lines = [f"refused: {problem}" for problem in self.problems]
        lines.append(f"called: {self.operations} operations, {len(self.failures)} failures")
        lines += [f"failed: {place}: {error}" for place, error in self.failures.items()]
        if self.share is None and not self.problems:
            lines.append("no value was compared: no answer with JSON has a schema or an example")
        for name, ways in (("published", self.published), ("composed", self.composed)):
            for way, one in ways.items():
                if not one.total:
                    continue
                lines.append(
                    f"{name} examples, {way}: {one.equal} of {one.total} values equal"
                    f" ({one.share:.2%} of those that no example contradicts)"
                )
                lines += [f"    {count}: {reason}" for reason, count in one.reasons.most_common()]
        return "\n".join(lines) + "\n"


def _tally(one: Tally) -> dict[str, Any]:
    differences = [{"place": each.place, "reason": each.reason} for each in one.differences]
    reasons = dict(one.reasons.most_common())
    return {"equal": one.equal, "total": one.total, "reasons": reasons, "differences": differences}


def examples_of(operation: Operation, composer: Composer) -> Iterator[Example]:
    """Returns the examples of the successful answers of an operation, at least one if possible."""
    if not operation.successes:
        yield Example(operation, 204, "", MISSING, operation.node.place, False)
    for answer in operation.successes:
        status = int(answer.status) if answer.status.isdecimal() else 200
        contents = [one for one in answer.contents if one.is_json]
        if not contents:
            media_type = answer.contents[0].media_type if answer.contents else ""
            place = f"{operation.node.place}/responses/{answer.status}"
            yield Example(operation, status, media_type, MISSING, place, False)
        for content in contents:
            for place, value in content.examples:
                yield _example(operation, status, content, value, place, is_published=True)
            if not content.examples and content.kind is not None:
                value = composer.value(content.kind)
                if content.envelope is not None and value is not MISSING:
                    value = document_of(content.kind, value)
                place = content.node.place
                yield _example(operation, status, content, value, place, is_published=False)


def _example(
    operation: Operation, status: int, content: Content, body: Any, place: str, *,
    is_published: bool,
) -> Example:  # fmt: skip
    value = body if content.envelope is None or body is MISSING else flat(body)
    return Example(operation, status, content.media_type, value, place, is_published, body)


def check(imported: Imported) -> CheckResult:
    """Loads a document, calls its operations, and compares their examples with the objects."""
    result = CheckResult()
    try:
        API.from_json(imported.document)
        api = API.from_json(_changed(imported.document))
    except ConfigError as error:
        result.problems = [f"{one.path}: {one.message}" for one in error.details] or [str(error)]
        return result
    # A description without a usable server has no environment; nothing is sent anyway.
    base_url = None if imported.document.get("environments") else "http://localhost"
    composer = Composer()
    examples = [
        example
        for operation in imported.description.operations
        if operation.name in imported.document["routes"]
        for example in examples_of(operation, composer)
    ]
    result.operations = len({example.operation.name for example in examples})
    with tempfile.TemporaryDirectory() as folder:
        for way, path in (("memory", None), ("sqlite", Path(folder) / "objects.db")):
            with Client(api, store_path=path, base_url=base_url) as client:
                checker = _Checker(client, imported.document, result, way)
                for example in examples:
                    checker.check(example)
    return result


def _changed(document: dict[str, Any]) -> dict[str, Any]:
    """Returns a document for the check: without credentials, and with a route for drafts, which are
    written with all of their objects.
    """
    changed: dict[str, Any] = json.loads(json.dumps(document))
    changed.pop("auth", None)
    changed["routes"][_DRAFTS] = {"method": "POST", "path": _DRAFTS}
    for entity in changed["entities"].values():
        for relationship in entity.get("relationships", {}).values():
            relationship.pop("byIdentity", None)
        for attribute in entity.get("attributes", {}).values():
            attribute.pop("readOnly", None)
    return changed


class _Checker:
    """Calls operations of a client, which answers with examples."""

    def __init__(
        self, client: Client, document: dict[str, Any], result: CheckResult, way: str
    ) -> None:
        self._client = client
        self._document = document
        self._entities = joined_shapes(document["entities"])
        self._result = result
        self._way = way
        self._answer: tuple[int, bytes, str | None] = (200, b"", None)
        client.add_modifier(self._give)

    def _give(self, context: PipelineContext) -> None:
        context.set_answer(*self._answer)

    def check(self, example: Example) -> None:
        """Calls an operation, and compares the objects of its answer with the example."""
        body = b"" if example.body is MISSING else json.dumps(example.body).encode()
        is_any = "*" in example.media_type
        media_type = "application/json" if is_any else example.media_type or None
        self._answer = (example.status, body, media_type)
        route = self._document["routes"][example.operation.name]
        parameters = _values(route)
        try:
            response = self._client.route(example.operation.name, **parameters)
            self._compare(example, route, response)
        except RestwayError as error:
            self._result.failures[f"{example.place} ({self._way})"] = str(error)
        if self._way == "memory":
            self._client.store.clear()  # drafts have nothing of other examples

    def _compare(self, example: Example, route: dict[str, Any], response: Response) -> None:
        tally, again = Tally(), Tally()
        if example.value is MISSING:
            tally.count(example.place, None, 0)
        elif self._descriptors(route):
            self._compare_objects(example, route, response, tally, again)
        elif route.get("parse") == "json":
            reason = None if same_json(example.value, response.value) else NO_OBJECT
            tally.count(example.place, reason, max(1, scalars_in(example.value)))
        ways = self._result.published if example.is_published else self._result.composed
        ways.setdefault(self._way, Tally()).add(tally)
        if self._way == "memory":
            ways.setdefault("draft", Tally()).add(again)

    def _descriptors(self, route: dict[str, Any]) -> list[dict[str, Any]]:
        """Returns the descriptors of a route, and those that it shares with other routes."""
        method, path = route.get("method", "GET"), matched_path(route["path"])
        shared = [
            one
            for one in self._document.get("responses", [])
            if (one.get("method"), one.get("path")) == (method, path)
        ]
        return [*descriptors_of(route), *shared]

    def _compare_objects(
        self,
        example: Example,
        route: dict[str, Any],
        response: Response,
        tally: Tally,
        again: Tally,
    ) -> None:
        matching = [
            one
            for one in self._descriptors(route)
            if _matches(one.get("status"), example.status)
            and _names(one.get("mediaType"), example.media_type)
        ]
        if not matching:
            tally.count(example.place, OTHER_TYPE, max(1, scalars_in(example.value)))
            return
        objects = [one for one in matching if "entity" in one]
        values = [one for one in matching if "type" in one]
        if not objects:
            self._compare_value(values[0], example, response, tally)
            return
        descriptor = objects[0]
        place, value = example.place, example.value
        beside: dict[str, Any] = {}
        for key in _keys(descriptor):
            members = value if isinstance(value, dict) else {}
            beside.update({other: members[other] for other in members if other != key})
            place, value = f"{place}/{key}", members.get(key, MISSING)
        if value is not MISSING:
            self._compare_places(descriptor["entity"], value, response, place, tally, again)
        for other, member in beside.items():
            is_there = self._is_total(route, example, other) or any(
                same_json(_inside(one, response.value, other), member) for one in values
            )
            reason = None if is_there else BESIDE
            tally.count(f"{example.place}/{other}", reason, max(1, scalars_in(member)))

    def _compare_value(
        self, descriptor: dict[str, Any], example: Example, response: Response, tally: Tally
    ) -> None:
        value = example.value
        for key in _keys(descriptor):
            value = value.get(key) if isinstance(value, dict) else None
        reason = None if same_json(value, response.value) else OTHER_VALUE
        tally.count(example.place, reason, max(1, scalars_in(example.value)))

    def _compare_places(
        self,
        entity: str,
        value: Any,
        response: Response,
        place: str,
        tally: Tally,
        again: Tally,
    ) -> None:
        comparison = Comparison(self._document, self._entities, tally)
        comparison.compare(entity, value, response.objects, place)
        if self._way == "memory":
            objects: list[Object] = []
            for one in response.objects:
                draft = self._client.draft(one)
                body = self._client.encode(draft, "POST", _DRAFTS)
                objects += self._client.map(one.entity, json.dumps(body), commit=False).objects
            comparison = Comparison(self._document, self._entities, again)
            comparison.compare(entity, value, objects, place)

    def _is_total(self, route: dict[str, Any], example: Example, key: str) -> bool:
        """Returns whether a member of an envelope is the total that its page has."""
        if route.get("pages", {}).get("total") != key:
            return False
        pages = self._client.pages(example.operation.name, **_values(route))
        page = pages.next_page()
        return page is not None and page.total == example.value[key]


def _matches(written: Any, status: int) -> bool:
    """Returns whether the status of a descriptor covers a status."""
    text = "2xx" if written is None else str(written).lower()
    return text.replace("xx", "") == str(status)[: len(text.replace("xx", ""))]


def _names(written: Any, media_type: str) -> bool:
    """Returns whether the media types of a descriptor have the one of an answer."""
    names = [written] if isinstance(written, str) else written
    return names is None or _plain_type(media_type) in map(_plain_type, names)


def _plain_type(media_type: str) -> str:
    parts = [part.strip().lower() for part in media_type.split(";")]
    return ";".join(part for part in parts if not part.startswith("charset="))


def _keys(descriptor: dict[str, Any]) -> tuple[str, ...]:
    """Returns the keys that lead to the part of an answer that a descriptor maps."""
    return key_path(descriptor["keyPath"], "") if "keyPath" in descriptor else ()


def _inside(descriptor: dict[str, Any], value: Any, key: str) -> Any:
    """Returns a member of an envelope in the value of an answer; MISSING if it is not there."""
    keys = _keys(descriptor)
    if keys:
        return value if keys == (key,) else MISSING
    return value.get(key, MISSING) if isinstance(value, dict) else MISSING


def _values(route: dict[str, Any]) -> dict[str, Any]:
    """Returns the variables and the parameters with which a route can be called."""
    variables: dict[str, Any] = {}
    params: dict[str, Any] = {}
    described = {one.get("variable"): one for one in route.get("x-parameters", [])}
    for name in re.findall(r"\{[+.;]?([^{}?&]+)\}", route["path"]):
        one = described.get(name, {})
        variables[name] = one["enum"][0] if "enum" in one else _value(one.get("type"))
    for one in route.get("x-parameters", []):
        if one["in"] == "query" and one.get("required") and "variable" not in one:
            params[one["name"]] = one["enum"][0] if "enum" in one else _value(one.get("type"))
    return {"variables": variables, "params": params}


def _value(type_name: str | None) -> Any:
    return {"int": 1, "double": 1.5, "bool": True}.get(type_name or "", "x")
