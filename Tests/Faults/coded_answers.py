"""Faults of content codings: truncated, corrupt, padded, unknown, and far larger than they look."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping

from broken_connections import BODY, HEAD_IN_CHUNKS
from connection import Step, close, send
from fault import Fault, Outcome, answers, lost, too_large, violates
from slow_servers import stalls

PACKED = gzip.compress(BODY * 100, mtime=0)
#: "a short body" in the codings that Python cannot write.
BROTLI = bytes.fromhex("1f0b00f82540aa10456a056ca402")
ZSTD = bytes.fromhex("28b52ffd200c610000") + b"a short body"
#: Whole bodies by their codings.
CODED: Mapping[str, bytes] = {
    "gzip": gzip.compress(BODY, mtime=0),
    "deflate": zlib.compress(BODY),
    "br": BROTLI,
    "zstd": ZSTD,
}

BOMB_BYTES = 16 << 20
BOUND = {"body_bytes_max": 1 << 20}
GZIP_BOMB = gzip.compress(bytes(BOMB_BYTES), 1, mtime=0)
#: A frame with a window of 128 KiB and blocks of as many equal bytes (RFC 8878, section 3.1.1).
ZSTD_BOMB = (
    bytes.fromhex("28b52ffd0038")
    + (131072 << 3 | 2).to_bytes(3, "little").join([b"", *[b"\0"] * 127])
    + (131072 << 3 | 3).to_bytes(3, "little")
    + b"\0"
)
BROTLI_BOMB = bytes.fromhex(
    "cbffff3ff82700e2b14020f7fe2ffffffff04f00c4611180eefd1f"
)
#: Bodies of 16 MiB of zeros by the codings around them.
BOMBS: Mapping[str, bytes] = {
    "gzip": GZIP_BOMB,
    "deflate": zlib.compress(bytes(BOMB_BYTES), 9),
    "br": BROTLI_BOMB,
    "zstd": ZSTD_BOMB,
    "br, gzip": gzip.compress(BROTLI_BOMB, mtime=0),
    "gzip, gzip": gzip.compress(GZIP_BOMB, mtime=0),
    "gzip, deflate, gzip": gzip.compress(zlib.compress(GZIP_BOMB), mtime=0),
}


def answer_in(body: bytes, coding: str = "gzip") -> Step:
    """Makes a complete answer whose body claims to be `coding`."""
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {len(body)}\r\n\r\n"
    return send(head.encode() + body)


def broken(name: str, body: bytes, outcome: Outcome, coding: str = "gzip") -> Fault:
    return Fault(name, (answer_in(body, coding),), outcome)


def truncated(coding: str) -> Outcome:
    return lost(f"{coding} body is truncated", http_status=200)


def damaged(says: str) -> Outcome:
    return violates(says, http_status=200)


def bombs() -> tuple[Fault, ...]:
    outcome = too_large("larger than 1048576 bytes", http_status=200)
    return tuple(
        Fault(bomb_name(coding), (answer_in(body, coding),), outcome, options=BOUND)
        for coding, body in BOMBS.items()
    )


def bomb_name(coding: str) -> str:
    return f"bomb_in_{coding.replace(', ', '_in_')}"


def ends_early(coding: str) -> tuple[Fault, ...]:
    """Makes complete answers whose coded body is cut off, one answer for each byte."""
    body = CODED[coding]
    return tuple(
        broken(f"{coding}_of_{length}_bytes", body[:length], truncated(coding), coding)
        for length in range(1, len(body))
    )


CHUNKED_GZIP = (
    HEAD_IN_CHUNKS[:-2] + b"Content-Encoding: gzip\r\n\r\n" + b"10\r\n" + PACKED[:16] + b"\r\n"
)

CODED_ANSWERS = (
    broken("gzip_truncated", PACKED[:-12], truncated("gzip")),
    broken("gzip_without_its_end", PACKED[:-1], truncated("gzip")),
    broken("gzip_corrupt", PACKED[:12] + b"\xff\xff\xff" + PACKED[15:],
           damaged("gzip body is corrupt")),
    broken("gzip_that_is_none", BODY, damaged("gzip body is corrupt")),
    broken("gzip_with_wrong_checksum", PACKED[:-8] + b"\0\0\0\0" + PACKED[-4:],
           damaged("gzip body is corrupt")),
    broken("gzip_with_wrong_length", PACKED[:-4] + b"\0\0\0\0", damaged("gzip body is corrupt")),
    broken("gzip_with_something_behind", PACKED + b"more", damaged("4 bytes stand behind")),
    broken("deflate_truncated", zlib.compress(BODY)[:-3], truncated("deflate"), "deflate"),
    broken("deflate_with_something_behind", zlib.compress(BODY) + b"more",
           damaged("4 bytes stand behind"), "deflate"),
    broken("brotli_truncated", BROTLI[:-1], truncated("br"), "br"),
    broken("brotli_with_something_behind", BROTLI + b"more", damaged("4 bytes stand behind"), "br"),
    broken("zstd_truncated", ZSTD[:-1], truncated("zstd"), "zstd"),
    broken("zstd_with_something_behind", ZSTD + b"more", damaged("4 bytes stand behind"), "zstd"),
    broken("coding_unknown", BODY, answers(BODY), "snappy"),
    broken("codings_too_many", PACKED, damaged("more than 4 content codings"),
           ", ".join(["gzip"] * 5)),
    broken("gzip_in_gzip_truncated", gzip.compress(PACKED[:-1], mtime=0), truncated("gzip"),
           "gzip, gzip"),
    Fault("gzip_in_gzip", (answer_in(gzip.compress(PACKED, mtime=0), "gzip, gzip"),),
          answers(BODY * 100)),
    Fault("close_in_gzip_chunks", (send(CHUNKED_GZIP), close), lost("chunk", 18)),
    stalls("stall_in_gzip_chunks", CHUNKED_GZIP),
    *bombs(),
)
