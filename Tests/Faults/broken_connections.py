"""Faults of the connection: refused, reset, closed too early, at every point of an exchange."""

from __future__ import annotations

from connection import close, close_when_client_does, reset, send, wait_for_bytes
from fault import Fault, Outcome, answers, http_error, lost, violates
from restway import ConnectError, Status

HEAD_OF_8 = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n"
HEAD_TO_THE_END = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
HEAD_IN_CHUNKS = HEAD_TO_THE_END[:-2] + b"Transfer-Encoding: chunked\r\n\r\n"
BODY = b'{"n": 1}'

REFUSED = Outcome(
    Status.CONNECT, ConnectError, "Couldn't connect", frozenset({7}), retryable=True
)
#: libcurl notices a reset while it sends, or while it receives.
RESET = (55, 56)
EMPTY, PARTIAL = 52, 18
#: The library itself reports these errors where libcurl would send again: a POST on a kept
#: connection.
NOT_REPEATED = 0

BROKEN_CONNECTIONS = (
    Fault("refuse", (), REFUSED, refuses=True),
    Fault("reset_unread", (wait_for_bytes, reset), lost("", *RESET), at_accept=True),
    Fault("close_unread", (wait_for_bytes, close), lost("Empty", EMPTY), at_accept=True),
    Fault("reset_before_headers", (reset,), lost("reset", *RESET)),
    Fault("close_before_headers", (close,), lost("Empty reply", EMPTY)),
    Fault("reset_in_status_line", (send(b"HTTP/1.1 2"), reset), lost("reset", *RESET)),
    Fault("close_in_status_line", (send(b"HTTP/1.1 2"), close), lost("Empty reply", EMPTY)),
    Fault("reset_in_headers", (send(HEAD_OF_8[:40]), reset), lost("reset", *RESET)),
    Fault("close_in_headers", (send(HEAD_OF_8[:40]), close), lost("within the", 0)),
    Fault("close_before_blank_line", (send(HEAD_OF_8[:-2]), close), lost("closed", PARTIAL)),
    Fault("reset_after_headers", (send(HEAD_OF_8), reset), lost("reset", *RESET)),
    Fault("close_after_headers", (send(HEAD_OF_8), close), lost("8 bytes remaining", PARTIAL)),
    Fault("reset_in_body", (send(HEAD_OF_8 + BODY[:4]), reset), lost("reset", *RESET)),
    Fault(
        "close_in_body",
        (send(HEAD_OF_8 + BODY[:4]), close),
        lost("4 bytes remaining", PARTIAL),
    ),
    Fault("reset_in_chunk", (send(HEAD_IN_CHUNKS + b"8\r\n{"), reset), lost("reset", *RESET)),
    Fault(
        "close_in_chunk", (send(HEAD_IN_CHUNKS + b"8\r\n{"), close), lost("chunk", PARTIAL)
    ),
    Fault(
        "close_before_last_chunk",
        (send(HEAD_IN_CHUNKS + b"8\r\n" + BODY + b"\r\n"), close),
        lost("chunk", PARTIAL),
    ),
    Fault("reset_after_body", (send(HEAD_OF_8 + BODY), reset), answers(BODY)),
    Fault("close_after_body", (send(HEAD_OF_8 + BODY), close), answers(BODY)),
    # Without a length, the end of the connection is the end of the body, but a reset is an error.
    Fault("close_is_the_end", (send(HEAD_TO_THE_END + BODY), close), answers(BODY)),
    Fault("reset_is_no_end", (send(HEAD_TO_THE_END + BODY), reset), lost("reset", *RESET)),
    # The server answers before it has read the request, and never reads it.
    Fault(
        "answer_before_request_body",
        (
            send(b"HTTP/1.1 413 Any\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
            close_when_client_does,
        ),
        http_error(413),
        method="POST",
        body=bytes(4 << 20),
        reads_body=False,
    ),
    Fault(
        "reset_in_request_body",
        (reset,),
        lost("", *RESET, NOT_REPEATED),
        method="POST",
        body=bytes(4 << 20),
        reads_body=False,
    ),
    Fault(
        "upgrade_nobody_asked_for",
        (send(b"HTTP/1.1 101 Any\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), close),
        violates("", 0, 1, 8),
    ),
)
