"""Requests that are stored in the outbox."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import restway
from restway import OutboxState, QueuedError, Reachability

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"here": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Thing": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}, "name": {"type": "string"}},
            "relationships": {"parts": {"entity": "Thing", "many": True}},
        }
    },
    "outbox": {"path": "outbox.db"},
    "routes": {
        "thing": {
            "method": ["GET", "PUT", "DELETE"],
            "path": "things/:id",
            "entity": "Thing",
            "response": {"entity": "Thing"},
            "offline": True,
        },
        "things": {
            "method": "POST",
            "path": "things",
            "entity": "Thing",
            "response": {"entity": "Thing"},
            "offline": True,
        },
    },
}


class Server:
    """Answers every request as the test says, and records it."""

    def __init__(self) -> None:
        self.status = 200
        self.body: object = {"id": 1, "name": "there"}
        self.requests: list[tuple[str, str, str, str]] = []
        self.arrived = threading.Event()
        #: The server answers only while this is set.
        self.go = threading.Event()
        self.go.set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_PUT(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                key = self.headers.get("Idempotency-Key", "")
                outer.requests.append((self.command, self.path, body, key))
                outer.arrived.set()
                outer.go.wait(30)
                answer = json.dumps(outer.body).encode()
                self.send_response(outer.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_POST = do_PATCH = do_DELETE = do_PUT

            def log_message(self, format: str, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def client(server: Server, tmp_path: Path) -> Iterator[restway.Client]:
    api = restway.API.from_json(DOCUMENT)
    with restway.Client(api, base_url=server.url, outbox_path=tmp_path / "o.db") as client:
        yield client
        client.close()


def put(number: int, lane: str | None = None) -> restway.Request:
    request = restway.Request.route(
        "thing", "PUT", variables={"id": number}, json={"name": "a", "token": "s3cret"}
    )
    if lane is not None:
        request.update(lane=lane)
    return request


def first(number: int) -> restway.Request:
    request = put(number)
    request.update(offline="first")
    return request


def store(client: restway.Client, number: int) -> int:
    client.set_reachability(Reachability.UNREACHABLE)
    with pytest.raises(QueuedError) as caught:
        client.perform(put(number))
    return caught.value.outbox_id


def flush(client: restway.Client, *, force: bool = False) -> restway.OutboxItems:
    told: list[restway.OutboxItems] = []
    over = threading.Event()

    def on_flushed(items: restway.OutboxItems) -> None:
        told.append(items)
        over.set()

    client.outbox.flush(on_flushed, force=force)
    assert over.wait(30)
    return told[0]


def test_what_cannot_be_sent_is_stored_and_sent_later(
    client: restway.Client, server: Server
) -> None:
    assert int(client.reachability) == Reachability.UNKNOWN
    assert not client.outbox.needs_flushing
    assert [store(client, 1), store(client, 2)] == [1, 2]
    assert int(client.reachability) == Reachability.UNREACHABLE
    assert client.outbox.needs_flushing
    assert len(client.outbox) == 2
    keys = [item.key for item in client.outbox.items()]
    items = flush(client)
    assert [(item.id, item.state) for item in items] == [
        (1, OutboxState.DELIVERED),
        (2, OutboxState.DELIVERED),
    ]
    assert items.error is None
    assert items[0].response is not None
    assert items[0].response.status == 200
    assert [request[1] for request in server.requests] == ["/things/1", "/things/2"]
    assert [request[3] for request in server.requests] == keys
    thing = client.store.find("Thing", 1)
    assert thing is not None
    assert thing.name == "there"
    assert client.outbox.counts() == (0, 0, 0, 0, 0)


def test_a_refused_connection_is_stored(client: restway.Client, tmp_path: Path) -> None:
    with restway.Client(
        client.api, base_url="http://127.0.0.1:1", outbox_path=tmp_path / "other.db"
    ) as lonely:
        with pytest.raises(QueuedError) as caught:
            lonely.perform(put(1, lane="mine"))
        item = lonely.outbox.find(caught.value.outbox_id)
        assert item.state is OutboxState.WAITING
        assert (item.method, item.path) == ("PUT", "things/1")
        assert "mine" in item.lane
        assert item.last_error is not None
        assert item.next_attempt is not None
        assert item.next_attempt > item.created
        assert json.loads(item.body or b"") == {"name": "a", "token": "s3cret"}
        assert item.attempts == 0
        assert lonely.reachability is Reachability.UNREACHABLE


def test_a_download_says_that_it_is_not_stored(client: restway.Client, tmp_path: Path) -> None:
    with restway.Client(
        client.api, base_url="http://127.0.0.1:1", outbox_path=tmp_path / "other.db"
    ) as lonely:
        request = put(1)
        request.update(save_to=tmp_path / "answer.json")
        with pytest.raises(restway.ConnectError, match="not stored in the outbox"):
            lonely.perform(request)
        request.update(lane="mine")
        with pytest.raises(restway.UsageError, match="lane"):
            lonely.perform(request)
        with (
            pytest.raises(restway.ConnectError, match="not stored in the outbox"),
            lonely.stream(put(2)),
        ):
            pass


def test_a_dead_letter_is_edited_retried_or_dropped(
    client: restway.Client, server: Server
) -> None:
    store(client, 1)
    store(client, 1)
    store(client, 2)
    server.status = 422
    items = flush(client)
    assert [item.state for item in items] == [OutboxState.DEAD, OutboxState.DEAD]
    assert client.outbox.counts() == restway.OutboxCounts(0, 0, 1, 2, 0)
    dead = client.outbox.find(1)
    assert dead.response is not None
    assert dead.response.status == 422
    with pytest.raises(restway.UsageError):
        client.outbox.retry(2)
    server.status = 200
    client.outbox.edit(1, "{}", "application/json")
    flush(client)
    assert server.requests[-2][2] == "{}"
    assert server.requests[-2][3] != dead.key
    client.outbox.retry(3)
    flush(client)
    assert client.outbox.counts() == (0, 0, 0, 0, 0)
    store(client, 4)
    store(client, 5)
    assert client.outbox.drop(4) == 1
    assert client.outbox.drop_all() == 1
    with pytest.raises(restway.UsageError):
        client.outbox.find(4)


def test_an_export_leaves_secrets_out(client: restway.Client) -> None:
    store(client, 1)
    exported = client.outbox.items().export()
    assert isinstance(exported, list)
    assert exported[0]["body"] == {"name": "a", "token": "[redacted]"}
    assert "s3cret" not in json.dumps(exported)


def test_an_object_has_pending_changes(client: restway.Client) -> None:
    thing = client.perform(
        restway.Request.route("thing", variables={"id": 1})
    ).objects[0]
    assert not client.outbox.has_pending(thing)
    store(client, 1)
    assert client.outbox.has_pending(thing)


def test_what_depends_on_an_unsent_object_waits_for_its_identity(
    client: restway.Client, server: Server
) -> None:
    client.set_reachability(Reachability.UNREACHABLE)
    draft = client.draft("Thing", name="new")
    with pytest.raises(QueuedError):
        client.post(draft)
    draft.name = "newer"
    with pytest.raises(QueuedError):
        client.put(draft)
    assert [item.state for item in client.outbox.items()] == [
        OutboxState.WAITING,
        OutboxState.BLOCKED,
    ]
    (unsent,) = client.store.all("Thing")
    assert client.outbox.has_pending(unsent)
    server.body = {"id": 7}
    assert [item.state for item in flush(client)] == [OutboxState.DELIVERED] * 2
    assert [request[:2] for request in server.requests] == [
        ("POST", "/things"),
        ("PUT", "/things/7"),
    ]
    assert "restway-local" not in str(server.requests)
    (named,) = client.store.all("Thing")
    assert (named.id, named.name) == (7, "newer")
    assert not client.outbox.has_pending(named)


def test_a_stored_draft_becomes_one_of_what_came_back(
    client: restway.Client, server: Server
) -> None:
    client.set_reachability(Reachability.UNREACHABLE)
    draft = client.draft("Thing", name="new")
    with pytest.raises(QueuedError):
        client.post(draft)
    assert draft.changed == ["name"]
    draft.name = "newer"
    server.body = {"id": 7, "name": "new"}
    flush(client)
    assert (draft.id, draft.name, draft.changed) == (7, "newer", ["name"])
    draft.revert()
    assert (draft.name, draft.changed) == ("new", [])
    client.set_reachability(Reachability.UNREACHABLE)
    draft.name = "refused"
    with pytest.raises(QueuedError):
        client.put(draft)
    server.status = 422
    flush(client)
    assert draft.changed == ["name"]


def rename(client: restway.Client, server: Server) -> restway.Object:
    """Stores a PUT that changes the name of a thing; returns the thing."""
    server.body = {"id": 1, "name": "old"}
    request = restway.Request.route("thing", variables={"id": 1})
    thing = client.perform(request).objects[0]
    client.set_reachability(Reachability.UNREACHABLE)
    draft = client.draft(thing)
    draft.name = "new"
    with pytest.raises(QueuedError):
        client.put(draft)
    return thing


def name_of(client: restway.Client, thing: restway.Object) -> object:
    newest = client.store.newest(thing)
    assert newest is not None
    return newest.name


def test_a_dropped_change_is_taken_back(client: restway.Client, server: Server) -> None:
    thing = rename(client, server)
    assert name_of(client, thing) == "new"
    assert client.outbox.drop(1) == 1
    assert name_of(client, thing) == "old"
    draft = client.draft("Thing", name="made")
    with pytest.raises(QueuedError):
        client.post(draft)
    assert client.store.count("Thing") == 2
    assert client.outbox.drop_all() == 1
    assert client.store.count("Thing") == 1
    with pytest.raises(QueuedError):
        client.post(draft)


def test_a_dead_letter_marks_its_object(client: restway.Client, server: Server) -> None:
    thing = rename(client, server)
    told: list[tuple[str, ...]] = []
    done = threading.Event()

    def on_change(changes: restway.Changes) -> None:
        told.extend(tuple(change.attributes) for change in changes)
        done.set()

    observer = client.observe(on_change, thing)
    things = client.store.query("Thing")
    assert not client.store.is_rejected(thing)
    server.status = 422
    flush(client)
    assert client.store.is_rejected(thing)
    assert [one.id for one in things.rejected()] == [1]
    assert things.rejected(False).count() == 0
    assert things.rejected().rejected(None).where(id=1).count() == 1
    assert things.rejected().where(id=2).limit(1).order_by("id").first() is None
    assert done.wait(60)
    # A refused change is not seen: the store has the server's name again.
    assert told == [("name",)]
    client.outbox.retry(1)
    assert not client.store.is_rejected(thing)
    observer.remove()
    client.close()
    with pytest.raises(restway.ClosedError):
        client.store.is_rejected(thing)
    with pytest.raises(restway.ClosedError):
        things.rejected().all()


def stored_with_its_part(client: restway.Client) -> tuple[restway.Draft, restway.Draft]:
    """Posts a new thing without a network, with another new thing inside it."""
    client.set_reachability(Reachability.UNREACHABLE)
    part = client.draft("Thing", name="part")
    whole = client.draft("Thing", name="whole")
    whole.add("parts", part)
    with pytest.raises(QueuedError):
        client.post(whole)
    return whole, part


def test_new_objects_inside_a_stored_one_are_named_with_it(
    client: restway.Client, server: Server
) -> None:
    whole, part = stored_with_its_part(client)
    part.name = "changed"
    with pytest.raises(QueuedError):
        client.put(part)
    assert client.outbox.has_pending(part.snapshot())
    assert [item.state for item in client.outbox.items()] == [
        OutboxState.WAITING,
        OutboxState.BLOCKED,
    ]
    server.body = {"id": 7, "parts": [{"id": 8, "name": "part"}]}
    assert [item.state for item in flush(client)] == [OutboxState.DELIVERED] * 2
    assert [request[:2] for request in server.requests] == [
        ("POST", "/things"),
        ("PUT", "/things/8"),
    ]
    assert "restway-local" not in str(server.requests)
    assert (whole.id, whole.changed, part.id, part.changed) == (7, [], 8, [])
    assert client.store.count("Thing") == 2


def test_what_the_answer_does_not_name_is_not_waited_for(
    client: restway.Client, server: Server
) -> None:
    _, part = stored_with_its_part(client)
    with pytest.raises(QueuedError):
        client.put(part)
    server.body = {"id": 7}
    flush(client)
    assert len(server.requests) == 1
    (dead,) = client.outbox.items()
    assert dead.state is OutboxState.DEAD
    assert "identity" in (dead.last_error or "")


def test_a_deleted_unsent_object_takes_its_requests_along(
    client: restway.Client, server: Server
) -> None:
    client.set_reachability(Reachability.UNREACHABLE)
    draft = client.draft("Thing", name="never")
    with pytest.raises(QueuedError):
        client.post(draft)
    assert client.delete(draft).status == 0
    assert client.outbox.counts() == (0, 0, 0, 0, 0)
    assert client.store.count("Thing") == 0
    assert server.requests == []


def test_an_observer_is_told_of_items_and_flushes(
    client: restway.Client, server: Server
) -> None:
    told: list[str] = []
    over = threading.Event()

    def on_item(item: restway.OutboxItem, error: restway.RestwayError | None) -> None:
        status = item.response.status if item.response else 0
        told.append(f"{item.id} {item.state.name} {status} {type(error).__name__}")

    def on_flushed(items: restway.OutboxItems) -> None:
        told.append(f"flushed {len(items)}")
        over.set()

    client.outbox.observe(on_item, on_flushed)
    server.status = 403
    store(client, 1)
    client.set_reachability(Reachability.REACHABLE)
    assert over.wait(30)
    assert told == ["1 DEAD 403 ForbiddenError", "flushed 1"]
    client.outbox.observe(None, None)
    server.status = 200
    client.outbox.retry(1)
    flush(client)
    assert len(told) == 2


def test_a_request_that_is_stored_first_has_its_answer(
    client: restway.Client, server: Server
) -> None:
    response = client.put("things/1", json={"name": "a"}, offline="first")
    assert response.status == 200
    assert response.object is not None and response.object["name"] == "there"
    assert len(client.outbox.items()) == 0
    assert server.requests[0][3]
    server.status = 422
    with pytest.raises(restway.UnprocessableError):
        client.perform(first(2))
    assert len(client.outbox.items()) == 0
    server.status = 503
    with pytest.raises(QueuedError) as caught:
        client.perform(first(3))
    assert [item.id for item in client.outbox.items()] == [caught.value.outbox_id]


def test_offline_is_checked(client: restway.Client) -> None:
    with pytest.raises(restway.UsageError, match="GET request is never stored"):
        client.get("things/1", offline="first")
    for wrong, error in (("later", ValueError), (3, TypeError), (1, TypeError)):
        with pytest.raises(error):
            client.get("things/1", offline=wrong)  # type: ignore[call-overload]
    document = {"restway": 1, "routes": {"a": {"path": "a", "offline": {"store": "first"}}}}
    with pytest.raises(restway.ConfigError, match="only `true` is allowed"):
        restway.API.from_json(document)


def test_a_request_that_may_not_be_stored_fails(tmp_path: Path) -> None:
    api = restway.API.from_json(DOCUMENT)
    request = put(1)
    request.update(offline=False)
    with (
        restway.Client(
            api, base_url="http://127.0.0.1:1", outbox_path=tmp_path / "o.db"
        ) as client,
        pytest.raises(restway.TransportError),
    ):
        client.perform(request)


def test_a_close_stores_the_requests_in_flight(server: Server, tmp_path: Path) -> None:
    async def run() -> list[int]:
        api = restway.API.from_json(DOCUMENT)
        client = restway.AsyncClient(api, base_url=server.url, outbox_path=tmp_path / "o.db")
        server.go.clear()
        tasks = [
            asyncio.create_task(client.perform(put(1))),
            asyncio.create_task(client.perform(first(2))),
        ]
        await asyncio.to_thread(server.arrived.wait, 30)
        await client.close()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        server.go.set()
        return sorted(result.outbox_id for result in results if isinstance(result, QueuedError))

    assert asyncio.run(run()) == [1, 2]
    api = restway.API.from_json(DOCUMENT)
    with restway.Client(api, base_url=server.url, outbox_path=tmp_path / "o.db") as client:
        assert len(client.outbox.items()) == 2
        flush(client)
        assert len(client.outbox.items()) == 0


def test_a_client_without_an_outbox_says_so(server: Server) -> None:
    document = {key: value for key, value in DOCUMENT.items() if key in ("restway", "entities")}
    with restway.Client(
        restway.API.from_json(document), base_url=server.url
    ) as client:
        for ask in (client.outbox.counts, client.outbox.items, client.outbox.drop_all):
            with pytest.raises(restway.ConfigError):
                ask()
        with pytest.raises(restway.ConfigError):
            client.outbox.flush(lambda _: None)
        client.set_reachability(Reachability.REACHABLE)
        assert client.reachability is Reachability.REACHABLE
        for wrong, error in ((9, ValueError), (False, TypeError), ("REACHABLE", TypeError)):
            with pytest.raises(error):
                client.set_reachability(wrong)  # type: ignore[arg-type]
        assert client.reachability is Reachability.REACHABLE


def test_a_flush_is_awaited_and_its_items_are_told(server: Server, tmp_path: Path) -> None:
    async def run() -> list[str]:
        told: list[str] = []
        api = restway.API.from_json(DOCUMENT)
        async with restway.AsyncClient(
            api, base_url=server.url, outbox_path=tmp_path / "o.db"
        ) as client:
            client.outbox.observe(
                lambda item, error: told.append(f"{item.id} {item.state.name} {error}"),
                lambda items: told.append(f"flushed {len(items)}"),
            )
            client.set_reachability(Reachability.UNREACHABLE)
            for number in (1, 2):
                with pytest.raises(QueuedError) as caught:
                    await client.perform(put(number))
                assert caught.value.outbox_id == number
            items = await client.outbox.flush(wait=True, timeout=30)
            assert [item.id for item in items] == [1, 2]
            assert not client.outbox.needs_flushing
            assert len(await client.outbox.flush(force=True)) == 0
        return told

    assert asyncio.run(run()) == ["1 DELIVERED None", "2 DELIVERED None", "flushed 2"]
