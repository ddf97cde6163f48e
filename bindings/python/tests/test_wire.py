"""Unusual answers: heads, redirects, and JSON bodies that few servers send."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

import restway

from .peer import Peer


def wire_client(peer: Peer, **more: Any) -> restway.Client:
    attributes = {"id": {"type": "int"}, "any": "any", "real": {"type": "double"}}
    document = {
        "restway": 1,
        "entities": {"Thing": {"identity": "id", "attributes": attributes}},
        "responses": [{"entity": "Thing"}],
        **more,
    }
    return restway.Client(restway.API.from_json(json.dumps(document)), base_url=peer.url)


@pytest.mark.parametrize(
    "lines",
    [
        b"Content-Length: 9223372036854775808\r\n\r\n{}",
        b"Content-Length: 99999999999999999999\r\n\r\n{}",
        b"Transfer-Encoding: rot13\r\n\r\n{}",
        b"Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        b"X-A: 1\rX-B: 2\r\nContent-Length: 2\r\n\r\n{}",
    ],
)
def test_a_head_that_cannot_be_trusted_is_a_protocol_error(peer: Peer, lines: bytes) -> None:
    peer.answer = b"HTTP/1.1 200 OK\r\n" + lines
    with wire_client(peer) as client, pytest.raises(restway.ProtocolError):
        client.get("x")


@pytest.mark.parametrize("media_type", ["application/json", "text/plain", "application/hal+json"])
@pytest.mark.parametrize("body", [b" ", b"\r\n", b"\xef\xbb\xbf \t\n"])
def test_white_space_alone_is_no_content(peer: Peer, body: bytes, media_type: str) -> None:
    peer.respond(body, media_type)
    with wire_client(peer) as client:
        response = client.get("x")
        assert (len(response.objects), response.issues, response.body) == (0, [], body)


def test_keys_with_nul_are_read(peer: Peer) -> None:
    body = {"id": 1, "any": {"a\0b": [2]}, "real\0": 3.5, "\0": None}
    peer.respond(json.dumps(body).encode())
    with wire_client(peer) as client:
        response = client.get("x")
        assert response.issues == []
        thing = response.object
        assert thing is not None
        assert (thing["id"], thing["any"]) == (1, {"a\0b": [2]})
        assert response.json() == body


def test_integers_beyond_64_bits_are_read(peer: Peer) -> None:
    peer.respond(b'{"id": 1, "real": 10000000000000000000, "any": 18446744073709551615}')
    with wire_client(peer) as client:
        response = client.get("x")
        assert response.issues == []
        thing = response.object
        assert thing is not None
        assert (thing["real"], thing["any"]) == (1e19, 18446744073709551615)


def redirect(here: Peer, other: Peer, status: int = 307) -> None:
    here.answer = (
        f"HTTP/1.1 {status} Any\r\nLocation: {other.url}/y\r\nContent-Length: 0\r\n\r\n".encode()
    )
    other.respond(b'{"id": 1}')


def names(request: bytes) -> set[str]:
    lines = request.partition(b"\r\n\r\n")[0].decode().split("\r\n")[1:]
    return {line.partition(":")[0].lower() for line in lines}


HEADERS = {
    "Accept-Language": "it", "Prefer": "return=minimal", "traceparent": "00-1-2-01",
    "tracestate": "a=b", "Range": "bytes=0-1", "If-Match": '"a"', "X-Request-ID": "7",
    "Authorization": "Bearer t", "Cookie": "a=b", "X-Key": "secret", "Idempotency-Key": "k",
}
KEPT = {
    "host", "accept", "user-agent", "accept-language", "prefer", "traceparent", "tracestate",
    "range", "if-match", "accept-encoding",
}


def test_another_origin_gets_the_headers_of_the_list_alone(peer: Peer) -> None:
    with Peer() as other:
        redirect(peer, other)
        with wire_client(peer) as client:
            client.get("x", headers=HEADERS)
        with wire_client(peer, redirectHeaders=["x-request-id"]) as client:
            client.get("x", headers=HEADERS)
    assert [names(request) for request in other.requests] == [KEPT, KEPT | {"x-request-id"}]


@pytest.mark.parametrize("status", [307, 308])
def test_a_body_follows_to_another_origin_only_where_the_document_says_so(
    peer: Peer, status: int
) -> None:
    with Peer() as other:
        redirect(peer, other, status)
        with wire_client(peer) as client:
            with pytest.raises(restway.HTTPStatusError, match="redirectBodies") as caught:
                client.post("x", json={"a": 1})
            assert caught.value.http_status == status
        assert other.requests == []
        with wire_client(peer, redirectBodies=True) as client:
            client.post("x", json={"a": 1})
    assert other.requests[0].endswith(b'\r\n\r\n{"a": 1}')
    assert "content-type" in names(other.requests[0])


def test_messages_and_the_log_forge_no_line(
    peer: Peer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    peer.respond(b'{"error": "down\\n#1 \\u001b[31mforged\\u2028"}', status=500)
    with wire_client(peer, errors={"message": "error"}) as client:
        with pytest.raises(restway.HTTPStatusError) as caught:
            client.get("x")
    restway.flush_log()
    lines = caplog.messages
    escaped = r"down\n#1 \u001b[31mforged\u2028"
    assert escaped in str(caught.value)
    assert caught.value.api_message == "down\n#1 \x1b[31mforged\u2028"
    assert any(escaped in line for line in lines)
    assert not any("\x1b" in line or "\n#" in line or "\u2028" in line for line in lines)
