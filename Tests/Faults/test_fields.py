"""Header fields around a body: trailers, ranges and preferences, over HTTP/1.1 and HTTP/2."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
import restway
from broken_connections import BODY, HEAD_IN_CHUNKS
from certificates import Authority
from chunked_answers import CHUNK
from conftest import MakeClient
from connection import send
from fault import PATIENCE_SECONDS, Fault, answers
from fault_server import FaultServer
from http2_server import HTTP2Server, Stream
from restway import Request

FIELDS = ("X-Digest: 1", "Content-Type: text/plain", "X-Digest: 2", "X-More: a, b")
IN_CHUNKS = Fault(
    "trailers",
    (send(HEAD_IN_CHUNKS + CHUNK + "\r\n".join(["0", *FIELDS, "\r\n"]).encode()),),
    answers(BODY),
)
PART = Fault(
    "part",
    (
        send(
            b"HTTP/1.1 206 Any\r\nContent-Range: bytes 2-9/100\r\nContent-Length: 8\r\n"
            b"Preference-Applied: respond-async, wait=5\r\n\r\n" + BODY
        ),
    ),
    answers(BODY, 206),
)


def in_frames(stream: Stream) -> None:
    headers = [(":status", "200"), ("content-type", "application/json")]
    stream.h2.send_headers(stream.number, headers)
    stream.data(BODY, ends=False)
    lines = [field.partition(": ")[::2] for field in FIELDS]
    trailers = [(name.lower(), value) for name, value in lines]
    stream.h2.send_headers(stream.number, trailers, end_stream=True)


@pytest.fixture(params=["1.1", "2"])
def url(request: pytest.FixtureRequest, authority: Authority) -> Iterator[str]:
    if request.param == "1.1":
        with FaultServer([IN_CHUNKS]) as plain:
            yield plain.url
    else:
        with HTTP2Server(authority.loopback, {"trailers": in_frames}) as secure:
            yield secure.url


@pytest.fixture
def client(url: str, authority: Authority, make_client: MakeClient) -> restway.Client:
    return make_client(url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file)


def check_trailers(trailers: restway.Headers) -> None:
    lines = [(name.lower(), value) for name, value in trailers.lines]
    assert lines == [
        ("x-digest", "1"), ("content-type", "text/plain"), ("x-digest", "2"), ("x-more", "a, b"),
    ]  # fmt: skip
    assert trailers["X-DIGEST"] == "1, 2"


def test_trailers_are_read_and_are_no_headers(client: restway.Client) -> None:
    with client.get("trailers") as response:
        assert response.body == BODY
        assert response.headers["Content-Type"] == "application/json"
        assert "X-More" not in response.headers
        check_trailers(response.trailers)
    with client.get("good") as response:
        assert list(response.trailers) == []


def test_a_saved_body_has_trailers(client: restway.Client, tmp_path: Path) -> None:
    with client.get("trailers", save_to=tmp_path / "file") as response:
        check_trailers(response.trailers)
    assert (tmp_path / "file").read_bytes() == BODY


def test_a_streamed_body_has_trailers_at_its_end(client: restway.Client) -> None:
    with client.stream(Request.path("GET", "trailers")) as response:
        assert list(response.trailers) == []
        assert "X-More" not in response.headers
        assert response.read() == BODY
        check_trailers(response.trailers)


def test_an_awaited_stream_has_trailers_at_its_end(url: str, authority: Authority) -> None:
    async def read() -> restway.Headers:
        api = restway.API.empty()
        async with (
            restway.AsyncClient(api, base_url=url, ca_file=authority.ca_file) as client,
            client.stream(Request.path("GET", "trailers")) as response,
        ):
            assert list(response.trailers) == []
            assert await response.read() == BODY
            return response.trailers

    check_trailers(asyncio.run(read()))


def test_ranges_and_preferences_are_ordinary_headers(make_client: MakeClient) -> None:
    with FaultServer([PART]) as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS)
        headers = {"Range": "bytes=2-9", "Prefer": "respond-async, wait=5"}
        with client.get("part", headers=headers) as response:
            assert response.status == 206
            assert response.headers["Content-Range"] == "bytes 2-9/100"
            assert response.headers["preference-applied"] == "respond-async, wait=5"
            assert response.body == BODY
        assert server.headers["/part"]["range"] == "bytes=2-9"
        assert server.headers["/part"]["prefer"] == "respond-async, wait=5"
