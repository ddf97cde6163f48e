"""Tokens, passwords and servers with failures, over HTTP."""

from __future__ import annotations

import base64
import hashlib
import itertools
import urllib.request
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from urllib.parse import urlencode

from demo_client import Answer, Client

_names = itertools.count()


def grant(client: Client, realm: str, query: str = "", **fields: str) -> Answer:
    form = urlencode(fields).encode()
    media_type = "application/x-www-form-urlencoded"
    return client.send("POST", f"auth/{realm}/token{query}", form, Content_Type=media_type)


def fresh() -> str:
    return f"realm{next(_names)}"


def me(client: Client, realm: str, token: str) -> Answer:
    return client.get(f"auth/{realm}/me", Authorization=f"Bearer {token}")


def test_a_token_opens_until_it_expires(client: Client) -> None:
    realm = fresh()
    assert client.get(f"auth/{realm}/me").error_code == 40100
    token = grant(client, realm, grant_type="client_credentials").json["access_token"]
    assert me(client, realm, token).json == {"realm": realm, "token": token}
    assert me(client, fresh(), token).status == 401, "of another realm"
    client.send("POST", f"auth/{realm}/expire")
    refused = me(client, realm, token)
    assert refused.status == 401
    assert "invalid_token" in refused.headers["WWW-Authenticate"]
    assert client.get(f"auth/{realm}/me?style=code").error_code == 40004
    assert client.get(f"auth/{realm}/log").json == {
        "issued": 1, "accepted": 1, "refused": 3, "refreshing_max": 1,
    }


def test_a_token_can_be_dead_on_arrival(client: Client) -> None:
    realm = fresh()
    answer = grant(client, realm, "?seconds=0", grant_type="client_credentials")
    assert answer.json["expires_in"] == 0
    assert me(client, realm, answer.json["access_token"]).status == 401


def test_rotating_refresh_tokens_are_good_once(client: Client) -> None:
    realm = fresh()
    first = f"{realm}-refresh-0"
    answer = grant(
        client, realm, "?mode=rotating", grant_type="refresh_token", refresh_token=first
    )
    second = answer.json["refresh_token"]
    assert second != first
    again = grant(client, realm, grant_type="refresh_token", refresh_token=first)
    assert (again.status, again.json["error"]) == (400, "invalid_grant")
    assert grant(client, realm, grant_type="refresh_token", refresh_token=second).status == 200


def test_refreshes_can_be_refused_or_broken(client: Client) -> None:
    realm = fresh()
    refused = grant(client, realm, "?mode=refused", grant_type="client_credentials")
    assert (refused.status, refused.json["error"]) == (400, "invalid_grant")
    assert grant(client, realm, "?mode=broken", grant_type="client_credentials").status == 503
    assert grant(client, realm, grant_type="password").json["error"] == "unsupported_grant_type"


def test_basic(client: Client) -> None:
    assert client.get("basic").status == 401
    good = base64.b64encode(b"demo:open sesame").decode()
    assert client.get("basic", Authorization=f"Basic {good}").json == {"user": "demo"}


def test_digest_as_the_standard_library_speaks_it(client: Client) -> None:
    url = f"http://127.0.0.1:{client.port}/v2/digest"
    passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
    passwords.add_password(None, url, "demo", "open sesame")
    handler = urllib.request.HTTPDigestAuthHandler(passwords)
    # Python before 3.14 supports only the algorithms of RFC 2617.
    handler.get_algorithm_impls = _sha256  # type: ignore[method-assign,assignment]
    with urllib.request.build_opener(handler).open(url) as answer:
        assert answer.status == 200
    assert client.get("digest").headers["WWW-Authenticate"].startswith("Digest ")


def _sha256(_: str) -> tuple[Callable[[str], str], Callable[[str, str], str]]:
    def digest(text: str) -> str:
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    return digest, lambda secret, data: digest(f"{secret}:{data}")


def test_the_same_seed_fails_the_same_requests(client: Client) -> None:
    def statuses(name: str, seed: int) -> list[int]:
        path = f"flaky/{name}?seed={seed}&percent=40&status=502"
        return [client.get(path).status for _ in range(40)]

    one, other, third = statuses(fresh(), 7), statuses(fresh(), 7), statuses(fresh(), 8)
    assert one == other != third
    assert set(one) == {200, 502}


def test_a_busy_server_says_when_to_come_back(client: Client) -> None:
    name = fresh()
    first = client.get(f"busy/{name}?times=2&seconds=30")
    assert (first.status, first.headers["Retry-After"]) == (429, "30")
    second = client.get(f"busy/{name}?times=2&seconds=30&form=date")
    assert parsedate_to_datetime(second.headers["Retry-After"]).year >= 2024
    assert client.get(f"busy/{name}?times=2").json == {"request": 3}
