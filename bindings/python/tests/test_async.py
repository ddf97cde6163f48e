"""AsyncClient: awaited calls, many at the same time, in one or several event loops."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import Coroutine
from typing import Any, Callable, TypeVar

import pytest

import restway

from .conftest import DOCUMENT

T = TypeVar("T")
MakeAsyncClient = Callable[..., restway.AsyncClient]

SECONDS_MAX = 30.0
"""How long a test waits for what must happen."""


@pytest.fixture
def make_client(demo_url: str) -> MakeAsyncClient:
    """Makes asyncio clients of the demo API; the keywords are the keywords of `AsyncClient`."""

    def make(**options: Any) -> restway.AsyncClient:
        api = restway.API.load(DOCUMENT)
        return restway.AsyncClient(api, **{"base_url": demo_url, "timeout": 30.0, **options})

    return make


def run(main: Coroutine[Any, Any, T]) -> T:
    """Runs `main` in an event loop; fails if the loop reports an error."""
    complaints: list[dict[str, Any]] = []

    async def watched() -> T:
        asyncio.get_running_loop().set_exception_handler(lambda _, c: complaints.append(c))
        return await asyncio.wait_for(main, SECONDS_MAX)

    result = asyncio.run(watched())
    assert complaints == []
    return result


def slow(client: restway.AsyncClient) -> Coroutine[Any, Any, restway.Response]:
    return client.get("bad/slow", params={"ms": 20_000})


async def turn() -> None:
    """Lets the loop run one iteration."""
    loop = asyncio.get_running_loop()
    round_trip = loop.create_future()
    loop.call_soon(round_trip.set_result, None)
    await round_trip


async def in_flight(client: restway.AsyncClient) -> asyncio.Task[restway.Response]:
    """Makes a task that waits for an answer that does not come."""
    task = asyncio.get_running_loop().create_task(slow(client))
    await turn()
    return task


def test_an_await_gives_the_mapped_response(make_client: MakeAsyncClient) -> None:
    async def main() -> None:
        async with make_client() as client:
            response = await client.get("enterprises/3")
            assert response.status == 200
            assert response.object is not None and response.object.identity == 3
            assert client.store.count("Enterprise") >= 1

    run(main())


def test_every_verb_can_be_awaited(make_client: MakeAsyncClient) -> None:
    async def main() -> None:
        async with make_client() as client:
            for verb in (client.get, client.post, client.put, client.patch, client.delete):
                answer = await verb("echo", headers={"X-One": "1"})
                assert answer.json()["headers"]["X-One"] == "1"
            assert (await client.head("echo")).status == 200
            found = (await client.route("enterprise", variables={"itemID": 4})).object
            assert found is not None and found.identity == 4
            assert (await client.get(found)).object == found
            sent = await client.post("echo", json={"a": 1})
            assert sent.json()["body"] == '{"a": 1}'
            request = restway.Request.path("GET", "status")
            assert (await client.perform(request)).status == 200
            assert (await client.send(request)).status == 200

    run(main())


def test_two_hundred_awaits_at_once_each_get_their_own_answer(
    make_client: MakeAsyncClient,
) -> None:
    async def main() -> None:
        async with make_client() as client:
            answers = await asyncio.gather(*(client.get(f"enterprises/{n}") for n in range(1, 201)))
            assert [answer.object.identity for answer in answers if answer.object] == list(
                range(1, 201)
            )

    run(main())


def test_more_events_than_one_wake_takes_all_arrive(make_client: MakeAsyncClient) -> None:
    async def main() -> None:
        async with make_client() as client:
            waiting = [client.send(restway.Request.path("GET", "status")) for _ in range(600)]
            answers = await asyncio.gather(*waiting)
            assert {answer.status for answer in answers} == {200}

    run(main())


def test_failures_are_raised_by_the_await(make_client: MakeAsyncClient) -> None:
    async def main() -> None:
        async with make_client() as client:
            with pytest.raises(restway.HTTPStatusError) as caught:
                await client.get("enterprises/99999")
            assert caught.value.api_code == "40401"
            assert caught.value.response is not None
            with pytest.raises(restway.UnknownRouteError):
                await client.route("nobody")
            with pytest.raises(restway.UnknownRouteError):
                client.send(restway.Request.route("nobody"))
            with pytest.raises(restway.TimedOutError):
                await client.get("bad/slow", params={"ms": 20_000}, timeout=0.05)

    run(main())


def test_a_failure_among_many_leaves_the_others_alone(make_client: MakeAsyncClient) -> None:
    async def main() -> None:
        async with make_client() as client:
            answers = await asyncio.gather(
                client.get("status"),
                client.get("bad/status/503"),
                client.get("bad/half"),
                client.get("status"),
                return_exceptions=True,
            )
            kinds = [type(answer) for answer in answers]
            assert kinds[0] is kinds[3] is restway.Response
            assert kinds[1] is restway.ServerError
            assert issubclass(kinds[2], restway.TransportError)

    run(main())


def test_a_task_cancelled_before_it_starts_sends_nothing(make_client: MakeAsyncClient) -> None:
    async def main() -> None:
        async with make_client() as client:
            task = asyncio.get_running_loop().create_task(slow(client))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await client.get("status")).status == 200

    run(main())


def test_cancelling_a_task_cancels_its_call(make_client: MakeAsyncClient) -> None:
    async def main() -> None:
        # There is one connection: the second call can only be sent when the first has released it.
        async with make_client(connections_per_host_max=1) as client:
            task = await in_flight(client)
            assert not task.done()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await client.get("status")).status == 200

    run(main())


def test_cancelling_after_the_answer_came_drops_the_answer(make_client: MakeAsyncClient) -> None:
    async def main() -> None:
        async with make_client() as client:
            future = client.send(restway.Request.path("GET", "status"))
            task = asyncio.ensure_future(asyncio.wait([future]))
            await task
            waiting = asyncio.get_running_loop().create_task(client.get("status"))
            await waiting
            assert not waiting.cancel()
            assert waiting.result().status == future.result().status == 200

    run(main())


def test_cancelling_the_future_of_a_send_cancels_its_call(make_client: MakeAsyncClient) -> None:
    async def main() -> None:
        async with make_client(connections_per_host_max=1) as client:
            future = client.send(restway.Request.path("GET", "bad/slow", params={"ms": 20_000}))
            assert future.cancel()
            assert (await client.get("status")).status == 200
            assert future.cancelled()

    run(main())


def test_cancelling_in_the_moment_of_completion_loses_nothing(
    make_client: MakeAsyncClient,
) -> None:
    async def main() -> None:
        async with make_client() as client:
            for turns in range(60):
                task = asyncio.get_running_loop().create_task(client.get("status"))
                for _ in range(turns * 4):
                    await turn()
                task.cancel()
                await asyncio.wait([task])
            assert (await client.get("status")).status == 200

    run(main())


def test_wait_for_bounds_an_await(make_client: MakeAsyncClient) -> None:
    async def main() -> None:
        async with make_client() as client:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(slow(client), 0.05)
            assert (await asyncio.wait_for(client.get("status"), SECONDS_MAX)).status == 200

    run(main())


def test_closing_ends_every_await_with_closed_error(make_client: MakeAsyncClient) -> None:
    async def main() -> None:
        client = make_client()
        tasks = [await in_flight(client) for _ in range(50)]
        cancelled = await in_flight(client)
        cancelled.cancel()
        await client.close()
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        assert {type(answer) for answer in answers} == {restway.ClosedError}
        with pytest.raises(restway.ClosedError):
            await client.get("status")
        await client.close()

    run(main())


def test_leaving_the_context_ends_what_is_in_flight(make_client: MakeAsyncClient) -> None:
    async def main() -> None:
        async with make_client() as client:
            task = await in_flight(client)
        with pytest.raises(restway.ClosedError):
            await task

    run(main())


def test_a_client_needs_async_with(make_client: MakeAsyncClient) -> None:
    with pytest.raises(TypeError, match="async with"):
        with make_client():
            pass
    with pytest.raises(RuntimeError):
        make_client().send(restway.Request.path("GET", "status"))
    with pytest.raises(ValueError, match="delivery"):
        make_client(delivery="process")


def test_another_loop_is_told_that_the_client_is_not_its_own(
    make_client: MakeAsyncClient,
) -> None:
    client = make_client()

    async def once() -> int:
        return (await client.get("status")).status

    assert run(once()) == 200
    with pytest.raises(restway.UsageError, match="another event loop"):
        run(once())


def test_loops_in_several_threads_each_have_their_own_client(
    make_client: MakeAsyncClient,
) -> None:
    results: list[list[int]] = []

    async def main() -> list[int]:
        async with make_client() as client:
            answers = await asyncio.gather(*(client.get("status") for _ in range(50)))
            return [answer.status for answer in answers]

    threads = [threading.Thread(target=lambda: results.append(run(main()))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[200] * 50] * 3


def test_several_clients_share_a_loop(make_client: MakeAsyncClient) -> None:
    async def main() -> None:
        async with make_client() as one, make_client() as two:
            answers = await asyncio.gather(*(c.get("status") for c in (one, two) * 20))
            assert len(answers) == 40

    run(main())


def test_clients_that_come_and_go_leave_the_loop_as_it_was(make_client: MakeAsyncClient) -> None:
    async def main() -> None:
        for number in range(30):  # file descriptors are used again
            client = make_client()
            assert (await client.get("status")).status == 200
            if number % 2:
                await client.close()
            del client

    run(main())


def test_a_client_that_is_dropped_is_gone_at_once(make_client: MakeAsyncClient) -> None:
    async def main() -> None:
        client = make_client()
        await client.get("status")
        await turn()  # the loop's callback that brought the answer still refers to it
        seen = weakref.ref(client)
        gc.disable()
        try:
            del client
            assert seen() is None
            assert restway.debug_live_handles() == 0
        finally:
            gc.enable()

    run(main())


def test_a_dropped_client_finishes_what_was_sent(make_client: MakeAsyncClient) -> None:
    async def main() -> None:
        future = make_client().send(restway.Request.path("GET", "status"))
        task = asyncio.get_running_loop().create_task(make_client().get("status"))
        gc.collect()
        assert (await future).status == (await task).status == 200

    run(main())


def test_a_loop_that_ends_first_takes_nothing_along(make_client: MakeAsyncClient) -> None:
    loop = asyncio.new_event_loop()
    client = make_client()
    future = loop.run_until_complete(_started(client))
    loop.close()
    del client, future


async def _started(client: restway.AsyncClient) -> asyncio.Future[restway.Response]:
    return client.send(restway.Request.path("GET", "bad/slow", params={"ms": 20_000}))


def test_other_tasks_run_while_one_awaits(make_client: MakeAsyncClient) -> None:
    async def main() -> None:
        async with make_client() as client:
            task = asyncio.get_running_loop().create_task(
                client.get("bad/slow", params={"ms": 200})
            )
            turns = 0
            while not task.done():
                await turn()
                turns += 1
            assert turns > 10 and task.result().status == 200

    run(main())


def test_a_modifier_serves_awaits_and_sends(make_client: MakeAsyncClient) -> None:
    def refuse(context: restway.PipelineContext) -> None:
        raise KeyError("no")

    async def main() -> None:
        async with make_client() as client:
            client.add_modifier(lambda context: context.request.update(headers={"X-Seen": "yes"}))
            answers = await asyncio.gather(*(client.get("echo") for _ in range(20)))
            assert {answer.json()["headers"]["X-Seen"] for answer in answers} == {"yes"}
            stage = client.add_modifier(refuse)
            for waiting in (
                client.get("echo"),
                client.send(restway.Request.path("GET", "echo")),
            ):
                with pytest.raises(restway.CancelledError, match="KeyError") as caught:
                    await waiting
                assert isinstance(caught.value.__cause__, KeyError)
                del caught
            stage.remove()
            assert (await client.get("echo")).status == 200

    run(main())


IN_THE_LOOP = """
import asyncio, sys
from restway import API, AsyncClient, ConnectError

found = []

class Finder:
    def find_spec(self, name, path=None, target=None):
        found.append(name)

async def main(api):
    sys.meta_path.insert(0, Finder())
    async with AsyncClient(api) as client:
        try:
            await client.get("x")
        except ConnectError:
            pass

document = {"restway": 1, "environments": {"here": {"baseURL": "http://127.0.0.1:1"}}}
asyncio.run(main(API.from_json(document)))
print(found)
"""


def test_no_module_is_loaded_in_the_event_loop() -> None:
    run = subprocess.run(
        [sys.executable, "-c", IN_THE_LOOP], capture_output=True, text=True, timeout=60, check=False
    )
    assert (run.stdout, run.stderr) == ("[]\n", "")
