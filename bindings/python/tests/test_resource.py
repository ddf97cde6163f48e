"""Resources as bodies and as files of multipart bodies; compressed and announced bodies."""

from __future__ import annotations

import asyncio
import base64
import email
import gzip
import hashlib
import io
import os
import socket
import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import restway
from restway import Resource

from .peer import Peer, unused_port
from .test_serialization import client_of, head_and_body, parts_of

LETTERS = bytes(range(97, 123)) * 20_000
"""More than one piece."""


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    path = tmp_path / "letters.TXT"
    path.write_bytes(LETTERS)
    return path


def unchunked(body: bytes) -> bytes:
    """Returns the bytes of a body that came in chunks."""
    content = b""
    while True:
        size, _, body = body.partition(b"\r\n")
        count = int(size, 16)
        if count == 0:
            return content
        content += body[:count]
        body = body[count + 2 :]


def test_a_resource_knows_its_name_type_length_and_digests(letters: Path) -> None:
    with letters.open("rb") as file:
        file.seek(26)
        tail = LETTERS[26:]
        resources: list[tuple[Resource, str | None, bytes]] = [
            (Resource.file(letters), "letters.TXT", LETTERS),
            (Resource.bytes(LETTERS, "a.txt"), "a.txt", LETTERS),
            (Resource.bytes(LETTERS, media_type="text/plain"), None, LETTERS),
            (Resource.descriptor(file.fileno(), 26, "b.txt"), "b.txt", tail),
        ]
    for resource, name, content in resources:
        assert resource.name == name
        assert resource.media_type == "text/plain"
        assert resource.length == len(content)
        for _ in range(2):
            assert resource.digest("md5") == hashlib.md5(content).digest()
            assert resource.digest("sha256") == hashlib.sha256(content).digest()
    assert Resource.bytes(b"", "x.unheard-of").media_type == "application/octet-stream"
    assert Resource.bytes(b"").media_type == "application/octet-stream"
    with pytest.raises(ValueError, match="crc"):
        resource.digest("crc")  # type: ignore[arg-type]
    letters.write_bytes(b"other")
    assert resources[0][0].digest("md5") == hashlib.md5(b"other").digest()


@pytest.mark.parametrize("kind", ["bytes", "file", "descriptor"])
def test_a_resource_is_sent_with_its_type_its_length_and_digests(
    peer: Peer, letters: Path, kind: str
) -> None:
    with letters.open("rb") as file:
        resource = {
            "bytes": lambda: Resource.bytes(LETTERS, "a.txt"),
            "file": lambda: Resource.file(letters),
            "descriptor": lambda: Resource.descriptor(file.fileno(), name="a.txt"),
        }[kind]()
    with client_of(peer) as client:
        for _ in range(2):
            client.put(
                "x", body=resource, params={"a": {"b": 1}},
                digest=["content-md5", "digest", "repr-digest"],
            )
            target, headers, body = head_and_body(peer)
            assert body == LETTERS
            assert urlsplit(target).query == "a%5Bb%5D=1"
            sha = base64.b64encode(hashlib.sha256(LETTERS).digest()).decode()
            assert headers["content-type"] == "text/plain"
            assert headers["content-length"] == str(len(LETTERS))
            assert headers["content-md5"] == base64.b64encode(
                hashlib.md5(LETTERS).digest()).decode()
            assert headers["digest"] == f"SHA-256={sha}"
            assert headers["repr-digest"] == f"sha-256=:{sha}:"
        with pytest.raises(restway.UsageError, match="gzip"):
            client.put("x", body=resource, digest=["digest"], gzip=True)


def test_files_of_every_kind_follow_the_parameters(peer: Peer, letters: Path) -> None:
    with client_of(peer) as client, letters.open("rb") as file, letters.open("rb") as ahead:
        ahead.read(26)
        files: list[Any] = [
            ("a", Resource.file(letters, "own.txt")),
            ("b", letters),
            ("b", b"bytes"),
            ('c"\r\n', ('n"\n.png', b"\x89PNG")),
            ("d", ("sent.bin", letters, "application/x-special")),
            ("e", file),
            ("f", ahead),
            ("g", io.BytesIO(b"memory")),
        ]
        client.post("x", params={"t": {"u": "v"}, "none": None}, files=files)
        parts = parts_of(peer)
    found = [
        (
            part.get_param("name", header="content-disposition"),
            part.get_filename(),
            part.get_content_type(),
            part.get_payload(decode=True),
        )
        for part in parts
    ]
    assert found == [
        ("t[u]", None, "text/plain", b"v"),
        ("none", None, "text/plain", b""),
        ("a", "own.txt", "text/plain", LETTERS),
        ("b", "letters.TXT", "text/plain", LETTERS),
        ("b", "b", "application/octet-stream", b"bytes"),
        ("c%22%0D%0A", "n%22%0A.png", "image/png", b"\x89PNG"),
        ("d", "sent.bin", "application/x-special", LETTERS),
        ("e", "letters.TXT", "text/plain", LETTERS),
        ("f", "letters.TXT", "text/plain", LETTERS[26:]),
        ("g", "g", "application/octet-stream", b"memory"),
    ]


def test_wrong_files_are_refused(peer: Peer, letters: Path) -> None:
    with client_of(peer) as client:
        wrong: list[Any] = ["a path as a str", 7, ("one",), [1], (1, 2, 3, 4)]
        for content in wrong:
            with pytest.raises(TypeError):
                client.post("x", files={"a": content})
        with pytest.raises(TypeError, match="text file"), letters.open() as text:
            client.post("x", files={"a": text})  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="get\\(\\) takes no files"):
            client.get("x", files={"a": b""})  # type: ignore[call-overload]
        for method in ("GET", "DELETE"):
            request = restway.Request.path(method, "x", files={"a": b""})
            with pytest.raises(restway.UsageError, match="has no files"):
                client.perform(request)
        with pytest.raises(restway.UsageError, match="body or files"):
            client.post("x", files={"a": b""}, body=b"")
        with pytest.raises(restway.UsageError, match='"form"'):
            client.post("x", files={"a": b""}, serialization="url")
        with pytest.raises(TypeError, match="Resource"):
            client.post("x", body=b"", digest=["digest"])
    assert peer.requests == []


def test_a_missing_file_and_a_folder_are_errors_that_name_them(
    peer: Peer, tmp_path: Path
) -> None:
    with client_of(peer) as client:
        for path, reason in ((tmp_path / "gone", "No such file"), (tmp_path, "not a regular")):
            for options in (
                {"body": Resource.file(path)}, {"files": {"a": path}},
                {"body": Resource.file(path), "digest": ["digest"]},
            ):
                with pytest.raises(restway.FileError, match=reason) as caught:
                    client.post("x", **options)
                assert str(path) in str(caught.value)
            with pytest.raises(restway.FileError, match=reason):
                Resource.file(path).digest("md5")
    assert peer.requests == []


@pytest.mark.parametrize(
    ("digest", "other", "why"),
    [
        (None, LETTERS[1:], "had 520000 bytes when its length was announced, and has 519999 now"),
        (["digest"], LETTERS[::-1], "has changed since its digest was made"),
    ],
)
def test_a_file_that_has_changed_before_it_is_sent_again_is_an_error(
    peer: Peer, letters: Path, digest: Any, other: bytes, why: str
) -> None:
    with client_of(peer, retry={"attempts": 3, "baseMilliseconds": 0}) as client:
        peer.respond(b"{}", status=503)
        peer.heard = lambda: letters.write_bytes(other)
        with pytest.raises(restway.FileError, match=why) as caught:
            client.put("x", body=Resource.file(letters), digest=digest)
        assert str(letters) in str(caught.value)


@pytest.mark.parametrize(
    ("length", "why"), [(1 << 20, "became shorter while"), (80 << 20, "became longer while")]
)
def test_a_file_that_changes_while_it_is_sent_is_an_error(
    letters: Path, length: int, why: str
) -> None:
    os.truncate(letters, 64 << 20)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                # The file has been opened when a part of it has come.
                connection.recv(100_000, socket.MSG_WAITALL)
                os.truncate(letters, length)
                while connection.recv(1 << 20):
                    pass

        thread = threading.Thread(target=serve)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        document = restway.API.from_json({"restway": 1})
        with restway.Client(document, base_url=url, timeout=30) as client:
            with pytest.raises(restway.FileError, match=why) as caught:
                client.post("x", files={"a": letters})
            assert str(letters) in str(caught.value)
        thread.join()


def test_a_pipe_is_sent_once_and_without_a_length(peer: Peer) -> None:
    reading, writing = os.pipe()
    resource = Resource.descriptor(reading, media_type="text/plain")
    os.close(reading)
    os.write(writing, b"through the pipe")
    os.close(writing)
    assert resource.length is None
    with pytest.raises(restway.UsageError, match="only once"):
        resource.digest("md5")
    with client_of(peer) as client:
        client.put("x", body=resource)
        _, headers, body = head_and_body(peer)
        assert headers["transfer-encoding"] == "chunked"
        assert unchunked(body) == b"through the pipe"
        with pytest.raises(restway.UsageError, match="read before"):
            client.put("x", body=resource)


def test_descriptors_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(restway.FileError, match="descriptor 9999"):
        Resource.descriptor(9999)
    with (tmp_path / "w").open("wb") as file, pytest.raises(restway.FileError, match="reading"):
        Resource.descriptor(file.fileno())
    reading, writing = os.pipe()
    with pytest.raises(restway.UsageError, match="offset"):
        Resource.descriptor(reading, 0)
    os.close(reading)
    os.close(writing)


def test_bodies_of_every_kind_are_compressed(peer: Peer, letters: Path) -> None:
    def pieces() -> Any:
        yield LETTERS[:1000]
        yield LETTERS[1000:]

    with client_of(peer) as client:
        for body, is_whole in (
            (b"short", True), (LETTERS, True), (Resource.file(letters), False), (pieces(), False),
        ):
            client.put("x", body=body, gzip=True)
            _, headers, sent = head_and_body(peer)
            assert headers["content-encoding"] == "gzip"
            assert ("content-length" in headers) == is_whole
            expected = b"short" if body == b"short" else LETTERS
            assert gzip.decompress(sent if is_whole else unchunked(sent)) == expected
        client.post("x", params={"a": 1}, gzip=True)
        assert gzip.decompress(head_and_body(peer)[2]) == b'{"a":1}'
        client.post("x", files={"a": letters}, gzip=True)
        _, headers, sent = head_and_body(peer)
        message = email.message_from_bytes(
            b"Content-Type: " + headers["content-type"].encode() + b"\r\n\r\n"
            + gzip.decompress(unchunked(sent)))
        assert message.get_payload()[0].get_payload(decode=True) == LETTERS  # type: ignore
        client.put("x", body=b"as it is", gzip=True, headers={"Content-Encoding": "x-own"})
        assert head_and_body(peer)[2] == b"as it is"
        client.get("x")
        assert "content-encoding" not in head_and_body(peer)[1]


def test_a_route_compresses_and_a_request_may_not(peer: Peer) -> None:
    route = {"method": "POST", "path": "x", "gzip": True}
    with client_of(peer, routes={"x": route}) as client:
        client.route("x", params={"a": 1})
        assert gzip.decompress(head_and_body(peer)[2]) == b'{"a":1}'
        client.route("x", params={"a": 1}, gzip=False)
        assert head_and_body(peer)[2] == b'{"a":1}'


def test_a_file_is_read_again_for_a_retry_and_a_redirect(
    demo_url: str, letters: Path
) -> None:
    retry = {"attempts": 3, "baseMilliseconds": 0}
    document = restway.API.from_json({"restway": 1, "retry": retry})
    with restway.Client(document, base_url=demo_url, timeout=30) as client:
        for options in ({"body": Resource.file(letters)}, {"files": {"a": letters}}):
            with pytest.raises(restway.HTTPStatusError, match="503") as caught:
                client.put("bad/status/503", **options)
            assert len(caught.value.attempts) == 3
            target = "redirect-to?status=308&url=/v2/echo"
            answer: Any = client.put(target, **options).json()
            assert LETTERS.decode() in answer["body"]


def test_an_announced_body_is_sent_when_the_server_asks_for_it(peer: Peer) -> None:
    with client_of(peer) as client:
        peer.respond(b"{}")
        client.put("x", body=b"body", expect_continue=True)
        _, headers, _ = head_and_body(peer)
        assert headers["expect"] == "100-continue"
        client.get("x")
        assert "expect" not in head_and_body(peer)[1]


def test_the_outbox_stores_bytes_and_never_a_file(letters: Path, tmp_path: Path) -> None:
    document = restway.API.from_json(
        {
            "restway": 1,
            "outbox": {"path": str(tmp_path / "outbox.db")},
            "routes": {"x": {"method": "POST", "path": "x", "offline": True, "gzip": True}},
        }
    )
    url = f"http://127.0.0.1:{unused_port()}"
    with restway.Client(document, base_url=url, timeout=30) as client:
        stored: list[Any] = [
            {"body": Resource.bytes(b"in memory", "a.txt")},
            {"files": {"a": ("a.txt", b"in memory")}},
        ]
        for options in stored:
            with pytest.raises(restway.QueuedError):
                client.route("x", **options)
        for options in ({"body": Resource.file(letters)}, {"files": {"a": letters}}):
            with pytest.raises(restway.ConnectError):
                client.route("x", **options)
        # A stored body is not compressed.
        assert [b"in memory" in (item.body or b"") for item in client.outbox.items()] == [True] * 2


def test_an_async_client_sends_files(peer: Peer, letters: Path) -> None:
    peer.respond(b"{}")

    async def send() -> None:
        document = restway.API.from_json({"restway": 1})
        async with restway.AsyncClient(document, base_url=peer.url, timeout=30) as client:
            await client.post("x", files={"a": letters})

    asyncio.run(send())
    assert parts_of(peer)[0].get_payload(decode=True) == LETTERS


def test_an_upload_goes_on_in_a_later_call(peer: Peer, tmp_path: Path) -> None:
    state = tmp_path / "state"
    body = Resource.bytes(b"hello", "a.txt")
    how = restway.Resumable("tus", state=state, piece_bytes=3)
    pieces: list[tuple[str, bytes]] = []
    with client_of(peer) as client:
        peer.answer = b"HTTP/1.1 201 Created\r\nLocation: /u/1\r\nConnection: close\r\n\r\n"

        def break_off() -> None:
            if peer.requests[-1].startswith(b"PATCH"):
                _, fields, content = head_and_body(peer)
                pieces.append((fields["upload-offset"], content))
                peer.answer = b""

        peer.heard = break_off
        with pytest.raises(restway.ConnectionLostError):
            client.post("files", body=body, resumable=how)
        assert state.read_text().splitlines()[3] == f"{peer.url}/u/1"
        peer.heard = lambda: None
        peer.answer = b"HTTP/1.1 204 Any\r\nUpload-Offset: 5\r\nConnection: close\r\n\r\n"
        response = client.post("files", body=body, resumable=how)
        assert response.url == f"{peer.url}/u/1"
    lines = [request.split(b" ")[0] for request in peer.requests]
    assert lines == [b"POST", b"PATCH", b"HEAD"]
    assert pieces == [("0", b"hel")]
    assert not state.exists()


def test_a_wrong_resumption_is_refused() -> None:
    request = restway.Request.path("POST", "files")
    wrong: Any = "ftp"
    number: Any = 5
    with pytest.raises(ValueError, match="'ftp'"):
        request.update(resumable=wrong)
    with pytest.raises(ValueError, match="1 byte or more"):
        request.update(resumable=restway.Resumable(piece_bytes=0))
    with pytest.raises(TypeError):
        request.update(resumable=restway.Resumable(state=number))
    request.update(resumable="none")
