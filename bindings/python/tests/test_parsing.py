"""Validators, parsers, required key paths, encoders, and bytes that did not come over HTTP."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import restway
from restway import CacheState, Domain, OutboxState, Reachability, Status

from .peer import Peer
from .test_async import run

THING = {"entity": "Thing"}
DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"here": {"baseURL": "http://127.0.0.1:1"}},
    "errors": {"code": "code", "details": {"details": "problems", "message": "text"}},
    "entities": {
        "Thing": {
            "identity": "id",
            "attributes": {"id": {"type": "int"}, "name": {"type": "string"}},
            "relationships": {"parts": {"entity": "Thing", "many": True}},
        }
    },
    "routes": {
        "things": {"path": "things", "response": THING},
        "lists": {
            "path": "lists",
            "response": [{**THING, "keyPath": "list", "required": True}, {**THING, "keyPath": "b"}],
        },
        "statuses": {"path": "a", "validate": {"status": ["2xx", 404]}},
        "one": {"path": "a", "validate": {"status": 200}},
        "typed": {"path": "a", "validate": {"mediaTypes": ["text/*"]}},
        "headed": {"path": "kept", "validate": {"headers": ["ETag"]}, "cacheTTL": 60},
        "asked": {"path": "asked", "validate": {"function": "envelope"}, "response": THING},
        "table": {"path": "table", "parse": "csv"},
        "upload": {"path": "upload", "method": "POST", "encode": "csv", "entity": "Thing"},
    },
}


def envelope(answer: restway.Response) -> None:
    """Refuses what does not say that it is well."""
    found = answer.json()
    if not isinstance(found, dict) or not found.get("ok", True):
        raise ValueError("it is not ok")
    if found.get("busy"):
        raise restway.ConnectionLostError("busy", status=Status.CONNECTION_LOST)


def table(body: bytes, media_type: str) -> Any:
    """Reads lines of cells."""
    if media_type.startswith("text/plain"):
        return body.decode()
    return [line.split(";") for line in body.decode().splitlines()]


def cells(value: Any) -> tuple[str, str]:
    """Writes the values of a body."""
    return ";".join(str(each) for each in value.values()), "text/csv"


def make_api(**parts: Any) -> restway.API:
    api = restway.API.from_json(DOCUMENT | parts)
    api.validator("envelope")(envelope)
    api.parser("csv")(table)
    api.encoder("csv")(cells)
    return api


@pytest.fixture
def client(peer: Peer) -> Iterator[restway.Client]:
    with restway.Client(make_api(), base_url=peer.url) as made:
        yield made


def flush(client: restway.Client) -> list[restway.OutboxItem]:
    """Sends the stored requests and returns the sent items."""
    ended = threading.Event()
    sent: list[restway.OutboxItem] = []

    def flushed(items: restway.OutboxItems, *_: object) -> None:
        sent.extend(items)
        ended.set()

    client.outbox.flush(flushed)
    assert ended.wait(30)
    return sent


# Validators


def test_a_set_of_statuses_says_what_a_success_is(client: restway.Client, peer: Peer) -> None:
    peer.respond(b'{"code": "E1"}', status=404)
    assert client.route("statuses").status == 404
    peer.respond(b'{"code": "E2", "problems": [{"text": "late"}]}', status=202)
    with pytest.raises(restway.HTTPStatusError, match="does not take as a success") as caught:
        client.route("one")
    assert caught.value.domain == Domain.API
    assert (caught.value.api_code, caught.value.http_status) == ("E2", 202)
    assert caught.value.details == [("", "late")]


def test_headers_and_media_types_are_checked(client: restway.Client, peer: Peer) -> None:
    peer.respond(b'{"code": "E3"}')
    with pytest.raises(restway.ValidationError, match=r"expected text/\*") as caught:
        client.route("typed")
    assert (caught.value.status, caught.value.domain) == (Status.MAPPING, Domain.VALIDATION)
    assert (caught.value.field, caught.value.api_code) == ("Content-Type", "E3")
    assert caught.value.response is not None and caught.value.response.status == 200
    with pytest.raises(restway.ValidationError, match="ETag is missing") as caught:
        client.route("headed")
    assert caught.value.field == "ETag"


def test_the_stage_of_a_failure_can_be_read(client: restway.Client, peer: Peer) -> None:
    found = []
    answers = [("lists", b"{}"), ("table", b"\xff"), ("asked", b'{"ok": false}'), ("one", b"")]
    for route, body in answers:
        peer.respond(body, status=500 if route == "one" else 200)
        with pytest.raises(restway.RestwayError) as caught:
            client.route(route)
        found.append((type(caught.value), caught.value.domain))
    peer.answer = b"nonsense"
    with pytest.raises(restway.RestwayError) as caught:
        client.route("things")
    found.append((type(caught.value), caught.value.domain))
    assert found == [
        (restway.MappingError, Domain.MAPPING),
        (restway.ParsingError, Domain.PARSING),
        (restway.ValidationError, Domain.VALIDATION),
        (restway.ServerError, Domain.HTTP),
        (restway.ProtocolError, Domain.TRANSPORT),
    ]


def test_a_validator_chooses_the_error(client: restway.Client, peer: Peer) -> None:
    peer.respond(b'{"id": 1}')
    response = client.route("asked")
    assert response.object is not None and response.object.id == 1
    peer.respond(b'{"id": 2, "busy": true}')
    with pytest.raises(restway.ConnectionLostError, match="busy") as caught:
        client.route("asked")
    assert caught.value.domain == Domain.VALIDATION
    assert client.store.find("Thing", 2) is None


def test_a_missing_function_is_named() -> None:
    api = restway.API.from_json(DOCUMENT)
    with pytest.raises(restway.ConfigError) as caught:
        restway.Client(api)
    assert [problem.path for problem in caught.value.details] == [
        "$.routes.asked.validate.function",
        "$.routes.table.parse",
        "$.routes.upload.encode",
    ]
    api.add_parser("csv", table)
    with pytest.raises(restway.DuplicateError):
        api.add_parser("csv", table)
    with pytest.raises(restway.UsageError, match="built in"):
        api.add_parser("json", table)

    async def waits(_: restway.Response) -> None:
        """A validator is no coroutine function."""

    for wrong in (None, waits):
        with pytest.raises(TypeError):
            api.add_validator("v", wrong)  # type: ignore[arg-type]


def test_a_refused_answer_is_not_kept(peer: Peer) -> None:
    with restway.Client(make_api(), base_url=peer.url, cache=True) as client:
        peer.respond(b"{}")
        for _ in range(2):
            with pytest.raises(restway.ValidationError):
                client.route("headed")
        assert len(peer.requests) == 2
        assert client.cache.entries() == []
        # The same URL by a path has no such rules, so that its answer is kept.
        note = client.get("kept", cache_ttl=60).cache
        assert note is not None and note.state is CacheState.STORED
        with pytest.raises(restway.ValidationError):
            client.route("headed", cache="only")
        assert client.cache.entries() == []
        peer.respond(b"{}", headers={"ETag": '"1"'})
        assert client.route("headed").found
        assert client.route("headed").cache == restway.CacheNote(CacheState.HIT, 0, 60, False)


def test_a_refused_answer_to_a_stored_request_counts_as_delivered(
    peer: Peer, tmp_path: Path
) -> None:
    put = {"method": "PUT", "path": "put/:id", "offline": True, "validate": {"headers": "ETag"}}
    api, path = make_api(routes=DOCUMENT["routes"] | {"put": put}), tmp_path / "outbox.db"
    with restway.Client(api, base_url=peer.url, outbox_path=path) as client:
        client.set_reachability(Reachability.UNREACHABLE)
        with pytest.raises(restway.QueuedError):
            client.route("put", variables={"id": 1}, params={"a": 1})
        peer.respond(b"{}")
        client.set_reachability(Reachability.UNKNOWN)
        flushed = flush(client)
        assert [item.state for item in flushed] in ([], [OutboxState.DELIVERED])
        assert len(client.outbox.items()) == 0
        assert len(peer.requests) == 1


def test_a_saved_body_is_refused_before_its_first_byte(
    client: restway.Client, peer: Peer, tmp_path: Path
) -> None:
    peer.respond(b"data")
    with pytest.raises(restway.ValidationError):
        client.route("headed", save_to=tmp_path / "body")
    assert list(tmp_path.iterdir()) == []
    peer.respond(b"data", headers={"ETag": '"1"'})
    saved = client.route("headed", save_to=tmp_path / "body").saved
    assert saved is not None and saved.length == 4


# Parsers


def test_each_parser_gives_its_value(client: restway.Client, peer: Peer) -> None:
    peer.respond('{"id": 1, "é": 2}'.encode(), "text/plain; charset=utf-8")
    values: dict[str, Any] = {
        "json": {"id": 1, "é": 2},
        "text": '{"id": 1, "é": 2}',
        "bytes": '{"id": 1, "é": 2}'.encode(),
        "nothing": None,
    }
    for parser, expected in values.items():
        response = client.route("things", parse=parser)
        assert (response.parser, response.value) == (parser, expected)
        assert not response.is_mapped
    assert len(client.store.all("Thing")) == 0
    response = client.route("things", parse="headers")
    assert response.value["content-type"].startswith("text/plain")
    assert response.body == b""
    response = client.route("things", parse="objects")
    assert [thing.id for thing in response.value] == [1]
    with pytest.raises(restway.UsageError, match='no parser "jsn"'):
        client.route("things", parse="jsn")


def test_text_is_read_in_its_charset(client: restway.Client, peer: Peer) -> None:
    peer.respond(b"\xe9", "text/plain; charset=iso-8859-1")
    assert client.route("things", parse="text").value == "é"
    peer.respond(b"x", "text/plain; charset=nonsense")
    with pytest.raises(restway.ParsingError, match="nonsense"):
        client.route("things", parse="text")


def test_a_parser_of_the_program_returns_the_value(client: restway.Client, peer: Peer) -> None:
    peer.respond(b"a;b\nc;d", "text/csv")
    response = client.route("table")
    assert response.value == [["a", "b"], ["c", "d"]]
    assert response.value == [["a", "b"], ["c", "d"]]
    peer.respond(b"a;b", "text/plain")
    assert client.route("table").value == "a;b"


def test_a_parser_sees_answers_of_the_cache(peer: Peer) -> None:
    with restway.Client(make_api(), base_url=peer.url, cache=True) as client:
        peer.respond(b"a;b", "text/csv")
        for _ in range(2):
            assert client.route("table", cache_ttl=60).value == [["a", "b"]]
        assert client.route("table", cache_ttl=60, parse="nothing").value is None
        assert client.route("table", cache_ttl=60, parse="bytes").value == b"a;b"
        assert len(peer.requests) == 1


# Required key paths


def test_a_required_key_path_must_be_there(client: restway.Client, peer: Peer) -> None:
    peer.respond(b'{"b": [{"id": 1}]}')
    with pytest.raises(restway.MappingError, match="there is nothing at list") as caught:
        client.route("lists")
    assert caught.value.field == "list"
    assert len(client.store.all("Thing")) == 0
    peer.respond(b'{"list": null, "b": [{"id": 1}]}')
    assert [len(found) for found in client.route("lists").results] == [0, 1]


# Encoders


def test_an_encoder_writes_parameters_drafts_and_json(client: restway.Client, peer: Peer) -> None:
    peer.respond(b"{}")
    client.route("upload", params={"a": 1, "b": "x"})
    client.post(client.draft("Thing", id=7, name="n"))
    client.route("upload", json={"k": 3})
    client.route("upload", body="as it is")
    client.route("upload", params={"a": 1}, serialization="url")
    bodies = [request.partition(b"\r\n\r\n")[2] for request in peer.requests]
    assert bodies == [b"1;x", b"7;n", b"3", b"as it is", b"a=1"]
    assert b"content-type: text/csv" in peer.requests[0].lower()
    with pytest.raises(restway.UsageError, match="takes no files"):
        client.route("upload", files={"f": b"x"})
    with pytest.raises(restway.MappingError, match='encoder "csv": AttributeError'):
        client.route("upload", json=[1])
    assert len(peer.requests) == 5


def test_a_curl_command_has_the_encoded_body(client: restway.Client) -> None:
    request = restway.Request.route("upload", params={"a": 1, "b": 2})
    assert "1;2" in client.curl_command(request)


def test_stored_requests_keep_the_encoded_body(peer: Peer, tmp_path: Path) -> None:
    routes = DOCUMENT["routes"]
    offline = routes | {"upload": routes["upload"] | {"offline": True}}
    api = make_api(routes=offline)
    with restway.Client(api, base_url=peer.url, outbox_path=tmp_path / "outbox.db") as client:
        client.set_reachability(Reachability.UNREACHABLE)
        with pytest.raises(restway.QueuedError):
            client.route("upload", params={"a": 5, "b": 6})
        peer.respond(b"{}")
        client.set_reachability(Reachability.UNKNOWN)
        flush(client)
        assert peer.requests[-1].endswith(b"\r\n\r\n5;6")


def test_an_encoded_body_cannot_wait_for_an_identity(peer: Peer, tmp_path: Path) -> None:
    owner = {"entity": "Thing", "byIdentity": True}
    entities = DOCUMENT["entities"] | {"Note": {"relationships": {"owner": owner}}}
    add = {"path": "things", "method": "POST", "entity": "Thing", "offline": True}
    routes = {"add": add, "note": add | {"path": "notes", "entity": "Note", "encode": "csv"}}
    api = make_api(entities=entities, routes=routes)
    with restway.Client(api, base_url=peer.url, outbox_path=tmp_path / "outbox.db") as client:
        client.set_reachability(Reachability.UNREACHABLE)
        thing, note = client.draft("Thing", name="a"), client.draft("Note")
        with pytest.raises(restway.QueuedError):
            client.post(thing)
        note["owner"] = thing
        with pytest.raises(restway.MissingVariableError, match="Thing has no id yet") as caught:
            client.post(note)
        assert caught.value.field == "id"
        assert len(client.outbox) == 1


# Bytes


THINGS = {"data": [{"id": 1, "name": 4, "parts": [{"id": 2}]}]}


def test_bytes_are_mapped_and_stored(client: restway.Client) -> None:
    for data in (json.dumps(THINGS), json.dumps(THINGS).encode(), THINGS):
        response = client.map("Thing", data, key_path="data")
        assert response.status == 0 and response
        assert [issue.key_path for issue in response.issues] == ["data[0].name"]
        assert response.object is not None
        assert [part.id for part in response.object.parts] == [2]
        assert client.store.find("Thing", 1) == response.object
    response = client.map(None, {"list": {"id": 3}, "b": []}, route="lists")
    assert [len(found) for found in response.results] == [1, 0]
    assert client.map("Thing", {"a.b": {"id": 4}}, key_path=["a.b"]).objects[0].id == 4


def test_snapshots_leave_the_store_as_it_is(client: restway.Client) -> None:
    response = client.map("Thing", THINGS, key_path="data", commit=False)
    assert response.object is not None
    assert [part.id for part in response.object.parts] == [2]
    assert len(client.store.all("Thing")) == 0


def test_progress_is_told_and_may_end_the_mapping(client: restway.Client) -> None:
    things = [{"id": number} for number in range(600)]
    told: list[tuple[int, int | None]] = []
    client.map("Thing", things, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (600, 600)
    assert len(told) == 4

    def stop(done: int, total: int | None) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        client.map("Thing", [{"id": 1_000}], progress=stop)
    assert client.store.find("Thing", 1_000) is None


def test_map_says_what_is_wrong(client: restway.Client) -> None:
    with pytest.raises(restway.MappingError, match=r"bytes of Thing at a\.b: there is nothing"):
        client.map("Thing", {}, key_path="a.b")
    with pytest.raises(restway.MappingError, match="bytes of Thing: "):
        client.map("Thing", "{")
    with pytest.raises(restway.UnknownEntityError):
        client.map("Thin", {})
    with pytest.raises(restway.UnknownRouteError):
        client.map(None, {}, route="nowhere")
    wrongs: list[dict[str, Any]] = [
        {}, {"route": "lists", "key_path": "x"}, {"route": "asked"},
    ]
    for wrong in wrongs:
        with pytest.raises(restway.UsageError):
            client.map("Thing" if "route" in wrong else None, {}, **wrong)
    with pytest.raises(restway.UsageError, match="no data mapper"):
        client.map("Thing", {}, mapper="msgpack")
    client.close()
    with pytest.raises(restway.ClosedError):
        client.map("Thing", {})


def test_map_cannot_wait_inside_a_callback(client: restway.Client, peer: Peer) -> None:
    raised: list[BaseException] = []
    ended = threading.Event()

    def done(_: restway.Call) -> None:
        try:
            client.map("Thing", {})
        except restway.WouldBlockError as error:
            raised.append(error)
        ended.set()

    peer.respond(b"{}")
    client.send(restway.Request.route("things"), done)
    assert ended.wait(30)
    assert len(raised) == 1


def test_an_async_client_maps_and_parses(peer: Peer) -> None:
    async def work() -> None:
        async with restway.AsyncClient(make_api(), base_url=peer.url) as client:
            all_told = asyncio.Event()

            def tell(done: int, _: int | None) -> None:
                if done == 1:
                    all_told.set()

            response = await client.map("Thing", THINGS, key_path="data", progress=tell)
            assert [thing.id for thing in response.objects] == [1]
            await asyncio.wait_for(all_told.wait(), 30)
            peer.respond(b"a;b", "text/csv")
            assert (await client.route("table")).value == [["a", "b"]]
            peer.respond(b'{"ok": false}')
            with pytest.raises(restway.ValidationError):
                await client.route("asked")

    run(work())


def test_cancelling_a_task_ends_its_mapping(peer: Peer) -> None:
    async def work() -> None:
        async with restway.AsyncClient(make_api(), base_url=peer.url) as client:
            task = asyncio.create_task(client.map("Thing", THINGS, key_path="data"))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    run(work())
