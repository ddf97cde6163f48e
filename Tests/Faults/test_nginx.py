"""nginx as a server: kept connections, gzip, chunks of a proxied origin, limits, HTTP/2."""

from __future__ import annotations

import contextlib
import hashlib
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import restway
from broken_connections import BODY
from certificates import Authority
from conftest import MakeClient
from fault_server import FaultServer
from health import check_health
from nginx_peer import HTTP2_REQUESTS, KEEPALIVE_REQUESTS, LARGE_BYTES, PUT_BYTES_MAX, Nginx, nginx
from restway import Request
from table import ORIGIN

LOAD = 500
NOISE = random.Random(7).randbytes(1 << 20)


@pytest.fixture(scope="module")
def origin() -> Iterator[FaultServer]:
    with FaultServer(ORIGIN) as server:
        yield server


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, authority: Authority, origin: FaultServer
) -> Iterator[Nginx]:
    with nginx(tmp_path_factory.mktemp("nginx"), authority.loopback, origin.place) as server:
        yield server


@pytest.fixture
def client(server: Nginx, make_client: MakeClient) -> restway.Client:
    return make_client(server.url, timeout=20.0)


def test_requests_all_succeed_while_the_server_closes_connections(client: restway.Client) -> None:
    """nginx ends each connection after a few requests, which happens all the time under this load.
    """
    assert LOAD > 10 * KEEPALIVE_REQUESTS
    calls = [client.send(Request.path("GET", "good", params={"n": n})) for n in range(LOAD)]
    for number, call in enumerate(calls):
        with call.wait() as response:
            assert response.json() == {"method": "GET", "target": f"/good?n={number}", "bytes": 0}
    check_health(client)


def test_requests_one_by_one_meet_every_end_of_a_kept_connection(client: restway.Client) -> None:
    for _ in range(3 * KEEPALIVE_REQUESTS):
        with client.post("good", body=b"") as response:  # it would not be repeated
            assert response.status == 200


def test_a_coding_is_asked_for_and_undone(client: restway.Client, server: Nginx) -> None:
    with client.get("list.json") as response:
        assert response.headers["Content-Encoding"] == ("br" if server.has_brotli else "gzip")
        assert response.body == (server.files / "list.json").read_bytes()


def test_gzip_is_undone(client: restway.Client, server: Nginx) -> None:
    with client.get("list.json", headers={"Accept-Encoding": "gzip"}) as response:
        assert response.headers["Content-Encoding"] == "gzip"
        assert response.body == (server.files / "list.json").read_bytes()
    with client.get("list.json", headers={"Accept-Encoding": None}) as response:
        assert "Content-Encoding" not in response.headers
        assert response.body == (server.files / "list.json").read_bytes()


def test_brotli_is_undone(client: restway.Client, server: Nginx) -> None:
    if not server.has_brotli:
        pytest.skip("nginx has no module for brotli")
    content = (server.files / "list.json").read_bytes()
    with client.get("list.json", headers={"Accept-Encoding": "br"}) as response:
        assert response.headers["Content-Encoding"] == "br"
        assert response.body == content
    request = Request.path("GET", "list.json", headers={"Accept-Encoding": "br"})
    with client.stream(request) as streamed:
        assert streamed.headers["Content-Encoding"] == "br"
        assert streamed.read() == content


@pytest.mark.parametrize("path", ["moved", "moved_for_good"])
def test_redirects_are_followed_with_their_query(
    path: str, client: restway.Client, server: Nginx, tmp_path: Path
) -> None:
    with client.get(path, params={"n": 1}) as response:
        assert response.url == f"{server.url}/good?n=1"
        body = response.body
    target = tmp_path / "file"
    with client.get(path, params={"n": 1}, save_to=target) as response:
        assert response.url == f"{server.url}/good?n=1"
    assert target.read_bytes() == body
    with client.stream(Request.path("GET", path, params={"n": 1})) as streamed:
        assert streamed.read() == body


@pytest.mark.parametrize(
    ("path", "method", "count"),
    [
        ("moved_with_its_body", "PUT", 300_000),
        ("moved_for_good_with_its_body", "PUT", 300_000),
        ("see_other", "GET", 0),
    ],
)
def test_a_redirect_keeps_or_drops_a_body(
    path: str, method: str, count: int, client: restway.Client, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(300_000))
    for body in (bytes(300_000), restway.Resource.file(file)):
        with client.put(path, body=body) as response:
            assert response.json() == {"method": method, "target": "/good", "bytes": count}
    check_health(client)


def test_a_redirect_leads_to_a_server_with_tls(
    server: Nginx, authority: Authority, make_client: MakeClient
) -> None:
    client = make_client(server.url, timeout=20.0, ca_file=authority.ca_file)
    with client.get("secure/any") as response:
        assert response.url == f"{server.secure_url}/good"
        assert response.http_version == "2"
    check_health(client)


def test_a_redirect_to_itself_ends(client: restway.Client) -> None:
    with pytest.raises(restway.TooManyRedirectsError):
        client.get("round")
    check_health(client)


@pytest.mark.parametrize("secure", [False, True])
@pytest.mark.parametrize("kind", ["bytes", "file", "gzip", "multipart", "pieces"])
def test_a_body_that_nginx_refuses_is_answered_while_it_is_sent(
    kind: str,
    secure: bool,
    server: Nginx,
    authority: Authority,
    make_client: MakeClient,
    tmp_path: Path,
) -> None:
    """Over HTTP/2, nginx resets the stream after its answer."""
    url = server.secure_url if secure else server.url
    client = make_client(url, timeout=20.0, ca_file=authority.ca_file)
    large = tmp_path / "large"
    with large.open("wb") as file:
        for _ in range(PUT_BYTES_MAX // len(NOISE) + 1):
            file.write(NOISE)
    bodies: dict[str, dict[str, Any]] = {
        "bytes": {"body": bytes(PUT_BYTES_MAX + 1)},
        "file": {"body": restway.Resource.file(large)},
        "gzip": {"body": restway.Resource.file(large), "gzip": True},
        "multipart": {"files": {"a": large}},
        "pieces": {"body": (NOISE for _ in range(PUT_BYTES_MAX // len(NOISE) + 1))},
    }
    with pytest.raises(restway.HTTPStatusError) as caught:
        client.put("put/refused", **bodies[kind])
    assert caught.value.http_status == 413
    assert not (server.put / "refused").exists()
    check_health(client)


def test_a_large_file_arrives_whole(client: restway.Client, server: Nginx) -> None:
    with client.get("large.bin") as response:
        body = response.body
    assert len(body) == LARGE_BYTES
    expected = hashlib.sha256((server.files / "large.bin").read_bytes())
    assert hashlib.sha256(body).digest() == expected.digest()


def test_a_large_file_is_saved_and_goes_on_after_a_cancel(
    client: restway.Client, server: Nginx, tmp_path: Path
) -> None:
    target = tmp_path / "large.bin"
    saving = restway.SaveTo(target, keep_part=True, digest=True)
    request = Request.path("GET", "limited/large.bin", save_to=saving)

    def stop(call: restway.Call, progress: restway.Progress) -> None:
        if progress.download_done > LARGE_BYTES // 4:
            call.cancel()

    request.watch(stop, interval=0.001)
    with pytest.raises(restway.CancelledError):
        client.perform(request)
    request.watch(None)
    saved = None
    while saved is None:  # a worker may still close the part of the cancelled call
        with contextlib.suppress(restway.FileError):
            saved = client.perform(request).saved
    expected = hashlib.sha256((server.files / "large.bin").read_bytes())
    assert saved.resumed_from > 0
    assert (saved.length, saved.digest) == (LARGE_BYTES, expected.hexdigest())
    assert hashlib.sha256(target.read_bytes()).digest() == expected.digest()
    assert list(tmp_path.iterdir()) == [target]


def test_a_saved_file_may_be_larger_than_a_body_in_memory(
    server: Nginx, make_client: MakeClient, tmp_path: Path
) -> None:
    client = make_client(server.url, body_bytes_max=1000)
    saved = client.get("large.bin", save_to=tmp_path / "large.bin").saved
    assert saved is not None
    assert saved.length == LARGE_BYTES


def test_a_large_file_is_streamed(client: restway.Client, server: Nginx) -> None:
    digest = hashlib.sha256()
    with client.stream(Request.path("GET", "large.bin")) as response:
        for piece in response.iter_bytes():
            digest.update(piece)
    expected = hashlib.sha256((server.files / "large.bin").read_bytes())
    assert digest.digest() == expected.digest()


@pytest.mark.parametrize("coding", ["identity", "gzip"])
@pytest.mark.parametrize("secure", [False, True])
def test_lines_are_received_as_events(
    server: Nginx, authority: Authority, make_client: MakeClient, secure: bool, coding: str
) -> None:
    lines = [f'{{"number": {number}}}'.encode() for number in range(50_000)]
    (server.files / "lines.json").write_bytes(b"\n".join(lines))
    url = server.secure_url if secure else server.url
    client = make_client(url, timeout=60.0, ca_file=authority.ca_file)
    request = Request.path("GET", "lines.json", headers={"Accept-Encoding": coding})
    with client.events(request, format="lines") as stream:
        assert stream.head.headers.get("Content-Encoding", "identity") == coding
        assert [event.data for event in stream] == lines
    check_health(client)


def test_a_large_file_stops_at_the_bound(server: Nginx, make_client: MakeClient) -> None:
    client = make_client(server.url, body_bytes_max=LARGE_BYTES - 1)
    with pytest.raises(restway.TooLargeError):
        client.get("large.bin")
    check_health(client)


def test_an_etag_is_answered_with_not_modified(client: restway.Client) -> None:
    with client.get("list.json", headers={"Accept-Encoding": None}) as response:
        tag = response.headers["ETag"]
        changed = response.headers["Last-Modified"]
    for condition in ({"If-None-Match": tag}, {"If-Modified-Since": changed}):
        with client.get("list.json", headers={**condition, "Accept-Encoding": None}) as response:
            assert response.status == 304
            assert response.headers["ETag"] == tag
            assert response.body == b""
    check_health(client)


def test_a_range_is_answered_with_a_part(client: restway.Client, server: Nginx) -> None:
    content = (server.files / "large.bin").read_bytes()
    with client.get("large.bin", headers={"Range": "bytes=65530-65541"}) as response:
        assert response.status == 206
        assert response.headers["Content-Range"] == f"bytes 65530-65541/{LARGE_BYTES}"
        assert response.body == content[65530:65542]
    with pytest.raises(restway.HTTPStatusError) as caught:
        client.get("large.bin", headers={"Range": f"bytes={LARGE_BYTES}-"})
    assert caught.value.http_status == 416
    check_health(client)


def test_a_head_has_the_length_and_no_body(client: restway.Client) -> None:
    with client.head("large.bin") as response:
        assert response.headers["Content-Length"] == str(LARGE_BYTES)
        assert response.body == b""
    check_health(client)


def test_chunks_of_a_slow_origin_arrive_whole(client: restway.Client) -> None:
    with client.get("origin/chunks") as response:
        assert response.headers["Transfer-Encoding"] == "chunked"
        assert response.body == BODY


def test_a_body_passes_through_a_proxy(client: restway.Client) -> None:
    with client.put("origin/good", body=bytes(300_000)) as response:
        assert response.json() == {"method": "PUT", "target": "/good", "bytes": 300_000}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("origin/reset_before_headers", 502),
        ("origin/close_in_headers", 502),
        ("origin/stall_behind_proxy", 504),
    ],
)
def test_a_gateway_tells_of_its_origin(path: str, status: int, client: restway.Client) -> None:
    with pytest.raises(restway.HTTPStatusError) as caught:
        client.get(path)
    assert caught.value.http_status == status
    assert caught.value.retryable
    check_health(client)


def test_an_answer_that_its_origin_breaks_off_is_lost(client: restway.Client) -> None:
    with pytest.raises(restway.ConnectionLostError, match="/origin/reset_behind_proxy"):
        client.get("origin/reset_behind_proxy")
    check_health(client)


def test_a_connection_that_nginx_drops_is_lost(client: restway.Client) -> None:
    with pytest.raises(restway.ConnectionLostError, match="/gone/now"):
        client.get("gone/now")
    check_health(client)


def test_more_connections_than_the_server_takes_are_told(
    server: Nginx, make_client: MakeClient
) -> None:
    many = make_client(server.url, connections_per_host_max=16)
    calls = [many.send(Request.path("GET", "limited/large.bin")) for _ in range(16)]
    statuses = []
    for call in calls:
        try:
            statuses.append(call.wait(20.0).status)
        except restway.HTTPStatusError as error:
            assert error.retryable
            statuses.append(error.http_status)
    assert set(statuses) == {200, 503}
    check_health(many)


def test_as_many_connections_as_the_server_takes_all_succeed(
    server: Nginx, make_client: MakeClient
) -> None:
    few = make_client(server.url, connections_per_host_max=2)
    calls = [few.send(Request.path("GET", "limited/list.json")) for _ in range(40)]
    assert [call.wait(20.0).status for call in calls] == [200] * 40


def test_http2_requests_all_succeed_while_the_server_goes_away(
    server: Nginx, authority: Authority, make_client: MakeClient
) -> None:
    """nginx sends a GOAWAY while more requests are in flight."""
    assert LOAD > 2 * HTTP2_REQUESTS
    client = make_client(server.secure_url, timeout=20.0, ca_file=authority.ca_file)
    calls = [client.send(Request.path("GET", "good", params={"n": n})) for n in range(LOAD)]
    for number, call in enumerate(calls):
        with call.wait() as response:
            assert response.json() == {"method": "GET", "target": f"/good?n={number}", "bytes": 0}


def test_http2_a_broken_origin_resets_its_stream_alone(
    server: Nginx, authority: Authority, make_client: MakeClient
) -> None:
    client = make_client(server.secure_url, timeout=20.0, ca_file=authority.ca_file)
    client.get("good").close()
    with pytest.raises(restway.ConnectionLostError) as caught:
        client.get("origin/reset_behind_proxy")
    assert caught.value.transport_code == 92
    check_health(client)


@pytest.mark.parametrize("secure", [False, True])
def test_bodies_that_are_read_while_they_are_sent_arrive_whole(
    server: Nginx, authority: Authority, make_client: MakeClient, secure: bool
) -> None:
    """The requests run at the same time: over HTTP/1.1 each request on a connection of its own,
    over HTTP/2 all requests on one connection.
    """
    url, kind = (server.secure_url, "h2") if secure else (server.url, "h1")
    client = make_client(url, timeout=60.0, ca_file=authority.ca_file)
    digests = [hashlib.sha256() for _ in range(4)]

    def pieces(digest: hashlib._Hash) -> Iterator[bytes]:
        for number in range(60):
            piece = bytes([number]) * 70_000
            digest.update(piece)
            yield piece

    calls = [
        client.send(Request.path("PUT", f"put/{kind}-{number}", body=pieces(digest)))
        for number, digest in enumerate(digests)
    ]
    for number, (call, digest) in enumerate(zip(calls, digests, strict=True)):
        with call.wait() as response:
            assert response.status == 201
        stored = (server.put / f"{kind}-{number}").read_bytes()
        assert len(stored) == 60 * 70_000
        assert hashlib.sha256(stored).digest() == digest.digest()
