"""Request bodies that are read while they are sent: files, generators, async generators."""

from __future__ import annotations

import asyncio
import io
import os
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

import restway

from .realm import ERRORS, Realm, token_of
from .test_async import run, turn

LETTERS = bytes(range(97, 123)) * 10_000
"""More than one piece."""


def api(**sections: Any) -> restway.API:
    return restway.API.from_json({"restway": 1, "errors": ERRORS, **sections})


@pytest.fixture
def client(demo_url: str) -> Iterator[restway.Client]:
    retry = {"attempts": 3, "baseMilliseconds": 0}
    with restway.Client(api(retry=retry), base_url=demo_url, timeout=30.0) as made:
        yield made


def echoed(response: restway.Response) -> tuple[bytes, dict[str, str]]:
    answer: Any = response.json()
    return answer["body"].encode(), {
        name.lower(): value for name, value in answer["headers"].items()
    }


class Pipe(io.RawIOBase):
    """A binary file that cannot seek."""

    def __init__(self, *pieces: Any) -> None:
        self._pieces = list(pieces)
        self.threads: set[int] = set()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> Any:
        self.threads.add(threading.get_ident())
        return self._pieces.pop(0) if self._pieces else b""


def test_a_file_goes_out_with_its_length_from_where_it_stands(
    client: restway.Client, tmp_path: Path
) -> None:
    path = tmp_path / "letters"
    path.write_bytes(b"head" + LETTERS)
    with path.open("rb") as file:
        file.seek(4)
        request = restway.Request.path("POST", "echo", body=file, media_type="text/plain")
        for _ in range(2):
            body, headers = echoed(client.perform(request))
            assert body == LETTERS
            assert headers["content-length"] == str(len(LETTERS))
            assert headers["content-type"] == "text/plain"


def test_what_cannot_seek_goes_out_in_chunks_and_once(client: restway.Client) -> None:
    pipe = Pipe(b"one ", b"two ", b"three")
    request = restway.Request.path("PUT", "echo", body=pipe)
    body, headers = echoed(client.perform(request))
    assert body == b"one two three"
    assert headers["transfer-encoding"] == "chunked"
    assert headers["content-type"] == "application/octet-stream"
    assert threading.get_ident() not in pipe.threads
    with pytest.raises(restway.UsageError, match="rewound"):
        client.perform(request)


def test_iterables_of_bytes_go_out_piece_by_piece(client: restway.Client) -> None:
    def pieces() -> Iterator[bytes]:
        yield b""
        yield b"first "
        yield b"second "
        yield LETTERS

    body, headers = echoed(client.post("echo", body=pieces()))
    assert body == b"first second " + LETTERS
    assert headers["transfer-encoding"] == "chunked"
    assert echoed(client.put("echo", body=[b"a", b"b"]))[0] == b"ab"
    assert echoed(client.patch("echo", body=iter(())))[0] == b""


def test_a_file_is_rewound_for_a_retry_and_a_generator_is_sent_once(
    client: restway.Client,
) -> None:
    with pytest.raises(restway.HTTPStatusError, match="503") as caught:
        client.put("bad/status/503", body=io.BytesIO(b"again"))
    assert len(caught.value.attempts) == 3
    with pytest.raises(restway.HTTPStatusError, match="cannot be rewound") as caught:
        client.put("bad/status/503", body=iter([b"once"]))
    assert len(caught.value.attempts) == 1
    target = "redirect-to?status=308&url=/v2/echo"
    assert echoed(client.put(target, body=io.BytesIO(b"moved")))[0] == b"moved"
    with pytest.raises(restway.HTTPStatusError, match="cannot be rewound") as caught:
        client.put(target, body=iter([b"stays"]))
    assert caught.value.http_status == 308


def test_a_file_is_rewound_for_a_replay(demo_url: str) -> None:
    realm = Realm(demo_url)
    with realm.client() as client:
        client.set_auth(refresh=lambda: token_of(client.perform(realm.token_request())))
        file = io.BytesIO(b"again")
        assert len(client.post(realm.me, body=file).attempts) == 2
        assert file.tell() == 5


def test_what_reading_raises_fails_the_call_and_is_its_cause(client: restway.Client) -> None:
    def broken() -> Iterator[bytes]:
        yield b"half"
        raise OSError("the disk is gone")

    with pytest.raises(restway.CancelledError, match="OSError: the disk is gone") as caught:
        client.post("echo", body=broken())
    assert isinstance(caught.value.__cause__, OSError)
    words: Any = ["a str"]
    with pytest.raises(restway.CancelledError, match="bytes, not str") as caught:
        client.post("echo", body=words)
    assert isinstance(caught.value.__cause__, TypeError)
    with pytest.raises(restway.CancelledError, match="bytes, not NoneType"):
        client.post("echo", body=Pipe(None))
    with pytest.raises(restway.CancelledError, match="asked for 262144 bytes"):
        client.post("echo", body=Pipe(b"x" * 262_145))


def test_a_file_that_shrinks_or_grows_fails_the_call(
    client: restway.Client, tmp_path: Path
) -> None:
    path = tmp_path / "changing"
    path.write_bytes(b"four")
    with path.open("rb") as file:
        request = restway.Request.path("POST", "echo", body=file)
        path.write_bytes(b"five!")
        with pytest.raises(restway.UsageError, match="more than its 4 bytes"):
            client.perform(request)
        os.truncate(path, 2)
        with pytest.raises(restway.UsageError, match="2 of its 4 bytes"):
            client.perform(request)


def test_wrong_bodies_are_refused(client: restway.Client, tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("text")
    wrong: Any
    with path.open() as text:
        for wrong in (text, 7, object()):
            with pytest.raises(TypeError, match="a body is"):
                restway.Request.path("POST", "echo", body=wrong)

    async def pieces() -> AsyncIterator[bytes]:
        yield b""

    with pytest.raises(RuntimeError):
        restway.Request.path("POST", "echo", body=pieces())


def test_what_blocks_raises_while_a_body_is_read(client: restway.Client) -> None:
    def pieces() -> Iterator[bytes]:
        with pytest.raises(restway.WouldBlockError):
            client.get("status")
        yield b"fine"

    assert echoed(client.post("echo", body=pieces()))[0] == b"fine"


def test_a_cancelled_call_leaves_its_body(client: restway.Client) -> None:
    asked, may_go_on = threading.Event(), threading.Event()

    def pieces() -> Iterator[bytes]:
        asked.set()
        may_go_on.wait(30)
        yield b"late"

    call = client.send(restway.Request.path("POST", "echo", body=pieces()))
    assert asked.wait(30)
    call.cancel()
    with pytest.raises(restway.CancelledError):
        call.wait(30)
    may_go_on.set()


def test_asyncio_reads_files_and_async_iterables(demo_url: str) -> None:
    async def main() -> None:
        here = threading.get_ident()

        async def pieces() -> AsyncIterator[bytes]:
            for piece in (b"one ", b"two ", LETTERS):
                await turn()
                assert threading.get_ident() == here
                yield piece

        async with restway.AsyncClient(api(), base_url=demo_url) as client:
            answers = await asyncio.gather(
                client.post("echo", body=pieces()),
                client.post("echo", body=io.BytesIO(LETTERS)),
                client.post("echo", body=iter([b"x", b"y"])),
                client.send(restway.Request.path("PUT", "echo", body=pieces())),
            )
            first, second, third, fourth = (echoed(answer) for answer in answers)
            assert first[0] == fourth[0] == b"one two " + LETTERS
            assert first[1]["transfer-encoding"] == "chunked"
            assert second[0] == LETTERS
            assert third[0] == b"xy"
        blocking = restway.Client(api(), base_url=demo_url)
        with blocking, pytest.raises(TypeError, match="AsyncClient"):
            blocking.post("echo", body=pieces())

    run(main())


def test_asyncio_cancels_what_an_async_iterable_waits_for(demo_url: str) -> None:
    async def main() -> None:
        asked = asyncio.Event()
        ended = asyncio.Event()

        async def pieces() -> AsyncIterator[bytes]:
            asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
            yield b"never"

        async with restway.AsyncClient(api(), base_url=demo_url) as client:
            task = asyncio.create_task(client.post("echo", body=pieces()))
            await asked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await ended.wait()

    run(main())


def test_asyncio_tells_what_an_async_iterable_raised(demo_url: str) -> None:
    async def main() -> None:
        async def pieces() -> AsyncIterator[bytes]:
            yield b"half"
            raise LookupError("no more")

        async with restway.AsyncClient(api(), base_url=demo_url) as client:
            with pytest.raises(restway.CancelledError, match="no more") as caught:
                await client.post("echo", body=pieces())
            assert isinstance(caught.value.__cause__, LookupError)

    run(main())
