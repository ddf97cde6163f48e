"""GOAWAY, RST_STREAM and broken frames of HTTP/2: the end of one stream does not end another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from calls import check, notified, outcome_of, perform, request_of
from certificates import Authority
from conftest import MakeClient
from fault import (
    PATIENCE_SECONDS,
    TIMEOUT_SECONDS,
    Fault,
    Outcome,
    answers,
    lost,
    times_out,
)
from health import check_health
from http2_server import HTTP2Server, Play, Stream
from parameters import each
from restway import Request, Response

NO_ERROR, INTERNAL_ERROR, REFUSED_STREAM, CANCEL = 0, 2, 7, 8
STREAM = 92


def half(stream: Stream) -> None:
    stream.head(8)
    stream.data(b'{"n"', ends=False)


def short(stream: Stream) -> None:
    stream.head(9)
    stream.data(b'{"n": 1}')


def half_then_reset(stream: Stream) -> None:
    half(stream)
    stream.reset(INTERNAL_ERROR)


def half_then_hang_up(stream: Stream) -> None:
    half(stream)
    stream.hang_up()


def half_then_go_away(stream: Stream) -> None:
    half(stream)
    stream.go_away(INTERNAL_ERROR)
    stream.hang_up()


def go_away_unanswered(stream: Stream) -> None:
    stream.go_away(INTERNAL_ERROR)
    stream.hang_up()


def garbage(stream: Stream) -> None:
    half(stream)
    stream.raw(b"\0\0\4\1\0\0\0\0\0oops" * 4)  # HEADERS on stream 0


def faults(outcomes: dict[str, tuple[Play, Outcome]]) -> tuple[Fault, ...]:
    return tuple(
        Fault(
            name,
            (),
            outcome,
            timeout=TIMEOUT_SECONDS if outcome.codes == {28} else PATIENCE_SECONDS,
        )
        for name, (_, outcome) in outcomes.items()
    )


PLAYS: dict[str, tuple[Play, Outcome]] = {
    "rst_before_headers": (lambda stream: stream.reset(INTERNAL_ERROR), lost("", STREAM)),
    "rst_cancel": (lambda stream: stream.reset(CANCEL), lost("", STREAM)),
    "rst_refused_always": (lambda stream: stream.reset(REFUSED_STREAM), lost("", 55, 56, STREAM)),
    "rst_in_body": (half_then_reset, lost("", STREAM)),
    "body_too_short": (short, lost("", 18, STREAM)),
    "hang_up_in_body": (half_then_hang_up, lost("", 16, 18, 56, STREAM)),
    "goaway_in_body": (half_then_go_away, lost("", 16, 18, 56, STREAM)),
    "goaway_unanswered": (go_away_unanswered, lost("", 16, 18, 52, 55, 56, STREAM)),
    "broken_frame": (garbage, lost("", 16, 18, 56)),
    "stall": (lambda stream: None, times_out("")),
    "stall_in_body": (half, times_out("")),
}
FAULTS = faults(PLAYS)


@pytest.fixture
def server(authority: Authority) -> Iterator[HTTP2Server]:
    plays = {name: play for name, (play, _) in PLAYS.items()}
    with HTTP2Server(authority.loopback, plays) as server:
        yield server


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
    paths = ["rst_in_body" if number % 5 == 0 else "good" for number in range(30)]
    calls = [client.send(Request.path("GET", path)) for path in paths]
    ended = [outcome_of(call) for call in calls]
    fine = [isinstance(end, Response) for end in ended]
    assert fine == [path == "good" for path in paths]
    assert server.accepted == 1


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


def refuse(stream: Stream) -> None:
    stream.reset(REFUSED_STREAM)


def go_away_before(stream: Stream) -> None:
    stream.go_away(NO_ERROR, last=0)


@pytest.mark.parametrize("how", [refuse, go_away_before], ids=["refused", "goaway"])
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
