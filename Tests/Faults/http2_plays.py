"""Faults of HTTP/2: streams that are reset and connections that end, with every error code."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from fault import PATIENCE_SECONDS, TIMEOUT_SECONDS, Fault, Outcome, answers, lost, times_out
from h2.errors import ErrorCodes
from http2_server import Play, Stream

NO_ERROR, REFUSED_STREAM, HTTP_1_1_REQUIRED = 0, 7, 13
BODY = b'{"n": 1}'
#: The answer of the server over HTTP/1.1.
GOOD = b'{"method": "GET", "target": "/rst_needs_http1?secret=1", "bytes": 0}'
#: The largest body that a server reads behind its answer.
UPLOAD_BYTES_MAX = 16 << 20
#: libcurl's codes: the stream was reset; the connection ended.
STREAM = 92
ENDED = (16, 18, 52, 55, 56, STREAM)
#: The largest number of a stream: the server ends the connection later.
LATER = (1 << 31) - 1


def go_away_frame(code: int, last: int) -> bytes:
    """Returns a GOAWAY, behind which the server still answers (RFC 9113, section 6.8)."""
    return bytes([0, 0, 8, 7, 0, 0, 0, 0, 0]) + struct.pack("!LL", last, code)


def half(stream: Stream) -> None:
    stream.head(len(BODY))
    stream.data(BODY[:4], ends=False)


def whole(stream: Stream) -> None:
    stream.head(len(BODY))
    stream.data(BODY)


def short(stream: Stream) -> None:
    stream.head(9)
    stream.data(BODY)


def half_then_hang_up(stream: Stream) -> None:
    half(stream)
    stream.hang_up()


def garbage(stream: Stream) -> None:
    half(stream)
    stream.raw(b"\0\0\4\1\0\0\0\0\0oops" * 4)  # HEADERS on stream 0


def resetting(code: int) -> Play:
    return lambda stream: stream.reset(code)


def half_then_resetting(code: int) -> Play:
    def play(stream: Stream) -> None:
        half(stream)
        stream.reset(code)

    return play


def forbidding(code: int) -> Play:
    """Makes a GOAWAY that says that the server has not processed the request."""
    return lambda stream: stream.go_away(code, last=0)


def leaving(code: int) -> Play:
    def play(stream: Stream) -> None:
        stream.go_away(code)
        stream.hang_up()

    return play


def half_then_leaving(code: int) -> Play:
    def play(stream: Stream) -> None:
        half(stream)
        stream.go_away(code)
        stream.hang_up()

    return play


def answers_behind_go_away(last: int | None) -> Play:
    """Makes a GOAWAY behind which the answer still comes."""

    def play(stream: Stream) -> None:
        stream.raw(go_away_frame(NO_ERROR, stream.number if last is None else last))
        whole(stream)

    return play


def whole_then_reset(stream: Stream) -> None:
    whole(stream)
    stream.reset(NO_ERROR)


def early(status: int) -> Play:
    """Makes an answer that comes before the body of the request, which the server then reads."""

    def play(stream: Stream) -> None:
        for number in (stream.number, None):
            stream.h2.increment_flow_control_window(UPLOAD_BYTES_MAX, number)
        stream.head(len(BODY), status)
        stream.data(BODY)

    return play


def hints(stream: Stream) -> None:
    for status in ("100", "103", "103"):
        stream.h2.send_headers(stream.number, [(":status", status), ("link", "</a>; rel=preload")])
    whole(stream)


def trailers(stream: Stream) -> None:
    stream.head(len(BODY))
    stream.data(BODY, ends=False)
    stream.h2.send_headers(stream.number, [("x-digest", "1"), ("x-more", "2")], end_stream=True)


def for_each_code() -> Mapping[str, tuple[Play, Outcome]]:
    """Makes resets and ends of the connection with every error code.

    libcurl repeats the request some times after REFUSED_STREAM, and repeats it over HTTP/1.1 after
    HTTP_1_1_REQUIRED.
    """
    plays: dict[str, tuple[Play, Outcome]] = {}
    for code in ErrorCodes:
        name = code.name.lower()
        if code != HTTP_1_1_REQUIRED:
            plays[f"rst_{name}"] = (resetting(code), lost("", 55, 56, STREAM))
            plays[f"rst_{name}_in_body"] = (half_then_resetting(code), lost("", *ENDED))
        plays[f"goaway_{name}"] = (leaving(code), lost("", *ENDED))
        plays[f"goaway_{name}_in_body"] = (half_then_leaving(code), lost("", *ENDED))
    return plays


PLAYS: Mapping[str, tuple[Play, Outcome]] = {
    **for_each_code(),
    "rst_needs_http1": (resetting(HTTP_1_1_REQUIRED), answers(GOOD)),
    "rst_behind_the_answer": (whole_then_reset, answers(BODY)),
    "body_too_short": (short, lost("", 18, STREAM)),
    "hang_up_in_body": (half_then_hang_up, lost("", 16, 18, 56, STREAM)),
    "answer_behind_goaway": (answers_behind_go_away(None), answers(BODY)),
    "answer_behind_goaway_for_later": (answers_behind_go_away(LATER), answers(BODY)),
    "broken_frame": (garbage, lost("", 16, 18, 56)),
    "hints": (hints, answers(BODY)),
    "trailers": (trailers, answers(BODY)),
    "stall": (lambda stream: None, times_out("")),
    "stall_in_body": (half, times_out("")),
}
FAULTS = tuple(
    Fault(
        name,
        (),
        outcome,
        timeout=TIMEOUT_SECONDS if outcome.codes == {28} else PATIENCE_SECONDS,
    )
    for name, (_, outcome) in PLAYS.items()
)
