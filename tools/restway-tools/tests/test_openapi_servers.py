"""The importer of OpenAPI descriptions: servers, which become environments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import restway
from openapi_files import description, imported, notes, operation
from restway_tools.openapi import Imported

MAIN = {"url": "https://api.example.com/v1"}
FILES = {"url": "https://files.example.com/up/"}


def served(folder: Path, *servers: Any, **paths: Any) -> Imported:
    """Imports a description with servers, and with servers of single paths by the paths' names."""
    items = {
        f"/{name}": {"get": operation(operationId=name), **({"servers": own} if own else {})}
        for name, own in paths.items()
    }
    one = imported(folder, description(items, servers=list(servers)))
    assert restway.API.check(one.document) == []
    return one


def urls(one: Imported) -> dict[str, str]:
    """Returns the base URLs of the environments."""
    environments = one.document.get("environments", {})
    return {name: environment["baseURL"] for name, environment in environments.items()}


def called(one: Imported, route: str, **options: Any) -> str:
    """Returns the URL to which a route goes."""
    with restway.Client(restway.API.from_json(one.document), **options) as client:
        return client.inspect(restway.Request.route(route)).url


def test_servers_are_environments_with_the_values_of_their_variables(tmp_path: Path) -> None:
    server = {
        "url": "https://{region}.example.com/{version}",
        "description": "Main",
        "variables": {
            "region": {"enum": ["eu", "us"], "default": "us"}, "version": {"default": "v2"},
        },
    }  # fmt: skip
    one = served(tmp_path, server, {"url": "http://localhost:8080/"}, MAIN, MAIN, a=None)
    assert urls(one) == {
        "Main us": "https://us.example.com/v2",
        "Main eu": "https://eu.example.com/v2",
        "server 3": "http://localhost:8080",
        "server 4": "https://api.example.com/v1",
    }
    assert one.document["environment"] == "Main us"
    assert one.document["environments"]["Main eu"]["x-variables"] == {
        "region": "eu", "version": "v2",
    }  # fmt: skip


@pytest.mark.parametrize(
    "server",
    [
        {"url": "/v1"}, {"url": ""}, {}, {"url": "ftp://a.example.com"}, {"url": "https://"},
        {"url": "https://user:password@a.example.com"}, {"url": "https://a.example.com:port"},
        {"url": "https://a.example.com/{missing"}, {"url": "https://{host}"},
        {"url": "https://{host}", "variables": {"host": {"default": "{your-host}"}}},
        {"url": "https://{host}/a b", "variables": {"host": {"default": "a.example.com"}}},
        {"url": "https://a.example.com:99999"},
    ],
)  # fmt: skip
def test_a_server_that_is_no_base_url_is_left_out_alone(tmp_path: Path, server: Any) -> None:
    one = served(tmp_path, server, MAIN, a=None, b=[server])
    assert urls(one) == {next(iter(urls(one))): "https://api.example.com/v1"}
    assert ("left out", "#/servers/0") in notes(one)
    for name in ("a", "b"):
        assert called(one, name) == f"https://api.example.com/v1/{name}"


def test_without_a_usable_server_there_is_no_base_url(tmp_path: Path) -> None:
    for servers in ((), ({"url": "/v1"},), ({"url": "https://{host}"},)):
        one = served(tmp_path, *servers, a=None)
        assert "environments" not in one.document
        assert ("bent", "#") in notes(one)
        with pytest.raises(restway.UnknownEnvironmentError):
            called(one, "a")
        assert called(one, "a", base_url="http://127.0.0.1:9/v1") == "http://127.0.0.1:9/v1/a"


def test_a_path_that_repeats_a_server_of_the_api_is_relative(tmp_path: Path) -> None:
    other = {"url": "https://eu.example.com"}
    filled = {"url": "https://{host}/v1", "variables": {"host": {"default": "api.example.com"}}}
    one = served(tmp_path, MAIN, other, a=[MAIN], b=[other], c=[filled], d=[FILES, MAIN])
    assert list(urls(one).values()) == ["https://api.example.com/v1", "https://eu.example.com"]
    for name in "abcd":
        assert called(one, name) == f"https://api.example.com/v1/{name}"
        assert called(one, name, base_url="http://127.0.0.1:9/mock") == (
            f"http://127.0.0.1:9/mock/{name}"
        )


def test_another_server_of_a_path_is_an_environment(tmp_path: Path) -> None:
    one = served(tmp_path, MAIN, a=None, b=[FILES], c=[FILES])
    assert urls(one) == {
        "default": "https://api.example.com/v1",
        "files.example.com": "https://files.example.com/up",
    }
    assert one.document["environment"] == "default"
    assert one.document["routes"]["b"]["x-environment"] == "files.example.com"
    assert ("bent", "#/paths/~1b/get") in notes(one)
    assert called(one, "b", environment="files.example.com") == "https://files.example.com/up/b"
    assert called(one, "b", base_url="http://127.0.0.1:9/mock") == "http://127.0.0.1:9/mock/b"


def test_servers_of_paths_alone_are_the_environments(tmp_path: Path) -> None:
    one = served(tmp_path, a=[FILES], b=[MAIN], c=[MAIN])
    assert list(urls(one).values()) == [
        "https://api.example.com/v1", "https://files.example.com/up",
    ]  # fmt: skip
    assert called(one, "b") == "https://api.example.com/v1/b"
    assert "x-environment" not in one.document["routes"]["b"]
    assert one.document["routes"]["a"]["x-environment"] == "files.example.com"
