"""Calls are waited for, observed and cancelled; and the end of the process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import Any

import pytest

import restway
from restway._ffi import callbacks as _callbacks

from .conftest import DOCUMENT, MakeClient
from .test_loader import PACKAGE

SECONDS_MAX = 30.0
"""How long a test waits for what must happen."""


def status() -> restway.Request:
    return restway.Request.path("GET", "status")


def slow() -> restway.Request:
    return restway.Request.path("GET", "bad/slow", params={"ms": 20_000})


class Seen:
    """Collects the calls that a callback received."""

    def __init__(self) -> None:
        self.calls: list[restway.Call] = []
        self.threads: list[int] = []
        self.happened = threading.Event()

    def __call__(self, call: restway.Call) -> None:
        self.threads.append(threading.get_ident())
        self.calls.append(call)
        self.happened.set()


def test_a_call_is_waited_for_as_often_as_one_likes(client: restway.Client) -> None:
    call = client.send(status())
    first, second = call.wait(), call.wait(SECONDS_MAX)
    assert first.json() == second.json()
    assert call.done and repr(call) == f"<Call #{call.id}, done>"


def test_many_calls_are_in_flight_at_once(client: restway.Client) -> None:
    requests = [restway.Request.path("GET", f"enterprises/{n}") for n in range(20, 60)]
    calls = [client.send(request) for request in requests]
    objects = [call.wait().object for call in calls]
    assert [item.identity for item in objects if item is not None] == list(range(20, 60))


def test_a_callback_runs_once_on_another_thread_with_the_finished_call(
    client: restway.Client,
) -> None:
    seen = Seen()
    call = client.send(status(), seen)
    assert seen.happened.wait(SECONDS_MAX)
    assert call.wait().status == 200
    assert seen.calls == [call]
    assert seen.calls[0].done
    assert seen.threads != [threading.get_ident()]


def test_inside_a_callback_wait_answers_and_blocking_raises(client: restway.Client) -> None:
    results: list[Any] = []
    happened = threading.Event()

    def on_done(call: restway.Call) -> None:
        try:
            results.append(call.wait().json()["status"])
            client.get("status")
        except restway.WouldBlockError as error:
            results.append(error.status)
        finally:
            happened.set()

    client.send(status(), on_done)
    assert happened.wait(SECONDS_MAX)
    assert results == ["ok", restway.Status.WOULD_BLOCK]


def test_a_failure_reaches_the_callback_as_an_exception_of_wait(client: restway.Client) -> None:
    seen = Seen()
    client.send(restway.Request.path("GET", "bad/status/503"), seen)
    assert seen.happened.wait(SECONDS_MAX)
    with pytest.raises(restway.HTTPStatusError) as caught:
        seen.calls[0].wait()
    assert caught.value.http_status == 503


def test_a_callback_may_send_the_next_request(client: restway.Client) -> None:
    seen = Seen()
    client.send(status(), lambda call: client.send(status(), seen))
    assert seen.happened.wait(SECONDS_MAX)
    assert seen.calls[0].wait().status == 200


def test_an_exception_in_a_callback_goes_to_the_unraisable_hook(
    client: restway.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[Any] = []
    happened = threading.Event()

    def hook(unraisable: Any) -> None:
        reported.append((unraisable.exc_type, unraisable.object, unraisable.err_msg))
        happened.set()

    def on_done(_: restway.Call) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(sys, "unraisablehook", hook)
    call = client.send(status(), on_done)
    assert happened.wait(SECONDS_MAX)
    assert reported == [(ZeroDivisionError, on_done, "Exception ignored in a completion callback")]
    assert call.wait().status == 200


def test_an_exception_in_a_callback_is_printed_where_nobody_hooks(
    client: restway.Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)

    def on_done(_: restway.Call) -> None:
        raise ZeroDivisionError("in the callback")

    client.send(status(), on_done)
    assert _callbacks.completions.wait_until_empty(SECONDS_MAX)
    printed = capsys.readouterr().err
    assert "Exception ignored in a completion callback" in printed
    assert "ZeroDivisionError: in the callback" in printed


def test_a_cancelled_call_ends_with_cancelled_error(client: restway.Client) -> None:
    seen = Seen()
    call = client.send(slow(), seen)
    assert not call.done
    call.cancel()
    call.cancel()
    with pytest.raises(restway.CancelledError) as caught:
        call.wait()
    assert caught.value.domain == restway.Domain.CANCELLED
    assert seen.happened.wait(SECONDS_MAX)
    assert len(seen.calls) == 1


def test_cancelling_a_finished_call_changes_nothing(client: restway.Client) -> None:
    call = client.send(status())
    call.wait()
    call.cancel()
    assert call.wait().status == 200


def test_a_wait_that_passes_cancels_the_call(client: restway.Client) -> None:
    call = client.send(slow())
    with pytest.raises(restway.TimedOutError):
        call.wait(0.05)
    with pytest.raises(restway.RestwayError):
        call.wait()
    assert call.done
    for wrong in (0, -1, float("nan")):
        with pytest.raises(ValueError):
            call.wait(wrong)


def test_closing_a_client_ends_its_calls(make_client: MakeClient) -> None:
    seen = Seen()
    with make_client() as client:
        calls = [client.send(slow()) for _ in range(5)]
        client.send(slow(), seen)
    for call in calls:
        with pytest.raises(restway.ClosedError):
            call.wait()
    assert seen.happened.wait(SECONDS_MAX)
    with pytest.raises(restway.ClosedError):
        seen.calls[0].wait()


def test_a_call_keeps_its_client_open(make_client: MakeClient) -> None:
    seen = Seen()
    assert make_client().send(status()).wait().status == 200
    make_client().send(status(), seen)
    assert seen.happened.wait(SECONDS_MAX)
    assert seen.calls[0].wait().status == 200


def test_a_dropped_call_still_runs_its_callback(client: restway.Client) -> None:
    seen = Seen()
    with client.send(status(), seen) as call:
        pass
    with pytest.raises(restway.UsageError, match="closed"):
        call.wait()
    assert seen.happened.wait(SECONDS_MAX)


def test_a_send_that_fails_calls_nothing_and_keeps_nothing(client: restway.Client) -> None:
    seen = Seen()
    with pytest.raises(restway.UnknownRouteError):
        client.send(restway.Request.route("nobody"), seen)
    assert seen.calls == []
    assert len(_callbacks.completions) == 0


def test_no_callback_is_kept_when_all_have_run(client: restway.Client) -> None:
    calls = [client.send(status(), Seen()) for _ in range(20)]
    for call in calls:
        call.wait()
    assert _callbacks.completions.wait_until_empty(SECONDS_MAX)


EXIT = """
import sys, restway
api = restway.API.load(sys.argv[1])
client = restway.Client(api, base_url=sys.argv[2])
def on_done(call):
    try:
        call.wait()
    except restway.ClosedError:
        print("closed", flush=True)
client.send(restway.Request.path("GET", "bad/slow", params={"ms": 20000}), on_done)
"""


def test_a_process_that_exits_with_a_call_in_flight_ends_it_first(demo_url: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", EXIT, str(DOCUMENT), demo_url],
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "closed\n", "")


_POLICIES = """
import os, queue, sys
from pathlib import Path
import restway

def policies():
    tasks = Path("/proc/self/task").iterdir()
    [io] = [task for task in tasks if (task / "comm").read_text() == "restway-io\\n"]
    return os.sched_getscheduler(int(io.name)), os.sched_getscheduler(0)

if sys.argv[1] == "idle":
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
seen = queue.SimpleQueue()
with restway.Client(restway.API.empty(), base_url=sys.argv[2]) as client:
    request = restway.Request.path("GET", "status")
    client.send(request, lambda call: seen.put(policies()))
    print(*seen.get(timeout=30))
"""


@pytest.mark.parametrize(
    ("process", "policies"),
    [
        ("usual", (os.SCHED_OTHER, os.SCHED_OTHER)),
        ("idle", (os.SCHED_IDLE, os.SCHED_IDLE)),
    ],
)
def test_threads_have_the_scheduling_policy_of_the_process(
    demo_url: str, process: str, policies: tuple[int, int]
) -> None:
    if os.sched_getscheduler(0) != os.SCHED_OTHER:
        pytest.skip("this process has a policy of its own")
    output = subprocess.run(
        [sys.executable, "-c", _POLICIES, process, demo_url],
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout
    assert tuple(map(int, output.split())) == policies
