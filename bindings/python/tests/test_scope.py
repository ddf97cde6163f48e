"""URLs that are mapped as a route, and scopes that fill variables."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
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
            "request": {"entity": "Issue"},
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


def test_variables_of_templates_may_be_lists_and_mappings(
    client: restway.Client, server: Peer
) -> None:
    keys = {"semi": ";", "n": 7, "none": None}
    client.get("all{/list*}{?keys*,x}", variables={"list": ["a", "b"], "keys": keys, "x": True})
    assert asked(server) == "GET /all/a/b?semi=%3B&n=7&x=true"
    with pytest.raises(restway.UsageError, match="keys"):
        client.get("all{?keys*}", variables={"keys": {"a": {}}})


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


HELLO = {"owner": "octocat", "repo": "hello"}


def test_an_object_remembers_the_variables_of_its_route(
    client: restway.Client, server: Peer
) -> None:
    first, second = client.scope(**HELLO).route("issues").objects
    assert client.store.variables(first) == HELLO
    client.get(second)
    assert asked(server) == "GET /repos/octocat/hello/issues/8"
    draft = client.draft(first, title="new")
    client.patch(draft)
    assert asked(server) == "PATCH /repos/octocat/hello/issues/7"
    client.scope(owner="octocat", repo="moved").route("issues")
    assert client.store.variables(first) == {"owner": "octocat", "repo": "moved"}
    client.store.delete(first)
    assert client.store.variables(first) == {}
    assert client.store.variables(second) == {"owner": "octocat", "repo": "moved"}


def test_what_is_remembered_alone_is_no_change(client: restway.Client) -> None:
    client.scope(**HELLO).route("issues")
    told: list[restway.Changes] = []
    observer = client.observe(told.append)
    client.scope(owner="octocat", repo="moved").route("issues")
    client.send(restway.Request.path("GET", "other")).wait()
    observer.close()
    assert told == []


def test_a_request_by_path_and_a_url_with_variables_are_remembered_too(
    client: restway.Client, server: Peer
) -> None:
    issue = client.get("repos/octocat/caf%C3%A9/issues").objects[0]
    assert client.store.variables(issue) == {"owner": "octocat", "repo": "café"}
    client.get(f"{server.url}/repositories/1?page=2", route="issues", variables=HELLO)
    assert client.store.variables(issue) == HELLO
    client.get(f"{server.url}/repositories/1?page=3", route="issues")
    assert client.store.variables(issue) == HELLO


def test_what_is_remembered_stays_in_the_file_of_the_store(server: Peer, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    api = restway.API.from_json(DOCUMENT)
    with restway.Client(api, base_url=server.url, store_path=path) as client:
        client.scope(**HELLO).route("issues")
    with restway.Client(
        restway.API.from_json(DOCUMENT), base_url=server.url, store_path=path
    ) as client:
        issue = client.store.find("Issue", 70)
        assert issue is not None
        assert client.store.variables(issue) == HELLO
        client.delete(issue)
        assert asked(server) == "DELETE /repos/octocat/hello/issues/7"
        with closing(sqlite3.connect(path)) as file:
            assert file.execute("SELECT text, objects FROM restway_variables").fetchall() == [
                ("owner=octocat&repo=hello", 1)
            ]
        client.store.clear()
        with closing(sqlite3.connect(path)) as file:
            assert file.execute("SELECT count(*) FROM restway_variables").fetchone() == (0,)


def test_a_request_that_the_outbox_keeps_lets_its_object_remember(
    server: Peer, tmp_path: Path
) -> None:
    issue_route = {**DOCUMENT["routes"]["issue"], "offline": True}
    document = {**DOCUMENT, "routes": {**DOCUMENT["routes"], "issue": issue_route}}
    with restway.Client(
        restway.API.from_json(document), base_url=server.url, outbox_path=tmp_path / "outbox.db"
    ) as client:
        issue = client.scope(**HELLO).route("issues").objects[0]
        client.set_reachability(restway.Reachability.UNREACHABLE)
        with pytest.raises(restway.QueuedError):
            client.patch(client.draft(issue, title="later"))
        (item,) = client.outbox.items()
        assert item.path.endswith("repos/octocat/hello/issues/7")
