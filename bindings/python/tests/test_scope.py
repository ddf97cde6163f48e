"""URLs that are mapped as a route, and scopes that fill variables."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

import restway

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"here": {"baseURL": "http://127.0.0.1:1", "headers": {"X-Key": "secret"}}},
    "entities": {
        "Issue": {
            "identity": "id",
            "attributes": {
                "id": {"type": "int"}, "number": {"type": "int"}, "title": {"type": "string"},
            },
        }
    },
    "routes": {
        "issues": {
            "path": "repos/:owner/:repo/issues",
            "method": ["GET", "POST"],
            "response": {"entity": "Issue"},
        },
        "issue": {
            "path": "repos/:owner/:repo/issues/:number",
            "method": ["GET", "PATCH", "DELETE"],
            "entity": "Issue",
            "response": {"entity": "Issue"},
        },
    },
    "batch": {"path": "batch"},
}

ISSUES = [{"id": 70, "number": 7, "title": "a"}, {"id": 80, "number": 8, "title": "b"}]


@pytest.fixture
def server() -> Iterator[Peer]:
    with Peer() as server:
        server.respond(json.dumps(ISSUES).encode())
        yield server


@pytest.fixture
def client(server: Peer) -> Iterator[restway.Client]:
    with restway.Client(restway.API.from_json(DOCUMENT), base_url=server.url) as client:
        yield client


def asked(server: Peer) -> str:
    """Returns the method and the target of the last request."""
    return server.requests[-1].split(b" HTTP/")[0].decode()


def test_a_url_is_mapped_as_the_route_that_is_named(client: restway.Client, server: Peer) -> None:
    response = client.get(f"{server.url}/repositories/1/issues?page=2", route="issues")
    assert asked(server) == "GET /repositories/1/issues?page=2"
    assert [issue.title for issue in response.objects] == ["a", "b"]
    request = restway.Request.path("GET", "repositories/1/issues", route="issues")
    assert client.perform(request).objects[1].title == "b"


def test_another_origin_gets_no_header_of_the_environment(client: restway.Client) -> None:
    with Peer() as other:
        other.respond(json.dumps(ISSUES).encode())
        assert client.get(f"{other.url}/any", route="issues").objects[0].number == 7
        assert b"X-Key" not in other.requests[-1]
        with pytest.raises(restway.InvalidURLError):
            client.get(f"{other.url}/any")


def test_the_route_of_a_url_must_exist_and_have_the_method(client: restway.Client) -> None:
    with pytest.raises(restway.UnknownRouteError, match='"issues"'):
        client.get("http://127.0.0.1:1/x", route="issus")
    with pytest.raises(restway.MethodNotAllowedError):
        client.put("http://127.0.0.1:1/x", route="issues")
    with pytest.raises(restway.UsageError, match="already"):
        client.perform(restway.Request.route("issues", route="issue"))


def test_a_scope_fills_the_variables_that_have_no_value(
    client: restway.Client, server: Peer
) -> None:
    hello = client.scope(owner="octocat", repo="hello")
    assert hello.variables == {"owner": "octocat", "repo": "hello"}
    assert len(hello.route("issues").objects) == 2
    assert asked(server) == "GET /repos/octocat/hello/issues"
    hello.scope(number=3).route("issue")
    assert asked(server) == "GET /repos/octocat/hello/issues/3"
    hello.scope(number=3, repo="other").route("issue", variables={"number": 4})
    assert asked(server) == "GET /repos/octocat/other/issues/4"
    hello.get("users/:owner{?page}", variables={"page": 2})
    assert asked(server) == "GET /users/octocat?page=2"
    hello.get("status")
    assert asked(server) == "GET /status"
    with pytest.raises(restway.UsageError, match='"owner"'):
        hello.route("issues", variables={"ownr": "x"})
    with pytest.raises(restway.MissingVariableError, match="number"):
        hello.route("issue")


def test_a_scope_does_all_that_its_client_does(client: restway.Client, server: Peer) -> None:
    hello = client.scope(owner="octocat", repo="hello")
    request = restway.Request.route("issues", "POST", json={"title": "new"})
    hello.perform(request)
    assert asked(server) == "POST /repos/octocat/hello/issues"
    assert server.requests[-1].endswith(b'{"title": "new"}')
    hello.send(request).wait()
    assert asked(server) == "POST /repos/octocat/hello/issues"
    with pytest.raises(restway.MissingVariableError):
        client.perform(request)
    with hello.stream(restway.Request.route("issues")) as response:
        assert json.loads(b"".join(response.iter_bytes())) == ISSUES
    assert asked(server) == "GET /repos/octocat/hello/issues"
    batch = hello.batch()
    call = batch.route("issues")
    batch.cancel()
    with pytest.raises(restway.CancelledError):
        call.wait()
    assert "owner" in repr(hello)


def test_an_async_scope_does_all_that_its_client_does(server: Peer) -> None:
    async def run() -> None:
        async with restway.AsyncClient(
            restway.API.from_json(DOCUMENT), base_url=server.url
        ) as client:
            hello = client.scope(owner="octocat", repo="hello")
            assert len((await hello.route("issues")).objects) == 2
            assert asked(server) == "GET /repos/octocat/hello/issues"
            await hello.scope(number=3).route("issue", "DELETE")
            assert asked(server) == "DELETE /repos/octocat/hello/issues/3"
            await hello.send(restway.Request.route("issues"))
            async with hello.stream(restway.Request.route("issues")) as response:
                pieces = [piece async for piece in response.iter_bytes()]
            assert json.loads(b"".join(pieces)) == ISSUES
            future = hello.batch().route("issues")
            assert asyncio.iscoroutine(future) or isinstance(future, asyncio.Future)
            future.cancel()
            response_of_url = await client.get(f"{server.url}/x?page=2", route="issues")
            assert response_of_url.objects[0].title == "a"

    asyncio.run(run())
