"""The importer of OpenAPI descriptions: shapes of one resource, media types, constants, values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import restway
from openapi_files import answer, description, imported, listed, notes, objects, operation, ref
from restway_tools.openapi import Capabilities, Overrides
from restway_tools.openapi.checking import check
from restway_tools.openapi.comparing import DIFFERS, NOT_FITTING

NUMBER, TEXT = {"type": "integer"}, {"type": "string"}

USERS = {
    "simple-user": objects("id", id=NUMBER, login=TEXT),
    "nullable-simple-user": {**objects("id", id=NUMBER, login=TEXT), "nullable": True},
    "private-user": objects("id", id=NUMBER, login=TEXT, plan=TEXT),
    "user-full": objects("id", id=NUMBER, login=TEXT, plan=TEXT, keys=listed(TEXT)),
    "team": objects("slug", slug=TEXT),
    "team-full": objects("id slug", id=NUMBER, slug=TEXT),
}


def entities(folder: Path, schemas: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Returns the entities of schemas, each of which has a route that answers with a list."""
    paths = {f"/{name}": {"get": operation(listed(ref(name)))} for name in schemas}
    one = imported(folder, description(paths, schemas), **more)
    assert restway.API.check(one.document) == []
    written: dict[str, Any] = one.document["entities"]
    return written


def test_shapes_of_one_resource_extend_each_other(tmp_path: Path) -> None:
    made = entities(tmp_path, USERS)
    assert made == {
        "user": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}, "login": {"type": "string"}},
        },
        "private-user": {"extends": "user", "attributes": {"plan": {"type": "string"}}},
        "user-full": {"extends": "private-user", "attributes": {"keys": {"type": ["string"]}}},
        "team": {"attributes": {"slug": {"type": "string"}}},
        # The identities of teams differ.
        "team-full": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}, "slug": {"type": "string"}},
        },
    }


def test_a_library_without_extends_gets_one_entity(tmp_path: Path) -> None:
    known = Capabilities(typed_lists=True)
    made = entities(tmp_path, USERS, capabilities=known)
    assert set(made) == {"user", "team", "team-full"}
    assert set(made["user"]["attributes"]) == {"id", "login", "plan", "keys"}


def test_an_answer_of_a_small_shape_erases_nothing(tmp_path: Path) -> None:
    paths = {
        "/me": {"get": operation(ref("private-user"), operationId="me")},
        "/users": {"get": operation(listed(ref("simple-user")), operationId="users")},
    }
    one = imported(tmp_path, description(paths, USERS))
    with restway.Client(restway.API.from_json(one.document)) as client:
        client.map(None, json.dumps({"id": 1, "login": "a", "plan": "p"}), route="me")
        client.map(None, json.dumps([{"id": 1, "login": "b"}, {"id": 2}]), route="users")
        first, second = (client.store.find("user", number) for number in (1, 2))
        assert first is not None and second is not None
        assert (first.entity, first.login, first["plan"]) == ("private-user", "b", "p")
        assert (second.entity, second.is_a("private-user")) == ("user", False)
        assert client.store.count("user") == 2


@pytest.mark.parametrize("is_nested", [True, False])
def test_shapes_of_which_none_has_the_properties_of_the_other_get_a_base(
    tmp_path: Path, is_nested: bool
) -> None:
    schemas = {
        "minimal-repo": objects("id", id=NUMBER, name=TEXT, score=NUMBER),
        "repo": objects("id", id=NUMBER, name=TEXT, size=NUMBER),
        "Home": objects(one={"oneOf": [ref("minimal-repo"), ref("repo")]}),
    }
    if not is_nested:
        del schemas["Home"]
    made = entities(tmp_path, schemas)
    assert set(made["base-repo"]["attributes"]) == {"id", "name"}
    assert made["repo"] == {"extends": "base-repo", "attributes": {"size": {"type": "int"}}}
    assert made["minimal-repo"]["extends"] == "base-repo"
    if is_nested:  # a relationship to either of them has the properties of both
        assert made["Home"]["relationships"]["one"] == {"entity": "any-repo"}
        assert set(made["any-repo"]["attributes"]) == {"score"}
        assert made["any-repo"]["extends"] == "repo"


USER = objects("id", id=NUMBER, login=TEXT, mail=TEXT, place=TEXT)


def test_all_of_a_reference_and_more_is_a_shape_of_the_same_resource(tmp_path: Path) -> None:
    own = {"allOf": [ref("User"), objects("right", right=TEXT)]}
    schemas = {"User": USER, "Admin": own, "Thing": objects("id", id=NUMBER, kind=TEXT)}
    schemas["Other"] = {"allOf": [ref("Thing"), objects(size=NUMBER)]}
    paths = {
        "/users": {"get": operation(listed(ref("User")))},
        "/admin": {"get": operation(ref("Admin"))},
        "/here": {"get": operation({"allOf": [ref("User"), objects(now=TEXT)]}, operationId="h")},
        "/others": {"get": operation(objects(a=ref("Thing"), b=ref("Other")), operationId="o")},
    }
    made = imported(tmp_path, description(paths, schemas)).document["entities"]
    assert made["Admin"] == {"extends": "User", "attributes": {"right": {"type": "string"}}}
    assert made["h"] == {"extends": "User", "attributes": {"now": {"type": "string"}}}
    # A small part, such as an identity and a type, says nothing about the resource.
    assert "extends" not in made["Other"] and made["Other"]["identity"] == "id"


def test_alternatives_of_a_union_are_different_resources(tmp_path: Path) -> None:
    schemas = {
        "Pet": USER,
        "Cat": {"allOf": [ref("Pet"), objects("lives", lives=NUMBER)]},
        "Dog": {"allOf": [ref("Pet"), objects("tail", tail=TEXT)]},
        "Home": objects(pet={"oneOf": [ref("Cat"), ref("Dog"), ref("Pet")]}),
    }
    paths = {"/home": {"get": operation(ref("Home"))}}
    one = imported(tmp_path, description(paths, schemas))
    assert not any("extends" in entity for entity in one.document["entities"].values())
    assert one.document["unions"]["Home.pet"]["keys"] == {"Cat": ["lives"], "Dog": ["tail"]}


_COMMON = dict.fromkeys("abcdefgh", TEXT)


@pytest.mark.parametrize(("other", "is_shape"), [("same", True), ("different", False), ("", False)])
def test_examples_show_that_schemas_with_other_names_are_one_resource(
    tmp_path: Path, other: str, is_shape: bool
) -> None:
    schemas = {
        "user": objects("id " + " ".join(_COMMON), id=NUMBER, **_COMMON),
        "contributor": objects("id", id=NUMBER, **_COMMON, commits=NUMBER),
        "issue": objects("number", number=NUMBER, user=ref("user")),
    }
    user = {"id": 1, **dict.fromkeys(_COMMON, "same")}
    contributor = {"id": 1, **dict.fromkeys(_COMMON, other), "commits": 3} if other else None
    paths = {
        "/users": {"get": operation(listed(ref("user")), [user])},
        "/who": {"get": operation(ref("contributor"), contributor)},
        "/issues": {"get": operation(listed(ref("issue")))},
    }
    made = imported(tmp_path, description(paths, schemas)).document["entities"]
    assert (made["contributor"].get("extends") == "user") is is_shape
    overrides = Overrides(schemas={"contributor": "contributor"})
    made = imported(tmp_path, description(paths, schemas), overrides).document["entities"]
    assert made["contributor"]["identity"] == "id"


def test_bodies_are_written_for_every_shape(tmp_path: Path) -> None:
    schemas = {
        "Task": objects("id", id=NUMBER, name=TEXT, notes=TEXT),
        "TaskCompact": objects("id", id=NUMBER, name=TEXT),
        "TaskRequest": objects(name=TEXT, notes=TEXT, secret=TEXT),
    }
    body = {"content": {"application/json": {"schema": ref("TaskRequest")}}}
    paths = {
        "/tasks": {
            "get": operation(listed(ref("TaskCompact"))),
            "post": operation(ref("Task"), operationId="add", requestBody=body),
        }
    }
    one = imported(tmp_path, description(paths, schemas))
    assert one.document["routes"]["add"]["request"] == {"entity": "TaskCompact"}
    with restway.Client(restway.API.from_json(one.document)) as client:
        draft = client.draft("Task", name="a", notes="b", secret="c")
        written = client.encode(draft, "POST", "add")
        assert written == {"name": "a", "notes": "b", "secret": "c"}


def test_constants_and_defaults(tmp_path: Path) -> None:
    schema = objects(
        "id kind only null",
        id={**NUMBER, "default": 4},
        kind={"const": "people"},
        only={"type": "string", "enum": ["one"]},
        null={"type": "string", "nullable": True, "enum": ["one"]},
        optional={"const": 3},
        size={"type": "string", "enum": ["S", "L"], "default": "S"},
        count={"allOf": [{**NUMBER, "default": 0}]},
        open={"type": "boolean", "default": False},
        tags={**listed(TEXT), "default": []},
        extra={"default": {"a": 1}},
        wrong={**NUMBER, "default": "x"},
        nothing={**TEXT, "default": None},
        day={"type": "string", "format": "date", "default": "2024-02-29"},
    )
    made = entities(tmp_path, {"Thing": schema})["Thing"]["attributes"]
    assert made == {
        "id": {"type": "int"},
        "kind": {"type": "string", "values": ["people"], "closed": True},
        "only": {"type": "string", "values": ["one"], "closed": True},
        "null": {"type": "string", "values": ["one"], "closed": True},
        "optional": {"type": "int", "values": [3], "closed": True},
        "size": {"type": "string", "values": ["S", "L"], "default": "S"},
        "count": {"type": "int", "default": 0},
        "open": {"type": "bool", "default": False},
        "tags": {"type": ["string"], "default": []},
        "extra": {"type": "json", "default": {"a": 1}},
        "wrong": {"type": "int"},
        "nothing": {"type": "string"},
        "day": {"type": "date", "format": "yyyy-MM-dd"},
    }


def test_the_only_listed_value_is_in_an_object_if_the_server_has_sent_it(tmp_path: Path) -> None:
    only = {"type": "string", "enum": ["received"], "default": "received"}
    schema = objects("id status", id=TEXT, status=only, optional=only)
    paths = {"/a": {"get": operation(ref("Cancel"), operationId="cancel")}}
    one = imported(tmp_path, description(paths, {"Cancel": schema}))
    with restway.Client(restway.API.from_json(one.document)) as client:
        for status, arrived, issues in (
            ('"status": "received"', {"id": "1", "status": "received"}, []),
            ('"status": "refused"', {"id": "1"}, ["status"]),
            ('"status": null', {"id": "1", "status": None}, []),
            ('"other": 1', {"id": "1"}, []),
        ):
            body = f'{{"id": "1", {status}}}'
            response = client.map(None, body, route="cancel", commit=False)
            assert response.object is not None
            assert response.object.to_dict() == arrived, status
            assert [issue.key_path for issue in response.issues] == issues, status


def test_constants_of_shapes_that_differ_are_listed_values(tmp_path: Path) -> None:
    schemas = {
        "User": objects("id kind", id=NUMBER, kind={"const": "a"}, same={"default": 1}),
        "UserFull": objects("id kind", id=NUMBER, kind={"const": "b"}, same={"default": 2}, x=TEXT),
    }
    made = entities(tmp_path, schemas)["User"]["attributes"]
    assert made["kind"] == {"type": "string", "values": ["a", "b"]}
    assert made["same"] == {"type": "json"}


def test_objects_with_free_keys_are_relationships_with_keys(tmp_path: Path) -> None:
    def free(schema: Any) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": schema}

    schemas = {
        "Gist": objects(
            "id", id=NUMBER, files=free(objects(size=NUMBER)), people=free(ref("Person")),
            counts=free(NUMBER), lists=free(listed(ref("Person"))),
        ),
        "Person": objects("id", id=NUMBER, key=TEXT),
    }  # fmt: skip
    example = {
        "id": 1, "files": {"a.rb": {"size": 3}, "b": {}, "c": None},
        "people": {"x": {"id": 7, "key": "k"}, "y": {"id": 8}}, "counts": {"n": 1},
    }  # fmt: skip
    paths = {"/gist": {"get": operation(ref("Gist"), example, operationId="gist")}}
    one = imported(tmp_path, description(paths, schemas))
    made = one.document["entities"]
    assert made["Gist"]["relationships"] == {
        "files": {"entity": "Gist.files", "many": True, "policy": "replace", "map": "key"},
        "people": {"entity": "Person", "many": True, "map": "key 2"},
    }
    assert made["Gist"]["attributes"]["counts"] == {"type": {"*": "int"}}
    assert made["Gist"]["attributes"]["lists"] == {"type": "json"}
    assert made["Gist.files"]["attributes"] == {
        "size": {"type": "int"}, "key": {"type": "string"},
    }  # fmt: skip
    result = check(one)
    for way, tally in result.published.items():
        assert (tally.total, tally.differences) == (11, []), way
    with restway.Client(restway.API.from_json(one.document)) as client:
        gist = client.map(None, json.dumps(example), route="gist").object
        assert gist is not None
        sizes = [(each["key"], each.get("size")) for each in gist.files]
        assert sizes == [("a.rb", 3), ("b", None)]
        assert [(each["key 2"], each.id) for each in gist.people] == [("x", 7), ("y", 8)]

    one = imported(tmp_path, description(paths, schemas), capabilities=Capabilities())
    assert one.document["entities"]["Gist"]["attributes"]["files"] == {"type": "json"}


def test_an_example_with_another_value_than_the_only_one_is_counted(tmp_path: Path) -> None:
    schema = objects("id kind", id=NUMBER, kind={"const": "a"})
    paths = {"/a": {"get": operation(ref("A"), {"id": 1, "kind": "b"})}}
    result = check(imported(tmp_path, description(paths, {"A": schema})))
    assert dict(result.published["memory"].reasons) == {NOT_FITTING: 1}


def _media(*pairs: tuple[str, Any, Any]) -> dict[str, Any]:
    content = {name: {"schema": schema, "example": example} for name, schema, example in pairs}
    return {"responses": {"200": {"description": "", "content": content}}}


def test_schemas_of_one_status_are_told_apart_by_the_media_type(tmp_path: Path) -> None:
    starred = objects("", starred_at=TEXT, repo=ref("Repo"))
    get = _media(
        ("application/json; charset=utf-8", listed(ref("Repo")), [{"id": 1}]),
        ("application/vnd.x.star+json", listed(starred), [{"starred_at": "t", "repo": {"id": 2}}]),
        ("application/sarif+json", {"type": "object"}, {"runs": [1]}),
    )
    paths = {"/starred": {"get": {**get, "operationId": "starred"}}}
    one = imported(tmp_path, description(paths, {"Repo": objects("id", id=NUMBER)}))
    assert one.document["routes"]["starred"]["response"] == [
        {"entity": "Repo", "mediaType": "application/json"},
        {"entity": "starred", "mediaType": "application/vnd.x.star+json"},
        {"type": "json", "mediaType": "application/sarif+json"},
    ]
    result = check(one)
    assert {way: (tally.equal, tally.total) for way, tally in result.published.items()} == {
        "memory": (4, 4), "sqlite": (4, 4), "draft": (3, 3),
    }  # fmt: skip
    with restway.Client(restway.API.from_json(one.document)) as client:
        client.add_modifier(
            lambda context: context.set_answer(200, b'{"runs": [1]}', "application/sarif+json; v=2")
        )
        response = client.route("starred")
        assert (response.value, len(response.objects)) == ({"runs": [1]}, 0)

    one = imported(
        tmp_path, description(paths, {"Repo": objects("id", id=NUMBER)}),
        capabilities=Capabilities(),
    )  # fmt: skip
    assert one.document["routes"]["starred"]["response"] == {"entity": "Repo"}
    assert len([note for note in notes(one) if "star+json" in note[1]]) == 1


def test_media_types_with_one_schema_need_no_descriptor_of_their_own(tmp_path: Path) -> None:
    get = _media(("application/json", ref("A"), {"id": 1}), ("text/json", ref("A"), {"id": 1}))
    schemas = {"A": objects("id", id=NUMBER)}
    one = imported(tmp_path, description({"/a": {"get": get}}, schemas))
    assert one.document["routes"]["GET /a"] == {
        "path": "a", "response": {"entity": "A"}, "accept": ["application/json", "text/json"],
    }  # fmt: skip


def test_statuses_with_objects_and_with_values(tmp_path: Path) -> None:
    schemas = {"A": objects("id", id=NUMBER)}
    get = {"responses": {"200": answer(ref("A")), "202": answer(TEXT), "204": {"description": ""}}}
    one = imported(tmp_path, description({"/a": {"get": get}}, schemas))
    assert one.document["routes"]["GET /a"]["response"] == [
        {"entity": "A", "status": "200"}, {"type": "string", "status": "202"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("beside", "values", "descriptor", "value"),
    [
        ({"next": objects(uri=TEXT)}, {"next": {"uri": "u"}},
         {"type": "json", "keyPath": "next"}, {"uri": "u"}),
        ({"next": objects(uri=TEXT)}, {"next": None}, {"type": "json", "keyPath": "next"}, None),
        ({"total": NUMBER}, {"total": 3}, {"type": "int", "keyPath": "total"}, 3),
        ({"etag": TEXT, "count": NUMBER}, {"etag": "e", "count": 1}, {"type": "json"},
         {"data": [{"id": 1}], "etag": "e", "count": 1}),
    ],
)  # fmt: skip
def test_values_beside_the_objects_of_an_answer_are_its_value(
    tmp_path: Path, beside: Any, values: Any, descriptor: Any, value: Any
) -> None:
    schema = objects("", data=listed(ref("A")), **beside)
    body = {"data": [{"id": 1}], **values}
    paths = {"/a": {"get": operation(schema, body, operationId="a")}}
    one = imported(tmp_path, description(paths, {"A": objects("id", id=NUMBER)}))
    assert one.document["routes"]["a"]["response"] == [
        {"entity": "A", "keyPath": "data"}, descriptor,
    ]  # fmt: skip
    result = check(one)
    assert all(tally.equal == tally.total > 0 for tally in result.published.values())
    with restway.Client(restway.API.from_json(one.document)) as client:
        client.add_modifier(lambda context: context.set_answer(json=body))
        response = client.route("a")
        assert (response.value, response.issues) == (value, [])
        assert [each.identity for each in response.objects] == [1]
    assert DIFFERS not in result.published["memory"].reasons
