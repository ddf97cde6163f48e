"""The importer of OpenAPI descriptions: bodies of requests, and the objects that routes send."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import restway
from openapi_files import description, imported, listed, notes, objects, operation, ref
from restway_tools.openapi import Imported

NUMBER, TEXT = {"type": "integer"}, {"type": "string"}
TAG = objects("id", id={**NUMBER, "readOnly": True}, name=TEXT, words=listed(TEXT))


def body(schema: Any, media_type: str = "application/json") -> dict[str, Any]:
    """Returns the body of an operation."""
    return {"requestBody": {"content": {media_type: {"schema": schema}}}}


def paths_of(patch: Any = None, post: Any = None, put: Any = None) -> dict[str, Any]:
    """Returns the paths of tags, whose bodies have the schemas."""
    identity = {"name": "tag_id", "in": "path", "required": True, "schema": NUMBER}
    item: dict[str, Any] = {"parameters": [identity]}
    item["get"] = operation(ref("Tag"), operationId="get")
    item["delete"] = operation(operationId="delete")
    for method, schema in (("patch", patch), ("put", put)):
        if schema is not None:
            item[method] = operation(ref("Tag"), operationId=method, **body(schema))
    tags: dict[str, Any] = {"get": operation(listed(ref("Tag")), operationId="list")}
    if post is not None:
        tags["post"] = operation(ref("Tag"), operationId="post", **body(post))
    return {"/tags/": tags, "/tags/{tag_id}/": item}


def made(folder: Path, paths: dict[str, Any], **schemas: Any) -> Imported:
    """Imports paths, and checks that the library takes the document."""
    one = imported(folder, description(paths, {"Tag": TAG, **schemas}))
    assert restway.API.check(one.document) == []
    return one


@pytest.mark.parametrize(
    "name",
    ["Tag", "PatchedTag", "TagPatchRequest", "UpdateTag", "TagPatch", "Tag-Input", "Something"],
)
def test_a_body_is_recognised_by_what_it_holds(tmp_path: Path, name: str) -> None:
    schema = objects("", name=TEXT, words=listed(TEXT))
    schemas = {} if name == "Tag" else {name: schema}
    one = made(tmp_path, paths_of(patch=ref(name), post=ref(name), put=ref(name)), **schemas)
    routes = one.document["routes"]
    assert list(one.document["entities"]) == ["Tag"]
    assert routes["patch"]["request"] == {"entity": "Tag", "changedOnly": True}
    for method in ("post", "put"):
        assert routes[method]["request"] == {"entity": "Tag"}
    assert {name: route.get("entity") for name, route in routes.items()} == {
        "list": None, "get": "Tag", "delete": "Tag", "patch": "Tag", "post": "Tag", "put": "Tag",
    }  # fmt: skip


def test_a_body_without_a_name_is_recognised_too(tmp_path: Path) -> None:
    schema = objects("name", name=TEXT, words=listed(TEXT), secret=TEXT)
    one = made(tmp_path, paths_of(patch=schema, post=schema))
    assert list(one.document["entities"]) == ["Tag"]
    assert set(one.document["entities"]["Tag"]["attributes"]) == {"id", "name", "words", "secret"}


def test_input_and_output_of_one_thing_are_one_entity(tmp_path: Path) -> None:
    line = objects("", count=NUMBER, price={"type": "string"})
    schemas = {
        "Line-Input": line, "Line-Output": line,
        "Order-Input": objects("lines", lines=listed(ref("Line-Input")), note=TEXT),
        "Order-Output": objects("id lines", id=NUMBER, lines=listed(ref("Line-Output")), note=TEXT),
    }  # fmt: skip
    answers = operation(ref("Order-Output"), operationId="order", **body(ref("Order-Input")))
    one = made(tmp_path, {"/orders": {"post": answers}}, **schemas)
    assert set(one.document["entities"]) == {"Order", "Line"}
    with restway.Client(restway.API.from_json(one.document)) as client:
        draft = client.draft("Order", lines=[client.draft("Line", count=2, price="0.10")])
        assert client.encode(draft, "POST", "order") == {"lines": [{"count": 2, "price": "0.10"}]}


def test_every_verb_sends_an_object(tmp_path: Path) -> None:
    one = made(tmp_path, paths_of(patch=ref("Tag"), post=ref("Tag"), put=ref("Tag")))
    with restway.Client(restway.API.from_json(one.document)) as client:
        sent: list[str | None] = []

        def answer(context: restway.PipelineContext) -> None:
            sent.append(context.route)
            context.set_answer(json={"id": 7, "name": "old"})

        client.add_modifier(answer)
        tag = client.post(client.draft("Tag", name="new")).object
        assert tag is not None and tag.id == 7
        assert client.inspect(restway.Request.object("GET", tag)).url.endswith("/tags/7/")
        client.get(tag)
        client.patch(client.draft(tag, name="newer"))
        client.put(tag)
        client.delete(tag)
    assert sent == ["post", "get", "patch", "put", "delete"]


def test_a_variable_above_with_the_name_of_the_identity_is_not_filled(tmp_path: Path) -> None:
    def given(name: str) -> dict[str, Any]:
        return {"name": name, "in": "path", "required": True, "schema": NUMBER}

    get = operation(ref("Tag"), operationId="get", parameters=[given("id"), given("tag_id")])
    members = operation(operationId="leave", parameters=[given("team"), given("tag_id")])
    paths = {
        "/sites/{id}/tags/{tag_id}": {"get": get},
        "/teams/{team}/tags": {"get": operation(listed(ref("Tag")))},
        "/teams/{team}/tags/{tag_id}": {"delete": members},
    }
    routes = made(tmp_path, paths).document["routes"]
    assert (routes["get"]["path"], "entity" in routes["get"]) == ("sites/{id}/tags/{tag_id}", False)
    # The tag leaves the team, and remains.
    assert "entity" not in routes["leave"]


def test_a_schema_that_only_bodies_have_is_an_entity(tmp_path: Path) -> None:
    schemas = {
        "Order": objects("kind", kind={"const": "order"}, count=NUMBER, address=ref("Address"),
                         prices={"type": "object", "additionalProperties": ref("Price")},
                         tags=listed(ref("Tag"))),
        "Address": objects(city=TEXT), "Price": objects(cents=NUMBER),
    }  # fmt: skip
    one = made(
        tmp_path,
        {**paths_of(), "/orders": {"post": operation(operationId="order", **body(ref("Order")))}},
        **schemas,
    )
    assert one.document["routes"]["order"]["request"] == {"entity": "Order"}
    entities = one.document["entities"]
    assert entities["Order"]["attributes"]["kind"] == {"type": "string", "constant": "order"}
    assert "identity" not in entities["Order"]
    with restway.Client(restway.API.from_json(one.document)) as client:
        draft = client.draft(
            "Order", count=2, address=client.draft("Address", city="Bern"),
            prices=[client.draft("Price", key="chf", cents=5)],
            tags=[client.draft("Tag", name="new")],
        )  # fmt: skip
        assert client.encode(draft, "POST", "order") == {
            "kind": "order", "count": 2, "address": {"city": "Bern"},
            "prices": {"chf": {"cents": 5}}, "tags": [{"name": "new"}],
        }  # fmt: skip


def test_a_body_without_a_name_that_no_answer_has_is_named_by_its_operation(tmp_path: Path) -> None:
    asked = objects(amount=NUMBER, reason=TEXT)
    refund = operation(ref("Tag"), operationId="refund", **body(asked))
    paths = {
        "/tags/{tag_id}/refund": {"post": refund},
        "/ask": {"put": operation(objects(ok=TEXT), operationId="ask", **body(asked))},
    }
    one = made(tmp_path, paths)
    assert one.document["routes"]["refund"]["request"] == {"entity": "refund.body"}
    assert "entity" not in one.document["routes"]["refund"]
    assert one.document["routes"]["ask"]["request"] == {"entity": "ask.body"}
    assert set(one.document["entities"]["ask"]["attributes"]) == {"ok"}


def test_objects_that_only_bodies_have_are_relationships(tmp_path: Path) -> None:
    schemas = {
        "Address": objects(city=TEXT),
        "TagRequest": objects(name=TEXT, address=ref("Address"), lines=listed(objects(n=NUMBER))),
    }
    one = made(tmp_path, paths_of(post=ref("TagRequest")), **schemas)
    assert one.document["entities"]["Tag"]["relationships"] == {
        "address": {"entity": "Address", "policy": "replace"},
        "lines": {"entity": "Tag.lines", "many": True, "policy": "replace"},
    }
    with restway.Client(restway.API.from_json(one.document)) as client:
        address, line = client.draft("Address", city="Bern"), client.draft("Tag.lines", n=1)
        draft = client.draft("Tag", name="a", address=address, lines=[line])
        assert client.encode(draft, "POST", "post") == {
            "name": "a", "address": {"city": "Bern"}, "lines": [{"n": 1}],
        }  # fmt: skip


def test_a_body_with_another_object_than_answers_is_in_the_report(tmp_path: Path) -> None:
    schemas = {
        "Pet": objects("id", id=NUMBER, name=TEXT, home=objects(city=TEXT), owner=ref("Tag")),
        "PetRequest": objects(name=TEXT, home=objects(street=TEXT), owner=objects(email=TEXT)),
    }
    post = operation(ref("Pet"), **body(ref("PetRequest")))
    one = made(tmp_path, {"/pets": {"post": post}}, **schemas)
    place = "#/components/schemas/PetRequest/properties"
    assert set(notes(one)) == {("bent", f"{place}/home"), ("bent", f"{place}/owner")}


def test_objects_that_several_bodies_have_at_one_place_are_one_entity(tmp_path: Path) -> None:
    def note(**more: Any) -> dict[str, Any]:
        return objects(name=TEXT, words=listed(TEXT), note=objects(text=TEXT, **more))

    one = made(tmp_path, paths_of(post=note(), patch=note(colour=TEXT)))
    linked = {"entity": "Tag.note", "policy": "replace"}
    assert one.document["entities"]["Tag"]["relationships"] == {"note": linked}
    assert set(one.document["entities"]["Tag.note"]["attributes"]) == {"text", "colour"}


def test_a_body_has_no_objects_that_its_schema_does_not_have(tmp_path: Path) -> None:
    schemas = {
        "Pet": objects("id", id=NUMBER, name=TEXT, owner=ref("Tag"),
                       seen={**listed(ref("Tag")), "readOnly": True}),
        "PetRequest": objects(name=TEXT, seen={**listed(ref("Tag")), "readOnly": True}),
    }  # fmt: skip
    put = operation(ref("Pet"), operationId="put", **body(ref("PetRequest")))
    one = made(tmp_path, {"/pets/{id}": {"get": operation(ref("Pet")), "put": put}}, **schemas)
    request = one.document["routes"]["put"]["request"]
    assert request == {"entity": "Pet", "exclude": ["owner", "seen"]}


def test_one_of_several_objects_has_a_request_descriptor_for_each(tmp_path: Path) -> None:
    either = {"oneOf": [ref("Card"), ref("Account"), {"type": "null"}]}
    schemas = {"Card": objects(number=TEXT), "Account": objects(iban=TEXT)}
    pay = operation(operationId="pay", **body(either))
    one = made(tmp_path, {"/pay": {"post": pay}}, **schemas)
    assert one.document["routes"]["pay"]["request"] == [{"entity": "Card"}, {"entity": "Account"}]
    with restway.Client(restway.API.from_json(one.document)) as client:
        draft = client.draft("Account", iban="CH1")
        assert client.encode(draft, "POST", "pay") == {"iban": "CH1"}


@pytest.mark.parametrize(
    ("schema", "method", "kind"),
    [
        (listed(ref("Tag")), "post", "left out"), ({"type": "object"}, "post", "left out"),
        (TEXT, "put", "left out"), ({"additionalProperties": NUMBER}, "patch", "left out"),
        (ref("Tag"), "delete", "left out"), (None, "post", "left out"),
        ({"oneOf": [ref("Tag"), listed(ref("Tag"))]}, "post", "bent"),
        ({"oneOf": [ref("Tag"), TEXT]}, "post", "bent"),
    ],
)  # fmt: skip
def test_a_body_that_is_no_object_is_in_the_report(
    tmp_path: Path, schema: Any, method: str, kind: str
) -> None:
    content = body(schema)
    if schema is None:
        del content["requestBody"]["content"]["application/json"]["schema"]
    one = made(tmp_path, {"/a": {method: operation(operationId="a", **content)}})
    assert (kind, f"#/paths/~1a/{method}/requestBody/content/application~1json") in notes(one)
    assert ("request" in one.document["routes"]["a"]) == (kind == "bent")


def test_read_only_properties_are_never_sent(tmp_path: Path) -> None:
    read_only = {**NUMBER, "readOnly": True}
    line = objects("count", id=read_only, count=NUMBER, total=read_only)
    order: dict[str, Any] = {"note": TEXT, "made": {**TEXT, "readOnly": True}}
    order["lines"] = listed(ref("Line"))
    schemas = {
        "Line": line,
        "Order": objects("id", id=read_only, owner=TEXT, **order),
        "OrderUpdate": objects(owner={**TEXT, "readOnly": True}, **order),
    }
    item = {
        "get": operation(ref("Order"), operationId="get"),
        "put": operation(ref("Order"), operationId="put", **body(ref("OrderUpdate"))),
    }
    post = operation(ref("Order"), operationId="post", **body(ref("Order")))
    one = made(tmp_path, {"/orders/{id}": item, "/orders": {"post": post}}, **schemas)
    attributes = one.document["entities"]["Order"]["attributes"]
    assert {name for name, rule in attributes.items() if rule.get("readOnly")} == {"id", "made"}
    assert one.document["routes"]["put"]["request"] == {"entity": "Order", "exclude": ["owner"]}
    assert one.document["routes"]["post"]["request"] == {"entity": "Order"}
    full = b'{"id": 1, "note": "a", "owner": "o", "made": "m", "lines": [{"id": 2, "count": 3}]}'
    with restway.Client(restway.API.from_json(one.document)) as client:
        found = client.map("Order", full).object
        assert found is not None
        draft = client.draft(found, made="later")
        lines = [{"count": 3}]
        assert client.encode(draft, "PUT", "put") == {"note": "a", "lines": lines}
        posted = client.encode(draft, "POST", "post")
        assert posted == {"note": "a", "owner": "o", "lines": lines}
