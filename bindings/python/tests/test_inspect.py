"""Requests that are read before and after they are sent, classes of statuses, and URLs."""

from __future__ import annotations

import asyncio
import copy
import pickle

import pytest

import restway
from restway import StatusClass

from .conftest import DOCUMENT, MakeClient
from .test_async import run


def test_a_request_is_inspected_before_it_is_sent(client: restway.Client) -> None:
    request = restway.Request.path(
        "POST",
        "echo",
        json={"password": "hidden", "a": 1},
        headers={"Authorization": "Bearer hidden", "X-Colour": "green"},
    )
    sent = client.inspect(request)
    assert sent.method == "POST"
    assert sent.url.endswith("/v2/echo")
    assert sent.route is None
    assert sent.headers["authorization"] == "Bearer hidden"
    assert sent.headers["Content-Type"] == "application/json"
    assert sent.body == b'{"password": "hidden", "a": 1}'
    assert str(sent).startswith(f"POST {sent.url}\n")
    assert "X-Colour: green" in str(sent)
    assert "hidden" not in str(sent) + repr(sent)
    assert repr(sent) == f"<OutgoingRequest POST {sent.url}>"
    with pytest.raises(TypeError, match="OutgoingRequest"):
        copy.copy(sent)
    with pytest.raises(TypeError, match="inspect"):
        restway.OutgoingRequest(None)  # type: ignore[arg-type]


def test_a_request_that_cannot_be_made_cannot_be_inspected(client: restway.Client) -> None:
    with pytest.raises(restway.UnknownRouteError):
        client.inspect(restway.Request.route("nowhere"))
    with pytest.raises(restway.MissingVariableError):
        client.inspect(restway.Request.path("GET", "enterprises/:itemID"))


def test_objects_have_urls_and_drafts_have_json(client: restway.Client) -> None:
    enterprise = client.get("enterprises/3").object
    assert enterprise is not None
    assert client.url(enterprise).endswith("/v2/enterprises/3")
    assert client.url(enterprise, "PUT") == client.url(enterprise)
    draft = client.draft(enterprise, name="Café")
    encoded = client.encode(draft, "PUT")
    assert isinstance(encoded, dict)
    assert encoded["name"] == "Café"
    assert client.inspect(restway.Request.draft("PUT", draft)).route is not None
    assert client.encode(enterprise, "DELETE") is None
    with pytest.raises(restway.RouteError):
        client.url(enterprise, "TRACE")


def test_a_response_holds_its_request(client: restway.Client) -> None:
    response = client.get("redirect/2", headers={"X-Colour": "green"})
    assert response.status_class is StatusClass.SUCCESS
    request = response.request
    assert request is not None
    assert request.url == response.url
    assert request.headers["X-Colour"] == "green"
    assert request.body is None
    by_route = client.route("enterprises").request
    assert by_route is not None
    assert by_route.route == "enterprises"


def test_an_error_holds_its_request(make_client: MakeClient) -> None:
    client = make_client()
    with pytest.raises(restway.HTTPStatusError) as refused:
        client.post("bad/status/422", json={"a": 1})
    error = refused.value
    assert error.request is not None
    assert error.request.body == b'{"a": 1}'
    assert error.response is not None
    assert error.response.status_class is StatusClass.CLIENT_ERROR
    assert error.response.request is not None
    assert error.response.request.method == "POST"
    assert pickle.loads(pickle.dumps(error)).request is None
    with pytest.raises(restway.ConnectError) as unreachable:
        make_client(base_url="http://127.0.0.1:1").get("status")
    assert unreachable.value.request is not None
    assert unreachable.value.request.url == "http://127.0.0.1:1/status"
    with pytest.raises(restway.UnknownRouteError) as unknown:
        client.route("nowhere")
    assert unknown.value.request is None


def test_asyncio_has_the_same(demo_url: str) -> None:
    async def main() -> None:
        api = restway.API.load(DOCUMENT)
        async with restway.AsyncClient(api, base_url=demo_url) as client:
            request = restway.Request.path("GET", "status")
            assert client.inspect(request).url == f"{demo_url}/status"
            response, missing = await asyncio.gather(
                client.perform(request), client.get("bad/status/404"), return_exceptions=True
            )
            assert isinstance(response, restway.Response)
            assert response.request is not None
            assert response.request.url == f"{demo_url}/status"
            assert isinstance(missing, restway.HTTPStatusError)
            assert missing.request is not None
            assert missing.request.url == f"{demo_url}/bad/status/404"

    run(main())


def test_statuses_have_classes() -> None:
    classes = [restway.status_class(status) for status in (0, 100, 204, 304, 404, 503, 999)]
    assert classes == [
        StatusClass.NONE,
        StatusClass.INFORMATIONAL,
        StatusClass.SUCCESS,
        StatusClass.REDIRECTION,
        StatusClass.CLIENT_ERROR,
        StatusClass.SERVER_ERROR,
        StatusClass.NONE,
    ]
    with pytest.raises(OverflowError):
        restway.status_class(2**31)


def test_urls_are_split_and_queries_built() -> None:
    pairs = (("sort", "name"), ("tag", "a b"), ("tag", "c&d=é+"), ("empty", ""))
    query = restway.build_query(pairs)
    assert query == "sort=name&tag=a%20b&tag=c%26d%3D%C3%A9%2B&empty="
    url = restway.split_url(f"HTTPS://API.example.com/a%2Fb?{query}#top%21")
    assert url == ("https", "api.example.com", 443, "/a%2Fb", pairs, "top!")
    assert restway.split_url("http://[::1]:8080/").fragment is None
    assert restway.build_query({"a": "1"}) == "a=1"
    assert restway.build_query([]) == ""
    assert len(restway.build_query([("a", "x" * 10_000)])) == 10_002
    with pytest.raises(restway.InvalidURLError):
        restway.split_url("enterprises/12")
    with pytest.raises(TypeError):
        restway.build_query([("a", 1)])  # type: ignore[list-item]
