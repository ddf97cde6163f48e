"""Checks that a client still works after a fault."""

from __future__ import annotations

import restway
from restway import Request

#: The number of requests, so that every connection that a fault may have left is used.
REQUESTS = 4


def check_health(client: restway.Client, origin: str | None = None) -> None:
    """Checks that good requests succeed, one after the other and at the same time, each with its
    own answer.
    """
    for number in range(REQUESTS):
        with client.perform(good(origin, f"n={number}"), timeout=10.0) as response:
            assert response.json() == {"method": "GET", "target": f"/good?n={number}", "bytes": 0}
    calls = [client.send(good(origin, f"m={number}")) for number in range(REQUESTS)]
    for number, call in enumerate(calls):
        with call.wait(10.0) as response:
            assert response.json() == {"method": "GET", "target": f"/good?m={number}", "bytes": 0}


def good(origin: str | None, query: str) -> Request:
    """Makes a request that is answered well, at the client's origin or at another."""
    name, _, value = query.partition("=")
    if origin is None:
        return Request.path("GET", "good", params={name: value})
    return Request.route("elsewhere", variables={"origin": origin}, params={name: value})
