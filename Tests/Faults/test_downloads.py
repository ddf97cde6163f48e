"""Downloads from servers that break off, and that answer requests for a rest wrongly."""

from __future__ import annotations

import hashlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import restway

DOCUMENT = {"restway": 1, "retry": {"attempts": 3, "baseMilliseconds": 0}}
FILE = b"0123456789"
TAG = b'ETag: "v1"\r\n'


def answer(status: int, fields: bytes, body: bytes, length: int | None = None) -> bytes:
    count = len(body) if length is None else length
    head = f"HTTP/1.1 {status} Any\r\nConnection: close\r\nContent-Length: {count}\r\n"
    return head.encode() + fields + b"\r\n" + body


#: The first answer breaks off after four bytes.
BROKEN = answer(200, TAG, FILE[:4], 10)
WHOLE = answer(200, TAG, FILE)


class Answers:
    """A server that gives the answers of a list, one on each connection."""

    def __init__(self, answers: list[bytes]) -> None:
        self.requests: list[bytes] = []
        self._answers = answers
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def _serve(self) -> None:
        for content in self._answers:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                request = b""
                while not request.endswith(b"\r\n\r\n"):
                    request += connection.recv(65536)
                self.requests.append(request)
                connection.sendall(content)

    def __enter__(self) -> Answers:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes accept()
        self._thread.join()
        self._listener.close()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    assert [path.name for path in tmp_path.iterdir() if path.name != "file"] == []


def download(answers: list[bytes], target: Path) -> tuple[restway.Saved | None, list[bytes]]:
    api = restway.API.from_json(json.dumps(DOCUMENT))
    with Answers(answers) as server, restway.Client(api, base_url=server.url) as client:
        saved = client.get("x", save_to=restway.SaveTo(target, digest=True)).saved
    return saved, server.requests


def test_a_retry_asks_for_the_rest(folder: Path) -> None:
    rest = answer(206, TAG + b"Content-Range: bytes 4-9/10\r\n", FILE[4:])
    saved, requests = download([BROKEN, rest], folder / "file")
    assert saved == (str(folder / "file"), 10, hashlib.sha256(FILE).hexdigest(), 4)
    assert (folder / "file").read_bytes() == FILE
    assert b'\r\nRange: bytes=4-\r\nIf-Range: "v1"\r\n' in requests[1]


def test_a_rest_may_break_off_too(folder: Path) -> None:
    first = answer(206, TAG + b"Content-Range: bytes 4-9/10\r\n", FILE[4:7], 6)
    second = answer(206, TAG + b"Content-Range: bytes 7-9/10\r\n", FILE[7:])
    saved, _ = download([BROKEN, first, second], folder / "file")
    assert saved is not None
    assert (saved.resumed_from, (folder / "file").read_bytes()) == (7, FILE)


@pytest.mark.parametrize(
    "second",
    [
        answer(206, TAG + b"Content-Range: bytes 0-9/10\r\n", FILE),
        answer(206, TAG + b"Content-Range: bytes 5-9/10\r\n", FILE[5:]),
        answer(206, TAG + b"Content-Range: bytes 4-7/10\r\n", FILE[4:8]),
        answer(206, TAG + b"Content-Range: bytes 4-10/11\r\n", b"abcdefg"),
        answer(206, b'ETag: "v2"\r\nContent-Range: bytes 4-9/10\r\n', b"abcdef"),
        answer(206, TAG + b"Content-Type: multipart/byteranges; boundary=x\r\n", b"--x--"),
        answer(206, TAG, FILE[4:]),
        answer(416, TAG + b"Content-Range: bytes */3\r\n", b"no"),
    ],
)
def test_a_range_that_does_not_fit_is_followed_by_the_whole(folder: Path, second: bytes) -> None:
    saved, requests = download([BROKEN, second, WHOLE], folder / "file")
    assert (saved and saved.resumed_from, (folder / "file").read_bytes()) == (0, FILE)
    assert b"\r\nRange:" not in requests[2]


def test_a_file_that_has_changed_comes_whole(folder: Path) -> None:
    saved, _ = download([BROKEN, answer(200, b'ETag: "v2"\r\n', b"new")], folder / "file")
    assert (saved and saved.length, (folder / "file").read_bytes()) == (3, b"new")


def test_a_file_that_breaks_off_at_every_byte_is_whole_or_not_there(folder: Path) -> None:
    for count in range(len(FILE)):
        broken = answer(200, b"", FILE[:count], 10)
        with pytest.raises(restway.ConnectionLostError):
            download([broken] * 3, folder / "file")
        assert list(folder.iterdir()) == []
