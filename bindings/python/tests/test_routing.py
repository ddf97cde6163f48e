"""Several clients behind one face: each request goes to the client of its route."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from typing import Any

import pytest

import restway

from .test_async import run

ROUTES = {
    "issues": {"issues": {"path": "echo?issues"}, "changes": {"path": "echo?changes"}},
    "orders": {"orders": {"path": "echo?orders"}},
    "other": {"status": {"path": "status"}},
}


def client_of(kind: type[Any], which: str, url: str) -> Any:
    api = restway.API.from_json({"restway": 1, "routes": ROUTES[which]})
    return kind(api, base_url=url, user_agent=which)


@pytest.fixture
def clients(demo_url: str) -> Iterator[dict[str, restway.Client]]:
    made = {which: client_of(restway.Client, which, demo_url) for which in ROUTES}
    yield made
    for client in made.values():
        client.close()


@pytest.fixture
def routing(clients: dict[str, restway.Client]) -> restway.RoutingClient:
    issues = clients["issues"]
    return restway.RoutingClient(
        {"issues": issues, "changes": issues, "orders": clients["orders"]},
        default=clients["other"],
    )


def test_a_request_goes_to_the_client_of_its_route(routing: restway.RoutingClient) -> None:
    assert '"issues"' in routing.route("issues").text
    assert '"orders"' in routing.perform(restway.Request.route("orders"), timeout=30).text
    assert '"issues"' in routing.send(restway.Request.route("changes")).wait().text
    assert '"issues"' in routing.get("echo?page=2", route="issues").text


def test_other_requests_go_to_the_default_client(
    routing: restway.RoutingClient, clients: dict[str, restway.Client]
) -> None:
    assert routing.route("status").status == 200
    assert '"other"' in routing.get("echo").text
    assert '"other"' in routing.post("echo", json={"a": 1}).text
    assert routing.find(restway.Request.path("GET", "echo")) is clients["other"]
    assert routing.find(restway.Request.route("issues")) is clients["issues"]


def test_answers_are_streamed(routing: restway.RoutingClient) -> None:
    with routing.stream(restway.Request.route("orders")) as response:
        assert b'"orders"' in b"".join(response.iter_bytes())
    with pytest.raises(restway.RestwayError), routing.events("bad/status/404") as events:
        list(events)


def test_what_fits_no_client_is_named(clients: dict[str, restway.Client]) -> None:
    with restway.RoutingClient({"issues": clients["issues"]}) as routing:
        with pytest.raises(restway.UnknownRouteError, match=r'"isues".*did you mean "issues"'):
            routing.route("isues")
        with pytest.raises(restway.UnknownRouteError, match="names no route"):
            routing.get("echo")
    with pytest.raises(restway.UsageError, match="closed"):
        routing.route("issues")
    with pytest.raises(restway.UnknownRouteError, match="orders"):
        restway.RoutingClient({"orders": clients["issues"]})


def test_wrong_clients_are_refused(clients: dict[str, restway.Client]) -> None:
    kinds: list[Any] = [restway.RoutingClient, restway.AsyncRoutingClient]
    for kind in kinds:
        with pytest.raises(TypeError, match="Clients, not int"):
            kind({"issues": 7})
    with pytest.raises(TypeError, match="AsyncClients, not Client"):
        restway.AsyncRoutingClient({}, default=clients["other"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="str"):
        restway.RoutingClient({7: clients["issues"]})  # type: ignore[dict-item]


def test_it_keeps_its_clients_alive(demo_url: str) -> None:
    routing = restway.RoutingClient({}, default=client_of(restway.Client, "other", demo_url))
    assert routing.route("status").status == 200


def test_requests_are_routed_in_an_event_loop(demo_url: str) -> None:
    async def main() -> None:
        issues = client_of(restway.AsyncClient, "issues", demo_url)
        other = client_of(restway.AsyncClient, "other", demo_url)
        async with issues, other:
            routing = restway.AsyncRoutingClient({"issues": issues}, default=other)
            one, two = await asyncio.gather(routing.route("issues"), routing.get("echo"))
            assert '"issues"' in one.text
            assert '"other"' in two.text
            assert '"issues"' in (await routing.send(restway.Request.route("issues"))).text
            async with routing.stream(restway.Request.route("issues")) as response:
                assert b'"issues"' in b"".join([piece async for piece in response.iter_bytes()])
            with pytest.raises(restway.RestwayError):
                async with routing.events("bad/status/404") as events:
                    async for _ in events:
                        pass
            assert inspect.iscoroutinefunction(routing.get)
            alone = restway.AsyncRoutingClient({"issues": issues})
            with pytest.raises(restway.UnknownRouteError):
                await alone.get("echo")

    run(main())
