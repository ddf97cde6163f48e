"""API documents: variables of the environment, included files, and what a program can list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import restway

from .peer import Peer


def write(path: Path, document: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"restway": 1, **document}))
    return path


def test_a_document_names_variables_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    document = {
        "restway": 1,
        "environments": {
            "e": {
                "protocol": "http",
                "host": "127.0.0.1",
                "port": "${PEER_PORT}",
                "headers": {"X-Literal": "$${PEER_PORT}"},
            }
        },
        "auth": {"scheme": "bearer", "token": "${PEER_TOKEN}"},
    }
    monkeypatch.setenv("PEER_TOKEN", "s3cret")
    (problem,) = restway.API.check(document)
    assert problem == (
        "$.environments.e.port",
        'the environment variable "PEER_PORT" is not set',
    )
    with Peer() as peer:
        peer.respond(b"{}")
        monkeypatch.setenv("PEER_PORT", peer.url.rpartition(":")[2])
        with restway.Client(restway.API.from_json(document)) as client:
            client.get("x")
    request = peer.requests[0].decode()
    assert "Authorization: Bearer s3cret\r\n" in request
    assert "X-Literal: ${PEER_PORT}\r\n" in request
    monkeypatch.setenv("PEER_PORT", "s3cret")
    (problem,) = restway.API.check(document)
    assert "s3cret" not in problem.message
    assert "${PEER_PORT}" in problem.message


def test_files_are_joined(tmp_path: Path) -> None:
    entity = {"Note": {"identity": "id", "attributes": {"id": {"type": "int"}}}}
    write(tmp_path / "shared" / "entities.json", {"entities": entity})
    write(
        tmp_path / "shared" / "routes.json",
        {
            "include": "entities.json",
            "routes": {"note": {"path": "notes/:id", "response": {"entity": "Note"}, "x-a": [1]}},
        },
    )
    api = restway.API.load(write(tmp_path / "api.json", {"include": "shared/routes.json"}))
    assert api.route_property("note", "x-a") == [1]
    with Peer() as peer, restway.Client(api, base_url=peer.url) as client:
        peer.respond(b'{"id": 7}')
        assert client.route("note", variables={"id": 7}).objects[0]["id"] == 7


def test_problems_of_included_files_name_file_and_place(tmp_path: Path) -> None:
    write(tmp_path / "more" / "a.json", {"routes": {"r": {"method": "G T"}}, "include": "b.json"})
    write(tmp_path / "more" / "b.json", {"include": ["../api.json", "none.json"]})
    with pytest.raises(restway.ConfigError) as caught:
        restway.API.load(write(tmp_path / "api.json", {"include": "more/a.json"}))
    assert {problem.path for problem in caught.value.details} == {
        "more/b.json: $.include[0]",
        "more/b.json: $.include[1]",
        "more/a.json: $.routes.r.method",
        "more/a.json: $.routes.r",
    }
    chain = "api.json -> more/a.json -> more/b.json -> api.json"
    assert any(chain in problem.message for problem in caught.value.details)


def configuration(url: str) -> dict[str, Any]:
    host, port = url.removeprefix("http://").split(":")
    return {
        "App_webservice_protocol": "http",
        "App_webservice_host": host,
        "App_webservice_port": int(port),
        "App_webservice_token": "t0ken",
        "App_webservice_appId": "com.example.app",
        "webservice": {
            "api": {
                "login": {
                    "method": "POST",
                    "path": "user/login",
                    "serializationName": "URL",
                    "requestHeaders": {"X-Mine": "1"},
                    "preventUserInteraction": True,
                    "dataMapper": "RestKitWebApiDataMapper",
                },
                "absolute": {"path": url + "/elsewhere/:id"},
            },
            "other": 7,
        },
        "anything": {"else": []},
    }


def test_a_configuration_of_webapiclient_is_read_as_it_is() -> None:
    with Peer() as peer:
        peer.respond(b"{}")
        api = restway.API.from_json(configuration(peer.url))
        assert api.route_property("login", "preventUserInteraction") is True
        assert api.route_property("login", "dataMapper") == "RestKitWebApiDataMapper"
        with restway.Client(api) as client:
            client.route("login", params={"user": "a b"})
            client.route("absolute", variables={"id": 5})
        renamed = configuration(peer.url) | {
            "App_webservice_tokenHeader": "X-App-API-Key",
            "App_webservice_appIdHeader": "X-Application",
        }
        with restway.Client(restway.API.from_json(renamed)) as client:
            client.get("x")
    login, absolute, other = (request.decode() for request in peer.requests)
    assert login.startswith("POST /user/login HTTP/1.1\r\n")
    assert "X-Api-Key: t0ken\r\nX-App-ID: com.example.app\r\n" in login
    assert "X-Mine: 1\r\n" in login
    assert login.endswith("\r\n\r\nuser=a+b")
    assert absolute.startswith("GET /elsewhere/5 HTTP/1.1\r\n")
    assert "X-App-API-Key: t0ken\r\nX-Application: com.example.app\r\n" in other


def test_problems_of_a_configuration_of_webapiclient_have_places() -> None:
    wrong = {
        "App_webservice_host": "a b",
        "App_webservice_token": "a\nb",
        "App_webservice_appId": "a",
        "App_webservice_appIdHeader": "a b",
        "webservice": {"api": {"a": {}, "b": {"path": "x", "gzip": 1}, "c": 7}},
    }
    assert {problem.path for problem in restway.API.check(wrong)} == {
        "$",
        "$.App_webservice_token",
        "$.App_webservice_appId",
        "$.webservice.api.a",
        "$.webservice.api.b.gzip",
        "$.webservice.api.c",
    }
    with pytest.raises(restway.ConfigError):
        restway.API.from_json('{"webservice": {"api": {"a": {"path": "x"},}}}')


def test_mistakes_of_a_document_are_found_early() -> None:
    entities = {"Note": {"attributes": {"id": "int", "date": "date", "json": ["int"]}}}
    routes = {"a": {"path": "{+path}"}, "b": {"path": "{/all*}", "catchAll": True}}
    problems = restway.API.check({"restway": 1, "entities": entities, "routes": routes})
    assert dict(problems) == {
        "$.entities.Note.attributes.id": '"int" is the name of a type: write {"type": "int"}, '
        'or ["int"] for the key "int"',
        "$.routes.a": "the path would match every path; "
        'if it should, write "catchAll": true',
    }


NOTES: dict[str, Any] = {
    "restway": 1,
    "entities": {
        "Note": {"identity": "id", "attributes": {"id": {"source": "key.id"}, "text": "text"}}
    },
    "routes": {
        "notes": {"path": "notes", "response": {"entity": "Note", "keyPath": "list"}},
        "note": {"path": "notes/:noteID", "response": {"entity": "Note"}},
    },
}


def test_an_identity_that_is_missing_everywhere_is_an_issue() -> None:
    api = restway.API.from_json(NOTES)
    with Peer() as peer, restway.Client(api, base_url=peer.url) as client:
        peer.respond(b'{"list": [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]}')
        response = client.route("notes")
        assert response.issues == [("list.key.id", "no object of Note has its identity")]
        peer.respond(b'{"list": [{"text": "a"}, {"key": {"id": 2}}]}')
        assert len(client.route("notes").issues) == 0
        peer.respond(b'{"list": []}')
        assert len(client.route("notes").issues) == 0


def test_unknown_variables_are_errors_with_a_suggestion() -> None:
    api = restway.API.from_json(NOTES)
    with restway.Client(api, base_url="http://127.0.0.1:9") as client:
        with pytest.raises(restway.UsageError, match='did you mean "noteID"') as caught:
            client.route("note", variables={"noteId": 1})
        assert caught.value.field == "noteId"
        with pytest.raises(restway.UsageError, match='has no variable "page"'):
            client.get("notes/:id", variables={"id": 1, "page": 2})
        with pytest.raises(restway.UsageError, match='the path has no variable "id"'):
            client.get("notes", variables={"id": 1})


def test_a_document_lists_what_it_has() -> None:
    api = restway.API.from_json({
        "restway": 1,
        "environments": {"b": {"host": "b.test"}, "a": {"host": "a.test"}},
        "entities": {"Note": {"attributes": {"text": "text"}}},
        "routes": {"note": {"path": "notes/:id", "entity": "Note"}, "status": {"path": "status"}},
    })
    assert api.names("environments") == ["b", "a"]
    assert api.names("entities") == ["Note"]
    assert api.names("routes") == ["note", "status"]
    assert api.routes_of("Note") == ["note"]
    assert api.routes_of("Nothing") == []
    api.add_route("more", {"path": "more", "entity": "Note"})
    assert api.names("routes") == ["note", "status", "more"]
    assert api.routes_of("Note") == ["note", "more"]


def test_the_loaded_document_is_given_as_json(tmp_path: Path) -> None:
    note = {"attributes": {"text": "text"}}
    write(
        tmp_path / "more.json",
        {"entities": {"Note": note}, "responses": [{"entity": "Note"}], "x-more": {"a/b": [1, 2]}},
    )
    document = {
        "headers": {"X-Api-Key": "s3cret", "X-Other": "1"},
        "auth": {"scheme": "basic", "user": "me", "password": "s3cret"},
        "x-team": "core",
    }
    api = restway.API.load(write(tmp_path / "api.json", {**document, "include": "more.json"}))
    api.add_route("note", {"path": "notes/:id", "x-a": 1})
    api.add_attribute("Note", "title", type="string")
    api.add_response({"entity": "Note", "path": "other"})
    loaded: Any = api.json()
    assert loaded == {
        "restway": 1,
        "headers": {"X-Api-Key": "[redacted]", "X-Other": "1"},
        "auth": {"scheme": "basic", "user": "me", "password": "[redacted]"},
        "x-team": "core",
        "x-more": {"a/b": [1, 2]},
        "entities": {"Note": {"attributes": {"text": "text", "title": {"type": "string"}}}},
        "responses": [{"entity": "Note"}, {"entity": "Note", "path": "other"}],
        "routes": {"note": {"path": "notes/:id", "x-a": 1}},
    }
    assert restway.API.check(loaded) == []
    assert api.json("/x-more/a~1b/1") == 2
    assert api.json("/x-none") is None
    with pytest.raises(restway.UsageError):
        api.json("x-team")


@pytest.mark.parametrize(
    ("forms", "query"),
    [
        ({}, "a=1&a=3&b=2"),
        ({"lists": "brackets"}, "a%5B%5D=1&a%5B%5D=3&b=2"),
        ({"lists": "indices"}, "a%5B0%5D=1&a%5B1%5D=3&b=2"),
    ],
)
def test_a_parameter_may_have_several_values(forms: dict[str, str], query: str) -> None:
    api = restway.API.from_json({"restway": 1, "forms": forms})
    with Peer() as peer, restway.Client(api, base_url=peer.url) as client:
        peer.respond(b"{}")
        client.get("x", params=[("a", 1), ("b", 2), ("a", 3)])
        client.post("x", params=[("a", 1), ("b", 2), ("a", "c")])
        client.post("x", params=[("a", 1), ("a", 2), ("b", 3)], serialization="url")
        request = restway.Request.path("GET", "x", params={"a": 0})
        request.update(params=[("a", 1), ("a", 2)])
        client.perform(request)
    get, post, form, updated = (request.decode() for request in peer.requests)
    assert get.startswith(f"GET /x?{query} HTTP/1.1")
    assert post.endswith('{"a":[1,"c"],"b":2}')
    assert form.rpartition("\r\n\r\n")[2].count("&") == 2
    assert updated.count("=1&") == 1
    assert "=0" not in updated.partition("\r\n")[0]
