"""Authentication: the functions that a client calls, on threads and in asyncio."""

from __future__ import annotations

import asyncio
import sys
import threading
import weakref
from typing import Any

import pytest

import restway
from restway import Credential
from restway import _ffi as native

from .peer import Peer
from .realm import Realm, token_of
from .test_async import run

CALLS = 200


@pytest.fixture
def realm(demo_url: str) -> Realm:
    return Realm(demo_url)


def clocked(realm: Realm, clock: restway.Clock) -> restway.Client:
    return restway.Client(realm.api(), base_url=realm.demo_url, clock=clock)


def test_two_hundred_concurrent_calls_cause_one_refresh_from_asyncio(realm: Realm) -> None:
    refreshes = 0

    async def main() -> None:
        nonlocal refreshes
        async with restway.AsyncClient(realm.api(), base_url=realm.demo_url) as client:

            async def refresh() -> Credential:
                nonlocal refreshes
                refreshes += 1
                response = await client.perform(realm.token_request("?mode=slow&ms=100"))
                return Credential(token=token_of(response), expires_in=3600)

            client.set_auth(refresh=refresh)
            answers = await asyncio.gather(*(client.get(realm.me) for _ in range(CALLS)))
            assert {answer.status for answer in answers} == {200}
            reasons = [attempt.reason for attempt in answers[0].attempts]
            assert reasons == [restway.AttemptReason.FIRST, restway.AttemptReason.REPLAY]

    run(main())
    assert refreshes == 1
    assert realm.log()["issued"] == 1
    assert realm.log()["refreshing_max"] == 1


def test_two_hundred_concurrent_calls_cause_one_refresh_from_a_blocking_function(
    realm: Realm,
) -> None:
    threads = []
    with realm.client() as client:

        def refresh() -> str:
            threads.append(threading.current_thread())
            return token_of(client.perform(realm.token_request()))

        client.set_auth(refresh=refresh)
        calls = [client.send(restway.Request.path("GET", realm.me)) for _ in range(CALLS)]
        assert {call.wait(30).status for call in calls} == {200}
    assert len(threads) == 1
    threads[0].join(30)
    assert realm.log()["issued"] == 1


def test_a_failure_that_a_refresh_declares_final_is_remembered(realm: Realm) -> None:
    raised: list[Exception] = []

    def refresh() -> str:
        raised.append(restway.RefreshRefusedError("the user has logged out"))
        raise raised[-1]

    with restway.Clock() as clock, clocked(realm, clock) as client:
        client.set_auth(refresh=refresh)
        for _ in range(2):
            with pytest.raises(restway.AuthError, match="the user has logged out") as caught:
                client.get(realm.me)
            assert caught.value.domain == restway.Domain.AUTH
            assert not caught.value.retryable
            assert caught.value.__cause__ is raised[0]
            clock.advance(3600)
        assert len(raised) == 1
        client.set_credential(token_of(client.perform(realm.token_request())))
        assert client.get(realm.me).status == 200


def test_what_a_refresh_raises_is_the_cause_and_counts_for_a_second(realm: Realm) -> None:
    raised: list[Exception] = []

    def refresh() -> str:
        if len(raised) == 2:
            return token_of(client.perform(realm.token_request()))
        raised.append(RuntimeError(f"no network {len(raised)}"))
        raise raised[-1]

    def cause() -> BaseException | None:
        with pytest.raises(restway.AuthError, match="RuntimeError: no network") as caught:
            client.get(realm.me)
        assert caught.value.retryable
        return caught.value.__cause__

    with restway.Clock() as clock, clocked(realm, clock) as client:
        client.set_auth(refresh=refresh)
        assert cause() is raised[0]
        clock.advance(0.999)
        assert cause() is raised[0] and len(raised) == 1
        clock.advance(0.001)
        assert cause() is raised[1]
        clock.advance(1)
        assert client.get(realm.me).status == 200


def test_what_a_request_of_a_refresh_fails_with_is_the_cause(realm: Realm) -> None:
    with realm.client() as client:
        client.set_auth(
            refresh=lambda: token_of(client.perform(realm.token_request("?mode=broken")))
        )
        with pytest.raises(restway.AuthError, match="503") as caught:
            client.get(realm.me)
        cause = caught.value.__cause__
        assert isinstance(cause, restway.HTTPStatusError) and cause.http_status == 503
        assert cause.__traceback__ is not None


def test_all_who_wait_for_a_coroutine_fail_with_what_it_raised(realm: Realm) -> None:
    error = RuntimeError("no token today")

    async def refresh() -> str:
        raise error

    async def main() -> None:
        async with restway.AsyncClient(realm.api(), base_url=realm.demo_url) as client:
            client.set_auth(refresh=refresh)
            calls = [client.get(realm.me) for _ in range(10)]
            failures = await asyncio.gather(*calls, return_exceptions=True)
            for failure in failures:
                assert isinstance(failure, restway.AuthError)
                assert failure.__cause__ is error

    run(main())


class Held:
    """An object to which the frames of an error refer."""


@pytest.mark.parametrize("is_async", [False, True])
def test_what_a_refresh_raised_is_gone_when_its_callers_go_on(
    realm: Realm, monkeypatch: pytest.MonkeyPatch, is_async: bool
) -> None:
    held: list[weakref.ref[Held]] = []
    alive: list[bool] = []
    fail = native.lib.restway_refresh_fail

    def told(*arguments: Any) -> int:
        alive.append(held[0]() is not None)
        status: int = fail(*arguments)
        return status

    monkeypatch.setattr(native.lib, "restway_refresh_fail", told)

    def refresh() -> str:
        here = Held()
        held.append(weakref.ref(here))
        raise RuntimeError("no token today")

    async def later() -> str:
        return refresh()

    async def asynchronously() -> None:
        async with restway.AsyncClient(realm.api(), base_url=realm.demo_url) as client:
            client.set_auth(refresh=later)
            with pytest.raises(restway.AuthError, match="no token today"):
                await client.get(realm.me)

    if is_async:
        run(asynchronously())
    else:
        with realm.client() as client:
            client.set_auth(refresh=refresh)
            with pytest.raises(restway.AuthError, match="no token today"):
                client.get(realm.me)
    assert alive == [False]


def test_a_coroutine_cannot_refresh_a_client_that_blocks(realm: Realm) -> None:
    async def refresh() -> str:
        raise AssertionError("never called")

    with realm.client() as client, pytest.raises(TypeError):
        client.set_auth(refresh=refresh)


def test_authorize_and_should_replay_of_a_program_that_keeps_its_token(realm: Realm) -> None:
    token = "dead"
    seen: list[tuple[str, int, str | None]] = []
    errors: list[restway.RestwayError] = []
    with realm.client(auth={}) as client:

        def authorize(exchange: restway.Exchange) -> None:
            seen.append((exchange.method, exchange.attempt, exchange.header("accept")))
            assert exchange.body == b""
            exchange.set_header("Authorization", f"Bearer {token}")
            exchange.add_parameter("attempt", str(exchange.attempt))
            assert exchange.url.endswith(f"attempt={exchange.attempt}")

        def should_replay(error: restway.RestwayError) -> bool:
            errors.append(error)
            return error.api_code == "40004"

        def refresh() -> None:
            nonlocal token
            token = token_of(client.perform(realm.token_request()))

        client.set_auth(authorize=authorize, should_replay=should_replay, refresh=refresh)
        assert client.get(realm.me, params={"style": "code"}).status == 200
        assert seen == [("GET", number, "application/json, */*;q=0.1") for number in (1, 2)]
        assert [(error.http_status, error.api_code) for error in errors] == [(400, "40004")]
        assert errors[0].response is not None
        errors.clear()
        client.set_auth(authorize=None, should_replay=None, refresh=None)
        with pytest.raises(restway.HTTPStatusError):
            client.get(realm.me)
        assert len(seen) == 2


def test_authorize_may_refuse(realm: Realm) -> None:
    def refuse(_: restway.Exchange) -> None:
        raise restway.FileError("no key", status=restway.Status.IO)

    with realm.client() as client:
        client.set_auth(authorize=refuse)
        with pytest.raises(restway.FileError, match="no key") as caught:
            client.get("status")
        assert isinstance(caught.value.__cause__, restway.FileError)
        assert caught.value.__cause__ is not caught.value


@pytest.mark.parametrize("is_async", [False, True])
def test_what_authorize_raises_is_the_cause(
    realm: Realm, is_async: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = KeyError("signing key")
    ignored: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)

    def authorize(_: restway.Exchange) -> None:
        raise error

    async def asynchronously() -> None:
        async with restway.AsyncClient(realm.api(), base_url=realm.demo_url) as client:
            client.set_auth(authorize=authorize)
            await client.get(realm.me)

    with pytest.raises(restway.CancelledError, match="KeyError: 'signing key'") as caught:
        if is_async:
            run(asynchronously())
        else:
            with realm.client() as client:
                client.set_auth(authorize=authorize)
                client.get(realm.me)
    assert caught.value.__cause__ is error
    assert ignored == []


def test_tokens_are_persisted_before_they_are_used(realm: Realm) -> None:
    kept: list[Credential] = []
    auth = {
        "scheme": "oauth2",
        "grant": "refreshToken",
        "clientID": "app",
        "refreshToken": f"{realm.name}-refresh-0",
        "tokenURL": f"auth/{realm.name}/token?mode=rotating",
    }
    with realm.client(auth=auth) as client:
        client.set_auth(persist=kept.append)
        assert client.get(realm.me).status == 200
        assert len(kept) == 1
        assert (kept[0].token, kept[0].refresh_token) == (
            f"{realm.name}-token-1",
            f"{realm.name}-refresh-1",
        )
        assert kept[0].expires_in == 3600
        assert f"{realm.name}-token" not in repr(kept[0])


def test_a_waiting_task_can_be_cancelled_and_a_closed_client_waits_for_nobody(
    realm: Realm,
) -> None:
    async def main() -> None:
        client = restway.AsyncClient(realm.api(), base_url=realm.demo_url)
        asked = asyncio.Event()
        never: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def refresh() -> str:
            asked.set()
            return await never

        client.set_auth(refresh=refresh)
        first = asyncio.ensure_future(client.get(realm.me))
        second = asyncio.ensure_future(client.get(realm.me))
        await asked.wait()
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        await client.close()
        with pytest.raises(restway.ClosedError):
            await second
        never.set_result("too late")

    run(main())


def test_wrong_credentials_are_refused(realm: Realm) -> None:
    wrong: Any = 7
    with realm.client() as client:
        with pytest.raises(TypeError):
            client.set_credential(wrong)
        with pytest.raises(restway.UsageError):
            client.set_credential("a\nb")
        client.set_credential(Credential(user="a:b"))
        with pytest.raises(TypeError, match="auth is one of"):
            restway.Request.path("GET", "status").update(auth=wrong)


def test_a_token_that_no_header_can_hold_ends_the_refresh(peer: Peer) -> None:
    auth = {
        "scheme": "oauth2",
        "grant": "clientCredentials",
        "clientID": "app",
        "tokenURL": "token",
    }
    peer.respond(rb'{"access_token": "hush\r\nX-Evil: 1"}')
    with restway.Client(
        restway.API.from_json({"restway": 1, "auth": auth}), base_url=peer.url
    ) as client:
        with pytest.raises(restway.AuthError, match="an access token that holds") as caught:
            client.get("things")
    assert "hush" not in str(caught.value)
    assert caught.value.retryable


@pytest.mark.parametrize("scheme", ["basic", "digest"])
def test_a_user_opens_with_the_password_alone(realm: Realm, scheme: str) -> None:
    with realm.client(auth={"scheme": scheme, "user": "demo"}) as client:
        with pytest.raises(restway.HTTPStatusError, match="401"):
            client.get(scheme)
        with pytest.raises(restway.UsageError, match="colon") as caught:
            client.set_credential(Credential(user="de:mo"))
        assert caught.value.field == "credential.user"
        client.set_credential(Credential(password="open sesame"))
        answer: Any = client.post(scheme, body=iter([b"read ", b"late"])).json()
        assert answer["user"] == "demo"
        if scheme == "digest":
            assert answer["body_bytes"] == 9


def test_keys_and_tokens_go_where_the_document_says(realm: Realm) -> None:
    def sent(**auth: str) -> Any:
        with realm.client(auth=auth) as client:
            return client.get("echo").json()

    assert sent(scheme="apiKey", header="X-Key", token="k1")["headers"]["X-Key"] == "k1"
    assert sent(scheme="apiKey", query="key", token="k2")["query"]["key"] == "k2"
    assert sent(scheme="bearer", token="t1")["headers"]["Authorization"] == "Bearer t1"


def test_client_credentials_get_a_token_before_the_first_call(realm: Realm) -> None:
    auth = {
        "scheme": "oauth2",
        "grant": "clientCredentials",
        "clientID": "app",
        "clientSecret": "s3cret",
        "tokenURL": f"auth/{realm.name}/token",
    }
    with realm.client(auth=auth) as client:
        response = client.get(realm.me)
        assert response.status == 200
        assert len(response.attempts) == 1
    assert (realm.log()["issued"], realm.log()["refused"]) == (1, 0)
