"""Answers whose bodies are saved in files."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import restway

from .peer import Peer

TAG = b'ETag: "v1"\r\n'


def api() -> restway.API:
    return restway.API.from_json('{"restway": 1}')


def is_emptied(folder: Path) -> bool:
    """Waits until no file is left: a thread of the library may hold a response a little longer."""
    end = time.monotonic() + 30
    while list(folder.iterdir()):
        if time.monotonic() > end:
            return False
    return True


def client_of(peer: Peer) -> restway.Client:
    return restway.Client(api(), base_url=peer.url)


def answer(status: str, fields: bytes, length: int, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n".encode()
    return head + fields + b"\r\n" + body


def test_an_answer_of_another_type_is_refused_before_its_body_has_a_place(
    peer: Peer, tmp_path: Path
) -> None:
    document = '{"restway": 1, "routes": {"report": {"path": "report", "accept": "text/csv"}}}'
    target = tmp_path / "report.csv"
    target.write_bytes(b"old")
    with restway.Client(restway.API.from_json(document), base_url=peer.url) as client:
        refused = "expected text/csv, the server sent text/html"
        peer.respond(b"<p>Sign in</p>", "text/html")
        with pytest.raises(restway.MappingError, match=refused):
            client.route("report", save_to=target)
        streamed = client.stream(restway.Request.route("report"))
        with pytest.raises(restway.MappingError, match=refused), streamed as response:
            assert list(response.iter_bytes()) == []
        assert target.read_bytes() == b"old"
        peer.respond(b"", "text/html")
        assert client.route("report", save_to=tmp_path / "empty").saved is not None
        for media_type in ("text/csv; header=present", "TEXT/CSV"):
            peer.respond(b"a,b", media_type)
            client.route("report", save_to=target)
            assert target.read_bytes() == b"a,b"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "report.csv"]


def test_a_body_is_saved_with_its_length_and_digest(peer: Peer, tmp_path: Path) -> None:
    target = tmp_path / "report.pdf"
    disposition = b"Content-Disposition: attachment; filename*=UTF-8''..%2F%e2%82%ac.pdf\r\n"
    peer.answer = answer("200 OK", disposition, 4, b"%PDF")
    with client_of(peer) as client:
        response = client.get("x", save_to=restway.SaveTo(target, digest=True))
        digest = hashlib.sha256(b"%PDF").hexdigest()
        assert response.saved == restway.Saved(str(target), 4, digest, 0)
        assert response.suggested_name == "€.pdf"
        assert response.body == b""
    assert target.read_bytes() == b"%PDF"
    assert [path.name for path in tmp_path.iterdir()] == ["report.pdf"]
    assert b"\r\nAccept-Encoding: identity\r\n" in peer.requests[0]


def test_an_answer_in_memory_is_not_saved(peer: Peer) -> None:
    peer.respond(b"[]")
    with client_of(peer) as client:
        response = client.get("files/list.json?secret=1")
        assert (response.saved, response.suggested_name) == (None, "list.json")
    assert b"\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n" in peer.requests[0]


def test_the_body_of_an_error_is_never_saved(peer: Peer, tmp_path: Path) -> None:
    target = tmp_path / "report.pdf"
    target.write_text("old")
    peer.respond(b'{"error": "gone"}', status=410)
    with client_of(peer) as client, pytest.raises(restway.HTTPStatusError) as caught:
        client.get("x", save_to=target)
    assert caught.value.response is not None
    assert caught.value.response.json() == {"error": "gone"}
    assert caught.value.response.saved is None
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("length", [5, 1000])
def test_a_body_that_is_cut_off_leaves_nothing(peer: Peer, tmp_path: Path, length: int) -> None:
    peer.answer = answer("200 OK", TAG, length, b"0123")
    with client_of(peer) as client, pytest.raises(restway.ConnectionLostError):
        client.get("x", save_to=tmp_path / "report.pdf")
    assert list(tmp_path.iterdir()) == []


def test_a_part_stays_and_a_later_client_goes_on(peer: Peer, tmp_path: Path) -> None:
    target = tmp_path / "report.pdf"
    saving = restway.SaveTo(target, keep_part=True, digest=True)
    peer.answer = answer("200 OK", TAG, 10, b"0123")
    with client_of(peer) as client, pytest.raises(restway.ConnectionLostError):
        client.get("x", save_to=saving)
    assert (tmp_path / "report.pdf.part").read_bytes() == b"0123"
    peer.answer = answer("206 Partial", TAG + b"Content-Range: bytes 4-9/10\r\n", 6, b"456789")
    with client_of(peer) as client:
        saved = client.get("x", save_to=saving).saved
    assert saved == (str(target), 10, hashlib.sha256(b"0123456789").hexdigest(), 4)
    assert target.read_bytes() == b"0123456789"
    assert [path.name for path in tmp_path.iterdir()] == ["report.pdf"]
    assert b'\r\nRange: bytes=4-\r\nIf-Range: "v1"\r\n' in peer.requests[1]


def test_a_path_that_cannot_be_written_is_named(peer: Peer, tmp_path: Path) -> None:
    target = tmp_path / "none" / "report.pdf"
    with client_of(peer) as client, pytest.raises(restway.FileError) as caught:
        client.get("x", save_to=str(target))
    assert caught.value.field == str(target)
    assert str(target) in caught.value.message
    assert peer.requests == []


def test_a_request_without_a_body_of_its_own_cannot_be_saved(peer: Peer, tmp_path: Path) -> None:
    with client_of(peer) as client, pytest.raises(restway.UsageError) as caught:
        client.head("x", save_to=tmp_path / "report.pdf")
    assert caught.value.field == "path"


def test_a_download_is_no_item_of_a_batch(peer: Peer, tmp_path: Path) -> None:
    batching = restway.API.from_json('{"restway": 1, "batch": {"path": "batch"}}')
    with restway.Client(batching, base_url=peer.url) as client:
        with client.batch() as batch, pytest.raises(restway.UsageError, match="batch"):
            batch.get("x", save_to=tmp_path / "report.pdf")
    assert list(tmp_path.iterdir()) == []


def test_a_route_saves_its_answers_in_files_that_live_as_long_as_they_do(
    peer: Peer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    route = {"path": "report", "saveAsResource": True}
    saving = restway.API.from_json(json.dumps({"restway": 1, "routes": {"report": route}}))
    peer.respond(b"%PDF", "application/pdf")
    with restway.Client(saving, base_url=peer.url) as client:
        with client.route("report") as response:
            assert response.saved is not None
            assert Path(response.saved.path).read_bytes() == b"%PDF"
            assert Path(response.saved.path).stat().st_mode & 0o777 == 0o600
            assert Path(response.saved.path).parent == tmp_path
        assert is_emptied(tmp_path)
        with client.route("report") as response:
            assert response.saved is not None
            Path(response.saved.path).rename(tmp_path / "kept")
        assert [path.name for path in tmp_path.iterdir()] == ["kept"]
        with client.route("report", save_to=tmp_path / "given") as response:
            assert response.saved is not None
            assert response.saved.path == str(tmp_path / "given")
        assert (tmp_path / "given").exists()


def test_an_async_client_saves_many_at_once(peer: Peer, tmp_path: Path) -> None:
    peer.respond(b"x" * 100_000, "application/octet-stream")

    async def run() -> None:
        async with restway.AsyncClient(api(), base_url=peer.url) as client:
            paths = [tmp_path / str(number) for number in range(20)]
            responses = await asyncio.gather(*(client.get("x", save_to=path) for path in paths))
            assert {response.saved.length for response in responses if response.saved} == {100_000}

    asyncio.run(run())
    assert {path.stat().st_size for path in tmp_path.iterdir()} == {100_000}
    assert len(list(tmp_path.iterdir())) == 20


@pytest.mark.parametrize("keep_part", [False, True])
def test_a_coded_bomb_leaves_no_file(peer: Peer, tmp_path: Path, keep_part: bool) -> None:
    bomb = gzip.compress(bytes(10 << 20))
    fields = b'Content-Encoding: gzip\r\nETag: "v1"\r\n'
    peer.answer = answer("200 OK", fields, len(bomb), bomb)
    target = tmp_path / "report.pdf"
    with restway.Client(api(), base_url=peer.url, save_bytes_max=1 << 20) as client:
        with pytest.raises(restway.TooLargeError, match="larger than 1048576 bytes"):
            client.get("x", save_to=restway.SaveTo(target, keep_part=keep_part))
        assert is_emptied(tmp_path)
        save_to = restway.SaveTo(target, bytes_max=10 << 20)
        assert client.get("x", save_to=save_to).saved is not None
    assert target.stat().st_size == 10 << 20
    with pytest.raises(ValueError, match="more than 0"):
        restway.Request.path("GET", "x", save_to=restway.SaveTo(target, bytes_max=0))
    with pytest.raises(ValueError, match="bytes_max is out of range"):
        restway.Request.path("GET", "x", save_to=restway.SaveTo(target, bytes_max=1 << 64))


@pytest.mark.parametrize("keep_part", [False, True])
def test_a_body_in_an_unknown_coding_is_saved_as_it_was_sent(
    peer: Peer, tmp_path: Path, keep_part: bool
) -> None:
    peer.answer = answer("200 OK", b"Content-Encoding: snappy\r\n" + TAG, 4, b"\xff\x06\0\0")
    target = tmp_path / "report.pdf"
    with client_of(peer) as client:
        response = client.get("x", save_to=restway.SaveTo(target, keep_part=keep_part))
        assert response.headers["Content-Encoding"] == "snappy"
        with client.stream(restway.Request.path("GET", "x")) as streamed:
            assert streamed.read() == b"\xff\x06\0\0"
    assert target.read_bytes() == b"\xff\x06\0\0"


def test_a_body_is_written_into_a_descriptor(peer: Peer, tmp_path: Path) -> None:
    body = bytes(range(256)) * 8192
    peer.answer = answer("200 OK", b"", len(body), body)
    target = tmp_path / "both"
    with client_of(peer) as client:
        with target.open("wb") as file:
            file.write(b"first ")
            assert client.get("x", save_to=file).body == b""
        assert target.read_bytes() == b"first " + body
        here, there = socket.socketpair()
        received: list[bytes] = []
        reading = threading.Thread(target=lambda: received.extend(iter_socket(there)))
        reading.start()
        client.get("x", save_to=here)
        here.close()
        reading.join(30)
        assert b"".join(received) == body
        there.close()


def iter_socket(there: socket.socket) -> Iterator[bytes]:
    while piece := there.recv(65536):
        yield piece


def test_a_descriptor_that_takes_no_bytes_is_an_error(peer: Peer) -> None:
    peer.answer = answer("200 OK", b"", 1, b"x")
    reading, writing = os.pipe()
    os.close(reading)
    with client_of(peer) as client:
        with pytest.raises(restway.FileError, match="Broken pipe"):
            client.get("x", save_to=writing)
        os.close(writing)
        with pytest.raises(restway.FileError, match="Bad file descriptor"):
            client.get("x", save_to=writing)
