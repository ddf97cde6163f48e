"""Functions that refer to their client, their call or their request do not keep it alive for ever.
"""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

import restway
from restway._ffi import callbacks as _callbacks

from .test_async import run

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "entities": {"Thing": {"attributes": {"name": "name"}}},
    "batch": {"path": "batch"},
    "auth": {"scheme": "bearer", "token": "t"},
}
SECONDS_MAX = 30.0


def refer(client: restway.Client | restway.AsyncClient) -> None:
    """Sets a function of each kind that refers to the client."""

    def function(*_: Any) -> Any:
        return client

    client.set_auth(
        authorize=function, should_replay=function, refresh=function, persist=function
    )
    client.set_failure_reader(function)
    client.set_exclusion(function)
    client.set_batch_format(function, function)
    client.add_modifier(function)
    client.add_interceptor(function)
    client.set_attempt_observer(function)
    client.outbox.observe(function, function)
    client.observe(function)
    client.observe(function, "Thing").remove()


def make(tmp_path: Path) -> tuple[restway.API, dict[str, Any]]:
    document = {**DOCUMENT, "outbox": {"path": str(tmp_path / "outbox.db")}}
    return restway.API.from_json(document), {"base_url": "http://127.0.0.1:1"}


def expect_nothing_left() -> None:
    assert _callbacks.questions.wait_until_empty(SECONDS_MAX)
    assert _callbacks.observers.wait_until_empty(SECONDS_MAX)
    assert restway.debug_live_handles() == 0


@pytest.mark.parametrize("delivery", ["thread", "process"])
def test_an_unclosed_client_is_collected_whatever_its_functions_refer_to(
    tmp_path: Path, delivery: Any
) -> None:
    def make_one() -> weakref.ref[restway.Client]:
        api, options = make(tmp_path)
        client = restway.Client(api, delivery=delivery, **options)
        refer(client)
        return weakref.ref(client)

    made = make_one()
    gc.collect()
    assert made() is None
    expect_nothing_left()


def test_an_unclosed_client_of_asyncio_is_collected_whatever_its_functions_refer_to(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        def make_one() -> weakref.ref[restway.AsyncClient]:
            api, options = make(tmp_path)
            client = restway.AsyncClient(api, **options)
            refer(client)
            return weakref.ref(client)

        made = make_one()
        gc.collect()
        assert made() is None

    run(main())
    expect_nothing_left()


def test_a_function_is_let_go_when_another_takes_its_place_or_the_client_is_closed(
    tmp_path: Path,
) -> None:
    class Function:
        def __call__(self, *_: Any) -> Any:
            return None

    api, options = make(tmp_path)
    with restway.Client(api, **options) as client:
        first, second = Function(), Function()
        told = [weakref.ref(first), weakref.ref(second)]
        client.set_auth(authorize=first)
        client.observe(first)
        del first
        assert told[0]() is not None
        client.set_auth(authorize=second)
        del second
        assert told[1]() is not None
    expect_empty_registries()
    assert [function() for function in told] == [None, None]


def expect_empty_registries() -> None:
    assert _callbacks.questions.wait_until_empty(SECONDS_MAX)
    assert _callbacks.observers.wait_until_empty(SECONDS_MAX)


class Watcher:
    """Receives progress, and refers to the call, the request and the client."""

    call: restway.Call | None = None

    def __init__(self, client: restway.Client, request: restway.Request) -> None:
        self.client = client
        self.request = request

    def tell(self, call: restway.Call, _: restway.Progress) -> None:
        self.call = call


def test_a_progress_function_that_holds_its_call_is_let_go_when_the_call_completes(
    demo_url: str,
) -> None:
    def perform() -> weakref.ref[Watcher]:
        client = restway.Client(restway.API.from_json({"restway": 1}), base_url=demo_url)
        request = restway.Request.path("POST", "echo", body=b"x" * 100_000)
        watcher = Watcher(client, request)
        request.watch(watcher.tell, interval=0.001)
        call = client.send(request)
        assert call.wait(SECONDS_MAX).status == 200
        assert _callbacks.questions.wait_until_empty(SECONDS_MAX), "the call has let go of it"
        assert watcher.call == call
        return weakref.ref(watcher)

    watcher = perform()
    gc.collect()
    assert watcher() is None
    expect_nothing_left()


def test_a_request_that_was_never_sent_is_collected_with_its_progress_function() -> None:
    def make_one() -> weakref.ref[restway.Request]:
        request = restway.Request.path("GET", "status")
        request.watch(lambda _call, _progress: request.watch(None))
        return weakref.ref(request)

    request = make_one()
    gc.collect()
    assert request() is None
    expect_nothing_left()
