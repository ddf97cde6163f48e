"""Batch sessions: several requests in one call, blocking and in asyncio."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import restway

from .conftest import DOCUMENT, MakeClient
from .peer import Peer
from .test_async import run, turn


def test_requests_go_out_together_and_are_answered_by_position(client: restway.Client) -> None:
    with client.batch() as batch:
        first = batch.get("enterprises/3")
        missing = batch.get("enterprises/999999")
        listed = batch.route("enterprises", params={"page": 1, "per_page": 2})
        assert len(batch) == 3 and not batch.done
    assert batch.done
    answer = first.wait().object
    assert answer is not None and answer.identity == 3
    with pytest.raises(restway.HTTPStatusError) as caught:
        missing.wait()
    assert caught.value.http_status == 404 and caught.value.api_code == "40401"
    assert len(listed.wait().objects) == 2
    assert batch.response(0).status == 200
    assert batch.calls == [first, missing, listed]


def test_every_verb_and_its_body(client: restway.Client) -> None:
    with client.batch() as batch:
        added = [
            batch.post("echo", json={"a": 1}),
            batch.put("echo", body="é", media_type="text/plain"),
            batch.patch("echo", params={"a.b": None}),
            batch.delete("echo", params={"q": "x y"}),
            batch.head("status"),
            batch.get("echo", headers={"X-Mine": "m"}),
        ]
    echoes = [call.wait() for call in added]
    assert echoes[4].status == 200 and echoes[4].body == b""
    shown = [json.loads(echo.body) for index, echo in enumerate(echoes) if index != 4]
    assert [each["method"] for each in shown] == ["POST", "PUT", "PATCH", "DELETE", "GET"]
    assert [each["body"] for each in shown] == ['{"a": 1}', "é", '{"a":{"b":null}}', "", ""]
    assert shown[3]["query_string"] == "q=x%20y"
    assert shown[4]["headers"]["X-Mine"] == "m"


def test_an_empty_batch_needs_no_server(make_client: MakeClient) -> None:
    with make_client(base_url="http://127.0.0.1:9/v2") as client, client.batch() as batch:
        pass
    assert len(batch) == 0 and batch.done


def test_more_than_the_limit_is_several_calls(client: restway.Client) -> None:
    with client.batch() as batch:
        calls = [batch.get(f"people/{number}") for number in range(1, 46)]
    identities = [call.wait().objects[0].identity for call in calls]
    assert identities == list(range(1, 46))


def test_callbacks_of_requests_come_before_that_of_the_batch(client: restway.Client) -> None:
    told: list[str] = []
    ended = threading.Event()
    batch = client.batch()
    for number in (3, 4):
        request = restway.Request.path("GET", f"enterprises/{number}")
        batch.add(request, lambda call: told.append(str(call.wait().object)))

    def end(whole: restway.Batch) -> None:
        told.append(f"end {len(whole)}")
        ended.set()

    batch.send(end)
    batch.wait(30)
    assert ended.wait(30)
    assert len(told) == 3 and told[2] == "end 2"


def test_an_exception_inside_cancels(client: restway.Client) -> None:
    with pytest.raises(ZeroDivisionError), client.batch() as batch:
        call = batch.get("status")
        raise ZeroDivisionError
    with pytest.raises(restway.CancelledError):
        call.wait()
    with pytest.raises(restway.CancelledError):
        batch.send()


def test_what_a_batch_cannot_hold_is_refused(client: restway.Client) -> None:
    batch = client.batch()
    with pytest.raises(restway.UsageError) as caught:
        batch.put("enterprises/3", body=b"\xff", media_type="image/png")
    assert caught.value.field == "body"
    with pytest.raises(restway.InvalidURLError):
        batch.get("http://127.0.0.1:9/elsewhere")
    with pytest.raises(TypeError):
        batch.get("status", nonsense=1)  # type: ignore[call-arg]
    batch.send()
    with pytest.raises(restway.UsageError):
        batch.get("status")
    with pytest.raises(restway.UsageError):
        batch.response(0)


def test_without_a_section_there_is_no_batch(demo_url: str) -> None:
    with (
        restway.Client(restway.API.from_json('{"restway": 1}'), base_url=demo_url) as client,
        pytest.raises(restway.ConfigError),
    ):
        client.batch()


def test_a_time_out_cancels(client: restway.Client) -> None:
    batch = client.batch()
    call = batch.get("bad/slow", params={"ms": 20_000})
    batch.send()
    with pytest.raises(restway.TimedOutError):
        batch.wait(0.01)
    with pytest.raises(restway.CancelledError):
        call.wait()


def test_closing_the_client_ends_a_batch(make_client: MakeClient) -> None:
    client = make_client()
    batch = client.batch()
    call = batch.get("bad/slow", params={"ms": 20_000})
    batch.send()
    client.close()
    with pytest.raises(restway.ClosedError):
        batch.wait()
    with pytest.raises(restway.ClosedError):
        call.wait()


@pytest.mark.parametrize(
    ("answer", "where"),
    [
        (b"{}", None),
        (b"[]", None),
    ],
)
def test_an_answer_of_another_shape(
    make_client: MakeClient, peer: Peer, answer: bytes, where: str | None
) -> None:
    peer.respond(answer)
    with make_client(base_url=peer.url) as client:
        with pytest.raises(restway.BatchError) as caught, client.batch() as batch:
            call = batch.get("enterprises/3")
        assert caught.value.domain is restway.Domain.BATCH
        assert caught.value.field == where
        assert caught.value.response is not None and caught.value.response.body == answer
        with pytest.raises(restway.BatchError):
            call.wait()
        assert client.store.count("Enterprise") == 0


@pytest.mark.parametrize(
    ("answer", "where"),
    [
        (b'[{"code": "OK"}]', "[0].code"),
        (b'[{"code": 99}]', "[0].code"),
        (b"[7]", "[0]"),
        (b'[{"code": 200', None),
    ],
)
def test_an_answer_that_cannot_be_read_fails_its_request_alone(
    make_client: MakeClient, peer: Peer, answer: bytes, where: str | None
) -> None:
    peer.respond(answer)
    with make_client(base_url=peer.url) as client:
        with client.batch() as batch:
            call = batch.get("enterprises/3")
        with pytest.raises(restway.BatchError) as caught:
            call.wait()
        assert caught.value.field == where
        assert not caught.value.retryable


class _Tokens(BaseHTTPRequestHandler):
    """Answers batches; only the token t2 is valid in them."""

    seen: list[tuple[str | None, list[str]]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        token = self.headers["Authorization"]
        self.seen.append((token, [item["uri"] for item in body["batch"]]))
        assert all("Authorization" not in item.get("headers", {}) for item in body["batch"])
        code = 200 if token == "Bearer t2" else 401
        answer = json.dumps([{"code": code, "body": "{}"} for _ in body["batch"]]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_a_401_of_requests_refreshes_once_and_sends_them_again() -> None:
    _Tokens.seen = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Tokens)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    refreshes: list[int] = []

    def refresh(*_: Any) -> str:
        refreshes.append(1)
        return "t2"

    document = {
        "restway": 1,
        "auth": {"scheme": "bearer", "token": "t1"},
        "batch": {"path": "batch", "limit": 2},
    }
    api = restway.API.from_json(json.dumps(document))
    with restway.Client(api, base_url=f"http://127.0.0.1:{server.server_port}") as client:
        client.set_auth(refresh=refresh)
        with client.batch() as batch:
            calls = [batch.get(f"things/{number}") for number in range(3)]
        assert [call.wait().status for call in calls] == [200, 200, 200]
    server.shutdown()
    server.server_close()
    thread.join()
    assert len(refreshes) == 1
    assert _Tokens.seen == [
        ("Bearer t1", ["/things/0", "/things/1"]),
        ("Bearer t2", ["/things/0", "/things/1"]),
        ("Bearer t2", ["/things/2"]),
    ]


def test_a_modifier_sees_the_requests(client: restway.Client) -> None:
    seen: list[str] = []

    def modify(context: restway.PipelineContext) -> None:
        seen.append("asked")
        context.request.update(headers={"X-Mine": "m"})

    client.add_modifier(modify)
    with client.batch() as batch:
        calls = [batch.get("echo"), batch.get("echo")]
    for call in calls:
        assert json.loads(call.wait().body)["headers"]["X-Mine"] == "m"
    assert seen == ["asked", "asked"]


# Formats


def _encode(requests: Sequence[restway.BatchRequest]) -> tuple[bytes, str]:
    lines = [f"{each.method} {each.uri} {each.body!r} {dict(each.headers)}" for each in requests]
    return "\n".join(lines).encode(), "text/lines"


def _decode(body: bytes, count: int) -> list[restway.BatchAnswer]:
    codes = [int(line) for line in body.split()]
    assert len(codes) == count
    return [
        restway.BatchAnswer(code, '{"id": 9}', {"X-At": str(at)}) for at, code in enumerate(codes)
    ]


def test_another_format_writes_and_reads(make_client: MakeClient, peer: Peer) -> None:
    peer.respond(b"200\n404", media_type="text/lines")
    with make_client(base_url=peer.url) as client:
        client.set_batch_format(_encode, _decode)
        with client.batch() as batch:
            first = batch.get("enterprises/9")
            second = batch.put("enterprises/8", body=b"\xff", media_type="image/png")
        answer = first.wait()
        assert answer.object is not None and answer.object.identity == 9
        assert answer.headers["X-At"] == "0"
        with pytest.raises(restway.HTTPStatusError):
            second.wait()
        client.set_batch_format(None, None)
    assert b"Content-Type: text/lines" in peer.requests[0]


def test_a_request_without_an_answer_fails_alone(make_client: MakeClient, peer: Peer) -> None:
    peer.respond(b"200", media_type="text/lines")
    with make_client(base_url=peer.url) as client:
        client.set_batch_format(_encode, lambda body, count: [None, *_decode(body, count - 1)])
        with client.batch() as batch:
            first = batch.get("enterprises/8")
            second = batch.get("enterprises/9")
        assert second.wait().status == 200
        with pytest.raises(restway.BatchError, match="no answer") as raised:
            first.wait()
        assert raised.value.retryable


def test_answers_of_another_form_fail_alone_in_the_built_in_format(
    make_client: MakeClient, peer: Peer
) -> None:
    peer.respond(b'[null, {"code": "200", "body": {"id": 9}, "headers": [["X-At", 1]]}, {}]')
    with make_client(base_url=peer.url) as client:
        with client.batch() as batch:
            calls = [batch.get(f"enterprises/{number}") for number in (8, 9, 10)]
        answer = calls[1].wait()
        assert answer.object is not None and answer.object.identity == 9
        assert answer.headers["X-At"] == "1"
        for call, field in ((calls[0], r"\[0\] is null"), (calls[2], r"\[2\] has no code")):
            with pytest.raises(restway.BatchError, match=field):
                call.wait()


@pytest.mark.parametrize("failing", ["encode", "decode"])
def test_what_a_format_raises_is_the_error(
    make_client: MakeClient, peer: Peer, failing: str
) -> None:
    def fail(*_: Any) -> Any:
        raise ValueError("not today")

    peer.respond(b"200")
    with make_client(base_url=peer.url) as client:
        client.set_batch_format(
            fail if failing == "encode" else _encode, fail if failing == "decode" else _decode
        )
        with pytest.raises(restway.BatchError, match="not today"), client.batch() as batch:
            batch.get("status")
        with pytest.raises(TypeError):
            client.set_batch_format(_encode, None)


# asyncio


def _async_client(demo_url: str) -> restway.AsyncClient:
    return restway.AsyncClient(restway.API.load(DOCUMENT), base_url=demo_url, timeout=30.0)


def test_a_batch_is_awaited(demo_url: str) -> None:
    async def main() -> None:
        async with _async_client(demo_url) as client:
            async with client.batch() as batch:
                first, missing = batch.get("enterprises/3"), batch.get("enterprises/999999")
            assert batch.done and len(batch) == 2
            answer = (await first).object
            assert answer is not None and answer.identity == 3
            with pytest.raises(restway.HTTPStatusError):
                await missing
            empty = client.batch()
            await empty.send()
            with pytest.raises(restway.UsageError):
                await empty.send()

    run(main())


def test_a_failed_batch_raises_where_it_is_awaited(demo_url: str, peer: Peer) -> None:
    peer.respond(b"{}")

    async def main() -> None:
        async with _async_client(peer.url) as client:
            batch = client.batch()
            future = batch.get("status")
            with pytest.raises(restway.BatchError):
                await batch.send()
            with pytest.raises(restway.BatchError):
                await future

    run(main())


def test_cancelling_the_await_cancels_the_requests(demo_url: str) -> None:
    async def main() -> None:
        async with _async_client(demo_url) as client:
            batch = client.batch()
            slow = batch.get("bad/slow", params={"ms": 20_000})
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(batch.send(), 0.05)
            with pytest.raises(restway.CancelledError):
                await slow
            with pytest.raises(ZeroDivisionError):
                async with client.batch() as other:
                    future = other.get("status")
                    raise ZeroDivisionError
            assert future.cancelled()

    run(main())


def test_closing_an_async_client_ends_a_batch(demo_url: str) -> None:
    async def main() -> None:
        client = _async_client(demo_url)
        batch = client.batch()
        slow = batch.get("bad/slow", params={"ms": 20_000})
        task = asyncio.get_running_loop().create_task(batch.send())
        await turn()
        await client.close()
        with pytest.raises(restway.ClosedError):
            await task
        with pytest.raises(restway.ClosedError):
            await slow

    run(main())
