"""The demo API as an HTTP server, and its routes for clients under test."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import time

import pytest
from demo_client import TIMEOUT_SECONDS, Client


def raw(port: int, request: bytes) -> bytes:
    """Sends bytes unchanged and reads until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_SECONDS) as connection:
        connection.sendall(request)
        answer = b""
        while part := connection.recv(65536):
            answer += part
        return answer


def test_connection_is_kept_over_answers_of_every_kind(client: Client) -> None:
    client.get("status")
    connected = client.connection.sock
    for method, path in [("GET", "nowhere"), ("HEAD", "enterprises"), ("DELETE", "status")]:
        client.send(method, path)
        assert client.connection.sock is connected


def test_close_is_honoured(client: Client) -> None:
    assert client.get("status", Connection="close").headers["Connection"] == "close"
    assert client.connection.sock is None


def test_head_has_the_headers_of_get_and_no_body(client: Client) -> None:
    for path in ("enterprises/1", "enterprises", "bad/big?bytes=1000"):
        full, head = client.get(path), client.send("HEAD", path)
        assert head.body == b""
        for name in ("Content-Length", "ETag", "Content-Type"):
            assert head.headers[name] == full.headers[name]


def test_options_and_405_say_what_is_allowed(client: Client) -> None:
    options = client.send("OPTIONS", "enterprises/1")
    assert (options.status, options.body) == (204, b"")
    assert options.headers["Allow"] == "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"
    refused = client.send("DELETE", "enterprises")
    assert (refused.status, refused.error_code) == (405, 40500)
    assert refused.headers["Allow"] == "GET, HEAD, POST, OPTIONS"


@pytest.mark.parametrize("path", ["shoes", "", "enterprises/1/2/3", "../status"])
def test_unknown_route_is_404_with_the_error_body(client: Client, path: str) -> None:
    assert client.get(path).error_code == 40400


@pytest.mark.parametrize("identity", ["0", "999999", "abc", "1%2F2", "-1", "%D9%A1", "9" * 5000])
def test_unknown_id_is_404_with_the_error_body(client: Client, identity: str) -> None:
    assert client.get(f"enterprises/{identity}").error_code == 40401


def test_path_segments_are_percent_decoded(client: Client) -> None:
    assert client.get("enterprise%73/%31/").json["id"] == 1
    assert client.get("enterprises/%FF").error_code == 40002


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"1",
        b'{"name": NaN}',
        b"\xff",
        b"[" * 200_000,
        b'{"rating":' + b"9" * 9999,
    ],
)
def test_body_that_is_no_json_object_is_400(client: Client, body: bytes) -> None:
    answer = client.send("POST", "enterprises", body)
    assert (answer.status, answer.error_code) == (400, 40001)


def test_other_media_types_are_415(client: Client) -> None:
    body = json.dumps({"name": "A"}).encode()
    for media_type in ("text/plain", "application/x-www-form-urlencoded"):
        answer = client.send("POST", "enterprises", body, Content_Type=media_type)
        assert (answer.status, answer.error_code) == (415, 41500)
    for media_type in ("application/json; charset=utf-8", "application/merge-patch+json"):
        answer = client.send("PATCH", "enterprises/1", b"{}", Content_Type=media_type)
        assert answer.status == 200


def test_too_large_body_is_413_before_and_while_it_is_sent(port: int) -> None:
    head = b"POST /v2/echo HTTP/1.1\r\nHost: a\r\n"
    announced = raw(port, head + b"Content-Length: 99999999\r\n\r\n" + b"x" * 1_000_000)
    assert announced.startswith(b"HTTP/1.1 413 ") and b"41300" in announced
    chunked = raw(port, head + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFF\r\n")
    assert chunked.startswith(b"HTTP/1.1 413 ")
    bomb = gzip.compress(bytes(20_000_000))
    assert Client(port).send("POST", "echo", bomb, Content_Encoding="gzip").error_code == 41300


def test_chunked_and_gzip_bodies_are_read(client: Client, port: int) -> None:
    chunked = raw(
        port,
        b"POST /v2/echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n"
        b"\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: t\r\n\r\n",
    )
    assert b'"body":"abcde"' in chunked
    packed = client.send("POST", "echo", gzip.compress(b"hello"), Content_Encoding="gzip")
    assert packed.json["body"] == "hello"


def test_expect_continue_is_answered_before_the_body(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_SECONDS) as connection:
        connection.sendall(
            b"PUT /v2/echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        )
        assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"ok")
        assert b'"body":"ok"' in connection.recv(65536)


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET /v2/status HTTP/1.1\r\n\r\n", 400),
        (b"GET v2/status HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        (b"GET /v2/status HTTP/1.1\r\nHost : a\r\n\r\n", 400),
        (b"GET /v2/status HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", 400),
        (b"GET /v2/status HTTP/3.0\r\nHost: a\r\n\r\n", 505),
        (b"GET /v2/" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        (b"GET /v2/status HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431),
        (b"POST /v2/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: br\r\n\r\n", 501),
    ],
)
def test_malformed_requests_get_an_error_body(port: int, request_bytes: bytes, status: int) -> None:
    head, _, body = raw(port, request_bytes).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert json.loads(body)["error"]["error_code"] // 100 == status


def test_large_answers_are_gzipped_for_clients_that_accept_it(client: Client) -> None:
    plain = client.get("enterprises")
    packed = client.get("enterprises", Accept_Encoding="br, gzip;q=0.5")
    assert plain.headers["Content-Encoding"] is None
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.json == plain.json and len(packed.body) < len(plain.body) / 2
    assert packed.headers["Content-Length"] == str(len(packed.body))
    assert packed.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
    for accepted in ("gzip;q=0", "identity", "*;q=0, br"):
        answer = client.get("enterprises", Accept_Encoding=accepted)
        assert answer.headers["Content-Encoding"] is None
    assert client.get("status", Accept_Encoding="gzip").headers["Content-Encoding"] is None


def test_tags_of_plain_and_gzip_forms_differ_and_both_serve_as_conditions(client: Client) -> None:
    plain = client.get("enterprises").etag
    packed = client.get("enterprises", Accept_Encoding="gzip").etag
    assert plain != packed
    assert client.get("enterprises", If_None_Match=packed).status == 304
    assert client.get("enterprises", If_None_Match=plain, Accept_Encoding="gzip").status == 304


def test_echo_shows_the_request_as_it_arrived(client: Client) -> None:
    answer = client.send("PURGE", "echo/a%2fb/?q=%C3%A9&n=1&n=2&e=", "ü".encode(), X_Debug="1").json
    assert answer["method"] == "PURGE" and answer["path"] == "/v2/echo/a%2fb/"
    assert answer["query"] == {"q": "é", "n": ["1", "2"], "e": ""}
    assert answer["query_string"] == "q=%C3%A9&n=1&n=2&e="
    assert answer["headers"]["X-Debug"] == "1"
    assert (answer["body"], answer["body_bytes"]) == ("ü", 2)


def test_redirect_chain_ends_at_status(client: Client) -> None:
    locations = []
    answer = client.get("redirect/3")
    while answer.status == 302:
        locations.append(answer.headers["Location"])
        answer = client.get(locations[-1].replace("/v2/", "", 1))
    assert locations == ["/v2/redirect/2", "/v2/redirect/1", "/v2/status"]
    assert answer.json["status"] == "ok"


def test_redirect_to_goes_anywhere_but_not_into_other_headers(client: Client) -> None:
    answer = client.send("POST", "redirect-to?url=http://b.example/%3Fa=b&status=307")
    assert (answer.status, answer.headers["Location"]) == (307, "http://b.example/?a=b")
    split = client.get("redirect-to?url=/x%0d%0aSet-Cookie:a=b")
    assert split.headers["Set-Cookie"] is None
    assert client.get("redirect-to").error_code == 42201
    assert client.get("redirect-to?url=/&status=304").error_code == 42201


def test_cookies_are_set_and_shown(client: Client) -> None:
    answer = client.get("cookies/set?a=1&b=x%20y%3B")
    assert answer.headers.get_all("Set-Cookie") == ["a=1; Path=/", "b=x%20y%3B; Path=/"]
    assert client.get("cookies", Cookie="a=1; b=2=3").json == {"cookies": {"a": "1", "b": "2=3"}}
    assert client.get("cookies").json == {"cookies": {}}
    assert client.get("cookies/set?a%0d=1").status == 422


def test_bad_answers_are_bad_as_promised(client: Client) -> None:
    html = client.get("bad/html")
    assert (html.status, html.headers.get_content_type()) == (200, "text/html")
    assert client.get("bad/deep?depth=5000").body == b"[" * 5000 + b"]" * 5000
    big = client.get("bad/big?bytes=200001")
    assert (len(big.body), big.body[:2], big.body[-2:]) == (200_001, b'"a', b'a"')
    empty = client.get("bad/empty")
    assert (empty.status, empty.body, empty.headers["Content-Length"]) == (200, b"", "0")
    with pytest.raises(ValueError):
        json.loads(client.get("bad/json").body)
    packed = client.get("bad/truncated-gzip")
    assert packed.headers["Content-Encoding"] == "gzip"
    with pytest.raises(EOFError):
        gzip.decompress(packed.body)
    assert client.get("bad/deep?depth=x").status == 422


def test_bad_half_closes_before_its_declared_length(client: Client) -> None:
    with pytest.raises(http.client.IncompleteRead) as caught:
        client.get("bad/half")
    assert len(caught.value.partial) == caught.value.expected


def test_bad_slow_waits_before_the_first_byte(client: Client) -> None:
    started = time.monotonic()
    assert client.get("bad/slow?ms=80").status == 200
    assert time.monotonic() - started >= 0.08


@pytest.mark.parametrize("code", [200, 204, 304, 404, 418, 429, 500, 503, 599])
def test_bad_status_answers_with_the_code(client: Client, code: int) -> None:
    answer = client.send("POST", f"bad/status/{code}")
    assert answer.status == code
    if code >= 400:
        assert answer.error_code == code * 100 + 99
    assert client.get("status").status == 200
