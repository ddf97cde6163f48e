"""GOAWAY, RST_STREAM and broken frames of HTTP/2: the end of one stream does not end another."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import restway
from calls import check, notified, outcome_of, perform, request_of
from certificates import Authority
from conftest import MakeClient
from connection import SECONDS_MAX
from destinations import DESTINATIONS, Destination
from early_answers import STATUSES, UPLOAD_BYTES
from fault import PATIENCE_SECONDS, Fault, answers, http_error
from h2.errors import ErrorCodes
from health import check_health
from http2_plays import (
    BODY,
    FAULTS,
    NO_ERROR,
    PLAYS,
    REFUSED_STREAM,
    early,
    forbidding,
    resetting,
)
from http2_server import HTTP2Server, Play, Stream
from parameters import each
from restway import Request, Response
from uploads import UPLOADS


@pytest.fixture
def server(authority: Authority) -> Iterator[HTTP2Server]:
    plays = {name: play for name, (play, _) in PLAYS.items()}
    with HTTP2Server(authority.loopback, plays) as server:
        yield server


@pytest.mark.parametrize("way", DESTINATIONS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("fault", each(FAULTS))
def test_a_fault_of_http2_leaves_nothing_if_the_body_goes_elsewhere(
    fault: Fault,
    way: Destination,
    server: HTTP2Server,
    authority: Authority,
    make_client: MakeClient,
    tmp_path: Path,
) -> None:
    client = make_client(server.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file)
    check(way(client, fault, tmp_path), fault, server.url)
    check_health(client)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fault", each(FAULTS))
def test_a_fault_of_http2_ends_as_expected_and_the_pool_is_healthy(
    fault: Fault, server: HTTP2Server, authority: Authority, make_client: MakeClient
) -> None:
    client = make_client(server.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file)
    check(perform(client, request_of(fault)), fault, server.url)
    check_health(client)
    check(notified(client, request_of(fault)), fault, server.url)
    check_health(client)


def test_a_stream_that_is_reset_leaves_the_others_alone(
    server: HTTP2Server, authority: Authority, make_client: MakeClient
) -> None:
    client = make_client(server.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file)
    check_health(client)
    paths = ["rst_cancel_in_body" if number % 5 == 0 else "good" for number in range(30)]
    calls = [client.send(Request.path("GET", path)) for path in paths]
    ended = [outcome_of(call) for call in calls]
    fine = [isinstance(end, Response) for end in ended]
    assert fine == [path == "good" for path in paths]
    assert server.accepted == 1


@pytest.mark.parametrize("code", ErrorCodes, ids=lambda code: code.name)
def test_a_reset_behind_a_part_of_a_body_ends_it(
    code: ErrorCodes, authority: Authority, make_client: MakeClient
) -> None:
    """libcurl would send a request again that is reset with HTTP_1_1_REQUIRED."""
    has_part = threading.Event()

    def reset_later(stream: Stream) -> None:
        stream.head(8)
        stream.data(b"part", ends=False)
        stream.raw(b"")
        assert has_part.wait(SECONDS_MAX)
        stream.reset(code)

    with HTTP2Server(authority.loopback, {"part": reset_later}) as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file)
        pieces = []
        with (
            pytest.raises(restway.ConnectionLostError),
            client.stream(Request.path("GET", "part")) as response,
        ):
            for piece in response.iter_bytes():
                pieces.append(piece)
                has_part.set()
        assert pieces == [b"part"]
        assert server.requests["part"] == 1
        check_health(client)


def test_a_goaway_behind_an_answer_moves_later_requests_to_a_new_connection(
    authority: Authority, make_client: MakeClient
) -> None:
    def answer_and_go(stream: Stream) -> None:
        stream.answer()
        stream.go_away(NO_ERROR)

    with HTTP2Server(authority.loopback, {"last": answer_and_go}) as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file)
        for _ in range(3):
            with client.get("last") as response:
                assert response.status == 200
            check_health(client)
        assert server.requests["last"] == 3
        assert server.accepted == 4


NEVER_TAKEN = {
    "refused": resetting(REFUSED_STREAM),
    **{f"goaway_{code.name.lower()}": forbidding(code) for code in ErrorCodes},
}


@pytest.mark.parametrize("how", NEVER_TAKEN.values(), ids=list(NEVER_TAKEN))
def test_a_request_the_server_never_took_is_sent_again(
    how: Play, authority: Authority, make_client: MakeClient
) -> None:
    asked: list[str] = []

    def refuse_once(stream: Stream) -> None:
        asked.append(stream.path)
        (Stream.answer if len(asked) > 1 else how)(stream)

    with HTTP2Server(authority.loopback, {"once": refuse_once}) as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file)
        with client.get("once") as response:
            assert response.status == 200
        assert server.requests["once"] == 2
        check_health(client)


@pytest.mark.parametrize("how", NEVER_TAKEN.values(), ids=list(NEVER_TAKEN))
def test_a_request_that_changes_something_is_sent_again_only_by_the_rules_of_retries(
    how: Play, authority: Authority, make_client: MakeClient
) -> None:
    """libcurl does not tell whether the server has said that it did not process the request."""
    asked: Counter[str] = Counter()

    def refuse_once(stream: Stream) -> None:
        asked[stream.path] += 1
        (how if asked[stream.path] == 1 else Stream.answer)(stream)

    with HTTP2Server(authority.loopback, {"once": refuse_once}) as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file)
        with pytest.raises(restway.ConnectionLostError):
            client.post("once?plain", body=b"{}")
        client.set_retry({"attempts": 2, "baseMilliseconds": 0})
        with pytest.raises(restway.ConnectionLostError):
            client.post("once?retry", body=b"{}")
        with client.post("once?key", body=b"{}", idempotency_key="k") as response:
            assert response.status == 200
        assert asked == {"/once?plain": 1, "/once?retry": 1, "/once?key": 2}
        check_health(client)


def test_a_request_over_http1_and_others_over_http2_keep_their_answers(
    authority: Authority, make_client: MakeClient
) -> None:
    """With connections of both kinds, libcurl 7.88 sends a request on a connection of HTTP/1.1 that
    waits for the answer to another request.
    """
    plays = {"slow": resetting(ErrorCodes.HTTP_1_1_REQUIRED)}
    for _ in range(5):
        with HTTP2Server(authority.loopback, plays) as server:
            client = make_client(server.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file)
            server.over_http1.clear()
            client.get("good").close()
            slow = [client.send(Request.path("GET", "slow", params={"n": n})) for n in range(2)]
            for _ in range(3):
                check_health(client)
            server.over_http1.set()
            for n, call in enumerate(slow):
                with call.wait() as response:
                    assert response.json() == {
                        "method": "GET", "target": f"/slow?n={n}", "bytes": 0,
                    }  # fmt: skip
            check_health(client)
            client.close()


@pytest.mark.parametrize("kind", UPLOADS)
@pytest.mark.parametrize("status", STATUSES)
def test_an_answer_before_the_end_of_an_upload_counts(
    status: int, kind: str, authority: Authority, make_client: MakeClient, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(random.Random(7).randbytes(UPLOAD_BYTES))
    fault = Fault(
        "early", (), answers(BODY) if status == 200 else http_error(status), method="POST"
    )
    with HTTP2Server(authority.loopback, {"early": early(status)}) as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file)
        for way in (perform, notified):
            request = request_of(fault, **UPLOADS[kind](path))
            check(way(client, request), fault, server.url)
            check_health(client)


def test_more_requests_than_streams_wait_for_their_turn(
    authority: Authority, make_client: MakeClient
) -> None:
    with HTTP2Server(authority.loopback, {}, streams_max=2) as server:
        client = make_client(
            server.url,
            timeout=PATIENCE_SECONDS,
            ca_file=authority.ca_file,
            connections_per_host_max=2,
        )
        calls = [client.send(Request.path("GET", "good")) for _ in range(40)]
        assert [call.wait().status for call in calls] == [200] * 40
        assert server.accepted <= 2
        check_health(client)


def test_a_healthy_stream_gives_its_answer(
    server: HTTP2Server, authority: Authority, make_client: MakeClient
) -> None:
    body = b'{"method": "GET", "target": "/fine?secret=1", "bytes": 0}'
    fault = Fault("fine", (), answers(body))
    client = make_client(server.url, timeout=PATIENCE_SECONDS, ca_file=authority.ca_file)
    check(perform(client, request_of(fault)), fault, server.url)
