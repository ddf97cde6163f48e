"""Unions of OpenAPI descriptions: how their resources are told apart, and what examples become."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import restway
from openapi_files import (
    GITHUB,
    description,
    imported,
    imported_once,
    listed,
    objects,
    operation,
    ref,
)
from restway_tools.openapi.capabilities import Capabilities
from restway_tools.openapi.checking import check

NUMBER, TEXT = {"type": "integer"}, {"type": "string"}
BUG = objects("id severity", id=NUMBER, kind=TEXT, severity=NUMBER)
STORY = objects("id points", id=NUMBER, kind=TEXT, points=NUMBER)
EITHER: dict[str, Any] = {"oneOf": [ref("Bug"), ref("Story")]}
SPRINT = objects("id", id=NUMBER, items=listed(EITHER), top=EITHER)


def union_of(folder: Path, either: dict[str, Any], **schemas: Any) -> Any:
    """Returns the unions of a document whose sprint has a list of one or the other."""
    known = {"Bug": BUG, "Story": STORY, **schemas}
    known["Sprint"] = objects("id", id=NUMBER, items=listed(either), top=either)
    paths = {"/sprint": {"get": operation(ref("Sprint"), operationId="sprint")}}
    return imported(folder, description(paths, known)).document.get("unions")


def test_the_discriminator_of_the_description_is_taken(tmp_path: Path) -> None:
    mapping = {"bug": "#/components/schemas/Bug", "story": "Story", "old": "Bug"}
    either = {**EITHER, "discriminator": {"propertyName": "kind", "mapping": mapping}}
    assert union_of(tmp_path, either) == {
        "Sprint.items": {
            "oneOf": ["Bug", "Story"],
            "discriminator": {
                "keyPath": "kind",
                "values": {"bug": "Bug", "story": "Story", "old": "Bug"},
            },
        }
    }
    either = {**EITHER, "discriminator": {"propertyName": "kind"}}
    found = union_of(tmp_path, either)["Sprint.items"]["discriminator"]
    assert found == {"keyPath": "kind", "values": {"Bug": "Bug", "Story": "Story"}}


def test_a_discriminator_without_mapping_has_the_values_of_the_schemas(tmp_path: Path) -> None:
    def of(schema: dict[str, Any], kind: dict[str, Any]) -> dict[str, Any]:
        return {**schema, "properties": {**schema["properties"], "kind": kind}}

    def values(bug: dict[str, Any], story: dict[str, Any], **mapping: str) -> Any:
        either = {**EITHER, "discriminator": {"propertyName": "kind", "mapping": mapping}}
        found = union_of(tmp_path, either, Bug=of(BUG, bug), Story=of(STORY, story))
        return found["Sprint.items"].get("discriminator", {}).get("values")

    bug, story = {"const": "bug"}, {"type": "string", "enum": ["story", "epic"]}
    assert values(bug, story) == {"bug": "Bug", "story": "Story", "epic": "Story"}
    assert values({"const": 1}, {"enum": [2]}) == {"1": "Bug", "2": "Story"}
    assert values({"const": True}, {"const": False}) == {"true": "Bug", "false": "Story"}
    assert values(bug, TEXT) == {"bug": "Bug", "Story": "Story"}
    # A mapping is right even where the schema says something else.
    assert values(bug, story, crash="#/components/schemas/Bug") == {
        "crash": "Bug", "story": "Story", "epic": "Story",
    }  # fmt: skip
    assert values(bug, {"enum": ["story", "bug"]}) is None


def test_elements_of_a_union_without_mapping_arrive(tmp_path: Path) -> None:
    def tool(kind: str, **more: Any) -> dict[str, Any]:
        return objects("type", type={"type": "string", "enum": [kind]}, **more)

    either = {
        "oneOf": [ref("FunctionTool"), ref("SearchTool")],
        "discriminator": {"propertyName": "type"},
    }  # fmt: skip
    schemas = {
        "FunctionTool": tool("function", name=TEXT), "SearchTool": tool("search", top=NUMBER),
    }  # fmt: skip
    paths = {"/a": {"get": operation(objects(tools=listed(either)), operationId="a")}}
    one = imported(tmp_path, description(paths, schemas))
    with restway.Client(restway.API.from_json(one.document)) as client:
        body = '{"tools": [{"type": "function", "name": "f"}, {"type": "search", "top": 3}]}'
        response = client.map(None, body, route="a")
        assert [each.entity for each in response.objects] == ["FunctionTool", "SearchTool"]
        assert response.issues == []


def test_values_that_only_one_schema_has_are_a_discriminator(tmp_path: Path) -> None:
    def of(schema: dict[str, Any], *values: str) -> dict[str, Any]:
        kind = {"type": "string", "enum": list(values)}
        return {**schema, "properties": {**schema["properties"], "kind": kind}}

    found = union_of(tmp_path, EITHER, Bug=of(BUG, "bug", "crash"), Story=of(STORY, "story"))
    assert found["Sprint.items"]["discriminator"] == {
        "keyPath": "kind",
        "values": {"bug": "Bug", "crash": "Bug", "story": "Story"},
    }
    same = union_of(tmp_path, EITHER, Bug=of(BUG, "bug", "x"), Story=of(STORY, "story", "x"))
    assert "discriminator" not in same["Sprint.items"]


def test_keys_that_only_one_schema_requires_tell_it_apart(tmp_path: Path) -> None:
    keys = {"Bug": ["severity"], "Story": ["points"]}
    assert union_of(tmp_path, EITHER)["Sprint.items"] == {"oneOf": ["Bug", "Story"], "keys": keys}
    plain = objects("id", id=NUMBER, title=TEXT)
    assert union_of(tmp_path, EITHER, Story=plain)["Sprint.items"] == {
        "oneOf": ["Bug", "Story"],
        "keys": {"Bug": ["severity"]},
        "default": "Story",
    }
    assert union_of(tmp_path, EITHER, Bug=plain, Story=plain) is None


def test_examples_arrive_with_the_entities_of_their_objects(tmp_path: Path) -> None:
    bug, story = {"id": 1, "severity": 3}, {"id": 1, "points": 5}
    example = {"id": 9, "items": [bug, story, {"id": 2, "severity": 1}], "top": story}
    paths = {
        "/sprint": {"get": operation(ref("Sprint"), example, operationId="sprint")},
        "/items": {"get": operation(listed(EITHER), [story, bug], operationId="items")},
    }
    schemas = {"Bug": BUG, "Story": STORY, "Sprint": SPRINT}
    one = imported(tmp_path, description(paths, schemas))
    assert one.document["entities"]["Bug"]["identity"] == "id"
    assert one.document["routes"]["items"]["response"]["entity"] in one.document["unions"]
    result = check(one)
    assert not result.problems and not result.failures
    for way in ("memory", "sqlite", "draft"):
        assert result.published[way].share == 1.0, way
        assert result.published[way].total >= 13


def test_a_library_without_unions_gets_merged_entities(tmp_path: Path) -> None:
    paths = {"/sprint": {"get": operation(ref("Sprint"), operationId="sprint")}}
    schemas = {"Bug": BUG, "Story": STORY, "Sprint": SPRINT}
    content = description(paths, schemas)
    one = imported(tmp_path, content, capabilities=Capabilities(typed_lists=True, maps=True))
    assert "unions" not in one.document
    assert set(one.document["entities"]["Sprint.items"]["attributes"]) == {
        "id", "kind", "severity", "points",
    }  # fmt: skip


def test_github_has_unions() -> None:
    unions = imported_once(GITHUB).document["unions"]
    assert unions["installation.account"] == {
        "oneOf": ["simple-user", "enterprise"],
        "keys": {"simple-user": ["login"], "enterprise": ["slug"]},
    }
