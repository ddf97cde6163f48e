"""The files of OpenAPI descriptions: JSON, YAML, Swagger 2, references, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import restway
from openapi_files import (
    ASANA,
    GITHUB,
    answer,
    description,
    imported,
    imported_once,
    listed,
    notes,
    objects,
    operation,
    ref,
)
from restway_tools.openapi import ReadError, import_openapi
from restway_tools.openapi.__main__ import main
from restway_tools.openapi.checking import check
from restway_tools.openapi.comparing import NOT_DESCRIBED, REPEATED, SMALLER

NUMBER, TEXT = {"type": "integer"}, {"type": "string"}
PET = objects("id name", id=NUMBER, name=TEXT)

YAML = """
openapi: 3.1.0
info: {title: Pets, version: 1.0}
servers: [{url: https://api.example.com}]
paths:
  /pets:
    get:
      operationId: no
      responses:
        200:
          description: yes
          content:
            application/json:
              schema: &pet
                type: object
                required: [id]
                properties:
                  id: {type: integer}
                  on: {type: [string, "null"]}
                  born: {type: string, format: date-time}
              example: {id: 0123, on: off, born: 2024-02-29T12:45:10Z, "y": 1e3}
  /other:
    get:
      responses: {200: {content: {application/json: {schema: {<<: *pet, title: Other}}}}}
"""


def test_yaml_has_the_types_of_json_alone(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    one = imported(tmp_path, YAML)
    assert one.document["x-source"] == {"title": "Pets", "version": ""}  # 1.0 is a number
    assert list(one.document["routes"]) == ["no", "GET /other"]
    entity = one.document["entities"]["no"]
    assert set(entity["attributes"]) == {"id", "on", "born"}
    assert one.document["entities"]["GET /other"] == entity
    content = one.description.operations[0].answers[0].contents[0]
    example = content.examples[0][1]
    assert example == {"id": "0123", "on": "off", "born": "2024-02-29T12:45:10Z", "y": 1000.0}


def test_references_lead_to_files_below_the_folder_and_nowhere_else(tmp_path: Path) -> None:
    folder = tmp_path / "api"
    (folder / "models").mkdir(parents=True)
    (tmp_path / "secret.json").write_text(json.dumps(PET))
    (folder / "models" / "pet.json").write_text(
        json.dumps(
            {
                **objects("id", id=NUMBER, owner={"$ref": "people.json#/a~1b%20c"}),
                "title": "Pet",
            }
        )
    )
    (folder / "models" / "people.json").write_text(
        json.dumps({"a/b c": objects("id", id=TEXT, pet={"$ref": "pet.json"})})
    )
    places = {
        "network": "https://example.com/pet.json",
        "outside": "../secret.json",
        "missing": "models/none.json",
        "nowhere": "models/pet.json#/nothing",
        "anchor": "#pet",
    }
    broken: dict[str, Any] = {key: {"$ref": one} for key, one in places.items()}
    schema = objects("", pet={"$ref": "models/pet.json"}, **broken)
    one = imported(folder, description({"/a": {"get": operation(schema, operationId="a")}}))
    entities = one.document["entities"]
    assert set(entities) == {"a", "pet", "a/b c"}
    assert entities["a/b c"]["relationships"] == {"pet": {"entity": "pet"}}
    assert {key: entities["a"]["attributes"][key]["type"] for key in places} == dict.fromkeys(
        places, "json"
    )
    reasons = [note.reason for note in one.report.notes if "broken reference" in note.reason]
    assert len(reasons) == len(places)
    assert any("on the network" in reason for reason in reasons)
    assert any("outside of the folder" in reason for reason in reasons)


def test_references_to_everything_but_schemas(tmp_path: Path) -> None:
    content = description(
        {
            "/pets/{id}": {"$ref": "#/components/x-items/pet"},
            "/broken": {"$ref": "#/components/x-items/none"},
        },
        {"Pet": PET},
        components={
            "parameters": {"id": {"name": "id", "in": "path", "required": True, "schema": NUMBER}},
            "responses": {"Pet": answer(ref("Pet"))},
            "examples": {"Rex": {"value": {"id": 1, "name": "Rex"}}},
            "requestBodies": {
                "Pet": {"content": {"application/json": {"schema": ref("Pet")}}},
            },
            "x-items": {
                "pet": {
                    "parameters": [{"$ref": "#/components/parameters/id"}],
                    "put": {
                        "requestBody": {"$ref": "#/components/requestBodies/Pet"},
                        "responses": {"200": {"$ref": "#/components/responses/Pet"}},
                    },
                }
            },
        },
    )
    media = content["components"]["responses"]["Pet"]["content"]["application/json"]
    media["examples"] = {"rex": {"$ref": "#/components/examples/Rex"}, "no": {"$ref": "#/no"}}
    one = imported(tmp_path, content)
    assert one.document["routes"] == {
        "PUT /pets/{id}": {
            "method": "PUT",
            "path": "pets/{id}",
            "response": {"entity": "Pet"},
            "request": {"entity": "Pet"},
            "x-parameters": [
                {"name": "id", "in": "path", "variable": "id", "required": True, "type": "int"}
            ],
            "x-body": ["application/json"],
        }
    }
    assert ("left out", "#/paths/~1broken") in notes(one)
    result = check(one)
    assert (result.published["memory"].equal, result.share) == (2, 1.0)


def test_swagger_2_is_converted(tmp_path: Path) -> None:
    content = {
        "swagger": "2.0",
        "info": {"title": "Pets", "version": "1"},
        "host": "api.example.com",
        "basePath": "/v1",
        "schemes": ["https"],
        "consumes": ["application/json"],
        "produces": ["application/json"],
        "securityDefinitions": {"basic": {"type": "basic"}},
        "security": [{"basic": []}],
        "definitions": {"Pet": PET},
        "parameters": {
            "body": {"in": "body", "name": "pet", "schema": {"$ref": "#/definitions/Pet"}}
        },
        "responses": {"Pet": {"description": "", "schema": {"$ref": "#/definitions/Pet"}}},
        "paths": {
            "/pets/{pet_id}": {
                "parameters": [
                    {"in": "path", "name": "pet_id", "type": "integer", "required": True},
                    {"in": "query", "name": "only", "type": "array", "items": TEXT},
                ],
                "get": {
                    "parameters": [
                        {"in": "query", "name": "tags", "type": "array", "items": TEXT,
                         "collectionFormat": "multi"},
                        {"in": "query", "name": "ids", "type": "array", "items": TEXT},
                    ],
                    "responses": {
                        "200": {
                            "schema": {"$ref": "#/definitions/Pet"},
                            "examples": {"application/json": {"id": 1, "name": "Rex"}},
                        }
                    },
                },
                "put": {
                    "parameters": [{"$ref": "#/parameters/body"}],
                    "responses": {"200": {"$ref": "#/responses/Pet"}},
                },
                "post": {
                    "parameters": [{"in": "formData", "name": "photo", "type": "file"}],
                    "responses": {"204": {"description": ""}},
                },
            }
        },
    }  # fmt: skip
    one = imported(tmp_path, content)
    routes = one.document["routes"]
    assert restway.API.check(one.document) == []
    assert one.document["environments"]["default"]["baseURL"] == "https://api.example.com/v1"
    assert one.document["auth"] == {"scheme": "basic"}
    assert one.document["entities"]["Pet"]["identity"] == "id"
    assert routes["GET /pets/{pet_id}"]["path"] == "pets/{id}{?ids}"
    assert routes["PUT /pets/{pet_id}"]["request"] == {"entity": "Pet"}
    assert routes["PUT /pets/{pet_id}"]["response"] == {"entity": "Pet"}
    assert routes["POST /pets/{pet_id}"]["serializationName"] == "form"
    assert check(one).published["memory"].equal == 2


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "Expecting value"),
        ("{", "api.json"),
        ("[1]", "no description"),
        ('{"openapi": "1.2"}', "no description"),
        ("[" * 150_000, "api.json"),
        ('{"a": ' * 250 + "1" + "}" * 250, "nested deeper"),
    ],
)
def test_files_that_are_no_descriptions(tmp_path: Path, content: str, reason: str) -> None:
    file = tmp_path / "api.json"
    file.write_text(content)
    with pytest.raises(ReadError, match=reason):
        import_openapi(file)
    with pytest.raises(ReadError, match="No such file"):
        import_openapi(tmp_path / "none.json")


def test_the_command_writes_the_document_and_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = {"/pets": {"get": operation(listed(ref("Pet")), [{"id": 1, "name": "Rex"}])}}
    schemas = {"Pet": objects("id", id=NUMBER, name=TEXT, tags=listed(listed(TEXT)))}
    file = tmp_path / "api.json"
    file.write_text(json.dumps(description(paths, schemas)))
    assert main([str(file)]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["restway"] == 1
    assert "operations: 1, routes: 1, entities: 1, bent: 1" in printed.err
    assert "bent: #/components/schemas/Pet/properties/tags: a list of values: JSON" in printed.err

    output, report = tmp_path / "api.restway.json", tmp_path / "report.json"
    assert main([str(file), "-o", str(output), "--report", str(report), "--check"]) == 0
    printed = capsys.readouterr()
    assert json.loads(output.read_text())["entities"]["Pet"]["identity"] == "id"
    assert "called: 1 operations, 0 failures" in printed.out
    assert "published examples, sqlite: 2 of 2 values equal" in printed.out
    written = json.loads(report.read_text())
    assert written["notes"][0]["place"] == "#/components/schemas/Pet/properties/tags"
    assert written["check"]["published"]["draft"]["equal"] == 2

    text = tmp_path / "report.txt"
    assert main([str(file), "--output", str(output), "--report", str(text)]) == 0
    assert text.read_text().startswith("operations: 1")


def test_the_command_fails_if_too_few_values_arrive(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example = [{"id": 1, "name": "Rex"}, {"id": 2, "name": 3}]
    paths = {"/pets": {"get": operation(listed(ref("Pet")), example)}}
    schemas = {"Pet": objects("id", id=NUMBER, name=TEXT)}
    file = tmp_path / "api.json"
    file.write_text(json.dumps(description(paths, schemas)))
    assert main([str(file), "--check"]) == 1
    printed = capsys.readouterr()
    assert "75.00% of the values arrived, less than 95%" in printed.err
    assert main([str(file), "--check", "--share", "75"]) == 0
    assert main([str(file), "--check", "--share", "75.1"]) == 1
    assert main([str(file)]) == 0


def test_the_check_counts_answers_of_any_media_type(tmp_path: Path) -> None:
    get = {"responses": {"200": answer(ref("Pet"), {"id": 1, "name": "Rex"}, "*/*")}}
    schemas = {"Pet": objects("id", id=NUMBER, name=TEXT)}
    result = check(imported(tmp_path, description({"/pet": {"get": get}}, schemas)))
    assert (result.published["memory"].total, result.share) == (2, 1.0)


def test_a_check_without_values_has_no_share(tmp_path: Path) -> None:
    result = check(imported(tmp_path, description({"/a": {"get": operation()}}, servers=[])))
    assert (result.operations, result.failures, result.share) == (1, {}, None)
    assert "no value was compared" in result.to_text()
    assert "100" not in result.to_text()


def test_the_command_fails_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "none.json")]) == 1
    assert capsys.readouterr().err == "restway-openapi: none.json: No such file or directory\n"
    file, overrides = tmp_path / "api.json", tmp_path / "overrides.json"
    file.write_text(json.dumps(description({"/a": {"get": operation()}})))
    assert main([str(file), "-o", str(tmp_path / "no" / "folder")]) == 1
    assert "No such file or directory" in capsys.readouterr().err
    overrides.write_text(json.dumps({"document": {"unknown": 1}}))
    arguments = [str(file), "--overrides", str(overrides), "--check"]
    assert main(arguments) == 1
    assert 'refused: $.unknown: unknown key "unknown"' in capsys.readouterr().out


def _checked(file: Path) -> Any:
    one = imported_once(file)
    assert restway.API.check(one.document) == []
    return one, check(one)


def test_the_description_of_github_is_imported_and_its_examples_arrive() -> None:
    one, result = _checked(GITHUB)
    assert len(one.document["routes"]) == result.operations == 767
    assert (result.problems, result.failures) == ([], {})
    assert {way: tally.share >= 0.99 for way, tally in result.published.items()} == {
        "memory": True, "draft": True, "sqlite": True,
    }  # fmt: skip
    known = {REPEATED, SMALLER, NOT_DESCRIBED}
    assert {reason for tally in result.published.values() for reason in tally.reasons} == known
    assert all(tally.share == 1.0 for tally in result.composed.values())


def test_every_json_body_of_github_is_described_or_in_the_report() -> None:
    one = imported_once(GITHUB)
    places = {place for _, place in notes(one)}
    bodies = [
        (operation.name, operation.bodies[0].node.place)
        for operation in one.description.operations
        if operation.bodies and operation.bodies[0].is_json
    ]
    assert len(bodies) > 150
    described = [name for name, _ in bodies if "request" in one.document["routes"][name]]
    assert len(described) > 150
    assert [name for name, place in bodies if name not in described and place not in places] == []


def test_octocat_is_one_object_of_several_shapes() -> None:
    one = imported_once(GITHUB)
    operations = {operation.name: operation for operation in one.description.operations}
    shapes = {
        "users/get-authenticated": "private-user",
        "repos/list-contributors": "contributor",
        "repos/list-collaborators": "collaborator",
        "gists/list-forks": "user",
        "users/list-followers-for-authenticated-user": "simple-user",
    }
    with restway.Client(restway.API.from_json(one.document)) as client:
        for name in shapes:
            content = operations[name].successes[0].contents[0]
            client.map(None, json.dumps(content.examples[0][1]), route=name)
        octocat = client.store.find("user", 1)
        assert octocat is not None and octocat.login == "octocat"
        assert [shape for shape in shapes.values() if not octocat.is_a(shape)] == []
        assert octocat.entity == "private-user"
        assert (octocat["contributions"], octocat["total_private_repos"]) == (32, 100)
        assert len([each for each in client.store.all("user") if each.login == "octocat"]) == 1


def test_the_description_of_asana_is_imported_and_its_examples_arrive() -> None:
    pytest.importorskip("yaml")
    one, result = _checked(ASANA)
    assert len(one.document["routes"]) == result.operations == 247
    assert (result.problems, result.failures) == ([], {})
    # No example is published, so examples are composed of the schemas.
    assert (result.published, set(result.composed)) == ({}, {"memory", "draft", "sqlite"})
    assert all(tally.share == 1.0 for tally in result.composed.values())
    assert one.document["entities"]["Task"]["identity"] == "gid"
    assert one.document["entities"]["TaskResponse"]["extends"] == "Task"
    assert one.document["routes"]["getTasks"]["pages"] == {
        "cursor": "next_page.offset", "parameter": "offset",
    }  # fmt: skip
