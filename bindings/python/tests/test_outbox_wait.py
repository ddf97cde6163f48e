"""Waiting for flushes and for stored requests."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import restway
from restway import OutboxReason, OutboxState, QueuedError, Reachability

from .test_outbox_flush import Server, document, put, server

__all__ = ["server"]


def api() -> restway.API:
    made = restway.API.from_json(document())
    made.add_hook("look", lambda rows: None)
    return made


def client_of(server: Server, folder: Path, **options: Any) -> restway.Client:
    path = folder / "outbox.db"
    return restway.Client(api(), base_url=server.url, outbox_path=path, **options)


def async_client_of(server: Server, folder: Path) -> restway.AsyncClient:
    return restway.AsyncClient(api(), base_url=server.url, outbox_path=folder / "outbox.db")


async def begin(task: asyncio.Future[Any]) -> None:
    """Lets a task run until it waits for something."""
    await asyncio.wait({task}, timeout=0)


def store(client: restway.Client, number: int = 5) -> QueuedError:
    client.set_reachability(Reachability.UNREACHABLE)
    with pytest.raises(QueuedError) as caught:
        client.perform(put(number))
    return caught.value


def test_a_flush_is_waited_for(server: Server, tmp_path: Path) -> None:
    with client_of(server, tmp_path) as client:
        first, second = store(client, 1), store(client, 2)
        items = client.outbox.flush(wait=True, timeout=30)
        assert [item.id for item in items] == [first.outbox_id, second.outbox_id]
        assert {item.state for item in items} == {OutboxState.DELIVERED}
        assert len(client.outbox) == 0
        assert repr(items).startswith("<OutboxItems 2: [1 DELIVERED PUT things/1, ")


def test_a_flush_that_is_not_waited_for_returns_at_once(server: Server, tmp_path: Path) -> None:
    with client_of(server, tmp_path) as client:
        store(client)
        told: queue.Queue[restway.OutboxItems] = queue.Queue()
        result: Any = client.outbox.flush(told.put)
        assert result is None
        assert len(told.get(timeout=30)) == 1


def test_what_contradicts_itself_is_refused(server: Server, tmp_path: Path) -> None:
    with client_of(server, tmp_path) as client:
        flush: Callable[..., Any] = client.outbox.flush
        with pytest.raises(TypeError, match="a timeout and progress need wait=True"):
            flush(timeout=3)
        with pytest.raises(TypeError, match="on_flushed or wait=True, not both"):
            flush(print, wait=True)
        with pytest.raises(TypeError, match="on_flushed is a function, not int"):
            flush(7)
        with pytest.raises(TypeError, match="a QueuedError, an OutboxItem or a number"):
            client.outbox.wait("1")  # type: ignore[arg-type]


def test_an_item_is_named_by_its_error_itself_or_its_number(
    server: Server, tmp_path: Path
) -> None:
    with client_of(server, tmp_path) as client:
        outbox = client.outbox
        queued = store(client)
        item = outbox.find(queued)
        assert outbox.find(item) == outbox.find(item.id) == item
        server.says = (422, {}, {"message": "no such thing"})
        client.set_reachability(Reachability.REACHABLE)
        assert outbox.wait(item, timeout=30).state is OutboxState.DEAD
        outbox.retry(item)
        assert outbox.wait(item, timeout=30).state is OutboxState.DEAD
        outbox.edit(item, b"{}")
        assert outbox.wait(item, timeout=30).state is OutboxState.DEAD
        for use in (outbox.find, outbox.retry, outbox.drop, outbox.wait):
            wrong: Callable[..., Any] = use
            for value in ("1", True, 1.0, None):
                with pytest.raises(TypeError, match="a QueuedError, an OutboxItem or a number"):
                    wrong(value)
            with pytest.raises(ValueError, match="out of range"):
                wrong(2**64 + item.id)
        with pytest.raises(TypeError, match="a body is bytes or a str, not int"):
            outbox.edit(item, 5)  # type: ignore[arg-type]
        assert outbox.drop(item) == 1
        with pytest.raises(restway.UsageError):
            outbox.drop(queued)


def test_a_task_waits_with_the_keywords_of_a_thread(server: Server, tmp_path: Path) -> None:
    async def run() -> None:
        async with async_client_of(server, tmp_path) as client:
            client.set_reachability(Reachability.UNREACHABLE)
            with pytest.raises(QueuedError) as caught:
                await client.perform(put(5))
            with pytest.raises(restway.TimedOutError, match=r"^item 1 of the outbox has"):
                await client.outbox.wait(caught.value, timeout=0.001)
            flush: Callable[..., Any] = client.outbox.flush
            for wrong, error in ((False, ValueError), (1, TypeError)):
                with pytest.raises(error):
                    await flush(wait=wrong)
            with pytest.raises(ValueError, match="a time-out is more than 0 seconds"):
                await flush(wait=True, timeout=-1)
            items = await client.outbox.flush(wait=True, timeout=float("inf"))
            assert [item.state for item in items] == [OutboxState.DELIVERED]
            ended = await client.outbox.wait(caught.value, timeout=30)
            assert ended.state is OutboxState.DELIVERED

    asyncio.run(run())


def test_the_acceptance_of_a_request_is_waited_for(server: Server, tmp_path: Path) -> None:
    with client_of(server, tmp_path) as client:
        queued = store(client)
        with pytest.raises(restway.TimedOutError, match=r"^item 1 of the outbox has not ended"):
            client.outbox.wait(queued, timeout=0.001)
        client.outbox.flush()
        item = client.outbox.wait(queued, timeout=30)
        assert (item.id, item.state, item.reason) == (1, OutboxState.DELIVERED, OutboxReason.NONE)
        assert item.response is not None and item.response.json() == {"id": 77}
        # It has ended, but the client remembers it, also by its number and by its item.
        assert client.outbox.wait(queued.outbox_id).state is OutboxState.DELIVERED
        assert client.outbox.wait(item).state is OutboxState.DELIVERED


def test_a_dead_letter_says_why(server: Server, tmp_path: Path) -> None:
    server.says = (422, {}, {"message": "no such thing"})
    with client_of(server, tmp_path) as client:
        queued = store(client)
        client.outbox.flush()
        for _ in range(2):  # the second wait finds the item in the file
            item = client.outbox.wait(queued, timeout=30)
            assert item.state is OutboxState.DEAD
            assert item.reason is OutboxReason.REFUSED
            assert item.last_error is not None and "422" in item.last_error
            assert item.response is not None and item.response.status == 422


def test_a_dropped_request_is_gone(server: Server, tmp_path: Path) -> None:
    async def main() -> None:
        async with async_client_of(server, tmp_path) as client:
            client.set_reachability(Reachability.UNREACHABLE)
            with pytest.raises(QueuedError) as caught:
                await client.perform(put(5))
            wait = asyncio.ensure_future(client.outbox.wait(caught.value))
            await begin(wait)
            assert client.outbox.drop(caught.value.outbox_id) == 1
            assert (await wait).state is OutboxState.GONE
            with pytest.raises(restway.UsageError, match="the outbox has no item 1"):
                await client.outbox.wait(caught.value)

    asyncio.run(main())


def test_a_withdrawn_creation_is_gone(server: Server, tmp_path: Path) -> None:
    async def main() -> None:
        async with async_client_of(server, tmp_path) as client:
            client.set_reachability(Reachability.UNREACHABLE)
            draft = client.draft("Thing", name="new")
            with pytest.raises(QueuedError) as caught:
                await client.post(draft)
            wait = asyncio.ensure_future(client.outbox.wait(caught.value))
            await begin(wait)
            client.store.delete(draft.snapshot())
            assert (await wait).state is OutboxState.GONE

    asyncio.run(main())


def test_a_closed_client_ends_the_wait(server: Server, tmp_path: Path) -> None:
    async def main() -> None:
        client = async_client_of(server, tmp_path)
        client.set_reachability(Reachability.UNREACHABLE)
        with pytest.raises(QueuedError) as caught:
            await client.perform(put(5))
        wait = asyncio.ensure_future(client.outbox.wait(caught.value))
        cancelled = asyncio.ensure_future(client.outbox.wait(caught.value))
        await begin(cancelled)
        cancelled.cancel()
        await client.close()
        with pytest.raises(restway.ClosedError):
            await wait
        with pytest.raises(asyncio.CancelledError):
            await cancelled

    asyncio.run(main())


def test_an_async_client_awaits_a_request(server: Server, tmp_path: Path) -> None:
    async def main() -> None:
        async with async_client_of(server, tmp_path) as client:
            client.set_reachability(Reachability.UNREACHABLE)
            with pytest.raises(QueuedError) as caught:
                await client.perform(put(5))
            wait = asyncio.ensure_future(client.outbox.wait(caught.value))
            await client.outbox.flush()
            item = await asyncio.wait_for(wait, 30)
            assert item.state is OutboxState.DELIVERED
            assert (await client.outbox.wait(item)).id == item.id
            with pytest.raises(restway.UsageError):
                await client.outbox.wait(99)

    asyncio.run(main())


def test_a_wait_runs_the_callbacks_of_process(server: Server, tmp_path: Path) -> None:
    with client_of(server, tmp_path, delivery="process") as client:
        queued = store(client)
        items = client.outbox.flush(wait=True, timeout=30)
        assert [item.state for item in items] == [OutboxState.DELIVERED]
        assert client.outbox.wait(queued, timeout=30).state is OutboxState.DELIVERED


def test_a_wait_inside_a_callback_would_block(server: Server, tmp_path: Path) -> None:
    raised: list[BaseException] = []
    over = threading.Event()
    with client_of(server, tmp_path) as client:
        queued = store(client)

        def on_flushed(_: restway.OutboxItems) -> None:
            for wait in (
                lambda: client.outbox.flush(wait=True),
                lambda: client.outbox.wait(queued),
            ):
                try:
                    wait()
                except restway.WouldBlockError as error:
                    raised.append(error)
            over.set()

        client.outbox.flush(on_flushed)
        assert over.wait(30)
    assert len(raised) == 2
