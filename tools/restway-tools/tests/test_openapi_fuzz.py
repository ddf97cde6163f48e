"""The importer with random input: broken descriptions, and random schemas with their answers."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

import restway
from openapi_files import description, listed, objects, operation, ref
from restway_tools.openapi import import_openapi
from restway_tools.openapi.checking import check
from restway_tools.openapi.comparing import NOT_FITTING
from test_openapi_jsonapi import blog_description

_JUNK: list[Any] = [
    None, True, 0, -1.5, "", "x", "#/nowhere", [], {}, [[]], [None], {"$ref": 1},
    {"$ref": "#/components/schemas/Pet"}, {"$ref": "#/"}, {"type": ["array", 3]}, "http://[",
    {"allOf": 5}, {"oneOf": [None, 3]}, {"properties": {"": {}, "a": []}},
]  # fmt: skip

_EITHER = {"oneOf": [ref("Pet"), ref("Form")]}

_WHOLE = description(
    {
        "/pets/{pet_id}": {
            "parameters": [{"name": "pet_id", "in": "path", "schema": {"type": "integer"}}],
            "get": operation(ref("Pet"), {"id": 1, "name": "Rex"}, operationId="pet"),
            "delete": operation(security=[]),
            "servers": [{"url": "https://{host}", "variables": {"host": {"default": "a.b"}}}],
            "patch": operation(
                requestBody={"content": {"application/json": {"schema": _EITHER}}},
            ),
        },
        "/pets": {
            "get": operation(
                objects(data=listed(ref("Pet")), next_cursor={"type": "string"}),
                parameters=[{"name": "cursor", "in": "query", "schema": {"type": "string"}}],
            ),
            "post": operation(
                ref("Pet"),
                requestBody={"content": {"application/json": {"schema": ref("PetRequest")}}},
            ),
        },
    },
    {
        "Pet": {
            "allOf": [
                objects("id", id={"type": "integer"}, name={"type": "string", "enum": ["Rex"]}),
                objects(owner={"oneOf": [objects(name={}), {"type": "string"}]}),
            ]
        },
        "PetRequest": objects(owner={"type": "string"}, tags=listed({"type": "string"})),
        "Form": objects("kind", kind={"const": "form"}, parts=listed(objects(pet=ref("Pet")))),
    },
    components={"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "K"}}},
    security=[{"key": []}],
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    children: list[tuple[Any, Any]] = []
    if isinstance(value, (dict, list)):
        children = list(value.items() if isinstance(value, dict) else enumerate(value))
    for key, child in children:
        found += _places(child, (*path, key))
    return found


def test_a_description_that_is_broken_anywhere_is_imported_and_loads(tmp_path: Path) -> None:
    wholes = [_WHOLE, _WHOLE, blog_description()]
    places = [[each for each in _places(one) if each != ("openapi",)] for one in wholes]
    chosen = random.Random(5)
    for number in range(250):
        which = number % 3
        broken = copy.deepcopy(wholes[which])
        for _ in range(1 + number % 4):
            *path, last = chosen.choice(places[which])
            holder = broken
            for key in path:
                holder = holder[key] if _has(holder, key) else {}
            if _has(holder, last):
                holder[last] = copy.deepcopy(chosen.choice(_JUNK))
        file = tmp_path / "broken.json"
        file.write_text(json.dumps(broken))
        imported = import_openapi(file)
        assert restway.API.check(imported.document) == [], json.dumps(broken)
        assert json.dumps(imported.report.to_json())


def _has(holder: Any, key: Any) -> bool:
    if isinstance(holder, dict):
        return key in holder
    return isinstance(holder, list) and isinstance(key, int) and key < len(holder)


_SCALARS: dict[str, tuple[dict[str, Any], list[Any], Any]] = {
    "int": ({"type": "integer"}, [0, -7, 2**53], "wrong"),
    "double": ({"type": "number"}, [0.5, -1e9, 3], "wrong"),
    "string": ({"type": "string"}, ["", "text", "näh \U0001f600"], 5),
    "bool": ({"type": "boolean"}, [True, False], "wrong"),
    "date": ({"type": "string", "format": "date-time"}, ["2024-02-29T12:45:10Z"], "yesterday"),
    "day": ({"type": "string", "format": "date"}, ["1999-12-31"], 7),
    "bytes": ({"type": "string", "format": "byte"}, ["dGV4dA=="], 1.5),
    "strings": (listed({"type": "string"}), [[], ["a", "a", None]], {}),
    "grid": (listed(listed({})), [[[1, "a"], []], []], None),
    "counts": ({"additionalProperties": {"type": "integer"}}, [{}, {"a.b": 1, "": 2}], [1]),
    "state": ({"type": "string", "enum": ["a", "b"], "default": "b"}, ["a", "new"], 3),
    "json": ({}, [{"a": [1, None]}, [], "text", 5, False], None),
}  # fmt: skip


class _Random:
    """Makes schemas of random depth, answers that fit them, and what must become of the answers."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._identities = iter(range(1, 10**6))
        self.schemas: dict[str, Any] = {}

    def schema(self, depth: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
        """Returns the schema of an object, and what `value` needs to know of it."""
        properties: dict[str, Any] = {"id": {"type": "integer"}}
        known: dict[str, Any] = {}
        for number in range(self._random.randint(1, 5)):
            key = self._random.choice(["a", "b.c", "d-e", "type", "ü"]) + str(number)
            kind = self._random.choice([*_SCALARS, "one", "many"])
            if kind in _SCALARS or depth > 2:
                kind = kind if kind in _SCALARS else "string"
                properties[key], known[key] = _SCALARS[kind][0], kind
            else:
                inner, inside = self.schema(depth + 1)
                if self._random.random() < 0.5:
                    name = f"Schema{len(self.schemas)}"
                    self.schemas[name], inner = inner, ref(name)
                properties[key] = inner if kind == "one" else listed(inner)
                known[key] = (kind, inside)
        if self._random.random() < 0.3:
            half = dict(list(properties.items())[: len(properties) // 2])
            rest = {key: one for key, one in properties.items() if key not in half}
            return {"allOf": [objects("", **half), objects("id", **rest)]}, known
        return objects("id", **properties), known

    def value(self, known: dict[str, Any], wrong: list[str], place: str) -> dict[str, Any]:
        """Returns an answer with wrong values at random places, which are added to `wrong`."""
        value: dict[str, Any] = {"id": next(self._identities)}
        for key, kind in known.items():
            where = f"{place}/{key}"
            if self._random.random() < 0.15:
                continue
            if isinstance(kind, tuple):
                inner = kind[1]
                if kind[0] == "one":
                    value[key] = self.value(inner, wrong, where)
                else:
                    count = self._random.randint(0, 3)
                    value[key] = [
                        self.value(inner, wrong, f"{where}/{index}") for index in range(count)
                    ]
            elif self._random.random() < 0.1:
                value[key] = None
            elif self._random.random() < 0.15 and kind not in ("json", "grid"):
                value[key] = _SCALARS[kind][2]
                wrong.append(where)
            else:
                value[key] = self._random.choice(_SCALARS[kind][1])
        return value


@pytest.mark.parametrize("seed", range(25))
def test_random_answers_arrive_but_for_the_values_that_do_not_fit(
    seed: int, tmp_path: Path
) -> None:
    made = _Random(seed)
    schema, known = made.schema()
    wrong: list[str] = []
    place = "#/paths/~1things/get/responses/200/content/application~1json/example"
    value = made.value(known, wrong, place)
    file = tmp_path / "random.json"
    paths = {"/things": {"get": operation(schema, value, operationId="thing")}}
    file.write_text(json.dumps(description(paths, made.schemas)))
    imported = import_openapi(file)
    result = check(imported)
    assert (result.problems, result.failures) == ([], {})
    for way in ("memory", "sqlite", "draft"):
        differences = result.published[way].differences
        assert {one.place for one in differences} == set(wrong), way
        assert {one.reason for one in differences} <= {NOT_FITTING}

    with restway.Client(restway.API.from_json(imported.document)) as client:
        response = client.map(None, json.dumps(value), route="thing", commit=False)
        assert len(response.issues) == len(wrong)
        assert response.object is not None
        _assert_read(response.object, value, known, set(wrong), place)


def _assert_read(
    one: restway.Object, value: dict[str, Any], known: dict[str, Any], wrong: set[str], place: str
) -> None:
    """Compares an object with its value without the code of the check."""
    assert one["id"] == value["id"]
    for key, kind in known.items():
        where = f"{place}/{key}"
        if isinstance(kind, tuple):
            related = list(one.related(key))
            expected = value.get(key, [])
            elements = expected if kind[0] == "many" else [expected] if expected else []
            assert len(related) == len(elements)
            for index, (each, element) in enumerate(zip(related, elements)):
                inner = f"{where}/{index}" if kind[0] == "many" else where
                _assert_read(each, element, kind[1], wrong, inner)
        elif key not in value or where in wrong:
            assert (one[key] == "b") if kind == "state" else (key not in one)
        elif kind in ("date", "day", "bytes"):
            assert (one[key] is None) == (value[key] is None)
        else:
            assert one[key] == value[key]
