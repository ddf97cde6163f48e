"""Default headers of a client, and the languages of its answers."""

from __future__ import annotations

from typing import Any

import pytest

import restway

from .conftest import DOCUMENT, MakeClient
from .test_async import run


def received(response: restway.Response) -> dict[str, Any]:
    echo: Any = response.json()
    return {name.lower(): value for name, value in echo["headers"].items()}


def test_default_headers_are_a_mapping(client: restway.Client) -> None:
    client.headers["X-Tenant"] = "a"
    client.headers.update({"X-Other": "b", "x-tenant": "c"})
    assert dict(client.headers) == {"x-tenant": "c", "X-Other": "b"}
    assert client.headers["X-TENANT"] == "c"
    assert "X-Tenant" in client.headers
    assert len(client.headers) == 2
    assert "c" not in repr(client.headers).replace("x-tenant", "")
    assert received(client.get("echo"))["x-tenant"] == "c"
    assert received(client.get("echo", headers={"X-Tenant": "d"}))["x-tenant"] == "d"
    assert "x-tenant" not in received(client.get("echo", headers={"X-Tenant": None}))
    del client.headers["X-Tenant"]
    assert "x-tenant" not in received(client.get("echo"))
    with pytest.raises(KeyError):
        del client.headers["X-Tenant"]
    with pytest.raises(KeyError):
        client.headers["X-Tenant"]
    with pytest.raises(restway.UsageError):
        client.headers["a b"] = "c"
    with pytest.raises(restway.UsageError):
        client.headers["A"] = "b\nc"
    client.headers = {"X-New": "e", "X-Newer": "f"}
    assert dict(client.headers) == {"X-New": "e", "X-Newer": "f"}
    client.close()
    with pytest.raises(restway.ClosedError):
        client.headers["X-Tenant"] = "a"


def test_a_request_keeps_the_headers_of_its_start(make_client: MakeClient) -> None:
    clock = restway.Clock()
    client = make_client(clock=clock)
    client.set_retry({"attempts": 2})
    client.headers["X-Tenant"] = "a"
    call = client.send(restway.Request.path("GET", "bad/status/503"))
    client.headers["X-Tenant"] = "b"
    while clock.next is None:
        assert not call.done
    clock.advance(clock.next)
    with pytest.raises(restway.HTTPStatusError) as failed:
        call.wait()
    assert len(failed.value.attempts) == 2
    assert failed.value.request is not None
    assert failed.value.request.headers["X-Tenant"] == "a"


def test_languages_become_accept_language(make_client: MakeClient) -> None:
    client = make_client(languages=["de-CH", "de", "en"])
    assert client.headers["Accept-Language"] == "de-CH, de;q=0.9, en;q=0.8"
    assert received(client.get("echo"))["accept-language"] == "de-CH, de;q=0.9, en;q=0.8"
    with pytest.raises(restway.UsageError, match="de_CH") as refused:
        make_client(languages=["de_CH"])
    assert refused.value.field == "options.languages[0]"
    with pytest.raises(restway.UsageError):
        make_client(languages=["a"] * 11)


def test_asyncio_has_default_headers(demo_url: str) -> None:
    async def main() -> None:
        api = restway.API.load(DOCUMENT)
        async with restway.AsyncClient(api, base_url=demo_url, languages=["it"]) as client:
            client.headers["X-Tenant"] = "a"
            headers = received(await client.get("echo"))
            assert (headers["x-tenant"], headers["accept-language"]) == ("a", "it")

    run(main())
