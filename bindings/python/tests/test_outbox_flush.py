"""Functions that raise while stored requests are sent, and the answers to repeated keys."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import restway
from restway import OutboxReason, OutboxState, QueuedError, Reachability

ATTRIBUTES = {"id": {"type": "int"}, "name": {"type": "string"}}


def document(**parts: Any) -> dict[str, Any]:
    thing = {"entity": "Thing", "response": {"entity": "Thing", "hook": "look"}, "offline": True}
    return {
        "restway": 1,
        "environments": {"here": {"baseURL": "http://127.0.0.1:1"}},
        "entities": {"Thing": {"identity": "id", "attributes": ATTRIBUTES}},
        "routes": {
            "thing": {"method": "PUT", "path": "things/:id", **thing},
            "things": {"method": "POST", "path": "things", **thing},
        },
    } | parts


class Server:
    """Applies each request once, by its key; with `says` it gives that answer to all requests."""

    def __init__(self) -> None:
        self.says: tuple[int, dict[str, str], object] | None = None
        self.applied: dict[str, str] = {}
        self.token: str | None = None
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_PUT(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                status, headers, answer = outer.answer(self, body)
                text = json.dumps(answer).encode()
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_POST = do_PUT

            def log_message(self, format: str, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def answer(
        self, request: BaseHTTPRequestHandler, body: str
    ) -> tuple[int, dict[str, str], object]:
        if self.says is not None:
            return self.says
        if self.token and request.headers.get("Authorization") != f"Bearer {self.token}":
            return 401, {}, {}
        if request.path == "/batch":
            return 200, {}, [self._item(item) for item in json.loads(body)["batch"]]
        key = request.headers["Idempotency-Key"]
        return 200, {}, self._apply(key, f"{request.command} {request.path} {body}")

    def _item(self, item: dict[str, Any]) -> dict[str, Any]:
        words = f"{item['method']} {item['uri']} {item['body']}"
        body = json.dumps(self._apply(item["headers"]["Idempotency-Key"], words))
        return {"code": 200, "body": body, "headers": {"Content-Type": "application/json"}}

    def _apply(self, key: str, words: str) -> dict[str, int]:
        assert self.applied.setdefault(key, words) == words
        return {"id": 77}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


class Broken:
    """Functions that raise as long as this object says so."""

    def __init__(self) -> None:
        self.raises = True
        self.asked = 0

    def check(self) -> None:
        self.asked += 1
        if self.raises:
            raise RuntimeError("broken on purpose")


def flush(client: restway.Client) -> restway.OutboxItems:
    told: list[restway.OutboxItems] = []
    over = threading.Event()

    def on_flushed(items: restway.OutboxItems) -> None:
        told.append(items)
        over.set()

    client.outbox.flush(on_flushed, force=True)
    assert over.wait(30)
    return told[0]


def store(client: restway.Client) -> None:
    """Stores a creation, a change of the created object, and a change of another object."""
    client.set_reachability(Reachability.UNREACHABLE)
    draft = client.draft("Thing", name="new")
    with pytest.raises(QueuedError):
        client.post(draft)
    draft.name = "newer"
    with pytest.raises(QueuedError):
        client.put(draft)
    with pytest.raises(QueuedError):
        client.perform(put(5))


def put(number: int) -> restway.Request:
    return restway.Request.route("thing", "PUT", variables={"id": number}, json={"name": "a"})


def authorize(client: restway.Client, broken: Broken) -> None:
    client.set_auth(authorize=lambda _: broken.check())


def should_replay(client: restway.Client, broken: Broken) -> None:
    def answer(_: restway.RestwayError) -> bool:
        broken.check()
        return True

    client.set_auth(should_replay=answer, refresh=lambda: "new")


def failure_reader(client: restway.Client, broken: Broken) -> None:
    client.set_failure_reader(lambda _: broken.check())


def observers(client: restway.Client, broken: Broken) -> None:
    client.outbox.observe(lambda *_: broken.check(), lambda _: broken.check())


def attempt_observer(client: restway.Client, broken: Broken) -> None:
    client.set_auth(refresh=lambda: "new")
    client.set_attempt_observer(lambda *_: broken.check())


def encode(requests: Sequence[restway.BatchRequest]) -> tuple[bytes, str]:
    batch = [
        {
            "method": request.method,
            "uri": request.uri,
            "headers": {key.title(): value for key, value in request.headers.items()},
            "body": (request.body or b"").decode(),
        }
        for request in requests
    ]
    return json.dumps({"batch": batch}).encode(), "application/json"


def decode(body: bytes, _: int) -> list[restway.BatchAnswer]:
    return [
        restway.BatchAnswer(answer["code"], answer["body"], answer["headers"])
        for answer in json.loads(body)
    ]


def batch_encode(client: restway.Client, broken: Broken) -> None:
    def broken_encode(requests: Sequence[restway.BatchRequest]) -> tuple[bytes, str]:
        broken.check()
        return encode(requests)

    client.set_batch_format(broken_encode, decode)


def batch_decode(client: restway.Client, broken: Broken) -> None:
    def broken_decode(body: bytes, count: int) -> list[restway.BatchAnswer]:
        broken.check()
        return decode(body, count)

    client.set_batch_format(encode, broken_decode)


def nothing(client: restway.Client, broken: Broken) -> None:
    """The hook and the transform belong to the api."""


CUSTOM = {"identity": "id", "attributes": {**ATTRIBUTES, "id": {"type": "int", "transform": "own"}}}
BATCH = {"batch": {"path": "batch", "limit": 5}}
BEARER = {"auth": {"scheme": "bearer", "token": "old"}}

STEPS: dict[str, tuple[Callable[[restway.Client, Broken], None], dict[str, Any]]] = {
    "authorize": (authorize, {"auth": {}}),
    "should_replay": (should_replay, BEARER),
    "failure reader": (failure_reader, {}),
    "observers": (observers, {}),
    "attempt observer": (attempt_observer, BEARER),
    "hook": (nothing, {}),
    "hook of a batch": (nothing, BATCH),
    "transform": (nothing, {"entities": {"Thing": CUSTOM}}),
    "batch encoder": (batch_encode, BATCH),
    "batch decoder": (batch_decode, BATCH),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_function_that_raises_at_any_step_of_a_flush_loses_nothing(
    step: str, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    set_function, parts = STEPS[step]
    broken = Broken()
    # The token of a document goes only to the origin of its environment.
    here = {"here": {"baseURL": server.url}}
    api = restway.API.from_json(document(environments=here, **parts))

    def look(_: restway.Rows) -> None:
        if step.startswith("hook"):
            broken.check()

    def own(value: Any) -> Any:
        broken.check()
        return value

    api.add_hook("look", look)
    if step == "transform":
        api.add_transform("own", own, lambda value: value)
    if parts is BEARER:
        server.token = "new"
    with restway.Client(api, base_url=server.url, outbox_path=tmp_path / "o.db") as client:
        set_function(client, broken)
        store(client)
        if step == "failure reader":
            server.says = (503, {}, {})
        for _ in range(3):
            flush(client)
            assert client.outbox.counts().dead == 0
            assert len(client.outbox) + len(server.applied) >= 3
        server.says = None
        broken.raises = False
        flush(client)
        assert len(client.outbox) == 0
        assert broken.asked > 0
        assert sorted(server.applied.values()) == [
            'POST /things {"name":"new"}',
            'PUT /things/5 {"name": "a"}',
            'PUT /things/77 {"id":77,"name":"newer"}',
        ]
        assert sorted(thing.id for thing in client.store.all("Thing")) == [77]
        client.close()


def test_a_file_in_the_options_is_enough(server: Server, tmp_path: Path) -> None:
    api = restway.API.from_json(document())
    api.add_hook("look", lambda _: None)
    with pytest.raises(restway.ConfigError, match="outbox_path"):
        restway.Client(api, base_url=server.url)
    with restway.Client(api, base_url=server.url, outbox_path=tmp_path / "o.db") as client:
        store(client)
        assert [item.state for item in flush(client)] == [OutboxState.DELIVERED] * 3
        client.close()


def test_an_answer_of_the_network_ends_no_item(server: Server, tmp_path: Path) -> None:
    api = restway.API.from_json(document())
    api.add_hook("look", lambda _: None)
    path = tmp_path / "o.db"
    with restway.Client(api, base_url=server.url, outbox_path=path) as client:
        client.set_reachability(Reachability.UNREACHABLE)
        with pytest.raises(QueuedError):
            client.perform(put(1))
        elsewhere = {"Location": "http://127.0.0.1:1/login"}
        for says in [
            (200, {"Content-Type": "text/html"}, "please log in"),
            (302, elsewhere, {}),
            (307, elsewhere, {}),
            (407, {}, {}),
            (511, {}, {}),
        ]:
            server.says = says
            (item,) = flush(client)
            assert (item.state, item.reason) == (OutboxState.WAITING, OutboxReason.NOT_THE_API)
            assert client.outbox.find(1).reason is OutboxReason.NOT_THE_API
        assert client.outbox.find(1).attempts == 5
        client.close()
    with restway.Client(api, base_url=server.url, outbox_path=path) as client:
        server.says = None
        assert client.outbox.find(1).reason is OutboxReason.NOT_THE_API
        (item,) = flush(client)
        assert (item.state, item.reason) == (OutboxState.DELIVERED, OutboxReason.NONE)
        client.close()


def test_a_repeated_key_is_told_from_a_refusal(server: Server, tmp_path: Path) -> None:
    busy = "https://example.com/problems/busy"
    api = restway.API.from_json(document(outbox={"path": "o.db", "inProgress": [busy]}))
    api.add_hook("look", lambda _: None)
    with restway.Client(api, base_url=server.url, outbox_path=tmp_path / "o.db") as client:
        client.set_reachability(Reachability.UNREACHABLE)
        with pytest.raises(QueuedError):
            client.perform(put(1))
        for says, state, reason in [
            ((503, {}, {}), OutboxState.WAITING, OutboxReason.NONE),
            ((409, {"Retry-After": "9"}, {}), OutboxState.WAITING, OutboxReason.NONE),
            ((409, {}, {"type": busy}), OutboxState.WAITING, OutboxReason.NONE),
            (
                (422, {}, {"title": "Idempotency-Key is already used"}),
                OutboxState.DEAD,
                OutboxReason.KEY_REUSED,
            ),
        ]:
            server.says = says
            (item,) = flush(client)
            assert (item.state, item.reason) == (state, reason)
            assert client.outbox.find(1).reason is reason
        server.says = (422, {}, {"title": "the name is too long"})
        client.outbox.retry(1)
        flush(client)
        assert client.outbox.find(1).reason is OutboxReason.REFUSED
        client.close()
