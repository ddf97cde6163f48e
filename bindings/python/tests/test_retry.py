"""Retries, attempts, progress, and reading an API's own errors."""

from __future__ import annotations

import asyncio
import itertools
import os
import threading
import time

import pytest

import restway
from restway._ffi import callbacks as _callbacks

from .realm import ERRORS
from .test_async import run

_numbers = itertools.count(1)


def fresh() -> str:
    """Returns a name that no other test and no other run uses."""
    return f"python-{os.getpid()}-{next(_numbers)}"


def make(demo_url: str, clock: restway.Clock | None = None) -> restway.Client:
    api = restway.API.from_json({"restway": 1, "errors": ERRORS})
    return restway.Client(api, base_url=demo_url, clock=clock, random_seed=7)


@pytest.mark.parametrize("seconds", [1e11, 2.0**62, 1e300, float("inf")])
def test_a_clock_stands_still_when_it_cannot_show_the_time(seconds: float) -> None:
    with restway.Clock() as clock:
        with pytest.raises(restway.UsageError):
            clock.advance(seconds)
        clock.advance(1)


def test_a_busy_server_is_asked_again_when_it_says(demo_url: str) -> None:
    with restway.Clock() as clock, make(demo_url, clock) as client:
        client.set_retry({"attempts": 2})
        call = client.send(restway.Request.path("GET", f"busy/{fresh()}?seconds=30"))
        deadline = time.monotonic() + 30
        while (wait := clock.next) is None:
            assert time.monotonic() < deadline
        assert wait == 30
        clock.advance(wait)
        first, second = call.wait(30).attempts
        assert (first.reason, first.http_status, first.api_code) == (
            restway.AttemptReason.FIRST,
            429,
            "42900",
        )
        assert first.status is restway.Status.HTTP
        assert (second.reason, second.waited) == (restway.AttemptReason.RETRY, 30)
        with pytest.raises(ValueError, match="back"):
            clock.advance(-1)


def test_errors_tell_all_attempts_and_so_does_an_observer(demo_url: str) -> None:
    observed: list[tuple[int, restway.Attempt]] = []
    done = threading.Event()
    with make(demo_url) as client:
        client.set_retry({"attempts": 3, "baseMilliseconds": 0})
        client.set_attempt_observer(lambda _, number, attempt: observed.append((number, attempt)))
        request = restway.Request.path("GET", "bad/status/503")
        call = client.send(request, lambda _: done.set())
        with pytest.raises(restway.HTTPStatusError) as caught:
            call.wait(30)
        assert done.wait(30)
        assert [attempt.http_status for attempt in caught.value.attempts] == [503] * 3
        assert [number for number, _ in observed] == [1, 2]
        client.set_attempt_observer(None)
        client.set_retry(None)
        with pytest.raises(restway.HTTPStatusError) as caught:
            client.perform(request)
        assert len(caught.value.attempts) == 1


def test_attempts_are_observed_where_notices_are_processed(demo_url: str) -> None:
    observed: list[tuple[int, int, restway.Attempt]] = []
    api = restway.API.from_json({"restway": 1, "errors": ERRORS})
    with restway.Client(api, base_url=demo_url, delivery="process") as client:
        client.set_retry({"attempts": 2, "baseMilliseconds": 0})
        client.set_attempt_observer(lambda *told: observed.append(told))
        call = client.send(restway.Request.path("GET", "bad/status/503"))
        with pytest.raises(restway.HTTPStatusError):
            call.wait(30)
        assert observed == []
        assert client.process(30) == 1
        ((id, number, attempt),) = observed
        assert (id, number, attempt.http_status) == (call.id, 1, 503)


def test_attempts_are_observed_in_the_loop_of_an_asyncio_client(demo_url: str) -> None:
    observed: list[tuple[int, int, restway.Attempt]] = []
    threads: set[int] = set()

    def observe(id: int, number: int, attempt: restway.Attempt) -> None:
        threads.add(threading.get_ident())
        observed.append((id, number, attempt))

    async def main() -> None:
        api = restway.API.from_json({"restway": 1, "errors": ERRORS})
        async with restway.AsyncClient(api, base_url=demo_url) as client:
            client.set_retry({"attempts": 3, "baseMilliseconds": 0})
            client.set_attempt_observer(observe)
            with pytest.raises(restway.HTTPStatusError) as caught:
                await client.get("bad/status/503")
            # The notices come before the call ends, and are the attempts of its error.
            assert [number for _, number, _ in observed] == [1, 2]
            assert [attempt for _, _, attempt in observed] == caught.value.attempts[:2]
            assert len({id for id, _, _ in observed}) == 1
            client.set_attempt_observer(None)
            with pytest.raises(restway.HTTPStatusError):
                await client.get("bad/status/503")
            assert len(observed) == 2
        assert threads == {threading.get_ident()}

    run(main())


def test_an_exception_in_an_attempt_observer_goes_to_the_loop(demo_url: str) -> None:
    complaints: list[str] = []

    def observe(*_: object) -> None:
        raise LookupError("on purpose")

    async def main() -> None:
        api = restway.API.from_json({"restway": 1})
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context["message"]))
        async with restway.AsyncClient(api, base_url=demo_url) as client:
            client.set_retry({"attempts": 2, "baseMilliseconds": 0})
            client.set_attempt_observer(observe)
            with pytest.raises(restway.HTTPStatusError):
                await client.get("bad/status/503")

    asyncio.run(main())
    assert len(complaints) == 1 and "observer" in complaints[0]


def test_a_policy_is_checked(demo_url: str) -> None:
    with make(demo_url) as client:
        with pytest.raises(restway.ConfigError) as caught:
            client.set_retry({"attempts": 0, "transport": "all"})
        assert [problem.path for problem in caught.value.details] == ["$.attempts", "$.transport"]


def test_an_idempotency_key_makes_a_post_safe_to_repeat(demo_url: str) -> None:
    with make(demo_url) as client:
        client.set_retry({"attempts": 2, "baseMilliseconds": 0})
        request = restway.Request.path("POST", "bad/status/503")
        for attempts in (1, 2):
            with pytest.raises(restway.HTTPStatusError) as caught:
                client.perform(request)
            assert len(caught.value.attempts) == attempts
            request.update(idempotency_key=True)
        echo = restway.Request.path("POST", "echo")
        echo.update(idempotency_key="mine")
        assert '"idempotency-key":"mine"' in client.perform(echo).text.lower()


def test_progress_never_goes_back_and_ends_with_all_done(demo_url: str) -> None:
    told: list[restway.Progress] = []
    calls: list[restway.Call] = []
    done = threading.Event()

    def tell(call: restway.Call, progress: restway.Progress) -> None:
        calls.append(call)
        told.append(progress)

    with make(demo_url) as client:
        request = restway.Request.path("POST", "echo", body=b"x" * 1_000_000)
        request.watch(tell, interval=0.001)
        call = client.send(request, lambda _: done.set())
        call.wait(30)
        assert done.wait(30)
        fractions = [progress.fraction for progress in told]
        assert fractions == sorted(fractions)
        last = told[-1]
        assert last.fraction == 1
        assert last.upload_done == last.upload_total == 1_000_000
        assert last.download_done == last.download_total
        assert call.progress == last
        assert set(calls) == {call}
        calls.clear()
        told.clear()
        assert client.perform(request).status == 200
        assert _callbacks.questions.wait_until_empty(30), "the call has told the last of it"
        assert told[-1].fraction == 1 and calls[-1].wait(30).status == 200
        with pytest.raises(ValueError, match="interval"):
            request.watch(None, interval=-1)


def test_progress_comes_in_the_loop_of_an_asyncio_client(demo_url: str) -> None:
    told: list[tuple[restway.Progress, int]] = []

    async def main() -> None:
        api = restway.API.from_json({"restway": 1})
        async with restway.AsyncClient(api, base_url=demo_url) as client:
            request = restway.Request.path("POST", "echo", body=b"x" * 1_000_000)
            here = threading.get_ident()

            def tell(call: restway.Call, progress: restway.Progress) -> None:
                told.append((progress, threading.get_ident() - here))
                assert call.progress.fraction >= progress.fraction
                if not call.done:
                    with pytest.raises(restway.WouldBlockError):
                        call.wait()

            request.watch(tell)
            await client.perform(request)

    run(main())
    assert told[-1][0].fraction == 1
    assert told[-1][0].upload_done == 1_000_000
    assert {elsewhere for _, elsewhere in told} == {0}


def test_a_call_can_be_cancelled_where_its_progress_is_told(demo_url: str) -> None:
    def cancel(call: restway.Call, _: restway.Progress) -> None:
        call.cancel()

    request = restway.Request.path("POST", "echo", body=b"x" * 8_000_000)
    request.watch(cancel, interval=0.001)
    with make(demo_url) as client, pytest.raises(restway.CancelledError):
        client.send(request).wait(30)

    async def main() -> None:
        api = restway.API.from_json({"restway": 1})
        async with restway.AsyncClient(api, base_url=demo_url) as client:
            with pytest.raises(restway.CancelledError):
                await client.perform(request)

    run(main())


def test_a_failure_reader_may_replace_what_was_found(demo_url: str) -> None:
    seen: list[restway.RestwayError] = []

    def read(error: restway.RestwayError) -> restway.FailureReading | None:
        seen.append(error)
        return restway.FailureReading(api_code="teapot", message="short", retryable=True)

    with make(demo_url) as client:
        client.set_failure_reader(read)
        client.set_retry({"attempts": 2, "baseMilliseconds": 0})
        with pytest.raises(restway.HTTPStatusError, match="short") as caught:
            client.get("bad/status/418")
        assert caught.value.api_code == "teapot"
        assert len(caught.value.attempts) == len(seen) == 2
        assert seen[0].api_code == "41899"
        assert seen[0].response is not None and seen[0].response.status == 418
        seen.clear()
        client.set_failure_reader(None)
