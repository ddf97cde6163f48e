"""Requests that wait for the rate of their origin."""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from collections.abc import Mapping

import pytest

import restway

from .realm import ERRORS
from .test_async import run

_numbers = itertools.count(1)


def make(
    demo_url: str, rate: Mapping[str, object], clock: restway.Clock | None = None
) -> restway.Client:
    api = restway.API.from_json({"restway": 1, "errors": ERRORS, "rate": rate})
    return restway.Client(api, base_url=demo_url, clock=clock)


def busy(seconds: int) -> str:
    """Returns a path of its own that is answered with 429 and a Retry-After."""
    return f"busy/rate-{os.getpid()}-{next(_numbers)}?seconds={seconds}"


def next_timer(clock: restway.Clock) -> float:
    deadline = time.monotonic() + 30
    while (wait := clock.next) is None:
        assert time.monotonic() < deadline
    return wait


@pytest.mark.parametrize("given", ["0.0", "0.5", "1e3"])
def test_a_number_with_a_fraction_is_shown_with_the_limits(given: str) -> None:
    text = f'{{"restway": 1, "rate": {{"requests": {given}}}}}'
    says = rf"requests: must be a whole number between 1 and 100000, is {float(given)}$"
    with pytest.raises(restway.ConfigError, match=says):
        restway.API.from_json(text)


def test_a_request_waits_until_the_period_of_the_document_allows_it(demo_url: str) -> None:
    policy = {"requests": 1, "perMilliseconds": 4000}
    with restway.Clock() as clock, make(demo_url, policy, clock) as client:
        first, second = (client.send(restway.Request.path("GET", "status")) for _ in range(2))
        assert client.rate().waiting == 1
        assert next_timer(clock) == 4
        clock.advance(4)
        assert first.wait(30).status == second.wait(30).status == 200
        assert client.rate() == restway.Rate(None, None, None, 0, 0)


def test_a_refusal_of_the_server_holds_the_next_requests(demo_url: str) -> None:
    with restway.Clock() as clock, make(demo_url, {}, clock) as client:
        with pytest.raises(restway.HTTPStatusError, match="429"):
            client.get(busy(30))
        assert client.rate() == restway.Rate(None, 0, 30, 0, 0)
        assert client.rate("http://127.0.0.1:1/x").remaining is None
        call = client.send(restway.Request.path("GET", "status"))
        assert next_timer(clock) == 30
        clock.advance(30)
        assert call.wait(30).status == 200


def test_a_limit_beyond_the_time_limit_fails_at_once(demo_url: str) -> None:
    with make(demo_url, {}) as client:
        with pytest.raises(restway.HTTPStatusError):
            client.get(busy(3000))
        says = r"rate limit of the origin admits no request for \d+ ms, and its time limit ends"
        with pytest.raises(restway.TimedOutError, match=says) as caught:
            client.get("status")
        assert caught.value.retryable
        client.set_rate({"headers": False})
        assert client.get("status").status == 200


def test_a_policy_can_be_set_and_taken_away(demo_url: str) -> None:
    with restway.Clock() as clock, make(demo_url, {}, clock) as client:
        client.set_rate({"requests": 1, "perMilliseconds": 4000})
        calls = [client.send(restway.Request.path("GET", "status")) for _ in range(3)]
        assert client.rate().waiting == 2
        client.set_rate(None)
        assert [call.wait(30).status for call in calls] == [200] * 3


def test_a_wrong_policy_or_url_is_refused(demo_url: str) -> None:
    with make(demo_url, {}) as client:
        with pytest.raises(restway.ConfigError) as caught:
            client.set_rate({"requests": 0, "concurrency": "two"})
        assert {problem.path for problem in caught.value.details} == {
            "$.requests",
            "$.concurrency",
        }
        with pytest.raises(restway.InvalidURLError):
            client.rate("ftp://x")


def test_tasks_of_an_event_loop_keep_to_the_concurrency(demo_url: str) -> None:
    async def main() -> None:
        api = restway.API.from_json({"restway": 1, "rate": {"concurrency": 2}})
        async with restway.AsyncClient(api, base_url=demo_url) as client:
            tasks = [asyncio.ensure_future(client.get("status")) for _ in range(20)]
            pending: set[asyncio.Future[restway.Response]] = set(tasks)
            while pending:
                assert client.rate().under_way <= 2
                _, pending = await asyncio.wait(
                    pending, return_when=asyncio.FIRST_COMPLETED
                )
            assert {task.result().status for task in tasks} == {200}
            cancelled = [asyncio.ensure_future(client.get("status")) for _ in range(4)]
            first, *others = cancelled
            await first
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            assert client.rate() == restway.Rate(None, None, None, 0, 0)

    run(main())
