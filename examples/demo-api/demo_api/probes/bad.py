"""Answers that a client must survive. All routes accept any method."""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator

from .. import parameters
from ..content import Content, encode
from ..message import Request, Response, error_response
from ..routing import ANY, Route

DEPTH_MAX = 10_000_000
BIG_BYTES_MAX = 4 * 1024**3
SLOW_MILLISECONDS_MAX = 600_000
CHUNK_BYTES = 64 * 1024
HTML = "<!DOCTYPE html><html><body><h1>It works, but it is not JSON.</h1></body></html>"


def routes() -> list[Route]:
    return [
        Route(ANY, "bad/html", html),
        Route(ANY, "bad/half", half),
        Route(ANY, "bad/deep", deep),
        Route(ANY, "bad/big", big),
        Route(ANY, "bad/truncated-gzip", truncated_gzip),
        Route(ANY, "bad/empty", empty),
        Route(ANY, "bad/slow", slow),
        Route(ANY, "bad/json", broken_json),
        Route(ANY, "bad/status/:code", status),
    ]


def html(_: Request) -> Response:
    """Answers 200 with a web page, like a captive portal."""
    return Response(content=Content(HTML.encode()), media_type="text/html; charset=utf-8")


def half(_: Request) -> Response:
    """Declares twice the bytes that follow, then closes the connection."""
    body = encode({"status": "ok", "half": True})
    return Response(stream=[body], declared_length=2 * len(body), close=True)


def deep(request: Request) -> Response:
    """Answers with arrays that are nested `depth` (1000) deep."""
    depth = parameters.integer(request, "depth", 1000, 1, DEPTH_MAX)
    return Response(content=Content(b"[" * depth + b"]" * depth))


def big(request: Request) -> Response:
    """Answers with a JSON string that is `bytes` (1 MiB) long including its quotes, made while it
    is sent.
    """
    size = parameters.integer(request, "bytes", 1024**2, 2, BIG_BYTES_MAX)
    return Response(stream=_long_string(size), declared_length=size)


def _long_string(size: int) -> Iterator[bytes]:
    chunk = b"a" * CHUNK_BYTES
    remaining = size - 2
    yield b'"'
    while remaining > 0:
        yield chunk[:remaining]
        remaining -= CHUNK_BYTES
    yield b'"'


def truncated_gzip(_: Request) -> Response:
    """Answers with a gzip stream that ends in its middle, while Content-Length is correct for these
    bytes.
    """
    whole = gzip.compress(encode({"numbers": list(range(1000))}), mtime=0)
    return Response(
        content=Content(whole[: len(whole) // 2]), headers=[("Content-Encoding", "gzip")]
    )


def empty(_: Request) -> Response:
    """Answers 200 with the media type of JSON, without a body."""
    return Response(content=Content(b""))


def slow(request: Request) -> Response:
    """Waits `ms` (1000) before the first byte."""
    milliseconds = parameters.integer(request, "ms", 1000, 0, SLOW_MILLISECONDS_MAX)
    time.sleep(milliseconds / 1000)
    return Response.json({"status": "ok", "ms": milliseconds})


def broken_json(_: Request) -> Response:
    """Answers with JSON that ends in the middle of an object."""
    return Response(content=Content(b'{"status": "ok", "items": [1, 2, {"id": '))


def status(request: Request) -> Response:
    """Answers with the status `code`, with the API's error body from 400 on."""
    code = parameters.integer_text(request.variables["code"], "code", 200, 599)
    if code >= 400:
        return error_response(code, code * 100 + 99, f"{request.raw_path} answers {code}")
    return Response.json({"status": code}, code)
