"""Faults of bodies in chunks, and chunks that look odd but are right (RFC 9112, section 7.1)."""

from __future__ import annotations

from broken_connections import BODY, HEAD_IN_CHUNKS, PARTIAL
from connection import Step, close, for_ever, send, trickle
from fault import TIMEOUT_SECONDS, Fault, answers, lost, times_out, too_large, violates

CHUNK = b"8\r\n" + BODY + b"\r\n"
LAST = b"0\r\n\r\n"
LEFT_OPEN = lost("chunk|closed", PARTIAL)


def chunked(body: bytes) -> Step:
    return send(HEAD_IN_CHUNKS + body)


def misframed(name: str, *steps: Step) -> Fault:
    """Makes bad chunking, after an answer that began well."""
    return Fault(name, steps, violates("chunk", 56))


def framed(name: str, chunks: bytes) -> Fault:
    """Makes chunks that are right."""
    return Fault(name, (chunked(chunks),), answers(BODY))


def cut_off(name: str, chunks: bytes) -> Fault:
    """Makes chunks that end, with the connection, before their end."""
    return Fault(name, (chunked(chunks), close), LEFT_OPEN)


CHUNKED_ANSWERS = (
    framed("chunk_extension", b"8;name=value\r\n" + BODY + b"\r\n" + LAST),
    framed("chunk_extension_in_quotes", b'8 ; a="b;c" ; d\r\n' + BODY + b"\r\n" + LAST),
    framed("extension_of_the_last_chunk", CHUNK + b"0;last=yes\r\n\r\n"),
    framed("chunk_size_with_zeros", b"0000000000000008\r\n" + BODY + b"\r\n" + LAST),
    framed("last_chunk_with_zeros", CHUNK + b"0000\r\n\r\n"),
    framed("trailers", CHUNK + b"0\r\nX-Digest: 1\r\nX-More: 2\r\n\r\n"),
    # Fields about the framing have no meaning in trailers.
    framed(
        "trailers_that_would_frame",
        CHUNK + b"0\r\nContent-Length: 4\r\nTransfer-Encoding: gzip\r\n"
        b"Content-Encoding: br\r\n\r\n",
    ),
    Fault("chunks_one_byte_at_a_time", (chunked(b""), trickle(CHUNK + LAST)), answers(BODY)),
    misframed("chunk_size_is_no_number", chunked(b"size\r\n")),
    misframed("chunk_size_is_negative", chunked(b"-8\r\n" + BODY + b"\r\n" + LAST)),
    misframed("chunk_size_is_missing", chunked(b"\r\n\r\n")),
    misframed("chunk_size_overflows", chunked(b"ffffffffffffffffff\r\n")),
    misframed("chunk_size_has_17_digits", chunked(b"0" * 16 + CHUNK + LAST)),
    misframed("chunk_size_never_ends", chunked(b""), for_ever(b"1")),
    misframed("chunk_is_longer_than_it_says", chunked(b"4\r\n" + BODY + b"\r\n" + LAST)),
    misframed("chunk_without_its_line_end", chunked(b"8\r\n" + BODY + LAST)),
    cut_off("close_in_chunk_size", b"8"),
    cut_off("close_in_chunk_extension", b"8;name="),
    cut_off("close_in_huge_chunk", b"7fffffffffffffff\r\n" + BODY),
    cut_off("close_in_second_chunk", CHUNK + b"9\r\n" + BODY),
    cut_off("close_behind_chunk", b"8\r\n" + BODY),
    cut_off("close_before_trailers", CHUNK + b"0\r\n"),
    cut_off("close_in_trailers", CHUNK + b"0\r\nX-Digest: 1"),
    Fault("endless_trailers", (chunked(CHUNK + b"0\r\n"), for_ever(b"X: yes\r\n")),
          too_large("headers exceed")),
    # libcurl continues to read and keeps nothing, so only the time limit ends the call.
    Fault("endless_chunk_extension", (chunked(b"8;"), for_ever(b"x")), times_out(""),
          timeout=TIMEOUT_SECONDS),
)
