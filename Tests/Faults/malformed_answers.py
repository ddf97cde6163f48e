"""Faults of the message: wrong lengths, bad chunking, broken codings, and bytes that are not HTTP.
"""

from __future__ import annotations

import gzip
import zlib

from broken_connections import BODY, HEAD_IN_CHUNKS, HEAD_OF_8, HEAD_TO_THE_END
from connection import Step, close, for_ever, reset, send, trickle
from fault import (
    TIMEOUT_SECONDS,
    Fault,
    Outcome,
    answers,
    lost,
    times_out,
    too_large,
    violates,
)

START = b"HTTP/1.1 200 OK\r\n"
FORGED = b'HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{"forged": true}'
PACKED = gzip.compress(BODY * 100, mtime=0)
BOMB = gzip.compress(bytes(16 << 20), 1, mtime=0)
#: "a short body" in the codings that Python cannot write.
BROTLI = bytes.fromhex("1f0b00f82540aa10456a056ca402")
ZSTD = bytes.fromhex("28b52ffd200c610000") + b"a short body"


def coded(body: bytes, coding: bytes = b"gzip") -> Step:
    """Makes a complete answer whose body claims to be `coding`."""
    length = str(len(body)).encode()
    fields = b"Content-Encoding: " + coding + b"\r\nContent-Length: " + length + b"\r\n\r\n"
    return send(START + fields + body)


def fields(*lines: bytes, body: bytes = BODY) -> Step:
    """Makes an answer with these header lines."""
    return send(START + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + body)


def chunked(body: bytes) -> Step:
    return send(HEAD_IN_CHUNKS + body)


def misframed(name: str, *steps: Step) -> Fault:
    """Makes bad chunking, after an answer that began well."""
    return Fault(name, steps, violates("chunk", 56))


def no_length(name: str, *lines: bytes) -> Fault:
    """Makes an answer whose length is given in a wrong way."""
    return Fault(name, (fields(*lines), close), violates("Content-Length", 0, 8))


def broken_coding(name: str, step: Step, outcome: Outcome) -> Fault:
    return Fault(name, (step,), outcome)


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
    misframed("chunk_size_is_no_number", chunked(b"size\r\n")),
    misframed("chunk_size_is_missing", chunked(b"\r\n\r\n")),
    misframed("chunk_size_overflows", chunked(b"ffffffffffffffffff\r\n")),
    misframed("chunk_size_never_ends", chunked(b""), for_ever(b"1")),
    misframed("chunk_is_longer_than_it_says", chunked(b"4\r\n" + BODY + b"\r\n0\r\n\r\n")),
    Fault("chunks_one_byte_at_a_time", (chunked(b""), trickle(b"8\r\n" + BODY + b"\r\n0\r\n\r\n")),
          answers(BODY)),
    Fault("endless_trailers", (chunked(b"8\r\n" + BODY + b"\r\n0\r\n"), for_ever(b"X: yes\r\n")),
          too_large("headers exceed")),
    # libcurl reads on and keeps nothing, so only the time limit ends the call.
    Fault("endless_chunk_extension", (chunked(b"8;"), for_ever(b"x")), times_out(""),
          timeout=TIMEOUT_SECONDS),
    broken_coding("gzip_truncated", coded(PACKED[:-12]),
                  lost("gzip body is truncated", http_status=200)),
    broken_coding("gzip_without_its_end", coded(PACKED[:-1]),
                  lost("gzip body is truncated", http_status=200)),
    broken_coding("gzip_corrupt", coded(PACKED[:12] + b"\xff\xff\xff" + PACKED[15:]),
                  violates("gzip body is corrupt", http_status=200)),
    broken_coding("gzip_that_is_none", coded(BODY),
                  violates("gzip body is corrupt", http_status=200)),
    broken_coding("gzip_with_wrong_checksum", coded(PACKED[:-8] + b"\0\0\0\0" + PACKED[-4:]),
                  violates("gzip body is corrupt", http_status=200)),
    broken_coding("gzip_with_something_behind", coded(PACKED + b"more"),
                  violates("4 bytes stand behind", http_status=200)),
    broken_coding("deflate_truncated", coded(zlib.compress(BODY)[:-3], b"deflate"),
                  lost("deflate body is truncated", http_status=200)),
    broken_coding("brotli_truncated", coded(BROTLI[:-1], b"br"),
                  lost("br body is truncated", http_status=200)),
    broken_coding("brotli_with_something_behind", coded(BROTLI + b"more", b"br"),
                  violates("4 bytes stand behind", http_status=200)),
    broken_coding("zstd_truncated", coded(ZSTD[:-1], b"zstd"),
                  lost("zstd body is truncated", http_status=200)),
    broken_coding("zstd_with_something_behind", coded(ZSTD + b"more", b"zstd"),
                  violates("4 bytes stand behind", http_status=200)),
    broken_coding("coding_unknown", coded(BODY, b"snappy"),
                  violates("coding is unknown: snappy", http_status=200)),
    Fault("gzip_bomb", (coded(BOMB),), too_large("larger than 1048576 bytes", http_status=200),
          options={"body_bytes_max": 1 << 20}),
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
