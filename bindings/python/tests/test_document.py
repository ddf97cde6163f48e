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
    write(tmp_path / "more" / "a.json", {"routes": {"r": {"method": "GOT"}}, "include": "b.json"})
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
    assert login.endswith("\r\n\r\nuser=a%20b")
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
