"""Answers that come before the body of the request is over."""

from __future__ import annotations

from collections.abc import Iterator

from broken_connections import BODY
from connection import (
    Step,
    close,
    close_when_client_does,
    leave_unread,
    send,
    stall_unread,
    take_body,
    trickle,
)
from fault import TIMEOUT_SECONDS, Fault, Outcome, answers, http_error, times_out

#: More than the kernel holds for a server that does not read.
UPLOAD_BYTES = 8 << 20
STATUSES = (200, 401, 413, 503)


def head(status: int, *fields: str) -> bytes:
    lines = "".join(f"{field}\r\n" for field in fields)
    return f"HTTP/1.1 {status} Any\r\nContent-Type: application/json\r\n{lines}\r\n".encode()


def early(name: str, outcome: Outcome, *steps: Step, timeout: float = 10.0) -> Fault:
    return Fault(
        name, steps, outcome, reads_body=False, method="POST", body=bytes(UPLOAD_BYTES),
        timeout=timeout,
    )


def for_each_status() -> Iterator[Fault]:
    for status in STATUSES:
        outcome = answers(BODY) if status == 200 else http_error(status)
        whole = head(status, "Content-Length: 8") + BODY
        closing = head(status, "Content-Length: 8", "Connection: close") + BODY
        chunks = head(status, "Transfer-Encoding: chunked") + b"8\r\n" + BODY + b"\r\n0\r\n\r\n"
        yield early(f"early_{status}_kept", outcome, send(whole), take_body)
        yield early(f"early_{status}_slow", outcome, trickle(whole), take_body)
        yield early(f"early_{status}_in_chunks", outcome, send(chunks), take_body)
        yield early(f"early_{status}_closing", outcome, send(closing), take_body, close)
        yield early(f"early_{status}_shut", outcome, send(closing), close_when_client_does)
        if status == 200:
            # A success does not end the request: the rest of the body is sent. The server has
            # taken the request, so that it must not be sent again.
            outcome = times_out("", http_status=status, retryable=False)
            yield early(
                f"early_{status}_unread", outcome, send(whole), stall_unread,
                timeout=TIMEOUT_SECONDS,
            )
        else:
            yield early(f"early_{status}_unread", outcome, send(whole), leave_unread)


EARLY_ANSWERS = tuple(for_each_status())
