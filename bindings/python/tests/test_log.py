"""The log of the process."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import restway
from restway._ffi import callbacks as _callbacks

SECONDS_MAX = 30.0

Line = tuple[restway.LogLevel, str, str]


@pytest.fixture(autouse=True)
def no_log_is_left() -> Iterator[None]:
    yield
    restway.set_log(None)
    assert _callbacks.logs.wait_until_empty(SECONDS_MAX)


class Seen:
    """Collects log lines. A line about an exchange may be logged after its answer has come."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.happened = threading.Event()

    def __call__(self, level: restway.LogLevel, category: str, message: str) -> None:
        self.lines.append((level, category, message))
        self.happened.set()


def test_messages_up_to_the_level_arrive_and_none_hold_a_secret(client: restway.Client) -> None:
    seen = Seen()
    restway.set_log(seen, restway.LogLevel.INFO)
    client.get("status", headers={"Authorization": "Bearer geheim"})
    assert seen.happened.wait(SECONDS_MAX)
    restway.set_log(None)
    assert any("/status" in message for _, _, message in seen.lines)
    assert all(category for _, category, _ in seen.lines)
    assert all(level <= restway.LogLevel.INFO for level, _, _ in seen.lines)
    assert not any("geheim" in message for _, _, message in seen.lines)


def test_after_set_log_the_log_before_runs_no_more(client: restway.Client) -> None:
    first, second = Seen(), Seen()
    restway.set_log(first, restway.LogLevel.DEBUG)
    client.get("status")
    assert first.happened.wait(SECONDS_MAX)
    restway.set_log(second, restway.LogLevel.DEBUG)
    count = len(first.lines)
    client.get("status")
    assert second.happened.wait(SECONDS_MAX)
    assert len(first.lines) == count


def test_an_exception_in_a_log_goes_to_the_unraisable_hook(
    client: restway.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[Any] = []
    happened = threading.Event()

    def hook(unraisable: Any) -> None:
        reported.append((unraisable.exc_type, unraisable.object))
        happened.set()

    def log(level: restway.LogLevel, category: str, message: str) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(sys, "unraisablehook", hook)
    restway.set_log(log, restway.LogLevel.DEBUG)
    assert client.get("status").status == 200
    assert happened.wait(SECONDS_MAX)
    restway.set_log(None)
    assert set(reported) == {(ZeroDivisionError, log)}


def test_handles_collected_inside_a_log_are_released_after_it(client: restway.Client) -> None:
    held = [client.get("status")]
    before = restway.debug_live_handles()
    happened = threading.Event()

    def log(level: restway.LogLevel, category: str, message: str) -> None:
        held.clear()  # the response is freed here, where the library must not be called
        happened.set()

    restway.set_log(log, restway.LogLevel.DEBUG)
    client.get("status")
    assert happened.wait(SECONDS_MAX)
    restway.set_log(None)
    assert restway.debug_live_handles() == before - 1


def test_a_level_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError):
        restway.set_log(lambda *_: None, 99)  # type: ignore[arg-type]
