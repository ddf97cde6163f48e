"""Event streams: Server-Sent Events, JSON lines and JSON sequences."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from pathlib import Path
from typing import Any

import pytest

import restway
from restway import Request
from restway import _ffi as native
from restway._stream import Receiving

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "entities": {
        "Order": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}, "status": {"type": "string"}},
        },
        "Note": {"attributes": {"text": {"type": "string"}}},
    },
    "routes": {
        "changes": {
            "path": "changes",
            "stream": "events",
            "response": [
                {"event": "order", "entity": "Order"},
                {"event": "note", "entity": "Note", "keyPath": "note"},
            ],
        },
    },
    "responses": [{"path": "orders", "entity": "Order"}],
}
SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
NOTHING = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
CHANGES = (
    SSE + b'retry: 1\n\nid: a\nevent: order\ndata: {"id": 1, "status": "new"}\n\n'
    b'event: note\ndata: {"note": {"text": "hello"}}\n\ndata: [DONE]\n\n'
    b"event: order\ndata: {\n\n"
)


def api() -> restway.API:
    return restway.API.from_json(json.dumps(DOCUMENT))


def test_events_come_with_their_objects(peer: Peer) -> None:
    peer.answer = CHANGES
    with restway.Client(api(), base_url=peer.url) as client:
        with client.events(Request.route("changes"), reconnections_max=0) as stream:
            assert (stream.head.status, stream.head.headers["Connection"]) == (200, "close")
            events = list(stream)
        first, second, third, fourth = events
        assert (first.name, first.id) == ("order", "a")
        assert first.object is not None
        assert (first.object.entity, first.object["id"], first.object["status"]) == (
            "Order", 1, "new",
        )
        assert [each["text"] for each in second.objects] == ["hello"]
        assert (third.name, third.data, third.text) == ("message", b"[DONE]", "[DONE]")
        assert (third.object, third.error) == (None, None)
        assert isinstance(fourth.error, restway.MappingError)
        assert first.json() == {"id": 1, "status": "new"}
        with pytest.raises(restway.MappingError):
            fourth.json()
        found = client.store.find("Order", 1)
        assert found is not None
        assert found == first.object


@pytest.mark.parametrize("coding", ["none", "snappy"])
def test_a_stream_in_an_unknown_coding_fails_only_if_it_has_no_event(
    coding: str, peer: Peer
) -> None:
    head, _, events = CHANGES.replace(
        b"Connection:", f"Content-Encoding: {coding}\r\nConnection:".encode()
    ).partition(b"\r\n\r\n")
    with restway.Client(api(), base_url=peer.url) as client:
        peer.answer = head + b"\r\n\r\n" + events
        stream = client.events(Request.route("changes"), reconnections_max=0)
        with contextlib.suppress(restway.ConnectError), stream:
            assert [event.name for event in stream][:2] == ["order", "note"]
        peer.answer = head + b"\r\n\r\n" + bytes(b ^ 0xA5 for b in events)
        stream = client.events(Request.route("changes"), reconnections_max=0)
        message = f"coding is unknown: {coding}"
        with pytest.raises(restway.MappingError, match=message), stream:
            for _ in stream:
                pass


def test_a_stream_goes_on_after_the_last_event(peer: Peer) -> None:
    peer.answer = CHANGES
    seen = []
    with restway.Client(api(), base_url=peer.url) as client:
        with client.events(Request.route("changes")) as stream:
            for event in stream:
                seen.append(event.name)
                if len(seen) == 6:
                    peer.answer = NOTHING
    assert seen[:4] == ["order", "note", "message", "order"]
    assert len(seen) % 4 == 0
    assert b"\r\nLast-Event-ID" not in peer.requests[0]
    assert b"\r\nAccept: text/event-stream\r\n" in peer.requests[0]
    assert all(b"\r\nLast-Event-ID: a\r\n" in request for request in peer.requests[1:])


@pytest.mark.parametrize(
    ("media_type", "body"),
    [
        ("application/x-ndjson", b'{"id": 1}\n\n{"id": 2}'),
        ("application/json-seq", b'\x1e{"id": 1}\n\x1e{"id": 2}\n'),
    ],
)
def test_lines_and_sequences_end_with_their_body(
    peer: Peer, media_type: str, body: bytes
) -> None:
    peer.respond(body, media_type)
    with restway.Client(api(), base_url=peer.url) as client:
        with client.events("orders") as stream:
            assert [event.object and event.object["id"] for event in stream] == [1, 2]
            assert list(stream) == []
    assert len(peer.requests) == 1


def test_lines_with_another_media_type_need_their_format(peer: Peer) -> None:
    peer.respond(b'{"id": 1}\n')
    with restway.Client(api(), base_url=peer.url) as client:
        with pytest.raises(restway.MappingError, match="expected text/event-stream, "):
            with client.events("orders"):
                pass
        with client.events("orders", format="lines") as stream:
            assert len(list(stream)) == 1


def test_a_wrong_answer_is_raised_before_the_events(peer: Peer) -> None:
    with restway.Client(api(), base_url=peer.url) as client:
        peer.respond(b'{"no": 1}', status=404)
        with pytest.raises(restway.HTTPStatusError), client.events("orders"):
            pass
        with pytest.raises(ValueError, match="'sse'"):
            client.events("orders", format="sse")  # type: ignore[arg-type]
        with pytest.raises(restway.UsageError):
            with client.events("orders", event_bytes_max=-1):
                pass
        with pytest.raises(restway.UsageError, match="event stream"):
            client.route("changes")


def test_a_stream_without_events_is_empty(peer: Peer) -> None:
    peer.answer = NOTHING
    with restway.Client(api(), base_url=peer.url) as client:
        with client.events("orders") as stream:
            assert stream.head.status == 204
            assert list(stream) == []


def test_a_large_event_is_an_error_after_the_events_before(peer: Peer) -> None:
    peer.answer = SSE + b"data: 1\n\ndata: " + b"x" * 100
    with restway.Client(api(), base_url=peer.url) as client:
        with client.events("orders", event_bytes_max=50) as stream:
            events = iter(stream)
            assert next(events).data == b"1"
            with pytest.raises(restway.TooLargeError, match="larger than 50 bytes"):
                next(events)


def test_many_events_come_through_the_bound(peer: Peer) -> None:
    count = 20_000
    peer.respond(
        b"".join(b'{"id": %d, "status": "%s"}\n' % (id, b"x" * 100) for id in range(count)),
        "application/jsonl",
    )
    with restway.Client(api(), base_url=peer.url) as client:
        with client.events("orders") as stream:
            ids = [event.object["id"] for event in stream if event.object]
        assert ids == list(range(count))
        assert client.store.count("Order") == count


def test_a_pause_ends_although_more_events_came_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    resumed: list[object] = []
    monkeypatch.setattr(native.lib, "restway_call_resume", resumed.append, raising=False)
    received: Receiving[str] = Receiving(lambda: None)
    call = native.CallHandle()
    assert received.put("a", 1 << 20)
    assert received.take(call) == "a"
    assert len(resumed) == 1
    assert received.put("b", 1 << 20)
    assert received.put("c", 1)
    assert received.take(call) == "b"
    assert not received.put("d", 1)
    assert [received.take(call), received.take(call)] == ["c", "d"]
    assert len(resumed) == 2
    assert received.take(call) is None


def test_leaving_the_context_ends_a_stream_that_waits(peer: Peer) -> None:
    peer.answer = SSE + b"data: 1\n\n"
    with restway.Client(api(), base_url=peer.url) as client:
        with client.events("orders") as stream:
            assert next(iter(stream)).data == b"1"


def test_closing_the_client_ends_a_stream_in_another_thread(peer: Peer) -> None:
    peer.answer = SSE + b"data: 1\n\n"
    client = restway.Client(api(), base_url=peer.url)
    raised: list[restway.ClosedError] = []

    def read() -> None:
        try:
            with client.events("orders") as stream:
                for _ in stream:
                    begun.set()
        except restway.ClosedError as error:
            raised.append(error)

    begun = threading.Event()
    reader = threading.Thread(target=read)
    reader.start()
    begun.wait()
    client.close()
    reader.join()
    assert len(raised) == 1


def test_async_streams(peer: Peer) -> None:
    peer.answer = CHANGES

    async def read(client: restway.AsyncClient) -> list[str]:
        async with client.events(Request.route("changes"), reconnections_max=0) as stream:
            assert stream.head.status == 200
            return [event.name async for event in stream]

    async def run() -> None:
        async with restway.AsyncClient(api(), base_url=peer.url) as client:
            names = ["order", "note", "message", "order"]
            assert await asyncio.gather(*(read(client) for _ in range(3))) == [names] * 3
            peer.respond(b"{}", status=503)
            with pytest.raises(restway.HTTPStatusError):
                await read(client)

    asyncio.run(run())


def test_an_async_stream_ends_with_its_task(peer: Peer) -> None:
    peer.answer = SSE + b"data: 1\n\n"

    async def run() -> None:
        async with restway.AsyncClient(api(), base_url=peer.url) as client:
            async with client.events("orders") as stream:
                events = aiter_of(stream)
                assert (await events.__anext__()).data == b"1"
                waiting = asyncio.ensure_future(events.__anext__())
                asyncio.get_running_loop().call_soon(waiting.cancel)
                with pytest.raises(asyncio.CancelledError):
                    await waiting

    def aiter_of(stream: restway.AsyncEventStream) -> Any:
        return stream.__aiter__()

    asyncio.run(run())


TEAM = {
    "restway": 1,
    "entities": {
        "Person": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}, "name": {"type": "string"}},
        },
        "Team": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}},
            "relationships": {
                "chief": {"entity": "Person"},
                "members": {"entity": "Person", "many": True},
            },
        },
    },
    "responses": [
        {"path": "x", "event": "person", "entity": "Person"},
        {"path": "x", "event": "team", "entity": "Team", "hook": "seen"},
        {"path": "x", "event": "squad", "entity": "Team"},
    ],
}


def sse(*events: tuple[str, Any]) -> bytes:
    return SSE + b"".join(
        f"event: {name}\ndata: {json.dumps(value)}\n\n".encode() for name, value in events
    )


def ada(name: str | None = None) -> dict[str, Any]:
    return {"id": 1} if name is None else {"id": 1, "name": name}


@pytest.mark.parametrize("team", ["team", "squad"])
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_events_of_several_names_in_one_commit_are_linked(
    peer: Peer, team: str, kind: str, tmp_path: Path
) -> None:
    peer.answer = sse(
        ("person", ada("Ada")),
        (team, {"id": 7, "chief": ada(), "members": [{"id": 2, "name": "Bob"}, ada("A.")]}),
        ("person", {"id": 3, "name": "Cleo"}),
        ("squad", {"id": 8, "chief": 3, "members": [1, {"id": 4, "name": "Dan"}]}),
        ("person", ada("Ada L.")),
    )
    path = tmp_path / "store.sqlite" if kind == "sqlite" else None
    api = restway.API.from_json(json.dumps(TEAM))
    seen = []

    @api.hook("seen")
    def count(rows: restway.Rows) -> None:
        seen.append(len(rows.results))

    with restway.Client(api, base_url=peer.url, store_path=path) as client:
        with client.events("x", reconnections_max=0) as stream:
            events = list(stream)
    assert [event.error for event in events] == [None] * 5
    teams = [event.object for event in (events[1], events[3])]
    assert teams[0] is not None
    assert teams[1] is not None
    assert (teams[0].chief.name, [each.name for each in teams[0].members]) == (
        "Ada L.", ["Bob", "Ada L."],
    )
    assert (teams[1].chief.name, [each.name for each in teams[1].members]) == (
        "Cleo", ["Ada L.", "Dan"],
    )
    assert seen == ([1] if team == "team" else [])


def test_limits_and_strictness_hold_for_each_event(peer: Peer) -> None:
    peer.answer = sse(
        ("person", {"id": 1}), ("person", {"id": "x"}), ("person", {"id": 2}),
        ("person", [{"id": 3}, {"id": 4}]), ("person", {"id": 5}),
    )
    api = restway.API.from_json(json.dumps(TEAM))
    api.hook("seen")(lambda rows: None)
    with restway.Client(
        api, base_url=peer.url, strict_mapping=True, objects_max=1
    ) as client:
        with client.events("x", reconnections_max=0) as stream:
            events = list(stream)
        assert [len(event.objects) for event in events] == [1, 0, 1, 0, 1]
        assert isinstance(events[1].error, restway.MappingError)
        assert isinstance(events[3].error, restway.TooLargeError)
        assert [person.id for person in client.store.all("Person")] == [1, 2, 5]


def test_a_hook_that_raises_concerns_its_event(peer: Peer) -> None:
    peer.answer = sse(("team", {"id": 1}), ("person", ada("Ada")))
    api = restway.API.from_json(json.dumps(TEAM))

    @api.hook("seen")
    def fail(rows: restway.Rows) -> None:
        raise ValueError("no teams here")

    with restway.Client(api, base_url=peer.url) as client:
        with client.events("x", reconnections_max=0) as stream:
            team, person = list(stream)
        assert team.error is not None
        assert "no teams here" in str(team.error)
        assert person.object is not None
