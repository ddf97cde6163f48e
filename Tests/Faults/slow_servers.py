"""Faults of speed: servers that stall, send slowly, or never stop sending."""

from __future__ import annotations

from broken_connections import BODY, HEAD_IN_CHUNKS, HEAD_OF_8, HEAD_TO_THE_END
from connection import (
    close,
    drip,
    for_ever,
    leave_unread,
    reset,
    send,
    stall,
    stall_unread,
    trickle,
)
from fault import TIMEOUT_SECONDS, Fault, answers, http_error, lost, times_out, too_large

HINT = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
PROCESSING = b"HTTP/1.1 102 Processing\r\n\r\n"
LONG_HEAD = b"HTTP/1.1 200 OK\r\n" + b"X-Filler: yes\r\n" * 500 + b"Content-Length: 8\r\n\r\n"
#: The idle limit of connections. The I/O thread looks every second whether bytes have moved, so
#: that an idle connection ends within two seconds.
IDLE = {"idle_timeout": 1.0}
NOT_IDLE_SECONDS = 2.5
FIRST_BYTE = {"first_byte_timeout": TIMEOUT_SECONDS}
LATE = "first-byte time limit of 300 ms"


def stalls(name: str, begun: bytes) -> Fault:
    """Makes an answer that stops before its end."""
    return Fault(name, (send(begun), stall), times_out(""), timeout=TIMEOUT_SECONDS)


SLOW_SERVERS = (
    Fault("stall_at_accept", (stall,), times_out(""), at_accept=True, timeout=TIMEOUT_SECONDS),
    Fault(
        "stall_before_headers", (stall,), times_out("total time limit of 300 ms.*0 bytes"),
        timeout=TIMEOUT_SECONDS,
    ),
    stalls("stall_in_status_line", HEAD_OF_8[:10]),
    stalls("stall_in_header_name", HEAD_OF_8[:30]),
    stalls("stall_in_header_value", HEAD_OF_8[:40]),
    stalls("stall_before_blank_line", HEAD_OF_8[:-2]),
    stalls("stall_in_hint", HINT[:40]),
    stalls("stall_after_hint", HINT),
    stalls("stall_in_chunk_size", HEAD_IN_CHUNKS + b"8"),
    stalls("stall_in_chunk", HEAD_IN_CHUNKS + b"8\r\n" + BODY[:5]),
    stalls("stall_between_chunks", HEAD_IN_CHUNKS + b"4\r\n" + BODY[:4] + b"\r\n"),
    stalls("stall_before_last_chunk", HEAD_IN_CHUNKS + b"8\r\n" + BODY + b"\r\n"),
    stalls("stall_in_trailers", HEAD_IN_CHUNKS + b"8\r\n" + BODY + b"\r\n0\r\nX-Digest: 1"),
    Fault(
        "stall_after_headers", (send(HEAD_OF_8), stall), times_out("0 out of 8"),
        timeout=TIMEOUT_SECONDS,
    ),
    Fault(
        "stall_in_body", (send(HEAD_OF_8 + BODY[:5]), stall), times_out("5 out of 8"),
        timeout=TIMEOUT_SECONDS,
    ),
    Fault(
        "stall_longer_than_idle", (send(HEAD_OF_8), stall),
        times_out("idle time limit of 1000 ms.*too slow"), options=IDLE,
    ),
    Fault(
        "stall_in_request_body", (stall_unread,), times_out(""), method="POST", body=bytes(8 << 20),
        reads_body=False, timeout=TIMEOUT_SECONDS,
    ),
    Fault("stall_before_first_byte", (stall,), times_out(LATE), options=FIRST_BYTE),
    Fault(
        "stall_after_request_body", (stall,), times_out(LATE), method="POST", body=bytes(1 << 20),
        options=FIRST_BYTE,
    ),
    # Only the first line has to arrive in time.
    Fault(
        "stall_after_first_line", (send(b"HTTP/1.1 200 OK\r\n"), stall),
        times_out("total time limit of 600 ms"), timeout=2 * TIMEOUT_SECONDS, options=FIRST_BYTE,
    ),
    # The server answers before it has read the body: the answer counts, and the connection, which
    # is full of unread bytes, is not used again.
    Fault(
        "early_failure",
        (send(b"HTTP/1.1 413 Any\r\nContent-Length: 0\r\n\r\n"), leave_unread),
        http_error(413), method="POST", body=bytes(8 << 20), reads_body=False,
    ),
    Fault(
        "early_failure_with_a_body",
        (send(b"HTTP/1.1 401 Any\r\nContent-Length: 8\r\n\r\n" + BODY), leave_unread),
        http_error(401), method="POST", body=bytes(8 << 20), reads_body=False,
    ),
    Fault("trickle", (trickle(HEAD_OF_8 + BODY),), answers(BODY)),
    Fault("trickle_headers", (trickle(LONG_HEAD), send(BODY)), answers(BODY)),
    Fault(
        "drip_headers", (send(b"HTTP/1.1 200 OK\r\nX: "), drip(b"x")), times_out(""),
        timeout=TIMEOUT_SECONDS,
    ),
    Fault(
        "drip_body", (send(HEAD_TO_THE_END), drip(b" ")), times_out(""), timeout=TIMEOUT_SECONDS
    ),
    # Bytes move, so the connection is not idle; the whole exchange has a time limit of its own.
    Fault(
        "drip_is_not_idle", (send(HEAD_TO_THE_END), drip(b" ")), times_out("2[0-9]{3} milli"),
        timeout=NOT_IDLE_SECONDS, options=IDLE,
    ),
    Fault(
        "endless_headers",
        (send(b"HTTP/1.1 200 OK\r\n"), for_ever(b"X-Filler: yes\r\n")),
        too_large("headers exceed"),
    ),
    Fault(
        "endless_header_line",
        (send(b"HTTP/1.1 200 OK\r\nX: "), for_ever(b"x")),
        too_large("headers exceed", 27),
    ),
    Fault(
        "endless_status_line",
        (send(b"HTTP/1.1 200 "), for_ever(b"x")),
        too_large("headers exceed", 27),
    ),
    Fault(
        "endless_body", (send(HEAD_TO_THE_END), for_ever(b" ")),
        too_large("larger than 65536 bytes"), options={"body_bytes_max": 65536},
    ),
    Fault(
        "announced_body_too_large",
        (send(HEAD_OF_8.replace(b"8", b"65537") + BODY), stall),
        too_large("larger than 65536 bytes"), options={"body_bytes_max": 65536},
    ),
    Fault("flood_of_hints", (send(HINT * 100 + HEAD_OF_8 + BODY),), answers(BODY)),
    Fault("endless_hints", (for_ever(HINT),), too_large("headers exceed")),
    Fault("endless_continue", (for_ever(CONTINUE),), too_large("exceed")),
    Fault(
        "hint_with_a_length",
        (send(HINT[:-2] + b"Content-Length: 100\r\n\r\n" + HEAD_OF_8 + BODY),),
        answers(BODY),
    ),
    Fault("continue_unasked", (send(CONTINUE + HEAD_OF_8 + BODY),), answers(BODY)),
    Fault("continue_and_hints", (send((CONTINUE + HINT) * 20 + HEAD_OF_8 + BODY),), answers(BODY)),
    Fault("processing", (send(PROCESSING * 3 + HEAD_OF_8 + BODY),), answers(BODY)),
    Fault("close_after_hint", (send(HINT), close), lost("Empty reply", 52)),
    Fault("reset_after_hint", (send(HINT), reset), lost("reset", 55, 56)),
    Fault("hints_then_error", (send(HINT + b"HTTP/1.1 503 Any\r\nContent-Length: 0\r\n\r\n"),),
          http_error(503)),
)
