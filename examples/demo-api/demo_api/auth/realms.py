"""Tokens over HTTP: a token endpoint (RFC 6749), and routes that need a token."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qsl

from ..errors import ApiError, Code, invalid_parameter
from ..message import Request, Response
from ..parameters import integer
from ..routing import ANY, Route
from .realm import Realm

REALMS_MAX = 10_000
SECONDS_MAX = 86_400
SLOW_MILLISECONDS_MAX = 60_000


class Realms:
    """All realms; a realm is made when its name is first used."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._realms: dict[str, Realm] = {}

    def routes(self) -> list[Route]:
        return [
            Route("POST", "auth/:realm/token", self.token),
            Route("POST", "auth/:realm/expire", self.expire),
            Route("GET", "auth/:realm/log", self.log),
            Route(ANY, "auth/:realm/me", self.me),
            Route(ANY, "auth/:realm/me/*", self.me),
        ]

    def token(self, request: Request) -> Response:
        """Grants `client_credentials` and `refresh_token`; `seconds` is the lifetime of a token.

        `mode` is `slow` (answers after `ms`), `refused`, `broken` (503) or `rotating` (a refresh
        token is good once).
        """
        mode = request.parameter("mode") or ""
        seconds = integer(request, "seconds", 3_600, 0, SECONDS_MAX)
        with self._refreshing(request):
            if mode == "slow":
                time.sleep(integer(request, "ms", 200, 0, SLOW_MILLISECONDS_MAX) / 1_000)
            if mode == "refused":
                return _refusal("invalid_grant", "the grant has been revoked")
            if mode == "broken":
                raise ApiError(Code.FLAKY, "the token endpoint is down")
            form = dict(parse_qsl(request.plain_body().decode(errors="replace")))
            with self._realm(request) as realm:
                grant = form.get("grant_type")
                if grant == "refresh_token" and form.get("refresh_token") != realm.refresh_token:
                    return _refusal("invalid_grant", "the refresh token is unknown or used up")
                if grant not in ("refresh_token", "client_credentials"):
                    return _refusal("unsupported_grant_type", "see RFC 6749, section 5.2")
                access, refresh = realm.issue(time.monotonic(), seconds, mode == "rotating")
        answer: dict[str, object] = {
            "access_token": access,
            "token_type": "Bearer",
            "expires_in": seconds,
        }
        if refresh is not None:
            answer["refresh_token"] = refresh
        response = Response.json(answer)
        response.headers.append(("Cache-Control", "no-store"))
        return response

    def expire(self, request: Request) -> Response:
        """Makes all tokens of the realm invalid."""
        with self._realm(request) as realm:
            realm.expire()
            return Response.json(realm.log())

    def log(self, request: Request) -> Response:
        """Returns how many tokens were issued, and how many requests were accepted and refused."""
        with self._realm(request) as realm:
            return Response.json(realm.log())

    def me(self, request: Request) -> Response:
        """Needs a token. With `style=code` it refuses with 400 and code 40004 in place of 401."""
        authorization = request.header("authorization") or ""
        scheme, _, token = authorization.partition(" ")
        is_bearer = scheme.lower() == "bearer"
        with self._realm(request) as realm:
            if realm.accepts(token if is_bearer else None, time.monotonic()):
                return Response.json({"realm": realm.name, "token": token})
        if request.parameter("style") == "code":
            raise ApiError(Code.EXPIRED, "the token has expired")
        challenge = 'Bearer realm="demo", error="invalid_token"'
        raise ApiError(
            Code.UNAUTHORIZED, "a valid token is needed", [("WWW-Authenticate", challenge)]
        )

    @contextmanager
    def _realm(self, request: Request) -> Iterator[Realm]:
        """Locks the realm of a request for this thread."""
        name = request.variables["realm"]
        with self._lock:
            if name not in self._realms and len(self._realms) >= REALMS_MAX:
                raise invalid_parameter("realm", "there are too many realms")
            yield self._realms.setdefault(name, Realm(name))

    @contextmanager
    def _refreshing(self, request: Request) -> Iterator[None]:
        """Counts how many token requests of the realm are in flight at the same time."""
        with self._realm(request) as realm:
            realm.refreshing += 1
            realm.refreshing_max = max(realm.refreshing_max, realm.refreshing)
        try:
            yield
        finally:
            with self._realm(request) as realm:
                realm.refreshing -= 1


def _refusal(code: str, description: str) -> Response:
    """Returns an error in the form of RFC 6749, section 5.2."""
    return Response.json({"error": code, "error_description": description}, 400)
