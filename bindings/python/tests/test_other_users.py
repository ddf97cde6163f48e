"""Users of one machine: credentials that are replaced, and requests stored in somebody's name."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

import restway
from restway import Credential, OutboxReason, OutboxState, Reachability


class Server:
    """Accepts the tokens in `good`, and keeps what it was sent with which credential."""

    def __init__(self) -> None:
        self.good = {"Bearer new"}
        self.log: list[tuple[str, str]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                if self.path == "/token":
                    given = dict(parse_qsl(body))
                    token = f"{given.get('refresh_token')} token"
                    outer.good.add(f"Bearer {token}")
                    self.answer(200, {"access_token": token, "token_type": "bearer"})
                elif self.path == "/batch":
                    items = json.loads(body)["batch"]
                    self.answer(200, [outer.part(self, item) for item in items])
                else:
                    is_good = outer.sent(self, body)
                    self.answer(201 if is_good else 401, {"code": "rest_invalid_param"})

            def do_GET(self) -> None:
                self.answer(200 if outer.sent(self, "") else 401, {})

            def answer(self, status: int, answer: object) -> None:
                text = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def sent(self, request: BaseHTTPRequestHandler, body: str) -> bool:
        credential = request.headers.get("Authorization", "")
        self.log.append((credential, body))
        return credential in self.good

    def part(self, request: BaseHTTPRequestHandler, item: Any) -> dict[str, Any]:
        is_good = self.sent(request, item["body"])
        return {"code": 201 if is_good else 401, "body": "{}"}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def document(server: Server, auth: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {
        "restway": 1,
        "environments": {"here": {"baseURL": server.url}},
        "auth": auth,
        "routes": {"add": {"method": "POST", "path": "notes", "offline": True}},
    } | parts


def store(client: restway.Client, *numbers: int) -> list[restway.QueuedError]:
    client.set_reachability(Reachability.UNREACHABLE)
    queued = []
    for number in numbers:
        with pytest.raises(restway.QueuedError) as caught:
            client.route("add", json={"n": number})
        queued.append(caught.value)
    return queued


def test_nothing_of_the_user_before_stays(server: Server) -> None:
    auth = {"scheme": "oauth2", "grant": "refreshToken", "tokenURL": "token"}
    with restway.Client(document(server, auth, routes={})) as client:
        client.set_credential(Credential(token="new", refresh_token="ann"))
        assert client.get("me").status == 200
        for credential in [Credential(token="expired"), Credential(), None]:
            client.set_credential(credential)
            with pytest.raises(restway.AuthError):
                client.get("me")
        assert {credential for credential, _ in server.log} == {"Bearer new", "Bearer expired"}


@pytest.mark.parametrize("batch", [{}, {"batch": {"path": "batch", "limit": 5}}])
def test_a_refused_credential_holds_stored_requests_until_there_is_another(
    server: Server, batch: dict[str, Any], tmp_path: Path
) -> None:
    described = document(server, {"scheme": "bearer", "token": "old"}, **batch)
    path = tmp_path / "o.db"
    with restway.Client(described, outbox_path=path) as client:
        store(client, 1, 2)
        client.set_reachability(Reachability.REACHABLE)
        with pytest.raises(restway.AuthError):
            for _ in range(2):
                client.outbox.flush(wait=True, timeout=30)
        waiting = client.outbox.find(1)
        assert (waiting.state, waiting.reason) == (OutboxState.WAITING, OutboxReason.CREDENTIAL)
        assert server.log == [("Bearer old", '{"n": 1}')]
        exported: Any = client.outbox.items().export()
        assert exported[0]["lastError"]["code"] == "credential"
    with restway.Client(described, outbox_path=path) as client:
        assert client.outbox.find(1).reason is OutboxReason.CREDENTIAL
        client.set_credential("new")
        items = [client.outbox.wait(number, timeout=30) for number in (1, 2)]
        assert [item.state for item in items] == [OutboxState.DELIVERED] * 2
    assert [body for credential, body in server.log if credential == "Bearer new"] == [
        '{"n": 1}',
        '{"n": 2}',
    ]


def test_a_stored_request_goes_out_in_the_name_of_its_user(server: Server, tmp_path: Path) -> None:
    described = document(server, {"scheme": "bearer"})
    server.good |= {"Bearer ann", "Bearer bob"}
    with restway.Client(described, outbox_path=tmp_path / "o.db") as client:
        client.cache.discriminator = "ann"
        client.set_credential("ann")
        (first, second) = store(client, 1, 2)
        client.set_credential(None)
        client.cache.discriminator = "bob"
        client.set_credential("bob")
        (third,) = store(client, 3)
        client.set_reachability(Reachability.REACHABLE)
        assert client.outbox.wait(third, timeout=30).state is OutboxState.DELIVERED
        reasons = [item.reason for item in client.outbox.items()]
        assert reasons == [OutboxReason.OTHER_USER] * 2
        client.outbox.drop(second.outbox_id)
        # Nothing goes out between the change of the user and that of the credential.
        client.set_reachability(Reachability.UNREACHABLE)
        client.set_credential(None)
        client.cache.discriminator = "ann"
        client.set_credential("ann")
        client.set_reachability(Reachability.REACHABLE)
        assert client.outbox.wait(first, timeout=30).state is OutboxState.DELIVERED
    assert server.log == [("Bearer bob", '{"n": 3}'), ("Bearer ann", '{"n": 1}')]


def test_texts_hold_no_bodies_and_no_secrets(server: Server, tmp_path: Path) -> None:
    entities = {
        "User": {
            "identity": "id",
            "attributes": {
                "id": {"type": "int"},
                "code": {"type": "string"},
                "password": {"type": "string"},
                "number": {"type": "string", "source": "data.pin"},
                "more": {"type": "json"},
            },
        }
    }
    described = document(server, {"scheme": "bearer"}, redact=["pin"], entities=entities)
    with restway.Client(described, outbox_path=tmp_path / "o.db") as client:
        draft = client.draft(
            "User", id=1, code="AT", password="hush", number="hush", more={"pin": "hush", "a": 1}
        )
        for shown in (repr(draft), repr(draft.snapshot())):
            assert "hush" not in shown
            assert "code='AT'" in shown
            assert "'a': 1" in shown
        store(client, 77)
        (item,) = client.outbox.items()
        assert repr(item) == "<OutboxItem 1 WAITING: POST notes, 9 bytes>"
        with pytest.raises(restway.UnauthorizedError, match="rest_invalid_param"):
            client.post("other", json={})
    answer = restway.BatchAnswer(200, b"hush", {"Set-Cookie": "hush"})
    assert repr(answer) == "<BatchAnswer 200, 4 bytes>"
    request = restway.BatchRequest("GET", "/a?token=hush", {"X-Key": "hush"}, b"hush")
    assert repr(request) == "<BatchRequest GET /a, 4 bytes>"
