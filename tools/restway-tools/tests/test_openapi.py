"""The importer of OpenAPI descriptions: entities, identities and overrides."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import restway
from openapi_files import (
    description,
    imported,
    listed,
    notes,
    objects,
    operation,
    ref,
)
from restway_tools.openapi import Capabilities, Overrides, ReadError, import_openapi, read_overrides
from restway_tools.openapi.names import base_name, request_name

NUMBER, TEXT = {"type": "integer"}, {"type": "string"}
PET = objects("id name", id=NUMBER, name=TEXT)


def entities(folder: Path, schemas: dict[str, Any], *names: str, **more: Any) -> dict[str, Any]:
    """Returns the entities of schemas, each of which has a route that answers with a list."""
    paths = {f"/{name}": {"get": operation(listed(ref(name)))} for name in names or schemas}
    one = imported(folder, description(paths, schemas, **more))
    assert restway.API.check(one.document) == []
    written: dict[str, Any] = one.document["entities"]
    return written


def test_types_of_scalars(tmp_path: Path) -> None:
    schema = objects(
        "id",
        id=NUMBER,
        ratio={"type": "number"},
        name={"type": "string", "nullable": True},
        open={"type": ["boolean", "null"]},
        made={"type": "string", "format": "date-time"},
        day={"type": "string", "format": "date"},
        data={"type": "string", "format": "byte"},
        icon={"anyOf": [{"type": "string", "contentEncoding": "base64"}, {"type": "null"}]},
        state={"enum": ["open", "closed", None]},
        either={"type": ["string", "integer"]},
        anything={},
        constant={"const": 3},
        odd={"type": "file"},
    )
    attributes = entities(tmp_path, {"Thing": schema})["Thing"]["attributes"]
    assert attributes == {
        "id": {"type": "int"},
        "ratio": {"type": "double"},
        "name": {"type": "string"},
        "open": {"type": "bool"},
        "made": {"type": "date"},
        "day": {"type": "date", "format": "yyyy-MM-dd"},
        "data": {"type": "bytes"},
        "icon": {"type": "bytes"},
        "state": {"type": "string", "values": ["open", "closed"]},
        "either": {"type": "any"},
        "anything": {"type": "json"},
        "constant": {"type": "int", "values": [3], "closed": True},
        "odd": {"type": "json"},
    }


@pytest.mark.parametrize("free", [True, {}, {"type": "string"}])
def test_free_keys_beside_properties_are_in_the_report(tmp_path: Path, free: Any) -> None:
    schema = {**objects("id", id=NUMBER), "additionalProperties": free}
    paths = {"/things": {"get": operation(listed(ref("Thing")))}}
    one = imported(tmp_path, description(paths, {"Thing": schema}))
    assert set(one.document["entities"]["Thing"]["attributes"]) == {"id"}
    place = "#/components/schemas/Thing/additionalProperties"
    assert notes(one) == [("left out", place)]


def test_enumerations_are_open_lists_of_values(tmp_path: Path) -> None:
    colours = {"enum": ["red", "blue", "red", None]}
    schema = objects(
        "id",
        id=NUMBER,
        colour=colours,
        colours={"type": "array", "items": colours},
        levels={"type": "object", "additionalProperties": {"type": "integer", "enum": [1, 2]}},
        mixed={"type": "integer", "enum": [1, "two"]},
        large={"type": "integer", "enum": [1, 2**64]},
        day={"type": "string", "format": "date", "enum": ["2024-02-29"]},
    )
    attributes = entities(tmp_path, {"Thing": schema})["Thing"]["attributes"]
    assert attributes == {
        "id": {"type": "int"},
        "colour": {"type": "string", "values": ["red", "blue"]},
        "colours": {"type": ["string"], "values": ["red", "blue"]},
        "levels": {"type": {"*": "int"}, "values": [1, 2]},
        "mixed": {"type": "int", "x-enum": [1, "two"]},
        "large": {"type": "int", "values": [1]},
        "day": {"type": "date", "format": "yyyy-MM-dd", "x-enum": ["2024-02-29"]},
    }
    one = imported(
        tmp_path,
        description({"/things": {"get": operation(listed(ref("Thing")))}}, {"Thing": schema}),
        capabilities=Capabilities(),
    )
    thing = one.document["entities"]["Thing"]["attributes"]
    assert thing["colour"] == {"type": "string", "x-enum": ["red", "blue"]}


def test_objects_become_relationships_and_are_named_by_their_place(tmp_path: Path) -> None:
    schemas = {
        "Pet": objects(
            "id",
            id=NUMBER,
            owner=ref("Owner"),
            collar={**objects(color=TEXT), "nullable": True},
            friends=listed(ref("Pet")),
        ),
        "Owner": objects("id", id=TEXT, home=objects(city=TEXT)),
    }
    made = entities(tmp_path, schemas, "Pet")
    assert set(made) == {"Pet", "Owner", "Pet.collar", "Owner.home"}
    assert made["Pet"]["identity"] == "id"
    assert made["Pet"]["relationships"] == {
        "owner": {"entity": "Owner"},
        "collar": {"entity": "Pet.collar", "policy": "replace"},
        "friends": {"entity": "Pet", "many": True},
    }
    assert "identity" not in made["Pet.collar"]


def test_all_of_is_joined_and_a_remark_beside_a_reference_changes_nothing(tmp_path: Path) -> None:
    schemas = {
        "Base": objects("id", id=NUMBER),
        "Named": {"allOf": [ref("Base"), objects(name=TEXT)]},
        "Pet": {
            "allOf": [
                ref("Named"),
                {"properties": {"parent": {"allOf": [ref("Pet"), {"nullable": True}]}}},
            ]
        },
    }
    made = entities(tmp_path, schemas, "Pet")
    assert list(made) == ["Pet"]
    assert set(made["Pet"]["attributes"]) == {"id", "name"}
    assert made["Pet"]["relationships"] == {"parent": {"entity": "Pet"}}


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("nullable-simple-user", "user"),
        ("TaskCompact", "Task"),
        ("base-gist", "gist"),
        ("ProjectMembershipCompactResponse", "ProjectMembership"),
        ("short_blob", "blob"),
        ("Response", "Response"),
        ("issue", "issue"),
        ("-x", "-x"),
        ("Task-Output", "Task"),
        ("TaskOutput", "TaskOutput"),
    ],
)
def test_names_of_resources(name: str, base: str) -> None:
    assert base_name(name) == base


def test_names_of_bodies() -> None:
    names = ["TaskCreateRequest", "TaskRequestBase", "task-update", "PetInput", "TaskDuplicate",
             "PatchedTask", "TaskPatchRequest", "update-task", "Task-Input", "Patched"]  # fmt: skip
    assert [request_name(name) for name in names] == [
        "Task", "Task", "task", "Pet", "TaskDuplicate", "Task", "Task", "task", "Task", "Patched",
    ]  # fmt: skip


def test_unions_of_objects_are_merged_and_unions_of_lists_and_objects_land(tmp_path: Path) -> None:
    cat, dog = objects("id", id=NUMBER, purrs=TEXT), objects("id", id=NUMBER, barks=TEXT)
    schemas = {"Cat": cat, "Dog": dog, "Home": objects(pet={"oneOf": [ref("Cat"), ref("Dog")]})}
    made = entities(tmp_path, schemas, "Home")
    assert made["Home"]["relationships"]["pet"]["entity"] == "Home.pet"
    assert set(made["Home.pet"]["attributes"]) == {"id", "purrs", "barks"}

    either = {"anyOf": [ref("Cat"), listed(ref("Cat"))]}
    one = imported(tmp_path, description({"/c": {"get": operation(either)}}, schemas))
    assert one.document["routes"]["GET /c"]["response"] == {"entity": "Cat"}


def test_an_object_or_its_identity_is_a_relationship_and_other_scalars_are_json(
    tmp_path: Path,
) -> None:
    schema = objects(
        owner={"anyOf": [TEXT, ref("Owner")]},
        label={"oneOf": [NUMBER, ref("Owner")]},
        mixed={"oneOf": [listed(TEXT), NUMBER]},
        null={"oneOf": [{"type": "null"}, ref("Owner")]},
    )
    made = entities(tmp_path, {"Pet": schema, "Owner": objects("id", id=TEXT)}, "Pet")
    assert made["Pet"]["relationships"] == {
        "owner": {"entity": "Owner"}, "null": {"entity": "Owner"},
    }  # fmt: skip
    assert made["Pet"]["attributes"] == {"label": {"type": "json"}, "mixed": {"type": "json"}}


def test_recursion_without_an_object_ends(tmp_path: Path) -> None:
    schemas = {
        "Tree": listed(ref("Tree")),
        "Loop": ref("Loop"),
        "Self": {"allOf": [ref("Self"), {"properties": {"a": TEXT}}]},
        "Pet": objects(tree=ref("Tree"), loop=ref("Loop"), self=ref("Self")),
    }
    made = entities(tmp_path, schemas, "Pet")
    assert made["Pet"]["attributes"] == {"tree": {"type": "json"}, "loop": {"type": "json"}}
    assert made["Self"]["attributes"] == {"a": {"type": "string"}}


def test_lists_and_maps_of_values_are_json_unless_the_document_can_say_them(tmp_path: Path) -> None:
    schema = objects(
        tags=listed(TEXT),
        counts={"type": "object", "additionalProperties": NUMBER},
        days=listed({"type": "string", "format": "date"}),
        grid=listed(listed(NUMBER)),
    )
    content = description({"/p": {"get": operation(ref("Pet"))}}, {"Pet": schema})
    one = imported(tmp_path, content, capabilities=Capabilities())
    attributes = one.document["entities"]["Pet"]["attributes"]
    assert {attribute["type"] for attribute in attributes.values()} == {"json"}
    assert notes(one).count(("bent", "#/components/schemas/Pet/properties/tags")) == 1

    # What the library does not read is left out again.
    known = Capabilities.of_library()
    one = imported(tmp_path, content, capabilities=Capabilities(typed_lists=True, maps=True))
    expected: dict[str, Any] = {"days": {"type": "json"}, "grid": {"type": "json"}}
    if known.typed_lists:
        expected["tags"] = {"type": ["string"]}
    if known.maps:
        expected["counts"] = {"type": {"*": "int"}}
    assert one.document["entities"]["Pet"]["attributes"] == expected


@pytest.mark.parametrize(
    ("schema", "path", "identity"),
    [
        (objects("id", id=NUMBER), "/pets", "id"),
        (objects("", id=NUMBER), "/pets", None),
        (objects("", id=NUMBER), "/pets/{pet_id}", "id"),
        (objects("", gid=TEXT), "/pets/{pet_gid}", "gid"),
        (objects("", gid=TEXT), "/pets/{number}", None),
        (objects("pet_id", pet_id=TEXT, name=TEXT), "/pets", "pet_id"),
        (objects("uuid sid", uuid=TEXT, sid=TEXT), "/pets", "sid"),
        (objects("url", url=TEXT), "/pets", None),
        (objects("id", id={"type": "number"}), "/pets", None),
        (objects("id", id=objects(a=TEXT)), "/pets", None),
    ],
)
def test_identities(
    tmp_path: Path, schema: dict[str, Any], path: str, identity: str | None
) -> None:
    variables = [
        {"name": name, "in": "path", "required": True, "schema": NUMBER if "_id" in name else TEXT}
        for name in ("pet_id", "pet_gid", "number")
        if name in path
    ]
    get = operation(ref("Pet"), parameters=variables)
    one = imported(tmp_path, description({path: {"get": get}}, {"Pet": schema}))
    assert one.document["entities"]["Pet"].get("identity") == identity


@pytest.mark.parametrize(
    ("path", "variable", "method", "identity"),
    [
        ("/pets/{pet_id}", "pet_id", "delete", "id"),
        ("/pets/{number}", "number", "delete", None),
        ("/pets/{pet_id}", "pet_id", "put", None),
        ("/owners/{pet_id}", "pet_id", "delete", None),
    ],
)
def test_the_path_of_a_delete_confirms_the_identity_of_the_objects_of_a_list(
    tmp_path: Path, path: str, variable: str, method: str, identity: str | None
) -> None:
    parameter = {"name": variable, "in": "path", "required": True, "schema": NUMBER}
    paths = {
        "/pets": {"get": operation(listed(ref("Pet")))},
        path: {method: operation(parameters=[parameter])},
    }
    one = imported(tmp_path, description(paths, {"Pet": objects("", id=NUMBER)}))
    assert one.document["entities"]["Pet"].get("identity") == identity


def test_examples_that_repeat_an_identity_with_other_contents_refuse_it(tmp_path: Path) -> None:
    schema = objects("id", id=NUMBER, name=TEXT, city=TEXT)
    same = {"id": 1, "name": "a", "city": "b"}
    other = {"id": 1, "name": "c", "city": "d"}
    for examples, identity in (([same, other], None), ([same, same], "id")):
        content = description({"/p": {"get": operation(listed(ref("P")), examples)}}, {"P": schema})
        assert imported(tmp_path, content).document["entities"]["P"].get("identity") == identity


def test_an_overrides_file_wins_and_is_never_written(tmp_path: Path) -> None:
    schemas = {
        "Cat": objects("id", id=NUMBER, name=TEXT),
        "Tom": objects("id", id=NUMBER, tail=TEXT),
    }
    content = description({"/c": {"get": operation(objects(a=ref("Cat"), b=ref("Tom")))}}, schemas)
    file = tmp_path / "overrides.json"
    text = json.dumps(
        {
            "schemas": {"Tom": "Cat"},
            "identities": {"Cat": "name"},
            "document": {"entities": {"Cat": {"attributes": {"tail": None}}}, "redact": ["X-A"]},
        }
    )
    file.write_text(text)
    one = imported(tmp_path, content, read_overrides(file))
    assert one.document["entities"]["Cat"] == {
        "identity": "name",
        "attributes": {"id": {"type": "int"}, "name": {"type": "string"}},
    }
    assert one.document["redact"] == ["X-A"]
    assert file.read_text() == text
    assert restway.API.check(one.document) == []


@pytest.mark.parametrize(
    "content", ["[]", '{"other": {}}', '{"schemas": {"a": 1}}', '{"identities": {"a": 1}}', "{"]
)
def test_wrong_overrides_are_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "overrides.json"
    file.write_text(content)
    with pytest.raises(ReadError, match=r"overrides\.json"):
        read_overrides(file)


def test_parts_that_the_library_refuses_are_left_out(tmp_path: Path) -> None:
    paths = {
        "/f/{n}.json": {"get": operation(operationId="a")},
        "/f/report-{i}": {"get": operation(operationId="b")},
    }
    one = imported(tmp_path, description(paths))
    assert list(one.document["routes"]) == ["a"]
    assert ("left out", "#/paths/~1f~1report-{i}/get") in notes(one)
    assert restway.API.check(one.document) == []


def test_without_pyyaml_a_yaml_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    file = tmp_path / "api.yaml"
    file.write_text("openapi: 3.0.0\n")
    with pytest.raises(ReadError, match=r"api\.yaml: YAML needs the package PyYAML"):
        import_openapi(file)
    assert Overrides() == Overrides({}, {}, {})


def test_a_union_of_different_resources_has_no_identity_unless_a_path_confirms_it(
    tmp_path: Path,
) -> None:
    either = {"oneOf": [ref("User"), ref("Team")]}
    named = {key: objects("id", id=NUMBER, **{key: TEXT}) for key in ("User", "Team")}
    schemas = {**named, "Home": objects(owner=either)}
    made = entities(tmp_path, schemas, "Home")
    assert "identity" not in made["Home.owner"]
    assert made["Home"]["relationships"]["owner"]["policy"] == "replace"
    paths = {"/owners/{id}": {"get": operation(either, operationId="owner")}}
    one = imported(tmp_path, description(paths, named))
    assert one.document["entities"]["owner"]["identity"] == "id"


def test_an_object_without_a_name_is_not_taken_for_a_schema_with_the_name_of_its_place(
    tmp_path: Path,
) -> None:
    paths = {
        "/feed": {"get": operation(objects(title=TEXT, items=ref("feed")), operationId="feed")},
    }
    one = imported(tmp_path, description(paths, {"feed": objects("id", id=NUMBER)}))
    assert set(one.document["entities"]) == {"feed", "feed 2"}
    assert one.document["routes"]["feed"]["response"] == {"entity": "feed 2"}
