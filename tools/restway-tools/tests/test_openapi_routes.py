"""The importer of OpenAPI descriptions: routes, pages, authentication and servers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import restway
from openapi_files import (
    answer,
    description,
    imported,
    listed,
    notes,
    objects,
    operation,
    ref,
)

NUMBER, TEXT = {"type": "integer"}, {"type": "string"}
PET = objects("id name", id=NUMBER, name=TEXT)


def test_routes(tmp_path: Path) -> None:
    parameters = [
        {"name": "pet-id", "in": "path", "required": True, "schema": NUMBER},
        {"name": "fields", "in": "query", "explode": False, "schema": listed(TEXT)},
        {"name": "tag", "in": "query", "schema": listed(TEXT)},
        {"name": "piped", "in": "query", "style": "pipeDelimited", "schema": listed(TEXT)},
        {"name": "filter", "in": "query", "style": "deepObject", "schema": objects(a=TEXT)},
        {"name": "session", "in": "cookie", "schema": TEXT},
    ]
    paths = {
        "/pets/{pet-id}": {
            "parameters": parameters,
            "get": operation(ref("Pet"), operationId="pets/get", summary="Get", deprecated=True),
            "delete": operation(),
        },
        "/pets/{other}:feed": {"post": operation(operationId="pets/get")},
        "/": {"get": operation({"type": "string"})},
    }
    one = imported(tmp_path, description(paths, {"Pet": PET}))
    routes = one.document["routes"]
    assert restway.API.check(one.document) == []
    assert list(routes) == ["pets/get", "DELETE /pets/{pet-id}", "POST /pets/{other}:feed", "GET /"]
    get = routes["pets/get"]
    assert get["path"] == "pets/{id}{?fields}"
    assert get["response"] == {"entity": "Pet"}
    assert (get["x-description"], get["x-deprecated"]) == ("Get", True)
    assert get["x-parameters"][0] == {
        "name": "pet-id", "in": "path", "variable": "id", "required": True, "type": "int",
    }  # fmt: skip
    assert routes["POST /pets/{other}:feed"]["path"] == "pets/{other}\\:feed"
    assert routes["GET /"] == {"path": "/", "parse": "json"}
    item = "#/paths/~1pets~1{pet-id}/parameters"
    assert ("bent", f"{item}/3") in notes(one)
    assert ("left out", f"{item}/5") in notes(one)

    with restway.Client(restway.API.from_json(one.document)) as client:
        variables: dict[str, Any] = {"id": 3, "fields": ["a", "b"]}
        params: dict[str, Any] = {"tag": ["x", "y"], "filter": {"a": "z"}}
        request = restway.Request.route("pets/get", variables=variables, params=params)
        url = client.inspect(request).url
    assert url == "https://api.example.com/pets/3?fields=a,b&tag=x&tag=y&filter%5Ba%5D=z"


def test_methods_beside_the_usual_ones(tmp_path: Path) -> None:
    more = {name: operation() for name in ("M-SEARCH", "post", "CONNECT", "a b")}
    paths = {"/pets": {"query": operation(listed(ref("Pet"))), "additionalOperations": more}}
    one = imported(tmp_path, description(paths, {"Pet": PET}))
    routes = one.document["routes"]
    assert restway.API.check(one.document) == []
    assert {name: route["method"] for name, route in routes.items()} == {
        "QUERY /pets": "QUERY", "M-SEARCH /pets": "M-SEARCH",
    }  # fmt: skip
    place = "#/paths/~1pets/additionalOperations"
    left_out = {where for kind, where in notes(one) if kind == "left out"}
    assert {f"{place}/post", f"{place}/CONNECT", f"{place}/a b"} <= left_out


def test_styles_of_variables_headers_and_vendor_marks(tmp_path: Path) -> None:
    def given(name: str, where: str, **more: Any) -> dict[str, Any]:
        return {"name": name, "in": where, "required": where == "path", "schema": TEXT, **more}

    parameters = [
        given("label", "path", style="label"), given("matrix", "path", style="matrix"),
        given("rest", "path", **{"x-multi-segment": True}),
        given("X-Trace", "header"), given("q", "query"),
    ]  # fmt: skip
    get = operation(parameters=parameters, operationId="get", **{"x-ms-pageable": {"next": "n"}})
    one = imported(tmp_path, description({"/a{label}/b{matrix}/c/{rest}": {"get": get}}))
    route = one.document["routes"]["get"]
    assert restway.API.check(one.document) == []
    assert route["path"] == "a{.label}/b{;matrix}/c/{+rest}"
    assert route["x-ms-pageable"] == {"next": "n"}
    places = [(one["name"], one["in"], "variable" in one) for one in route["x-parameters"]]
    assert places[-2:] == [("X-Trace", "header", False), ("q", "query", False)]
    with restway.Client(restway.API.from_json(one.document)) as client:
        request = restway.Request.route(
            "get", variables={"label": "l", "matrix": "m", "rest": "x/y"},
            headers={"X-Trace": "1"}, params={"q": "z"},
        )  # fmt: skip
        sent = client.inspect(request)
    assert sent.url == "https://api.example.com/a.l/b;matrix=m/c/x/y?q=z"
    assert sent.headers["X-Trace"] == "1"


def test_a_name_in_the_path_and_in_the_query_is_two_parameters(tmp_path: Path) -> None:
    def given(where: str, schema: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"name": "id", "in": where, "required": where == "path", "schema": schema, **more}

    parameters = [given("path", TEXT), given("query", listed(TEXT), explode=False)]
    one = imported(
        tmp_path,
        description({
            "/rules/{id}": {"get": operation(parameters=parameters, operationId="rule")},
            "/sums/{id}": {
                "get": operation(parameters=[given("path", TEXT), given("query", TEXT)],
                                 operationId="sum"),
            },
        }),
    )  # fmt: skip
    assert restway.API.check(one.document) == []
    assert ("bent", "#/paths/~1rules~1{id}/get/parameters/1") in notes(one)
    with restway.Client(restway.API.from_json(one.document)) as client:
        for name in ("rule", "sum"):
            request = restway.Request.route(name, variables={"id": "7"})
            assert client.inspect(request).url == f"https://api.example.com/{name}s/7"
            request = restway.Request.route(name, variables={"id": "7"}, params={"id": "8"})
            assert client.inspect(request).url == f"https://api.example.com/{name}s/7?id=8"


def test_a_media_type_that_is_none_is_any_type(tmp_path: Path) -> None:
    get = operation(ref("Pet"), operationId="pet")
    get["responses"]["200"] = answer(ref("Pet"), media_type="undefined")
    get["responses"]["201"] = answer(ref("Pet"), media_type="application/json")
    body = {"content": {"json, text": {"schema": ref("Pet")}}}
    paths = {"/pet": {"get": get, "post": operation(ref("Pet"), requestBody=body)}}
    one = imported(tmp_path, description(paths, {"Pet": PET}))
    assert restway.API.check(one.document) == []
    assert one.document["routes"]["pet"]["response"] == {"entity": "Pet"}
    assert one.document["routes"]["POST /pet"]["request"]["entity"] == "Pet"
    assert ("bent", "#/paths/~1pet/get/responses/200/content/undefined") in notes(one)
    assert ("bent", "#/paths/~1pet/post/requestBody/content/json, text") in notes(one)


def test_answers_by_status_and_media_type(tmp_path: Path) -> None:
    responses = {
        "200": answer(ref("Pet")),
        "202": answer(objects(job=TEXT)),
        "404": answer(objects(message=TEXT, code=TEXT)),
    }
    text = {"200": answer(TEXT, media_type="text/plain")}
    data = {"200": answer(TEXT, media_type="image/png")}
    odd = {"200": answer(ref("Pet"), media_type="application/json+special")}
    paths = {
        f"/{name}": {"get": {"operationId": name, "responses": one}}
        for name, one in {"a": responses, "text": text, "data": data, "odd": odd}.items()
    }
    one = imported(tmp_path, description(paths, {"Pet": PET}))
    routes = one.document["routes"]
    assert routes["a"]["response"] == [
        {"entity": "Pet", "status": "200"}, {"entity": "a", "status": "202"},
    ]  # fmt: skip
    assert (routes["text"]["parse"], routes["text"]["accept"]) == ("text", ["text/plain"])
    assert (routes["data"]["parse"], routes["data"]["accept"]) == ("bytes", ["image/png"])
    assert routes["odd"]["accept"] == ["application/json+special"]
    assert one.document["errors"] == {"code": "code", "message": "message"}


def test_bodies(tmp_path: Path) -> None:
    def body(schema: Any, media_type: str = "application/json") -> dict[str, Any]:
        return {"requestBody": {"content": {media_type: {"schema": schema}}}}

    schemas = {
        "Pet": objects("id", id=NUMBER, name=TEXT, owner=ref("Owner"), friends=listed(ref("Pet"))),
        "PetRequest": objects(name=TEXT, owner=TEXT, friends=listed(NUMBER), secret=TEXT),
        "Owner": objects("id", id=TEXT),
    }
    paths = {
        "/pets": {"post": operation(ref("Pet"), **body(objects(data=ref("PetRequest"))))},
        "/pets/{pet_id}": {
            "get": operation(ref("Pet")), "patch": operation(ref("Pet"), **body(ref("Pet"))),
            "delete": operation(),
        },
        "/form": {"post": operation(**body(objects(a=TEXT), "application/x-www-form-urlencoded"))},
        "/file": {"post": operation(**body(objects(a=TEXT), "multipart/form-data"))},
    }  # fmt: skip
    one = imported(tmp_path, description(paths, schemas))
    routes, pet = one.document["routes"], one.document["entities"]["Pet"]
    assert restway.API.check(one.document) == []
    assert routes["POST /pets"]["request"] == {"entity": "Pet", "keyPath": "data"}
    assert routes["PATCH /pets/{pet_id}"]["request"] == {"entity": "Pet", "changedOnly": True}
    assert routes["DELETE /pets/{pet_id}"]["entity"] == "Pet"
    assert routes["POST /form"]["serializationName"] == "url"
    assert routes["POST /file"]["serializationName"] == "form"
    assert pet["relationships"]["owner"] == {"entity": "Owner", "byIdentity": True}
    assert pet["relationships"]["friends"]["byIdentity"] is True
    assert pet["attributes"]["secret"] == {"type": "string"}


@pytest.mark.parametrize(
    ("names", "envelope", "headers", "pages"),
    [
        ("page", {}, {"Link": {}}, {"next": "link"}),
        ("cursor", {"meta": objects(next_cursor=TEXT)}, {},
         {"cursor": "meta.next_cursor", "parameter": "cursor"}),
        ("offset limit", {"next_page": objects(offset=TEXT, uri=TEXT)}, {},
         {"cursor": "next_page.offset", "parameter": "offset"}),
        ("", {"next": TEXT, "count": NUMBER}, {}, {"nextURL": "next"}),
        ("", {"links": objects(next=objects(href=TEXT))}, {}, {"nextURL": "links.next.href"}),
        ("starting_after", {"has_more": {"type": "boolean"}}, {},
         {"last": "id", "parameter": "starting_after", "more": "has_more"}),
        ("page", {"total_count": NUMBER}, {}, {"page": "page", "total": "total_count"}),
        ("startIndex", {"totalResults": NUMBER}, {},
         {"offset": "startIndex", "first": 1, "total": "totalResults"}),
        ("q", {"total": NUMBER}, {}, None),
        # Django REST framework, fastapi-pagination, Spring, Laravel, JSON:API
        ("page", {"count": NUMBER, "next": TEXT, "previous": TEXT}, {},
         {"nextURL": "next", "total": "count"}),
        ("page", {"count": NUMBER}, {}, {"page": "page"}),
        ("page size", {"total": NUMBER, "page": NUMBER, "size": NUMBER, "pages": NUMBER}, {},
         {"page": "page", "total": "total"}),
        ("cursor size", {"total": NUMBER, "current_page": TEXT, "current_page_backwards": TEXT,
                         "previous_page": TEXT, "next_page": {"anyOf": [TEXT, {"type": "null"}]}},
         {}, {"cursor": "next_page", "parameter": "cursor", "total": "total"}),
        ("page size sort", {"pageable": objects(offset=NUMBER), "last": {"type": "boolean"},
                            "totalElements": NUMBER, "totalPages": NUMBER, "size": NUMBER,
                            "number": NUMBER, "sort": objects(sorted={"type": "boolean"}),
                            "first": {"type": "boolean"}, "numberOfElements": NUMBER,
                            "empty": {"type": "boolean"}}, {},
         {"page": "page", "first": 0, "total": "totalElements"}),
        ("page", {"links": objects(next=TEXT, prev=TEXT),
                  "meta": objects(current_page=NUMBER, total=NUMBER, per_page=NUMBER)}, {},
         {"nextURL": "links.next", "total": "meta.total"}),
        ("page", {"current_page": NUMBER, "next_page_url": TEXT, "path": TEXT, "from": NUMBER,
                  "to": NUMBER, "per_page": NUMBER, "total": NUMBER}, {},
         {"nextURL": "next_page_url", "total": "total"}),
    ],
)  # fmt: skip
def test_pages(
    tmp_path: Path, names: str, envelope: dict[str, Any], headers: dict[str, Any], pages: Any
) -> None:
    get = operation(
        objects(data=listed(ref("Pet")), **envelope),
        parameters=[{"name": name, "in": "query", "schema": TEXT} for name in names.split()],
    )
    get["responses"]["200"]["headers"] = headers
    one = imported(tmp_path, description({"/pets": {"get": get}}, {"Pet": PET}))
    route = one.document["routes"]["GET /pets"]
    assert restway.API.check(one.document) == []
    written = route["response"]
    first = written[0] if isinstance(written, list) else written
    assert first == {"entity": "Pet", "keyPath": "data"}
    assert route.get("pages") == pages


@pytest.mark.parametrize(
    ("parameter", "pages"),
    [("page", {"page": "page", "endStatus": 404}), ("offset", {"offset": "offset"})],
)
def test_a_list_that_answers_404_behind_its_last_page_ends_with_it(
    tmp_path: Path, parameter: str, pages: dict[str, Any]
) -> None:
    get = operation(
        listed(ref("Pet")), parameters=[{"name": parameter, "in": "query", "schema": NUMBER}]
    )
    get["responses"]["404"] = {"description": "Invalid page."}
    one = imported(tmp_path, description({"/pets": {"get": get}}, {"Pet": PET}))
    assert restway.API.check(one.document) == []
    assert one.document["routes"]["GET /pets"]["pages"] == pages


@pytest.mark.parametrize(
    ("scheme", "auth"),
    [
        ({"type": "http", "scheme": "Bearer"}, {"scheme": "bearer"}),
        ({"type": "http", "scheme": "basic"}, {"scheme": "basic"}),
        ({"type": "apiKey", "in": "header", "name": "X-Key"},
         {"scheme": "apiKey", "header": "X-Key"}),
        ({"type": "http", "scheme": "digest"}, {"scheme": "digest"}),
        ({"type": "apiKey", "in": "query", "name": "k"}, {"scheme": "apiKey", "query": "k"}),
        ({"type": "apiKey", "in": "cookie", "name": "k"}, None),
        ({"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://a.b/t"}}},
         {"scheme": "oauth2", "grant": "clientCredentials", "tokenURL": "https://a.b/t"}),
        ({"type": "oauth2", "flows": {"authorizationCode": {"tokenUrl": "https://a.b/t"}}},
         {"scheme": "oauth2", "grant": "refreshToken", "tokenURL": "https://a.b/t"}),
        ({"type": "openIdConnect"}, {"scheme": "bearer"}),
        ({"type": "http", "scheme": "hoba"}, None),
    ],
)  # fmt: skip
def test_authentication(tmp_path: Path, scheme: dict[str, Any], auth: Any) -> None:
    paths = {"/a": {"get": operation(), "put": operation(security=[])}}
    components = {"securitySchemes": {"one": scheme}}
    content = description(paths, components=components, security=[{"one": []}])
    one = imported(tmp_path, content)
    assert restway.API.check(one.document) == []
    assert one.document.get("auth") == auth
    assert one.document["routes"]["PUT /a"].get("auth", True) is (auth is None)
    if auth is None:
        assert ("left out", "#/components/securitySchemes/one") in notes(one)


def test_an_operation_without_security_has_no_credential(tmp_path: Path) -> None:
    components = {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}}
    paths = {"/login": {"post": operation()}, "/me": {"get": operation(security=[{"token": []}])}}
    one = imported(tmp_path, description(paths, components=components))
    assert one.document["auth"] == {"scheme": "bearer"}
    routes = one.document["routes"]
    assert (routes["POST /login"].get("auth"), "auth" in routes["GET /me"]) == (False, False)
    nothing = description({"/login": {"post": operation()}}, components=components)
    one = imported(tmp_path, nothing)
    assert "auth" not in one.document and "auth" not in one.document["routes"]["POST /login"]


def test_an_operation_gets_no_credential_of_another_scheme(tmp_path: Path) -> None:
    schemes = {
        "token": {"type": "http", "scheme": "bearer"},
        "other": {"type": "oauth2", "flows": {"implicit": {}}},
        "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
    }
    both = operation(security=[{"token": [], "key": []}])
    paths = {
        "/a": {"get": operation(), "put": operation(security=[{"key": []}]), "post": both},
        "/b": {"get": operation(security=[{"other": []}]), "put": operation()},
        "/c": {"get": operation(security=[{"key": []}, {"token": []}])},
    }
    content = description(
        paths, components={"securitySchemes": schemes}, security=[{"token": []}]
    )  # fmt: skip
    one = imported(tmp_path, content)
    assert one.document["auth"] == {"scheme": "bearer"}
    routes = one.document["routes"].items()
    assert [name for name, route in routes if route.get("auth") is False] == ["PUT /a"]
    assert ("bent", "#/paths/~1a/put") in notes(one)


PLACE = listed({"type": ["string", "integer"]})
VALIDATION = objects("loc msg type", loc=PLACE, msg=TEXT, type=TEXT)
MESSAGES = {"type": "object", "additionalProperties": listed(TEXT)}


@pytest.mark.parametrize(
    ("schema", "errors"),
    [
        # FastAPI, drf-standardized-errors, RFC 9457, Rails, Laravel, Spring, Symfony, JSON:API
        (objects(detail=listed(VALIDATION)),
         {"message": "detail",
          "details": {"details": "detail", "code": "type", "message": "msg", "field": "loc"}}),
        (objects(type=TEXT, errors=listed(objects(code=TEXT, detail=TEXT, attr=TEXT))),
         {"code": "type", "details": {"details": "errors", "code": "code", "message": "detail",
                                      "field": "attr"}}),
        (objects(type=TEXT, title=TEXT, detail=TEXT, status=NUMBER, instance=TEXT,
                 errors=listed(objects(detail=TEXT, pointer=TEXT))),
         {"code": "type", "message": "detail",
          "details": {"details": "errors", "message": "detail", "field": "pointer"}}),
        (objects(errors=MESSAGES), {"details": "errors"}),
        (objects(message=TEXT, errors=MESSAGES), {"message": "message", "details": "errors"}),
        (objects(timestamp=TEXT, status=NUMBER, error=TEXT, path=TEXT, errors=listed(
            objects(field=TEXT, defaultMessage=TEXT, code=TEXT))),
         {"message": "error", "details": {"details": "errors", "code": "code",
                                          "message": "defaultMessage", "field": "field"}}),
        (objects(title=TEXT, violations=listed(objects(propertyPath=TEXT, message=TEXT))),
         {"message": "title", "details": {"details": "violations", "message": "message",
                                          "field": "propertyPath"}}),
        (objects(errors=listed(objects(code=TEXT, title=TEXT, source=objects(pointer=TEXT)))),
         {"details": {"details": "errors", "code": "code", "message": "title",
                      "field": "source.pointer"}}),
    ],
)  # fmt: skip
def test_failures_of_frameworks(tmp_path: Path, schema: Any, errors: Any) -> None:
    get = operation()
    get["responses"]["422"] = answer(schema)
    one = imported(tmp_path, description({"/a": {"get": get}}))
    assert restway.API.check(one.document) == []
    assert one.document["errors"] == errors


def test_forms_repeat_the_names_of_lists(tmp_path: Path) -> None:
    def form(**content: Any) -> dict[str, Any]:
        schema = objects(tags=listed(TEXT))
        media = {"application/x-www-form-urlencoded": {"schema": schema, **content}}
        return operation(requestBody={"content": media})

    nested = form(encoding={"tags": {"style": "deepObject", "explode": True}})
    one = imported(tmp_path, description({"/a": {"post": form()}, "/b": {"post": nested}}))
    assert one.document["routes"]["POST /a"]["forms"] == {"lists": "repeat"}
    assert "forms" not in one.document["routes"]["POST /b"]
    with restway.Client(restway.API.from_json(one.document)) as client:
        for name, body in (("/a", b"tags=x&tags=y"), ("/b", b"tags%5B%5D=x&tags%5B%5D=y")):
            request = restway.Request.route(f"POST {name}", params={"tags": ["x", "y"]})
            assert client.inspect(request).body == body
    joined = form(encoding={"tags": {"explode": False}})
    one = imported(tmp_path, description({"/a": {"post": joined}}))
    media = "application~1x-www-form-urlencoded"
    place = f"#/paths/~1a/post/requestBody/content/{media}/encoding/tags"
    assert ("bent", place) in notes(one)



def test_operations_that_differ_in_a_fragment_share_their_descriptors(tmp_path: Path) -> None:
    put = operation(ref("Pet"), {"id": 1, "name": "Rex"})
    paths = {"/pets/{id}#rename": {"put": put}, "/pets/{pet_id}#move": {"put": put}}
    one = imported(tmp_path, description(paths, {"Pet": PET}))
    assert restway.API.check(one.document) == []
    assert one.document["responses"] == [{"method": "PUT", "path": "pets/{id}", "entity": "Pet"}]
    assert [route["path"] for route in one.document["routes"].values()] == [
        "pets/{id}", "pets/{pet_id}",
    ]  # fmt: skip
    with restway.Client(restway.API.from_json(one.document)) as client:
        client.add_modifier(lambda context: context.set_answer(json={"id": 1, "name": "Rex"}))
        for name, variable in (
            ("PUT /pets/{id}#rename", "id"),
            ("PUT /pets/{pet_id}#move", "pet_id"),
        ):
            pet = client.route(name, variables={variable: 1}).object
            assert pet is not None and pet.name == "Rex"


def test_a_fixed_query_of_a_path_is_sent(tmp_path: Path) -> None:
    fields = {"name": "fields", "in": "query", "explode": False, "schema": listed(TEXT)}
    paths = {
        "/pets": {"get": operation(ref("Pet"))},
        "/pets?beta=true": {"get": operation(ref("Pet"), parameters=[fields])},
    }
    one = imported(tmp_path, description(paths, {"Pet": PET}))
    assert restway.API.check(one.document) == []
    assert "responses" not in one.document
    assert one.document["routes"]["GET /pets?beta=true"]["response"] == {"entity": "Pet"}
    with restway.Client(restway.API.from_json(one.document)) as client:
        request = restway.Request.route("GET /pets?beta=true", variables={"fields": ["a", "b"]})
        assert client.inspect(request).url == "https://api.example.com/pets?beta=true&fields=a,b"


def test_references_where_the_standard_has_none_are_followed(tmp_path: Path) -> None:
    content = description({"/a": {"get": {"$ref": "#/components/x-get"}}})
    content["components"]["x-get"] = operation(
        {"type": "object", "properties": {"$ref": "#/components/x-properties"}}
    )
    content["components"]["x-properties"] = {"name": TEXT}
    one = imported(tmp_path, content)
    assert one.document["entities"]["GET /a"]["attributes"] == {"name": {"type": "string"}}


def test_a_fixed_query_tells_operations_apart(tmp_path: Path) -> None:
    cat = objects("id lives", id=NUMBER, lives=NUMBER)
    limit = {"name": "limit", "in": "query", "explode": False, "schema": listed(NUMBER)}
    paths = {
        "/pets?kind=cat": {"get": operation(ref("Cat"), operationId="cats")},
        "/pets": {"get": operation(ref("Pet"), operationId="pets", parameters=[limit])},
    }
    one = imported(tmp_path, description(paths, {"Pet": PET, "Cat": cat}))
    assert restway.API.check(one.document) == []
    routes = one.document["routes"]
    assert (routes["cats"]["path"], routes["pets"]["path"]) == ("pets?kind=cat", "pets{?limit}")
    assert (routes["cats"]["response"], routes["pets"]["response"]) == (
        {"entity": "Cat"}, {"entity": "Pet"},
    )  # fmt: skip
