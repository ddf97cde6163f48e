"""Downloads from servers that break off, and that answer requests for a rest wrongly."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import restway
from listed_answers import ListedAnswers, sends

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


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    assert [path.name for path in tmp_path.iterdir() if path.name != "file"] == []


def download(
    answers: list[bytes], target: Path, keep_part: bool = False
) -> tuple[restway.Saved | None, list[bytes]]:
    api = restway.API.from_json(json.dumps(DOCUMENT))
    saving = restway.SaveTo(target, digest=True, keep_part=keep_part)
    with (
        ListedAnswers([sends(each) for each in answers]) as server,
        restway.Client(api, base_url=server.url) as client,
    ):
        saved = client.get("x", save_to=saving).saved
    return saved, server.requests


class Kept:
    """A part that a first download without retries has left, and a server for later calls."""

    def __init__(self, server: ListedAnswers, client: restway.Client, target: Path) -> None:
        self.requests = server.requests
        """The requests so far; the first one has left the part."""
        self._client = client
        self._target = target

    def get(self) -> restway.Saved:
        """Downloads the file, from the part if that is possible."""
        saving = restway.SaveTo(self._target, digest=True, keep_part=True)
        saved = self._client.get("x", save_to=saving).saved
        assert saved is not None
        assert saved.digest == hashlib.sha256(self._target.read_bytes()).hexdigest()
        return saved

    @property
    def part(self) -> bytes:
        folder = self._target.parent
        assert sorted(path.name for path in folder.iterdir()) == ["file.part", "file.part.info"]
        return (folder / "file.part").read_bytes()


@contextmanager
def keeping(folder: Path, *answers: bytes) -> Iterator[Kept]:
    with (
        ListedAnswers([sends(each) for each in (BROKEN, *answers)]) as server,
        restway.Client(restway.API.empty(), base_url=server.url) as client,
    ):
        kept = Kept(server, client, folder / "file")
        with pytest.raises(restway.ConnectionLostError):
            kept.get()
        assert kept.part == FILE[:4]
        yield kept


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


def part(fields: bytes, body: bytes, range_: bytes = b"4-9/10", status: int = 206) -> bytes:
    """Makes an answer to the request for the rest of `FILE`."""
    return answer(status, fields + b"Content-Range: bytes " + range_ + b"\r\n", body)


PARTS = (
    b"--x\r\nContent-Range: bytes 4-6/10\r\n\r\n456\r\n"
    b"--x\r\nContent-Range: bytes 7-9/10\r\n\r\n789\r\n--x--\r\n"
)
#: Answers to the request for the rest that do not continue the part.
UNFIT = {
    "from_the_start": part(TAG, FILE, b"0-9/10"),
    "another_start": part(TAG, FILE[5:], b"5-9/10"),
    "an_earlier_start": part(TAG, FILE[3:], b"3-9/10"),
    "another_end": part(TAG, FILE[4:8], b"4-7/10"),
    "another_total": part(TAG, b"abcdefg", b"4-10/11"),
    "a_smaller_total": part(TAG, FILE[4:8], b"4-7/8"),
    "no_total": part(TAG, FILE[4:], b"4-9/*"),
    "no_numbers": part(TAG, FILE[4:], b"4-x/10"),
    "backwards": part(TAG, FILE[4:], b"9-4/10"),
    "another_unit": answer(206, TAG + b"Content-Range: items 4-9/10\r\n", FILE[4:]),
    "two_ranges": part(TAG + b"Content-Range: bytes 4-9/10\r\n", FILE[4:]),
    "another_tag": part(b'ETag: "v2"\r\n', b"abcdef"),
    "a_weak_tag": part(b'ETag: W/"v1"\r\n', b"abcdef"),
    "a_coding": part(TAG + b"Content-Encoding: gzip\r\n", gzip.compress(FILE[4:])),
    "multipart": answer(206, TAG + b"Content-Type: multipart/byteranges; boundary=x\r\n", PARTS),
    "no_range": answer(206, TAG, FILE[4:]),
    "a_whole_with_a_range": part(TAG, FILE[4:], status=200),
    "not_satisfiable": answer(416, TAG + b"Content-Range: bytes */3\r\n", b"no"),
}
EACH = pytest.mark.parametrize("second", UNFIT.values(), ids=list(UNFIT))


@EACH
def test_a_range_that_does_not_fit_is_followed_by_the_whole(folder: Path, second: bytes) -> None:
    saved, requests = download([BROKEN, second, WHOLE], folder / "file")
    assert (saved and saved.resumed_from, (folder / "file").read_bytes()) == (0, FILE)
    assert b"\r\nRange:" not in requests[2]


@EACH
def test_a_range_that_does_not_fit_a_kept_part_is_followed_by_the_whole(
    folder: Path, second: bytes
) -> None:
    with keeping(folder, second, WHOLE) as kept:
        assert kept.get().resumed_from == 0
        assert (folder / "file").read_bytes() == FILE
        assert b"\r\nRange: bytes=4-\r\n" in kept.requests[1]
        assert b"\r\nRange:" not in kept.requests[2]


@pytest.mark.parametrize("status", [500, 503, 404])
def test_an_error_leaves_a_kept_part_for_later(folder: Path, status: int) -> None:
    with keeping(folder, answer(status, TAG, b"no"), part(TAG, FILE[4:])) as kept:
        with pytest.raises(restway.HTTPStatusError, match=str(status)):
            kept.get()
        assert kept.part == FILE[:4]
        assert kept.get().resumed_from == 4
        assert (folder / "file").read_bytes() == FILE


@pytest.mark.parametrize("count", range(4, len(FILE)))
def test_a_kept_part_grows_with_each_rest_that_breaks_off(folder: Path, count: int) -> None:
    fields = TAG + b"Content-Range: bytes 4-9/10\r\n"
    broken = answer(206, fields, FILE[4:count], 6)
    with keeping(folder, broken, part(TAG, FILE[count:], b"%d-9/10" % count)) as kept:
        with pytest.raises(restway.ConnectionLostError):
            kept.get()
        assert kept.part == FILE[:count]
        assert kept.get().resumed_from == count
        assert (folder / "file").read_bytes() == FILE
        assert b"\r\nRange: bytes=%d-\r\n" % count in kept.requests[2]


def test_a_part_that_nobody_asked_for_is_no_file(folder: Path) -> None:
    for keeps in (False, True):
        with pytest.raises(restway.ProtocolError, match="206"):
            download([part(TAG, FILE[4:])], folder / "file", keep_part=keeps)
        assert list(folder.iterdir()) == []


def test_a_server_that_sends_nothing_but_unfit_parts_gets_no_file(folder: Path) -> None:
    unfit = part(TAG, FILE[5:], b"5-9/10")
    with pytest.raises(restway.ProtocolError, match="206"):
        download([BROKEN, unfit, unfit], folder / "file")
    assert list(folder.iterdir()) == []


DATE = b"Date: Mon, 01 Jan 2024 00:01:00 GMT\r\n"
OLD = DATE + b"Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\n"
NEW = DATE + b"Last-Modified: Mon, 01 Jan 2024 00:00:30 GMT\r\n"


def test_a_date_names_a_version_of_a_file(folder: Path) -> None:
    first = answer(200, OLD, FILE[:4], 10)
    saved, requests = download([first, part(OLD, FILE[4:])], folder / "file")
    assert saved is not None
    assert (saved.resumed_from, (folder / "file").read_bytes()) == (4, FILE)
    assert b"\r\nIf-Range: Mon, 01 Jan 2024 00:00:00 GMT\r\n" in requests[1]


def test_a_file_with_another_date_is_another_file(folder: Path) -> None:
    first = answer(200, OLD, FILE[:4], 10)
    saved, _ = download([first, part(NEW, b"abcdef"), answer(200, NEW, b"new")], folder / "file")
    assert saved is not None
    assert (saved.resumed_from, (folder / "file").read_bytes()) == (0, b"new")


@pytest.mark.parametrize(
    "fields",
    [
        b'ETag: W/"v1"\r\n',
        b"Last-Modified: Mon, 01 Jan 2024 00:01:00 GMT\r\n" + DATE,
        b'ETag: W/"v1"\r\n' + OLD,
        TAG + b"Accept-Ranges: none\r\n",
        b"",
    ],
)
def test_a_file_without_a_strong_version_comes_whole_again(folder: Path, fields: bytes) -> None:
    first = answer(200, fields, FILE[:4], 10)
    _, requests = download([first, WHOLE], folder / "file")
    assert (folder / "file").read_bytes() == FILE
    assert b"\r\nRange:" not in requests[1]


def test_a_file_that_changes_with_every_answer_is_whole_at_last(folder: Path) -> None:
    answers = [
        BROKEN,
        answer(200, b'ETag: "v2"\r\n', b"abcd", 10),
        answer(200, b'ETag: "v3"\r\n', b"ABCDEFGHIJ"),
    ]
    saved, requests = download(answers, folder / "file")
    assert (saved and saved.resumed_from, (folder / "file").read_bytes()) == (0, b"ABCDEFGHIJ")
    assert b'\r\nIf-Range: "v2"\r\n' in requests[2]


def test_a_file_that_has_changed_comes_whole(folder: Path) -> None:
    saved, _ = download([BROKEN, answer(200, b'ETag: "v2"\r\n', b"new")], folder / "file")
    assert (saved and saved.length, (folder / "file").read_bytes()) == (3, b"new")


def test_a_file_that_breaks_off_at_every_byte_is_whole_or_not_there(folder: Path) -> None:
    for count in range(len(FILE)):
        broken = answer(200, b"", FILE[:count], 10)
        with pytest.raises(restway.ConnectionLostError):
            download([broken] * 3, folder / "file")
        assert list(folder.iterdir()) == []
