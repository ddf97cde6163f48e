"""Calls that fail at once while the program says that the server cannot be reached."""

from __future__ import annotations

import pytest

import restway
from restway import Reachability

from .conftest import DOCUMENT, MakeClient
from .test_async import run


def test_a_call_fails_while_the_server_is_unreachable(make_client: MakeClient) -> None:
    client = make_client(fail_unreachable=True)
    client.set_reachability(Reachability.UNREACHABLE)
    with pytest.raises(restway.ConnectError, match="cannot be reached") as failed:
        client.get("status")
    assert failed.value.retryable
    assert failed.value.request is not None
    client.set_reachability(Reachability.UNKNOWN)
    assert client.get("status").status == 200
    tried = make_client()
    tried.set_reachability(Reachability.UNREACHABLE)
    assert tried.get("status").status == 200


def test_the_cache_answers_while_the_server_is_unreachable(make_client: MakeClient) -> None:
    client = make_client(fail_unreachable=True, cache=True)
    client.perform(restway.Request.path("GET", "status", cache_ttl=60))
    client.set_reachability(Reachability.UNREACHABLE)
    assert client.perform(restway.Request.path("GET", "status", cache_ttl=60)).status == 200
    with pytest.raises(restway.ConnectError):
        client.get("enterprises")


def test_asyncio_fails_at_once_too(demo_url: str) -> None:
    async def main() -> None:
        api = restway.API.load(DOCUMENT)
        async with restway.AsyncClient(api, base_url=demo_url, fail_unreachable=True) as client:
            client.set_reachability(Reachability.UNREACHABLE)
            with pytest.raises(restway.ConnectError):
                await client.get("status")

    run(main())
