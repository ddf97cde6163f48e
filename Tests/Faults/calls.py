"""Performs calls and checks that they end as expected, exactly once."""

from __future__ import annotations

import re
import threading
import time
from typing import Any, NamedTuple

import restway
from fault import Fault, Outcome
from restway import Domain, Request, Response, RestwayError, Status
from restway._ffi import callbacks

#: The time beyond a time limit that is allowed on a busy machine.
SLACK_SECONDS = 2.5


class Ended(NamedTuple):
    """How a call ended, and how long it took."""

    response: Response | None
    error: RestwayError | None
    seconds: float
    body: bytes | None = None
    """The body, from memory, a file or a function; None if the call has no response."""


def request_of(fault: Fault, **options: Any) -> Request:
    """Makes the request that gets `fault`; its query must appear in no message.

    `options` are keywords of `Request.path`; they replace the keywords of the fault.
    """
    return Request.path(
        options.pop("method", fault.method),
        f"{fault.name}?secret=1",
        **{
            "body": fault.body, "headers": {"Expect": None}, "timeout": fault.timeout, **options
        },
    )


def perform(client: restway.Client, request: Request) -> Ended:
    """Performs the call in the blocking way."""
    started = time.monotonic()
    try:
        response = client.perform(request)
    except RestwayError as error:
        return Ended(None, error, time.monotonic() - started)
    return Ended(response, None, time.monotonic() - started, response.body)


def outcome_of(call: restway.Call) -> Response | RestwayError:
    """Returns the outcome of a call, when it is complete."""
    try:
        return call.wait()
    except RestwayError as error:
        return error


def notified(client: restway.Client, request: Request) -> Ended:
    """Performs the call with a callback, which must run exactly once with the same result as a
    wait.
    """
    seen: list[Response | RestwayError] = []
    done = threading.Event()

    def on_done(call: restway.Call) -> None:
        seen.append(outcome_of(call))
        done.set()

    started = time.monotonic()
    call = client.send(request, on_done)
    waited = outcome_of(call)
    seconds = time.monotonic() - started
    assert done.wait(SLACK_SECONDS), "no callback"
    assert callbacks.completions.wait_until_empty(SLACK_SECONDS), "its context was not destroyed"
    assert call.done
    assert len(seen) == 1
    assert type(seen[0]) is type(waited)
    if isinstance(waited, Response):
        return Ended(waited, None, seconds, waited.body)
    assert str(seen[0]) == str(waited)
    return Ended(None, waited, seconds)


def check(ended: Ended, fault: Fault, origin: str) -> None:
    """Checks that `ended` is the expected outcome of `fault`, in time."""
    outcome = fault.outcome
    if outcome.status == Status.TIMEOUT:
        limits = fault.options.get("idle_timeout"), fault.options.get("first_byte_timeout")
        bound = (limits[0] or limits[1]) if fault.timeout > 5 else None
        assert ended.seconds >= (bound or fault.timeout) * 0.9
        assert ended.seconds < (bound or fault.timeout) + SLACK_SECONDS
    else:
        assert ended.seconds < fault.timeout
    if outcome.error is None:
        check_answer(ended, outcome)
    else:
        check_error(ended, outcome, f"{fault.method} {origin}/{fault.name}")


def check_answer(ended: Ended, outcome: Outcome) -> None:
    assert ended.error is None, f"{ended.error!r}, libcurl says {ended.error.transport_code}"
    assert ended.response is not None
    assert ended.response.status == outcome.http_status
    assert ended.body == outcome.body


def check_error(ended: Ended, outcome: Outcome, what: str) -> None:
    error = ended.error
    assert error is not None, f"an answer: {ended.response!r}"
    assert outcome.error is not None
    assert error.status == outcome.status, f"{error!r}, libcurl says {error.transport_code}"
    assert type(error) is outcome.error
    assert isinstance(error.domain, Domain)
    assert what in error.message
    assert re.search(outcome.says, error.message)
    assert "secret" not in error.message
    assert error.transport_code in outcome.codes, error.message
    assert error.http_status == outcome.http_status
    if outcome.status != Status.HTTP:
        assert error.retryable == outcome.retryable
