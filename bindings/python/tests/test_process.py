"""Delivery mode "process": callbacks run when the program calls `process`."""

from __future__ import annotations

import gc
import math
import select
import threading

import pytest

import restway

from .conftest import MakeClient

SECONDS_MAX = 30.0


def status() -> restway.Request:
    return restway.Request.path("GET", "status")


def test_callbacks_run_inside_process_on_its_thread(make_client: MakeClient) -> None:
    seen: list[tuple[int, int]] = []
    with make_client(delivery="process") as client:
        assert client.process() == 0
        call = client.send(
            status(), lambda call: seen.append((call.wait().status, threading.get_ident()))
        )
        call.wait()
        assert seen == []
        assert client.process(SECONDS_MAX) == 1
        assert seen == [(200, threading.get_ident())]
        assert client.process() == 0


def test_the_descriptor_is_readable_while_callbacks_wait(make_client: MakeClient) -> None:
    with make_client(delivery="process") as client:
        assert select.select([client], [], [], 0)[0] == []
        client.send(status(), lambda call: None)
        assert select.select([client], [], [], SECONDS_MAX)[0] == [client]
        assert client.process() == 1
        assert select.select([client], [], [], 0)[0] == []


def test_blocking_calls_need_no_process(make_client: MakeClient) -> None:
    with make_client(delivery="process") as client:
        assert client.get("status").status == 200


def test_process_inside_a_callback_would_block(make_client: MakeClient) -> None:
    raised: list[type[BaseException]] = []
    with make_client(delivery="process") as client:

        def on_done(_: restway.Call) -> None:
            try:
                client.process()
            except restway.WouldBlockError as error:
                raised.append(type(error))

        client.send(status(), on_done)
        assert client.process(None) == 1
    assert raised == [restway.WouldBlockError]


def test_process_is_for_its_mode_and_takes_seconds(make_client: MakeClient) -> None:
    with make_client() as client:
        assert client.fileno() == -1
        with pytest.raises(restway.UsageError):
            client.process()
    with make_client(delivery="process") as client:
        for wrong in (-1, math.nan):
            with pytest.raises(ValueError):
                client.process(wrong)
    with pytest.raises(ValueError, match="delivery"):
        make_client(delivery="drain")


def test_a_closed_client_tells_what_is_left_and_does_not_wait(make_client: MakeClient) -> None:
    seen: list[type[BaseException]] = []

    def on_done(call: restway.Call) -> None:
        try:
            call.wait()
        except restway.StoppedError as error:
            seen.append(type(error))

    with make_client(delivery="process") as client:
        for _ in range(3):
            client.send(restway.Request.path("GET", "bad/slow", params={"ms": 20_000}), on_done)
    while client.process(None):
        pass
    assert seen == [restway.ClosedError] * 3


def test_callbacks_of_a_client_that_is_dropped_are_dropped(make_client: MakeClient) -> None:
    seen: list[restway.Call] = []
    client = make_client(delivery="process")
    client.send(status(), seen.append).wait()
    del client
    gc.collect()
    assert seen == []
