"""The importer of OpenAPI descriptions: APIs whose bodies are JSON:API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import restway
from openapi_files import answer, description, imported, listed, notes, objects, ref
from restway_tools.openapi import Imported
from restway_tools.openapi.checking import check

NUMBER, TEXT = {"type": "integer"}, {"type": "string"}
TYPE = "application/vnd.api+json"


def resource(name: str, attributes: Any = None, **links: Any) -> dict[str, Any]:
    """Returns the schema of a resource object, or of an identifier without attributes."""
    members: dict[str, Any] = {"type": {"type": "string", "enum": [name]}, "id": TEXT}
    if attributes is not None:
        members["attributes"] = objects("", **attributes)
        relationships = {key: objects(data=one) for key, one in links.items()}
        members["relationships"] = objects("", **relationships)
    return objects("type id", **members)


SCHEMAS = {
    "Article": resource(
        "articles",
        {"title": TEXT, "published": {"type": "string", "format": "date-time"},
         "layout": objects(columns=NUMBER)},
        author=resource("people"), comments=listed(resource("comments")),
        subject={"oneOf": [resource("people"), resource("articles")]},
    ),
    "Person": resource("people", {"name": TEXT}, friends=listed(ref("PersonIdentifier"))),
    "PersonIdentifier": resource("people"),
    "ArticleCreate": objects(
        "type", type={"const": "articles"}, attributes=objects(title=TEXT, secret=TEXT)
    ),
}  # fmt: skip

META = objects(count=NUMBER)
LINKS = objects(next={"type": "string", "nullable": True})
ARTICLE = {
    "data": {
        "type": "articles", "id": "1", "attributes": {"title": "Paint", "published": None},
        "relationships": {
            "author": {"data": {"type": "people", "id": "9"}},
            "comments": {"data": [{"type": "comments", "id": "5"}]},
        },
    },
}  # fmt: skip


def operation(name: str, schema: Any = None, body: Any = None, example: Any = None) -> Any:
    """Returns an operation whose bodies are JSON:API."""
    answers = {"204": {"description": ""}}
    if schema is not None:
        answers = {"200": answer(schema, example, TYPE)}
    made: dict[str, Any] = {"operationId": name, "responses": answers}
    if body is not None:
        made["requestBody"] = {"content": {TYPE: {"schema": objects(data=body)}}}
    return made


def blog_description() -> dict[str, Any]:
    """Returns the description of a blog with articles and people."""
    included = listed({"anyOf": [ref("Person"), ref("Article")]})
    one = objects("data", data=ref("Article"), included=included)
    many = objects("data", data=listed(ref("Article")), links=LINKS, meta=META)
    identity = {"name": "article_id", "in": "path", "required": True, "schema": TEXT}
    paths = {
        "/articles": {"get": operation("list", many), "post": operation("new", one,
                                                                      ref("ArticleCreate"))},
        "/articles/{article_id}": {
            "parameters": [identity],
            "get": operation("article", one, example=ARTICLE),
            "patch": operation("change", one, ref("Article")), "delete": operation("delete"),
        },
        "/people": {"get": operation("people", objects(data=listed(ref("Person"))))},
    }  # fmt: skip
    return description(paths, SCHEMAS)


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    """Returns the imported description, which all tests share."""
    return imported(tmp_path_factory.mktemp("blog"), blog_description())


def test_resource_objects_are_entities(blog: Imported) -> None:
    document = blog.document
    assert restway.API.check(document) == []
    assert document["format"] == "jsonapi"
    assert document["entities"]["Article"] == {
        "type": "articles",
        "identity": "id",
        "attributes": {
            "id": {"type": "string"}, "title": {"type": "string"}, "published": {"type": "date"},
            "layout": {"type": "json"}, "secret": {"type": "string"},
        },
        "relationships": {
            "author": {"entity": "Person"}, "comments": {"entity": "comments", "many": True},
            "subject": {"entity": "Article.subject"},
        },
    }  # fmt: skip
    assert document["entities"]["comments"] == {
        "type": "comments", "identity": "id", "attributes": {"id": {"type": "string"}},
    }  # fmt: skip
    assert document["entities"]["Person"]["relationships"] == {
        "friends": {"entity": "Person", "many": True}
    }
    assert document["unions"] == {"Article.subject": {"oneOf": ["Person", "Article"]}}
    assert "errors" not in document
    place = "#/components/schemas/Article/properties/attributes/properties/layout"
    assert ("bent", place) in notes(blog)


def test_routes_have_the_data_of_bodies(blog: Imported) -> None:
    routes = blog.document["routes"]
    assert routes["list"]["response"] == [
        {"entity": "Article"}, {"type": "json", "keyPath": "meta"},
    ]  # fmt: skip
    assert routes["list"]["pages"] == {"nextURL": "links.next"}
    assert routes["people"]["pages"] == {}
    assert routes["article"]["response"] == {"entity": "Article"}
    assert routes["new"]["request"]["entity"] == "Article"
    assert routes["change"]["request"] == {"entity": "Article", "changedOnly": True}
    assert {name: one.get("entity") for name, one in routes.items()} == {
        "list": None, "people": None, "article": "Article", "new": "Article", "change": "Article",
        "delete": "Article",
    }  # fmt: skip


def test_objects_are_read_and_sent(blog: Imported) -> None:
    with restway.Client(restway.API.from_json(blog.document)) as client:
        included = [{"type": "people", "id": "9", "attributes": {"name": "Dan"}}]
        body = {**ARTICLE, "included": included}
        client.add_modifier(lambda context: context.set_answer(json=body))
        article = client.route("article", variables={"id": "1"}).object
        assert article is not None
        assert (article.title, article.author.name) == ("Paint", "Dan")
        assert [each.id for each in article.comments] == ["5"]
        assert client.encode(client.draft(article, title="Dry"), "PATCH") == {
            "data": {"type": "articles", "id": "1", "attributes": {"title": "Dry"}}
        }
        assert client.encode(client.draft("Article", title="New"), "POST") == {
            "data": {"type": "articles", "attributes": {"title": "New"}}
        }


def test_the_check_compares_examples(blog: Imported) -> None:
    result = check(blog)
    assert (result.problems, result.failures) == ([], {})
    assert {way: (one.equal, one.total) for way, one in result.published.items()} == {
        "memory": (5, 5), "draft": (5, 5), "sqlite": (5, 5),
    }  # fmt: skip
    assert result.composed["memory"].total > 10
    assert {one.share for one in result.composed.values()} == {1.0}


def test_other_json_beside_it_makes_no_format(tmp_path: Path) -> None:
    plain = {"operationId": "b", "responses": {"200": answer(objects(a=TEXT))}}
    paths = {
        "/a": {"get": operation("a", objects(data=ref("Article")))}, "/b": {"get": plain},
    }  # fmt: skip
    assert "format" not in imported(tmp_path, description(paths, SCHEMAS)).document
