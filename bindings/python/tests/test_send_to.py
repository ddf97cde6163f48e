"""Calls whose callbacks run in another place than their client's."""

from __future__ import annotations

import select
import threading

import pytest

import restway

from .conftest import MakeClient

SECONDS_MAX = 30.0


def status() -> restway.Request:
    return restway.Request.path("GET", "status")


def test_a_call_chooses_process(make_client: MakeClient) -> None:
    seen: list[int] = []
    with make_client() as client:
        assert client.fileno() == -1
        with pytest.raises(restway.UsageError):
            client.process()
        call = client.send(
            status(), lambda call: seen.append(threading.get_ident()), delivery="process"
        )
        assert select.select([client], [], [], SECONDS_MAX)[0] == [client]
        call.wait()
        assert seen == []
        assert client.process(SECONDS_MAX) == 1
        assert seen == [threading.get_ident()]
        assert client.process() == 0


def test_a_call_chooses_a_thread(make_client: MakeClient) -> None:
    seen: list[int] = []
    done = threading.Event()

    def on_done(call: restway.Call) -> None:
        seen.append(threading.get_ident())
        done.set()

    with make_client(delivery="process") as client:
        client.send(status(), on_done, delivery="thread")
        assert done.wait(SECONDS_MAX)
        assert seen != [threading.get_ident()]
        assert client.process() == 0


def test_progress_goes_where_the_call_goes(make_client: MakeClient) -> None:
    seen: list[str] = []
    with make_client() as client:
        request = status()
        request.watch(lambda call, progress: seen.append("progress"), interval=0.001)
        call = client.send(request, lambda call: seen.append("done"), delivery="process")
        call.wait()
        assert seen == []
        while seen[-1:] != ["done"]:
            client.process(SECONDS_MAX)
        assert "progress" in seen


def test_an_unknown_place_is_refused(client: restway.Client) -> None:
    with pytest.raises(ValueError, match="delivery"):
        client.send(status(), delivery="drain")  # type: ignore[arg-type]
