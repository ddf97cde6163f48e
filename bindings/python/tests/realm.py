"""A realm of the demo API: a part with its own tokens."""

from __future__ import annotations

import itertools
import os
from typing import Any

import restway

_numbers = itertools.count(1)
ERRORS = {"code": "error.error_code", "message": "error.error_description"}


class Realm:
    """The paths of the realm, and the counters of the demo API for it."""

    def __init__(self, demo_url: str) -> None:
        self.name = f"python-{os.getpid()}-{next(_numbers)}"
        self.demo_url = demo_url
        self.me = f"auth/{self.name}/me"

    def api(self, **sections: Any) -> restway.API:
        sections.setdefault("auth", {"scheme": "bearer", "token": "dead"})
        return restway.API.from_json({"restway": 1, "errors": ERRORS, **sections})

    def client(self, **sections: Any) -> restway.Client:
        return restway.Client(self.api(**sections), base_url=self.demo_url, timeout=30.0)

    def token_request(self, query: str = "") -> restway.Request:
        """Makes a request for a token. It is marked so that it never waits for the refresh."""
        request = restway.Request.path(
            "POST",
            f"auth/{self.name}/token{query}",
            body="grant_type=client_credentials",
            media_type="application/x-www-form-urlencoded",
        )
        request.update(auth="none")
        return request

    def log(self) -> dict[str, int]:
        with self.client(auth={}) as client:
            counted: Any = client.get(f"auth/{self.name}/log").json()
            return dict(counted)


def token_of(response: restway.Response) -> str:
    body: Any = response.json()
    return str(body["access_token"])
