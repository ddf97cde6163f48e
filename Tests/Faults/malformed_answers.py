"""Faults of the message: wrong lengths, broken headers, and bytes that are not HTTP."""

from __future__ import annotations

from broken_connections import BODY, HEAD_OF_8, HEAD_TO_THE_END
from connection import Step, close, for_ever, reset, send
from fault import Fault, answers, lost, violates

START = b"HTTP/1.1 200 OK\r\n"
FORGED = b'HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{"forged": true}'


def fields(*lines: bytes, body: bytes = BODY) -> Step:
    """Makes an answer with these header lines."""
    return send(START + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + body)


def no_length(name: str, *lines: bytes) -> Fault:
    """Makes an answer whose length is given in a wrong way."""
    return Fault(name, (fields(*lines), close), violates("Content-Length", 0, 8))


MALFORMED_ANSWERS = (
    Fault("length_too_large", (send(HEAD_OF_8.replace(b"8", b"9") + BODY), close),
          lost("1 bytes remaining", 18)),
    # Bytes after the announced length must not answer the next request.
    Fault("length_too_small", (send(HEAD_OF_8 + BODY + FORGED),), answers(BODY)),
    no_length("length_is_no_number", b"Content-Length: eight"),
    no_length("length_is_negative", b"Content-Length: -8"),
    no_length("length_with_rubbish", b"Content-Length: 8 bytes"),
    no_length("length_twice_and_different", b"Content-Length: 8", b"Content-Length: 4"),
    Fault("length_twice_and_equal", (fields(b"Content-Length: 8", b"Content-Length: 8"),),
          answers(BODY)),
    Fault("another_protocol", (send(b"SSH-2.0-OpenSSH_9.2\r\n"), close), violates("HTTP/0.9", 1)),
    Fault("no_status_code", (send(b"HTTP/1.1 OK\r\n\r\n"), close), violates("", 0, 1, 8)),
    Fault("unknown_version", (send(b"HTTP/7.3 200 OK\r\n\r\n"), close), violates("", 1, 8)),
    Fault("header_without_colon", (fields(b"Content-Length: 8", b"nonsense"),),
          violates("without colon", 8)),
    Fault("nul_in_header", (fields(b"X: a\0b", b"Content-Length: 8"),), violates("", 8)),
    Fault("rubbish_for_ever", (for_ever(b"\0\xff\n"),), violates("HTTP/0.9", 1)),
    Fault("body_where_there_is_none", (send(b"HTTP/1.1 204 Any\r\n\r\n" + FORGED),),
          answers(b"", 204)),
    Fault("head_with_a_body", (send(HEAD_OF_8 + BODY),), answers(b""), method="HEAD"),
    Fault("answer_twice", (send((HEAD_OF_8 + BODY) * 2),), answers(BODY)),
    Fault("close_without_a_length", (send(HEAD_TO_THE_END), close), answers(b"")),
    Fault("answer_then_reset", (send(HEAD_OF_8 + BODY + FORGED), reset), answers(BODY)),
)
