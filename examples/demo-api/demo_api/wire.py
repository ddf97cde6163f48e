"""Parses HTTP/1.x requests into `Request`. Every length has a limit."""

from __future__ import annotations

import re
from typing import BinaryIO, Callable
from urllib.parse import parse_qsl, unquote

from .errors import ApiError, Code
from .message import Request

LINE_BYTES_MAX = 16 * 1024
HEADER_COUNT_MAX = 100
QUERY_FIELDS_MAX = 1000
BLANK_LINES_MAX = 4
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CHUNK_SIZE = re.compile(rb"[0-9A-Fa-f]{1,15}")
_ORIGIN = re.compile(r"https?://[^/?#]*", re.IGNORECASE)


class RequestReader:
    """Reads the requests of one connection.

    After an `ApiError` the position in the stream is unknown: send the answer, then close.
    """

    def __init__(
        self, stream: BinaryIO, send_continue: Callable[[], None], body_bytes_max: int
    ) -> None:
        self._stream = stream
        self._send_continue = send_continue
        self._body_bytes_max = body_bytes_max

    def next(self) -> Request | None:
        """Returns the next request, or None when the client has closed the connection."""
        line = self._first_line()
        if line is None:
            return None
        parts = line.split(" ")
        if len(parts) != 3 or not _TOKEN.fullmatch(parts[0]):
            raise ApiError(Code.MALFORMED_REQUEST, f"request line: {line[:100]!r}")
        method, target, version = parts
        if version not in ("HTTP/1.1", "HTTP/1.0"):
            raise ApiError(Code.UNSUPPORTED_VERSION, f"request line: {version[:20]!r}")
        headers = self._headers()
        request = _request(method, target, headers)
        request.body_bytes_max = self._body_bytes_max
        connection = (request.header("connection") or "").lower()
        if version == "HTTP/1.1":
            request.keep_alive = "close" not in connection
            if request.header("host") is None:
                raise ApiError(Code.MALFORMED_REQUEST, "headers: Host is missing")
        else:
            request.keep_alive = "keep-alive" in connection
        request.body = self._body(request)
        return request

    def _line(self, too_long: Code) -> str:
        line = self._stream.readline(LINE_BYTES_MAX + 1)
        if len(line) > LINE_BYTES_MAX:
            raise ApiError(too_long, f"a line is longer than {LINE_BYTES_MAX} bytes")
        if not line.endswith(b"\n"):
            raise ConnectionError("the client left in the middle of a request")
        # Latin-1 keeps every byte, so that an echo can show the bytes that arrived.
        return line.decode("latin-1").rstrip("\r\n")

    def _first_line(self) -> str | None:
        for _ in range(BLANK_LINES_MAX):
            try:
                line = self._line(Code.REQUEST_LINE_TOO_LONG)
            except ConnectionError:
                return None
            if line:
                return line
        raise ApiError(Code.MALFORMED_REQUEST, "request line: missing")

    def _headers(self) -> list[tuple[str, str]]:
        headers: list[tuple[str, str]] = []
        while True:
            line = self._line(Code.HEADERS_TOO_LARGE)
            if not line:
                return headers
            if len(headers) == HEADER_COUNT_MAX:
                raise ApiError(Code.HEADERS_TOO_LARGE, f"more than {HEADER_COUNT_MAX} headers")
            name, colon, value = line.partition(":")
            if not colon or not _TOKEN.fullmatch(name):
                raise ApiError(Code.MALFORMED_REQUEST, f"headers: {line[:100]!r}")
            headers.append((name, value.strip(" \t")))

    def _body(self, request: Request) -> bytes:
        coding = request.header("transfer-encoding")
        length = request.header("content-length")
        if coding is not None:
            if length is not None:
                raise ApiError(
                    Code.MALFORMED_REQUEST, "headers: Content-Length beside Transfer-Encoding"
                )
            if coding.lower() != "chunked":
                raise ApiError(Code.UNSUPPORTED_TRANSFER_CODING, f"Transfer-Encoding: {coding}")
            self._invite(request)
            return self._chunked_body()
        if length is None:
            return b""
        if not (length.isascii() and length.isdigit() and len(length) < 19):
            raise ApiError(Code.MALFORMED_REQUEST, f"Content-Length: {length[:40]!r}")
        self._check_size(int(length))
        if length != "0":
            self._invite(request)
        return self._exactly(int(length))

    def _invite(self, request: Request) -> None:
        if (request.header("expect") or "").lower() == "100-continue":
            self._send_continue()

    def _chunked_body(self) -> bytes:
        chunks: list[bytes] = []
        total = 0
        while True:
            size_text = self._line(Code.MALFORMED_REQUEST).partition(";")[0].strip().encode()
            if not _CHUNK_SIZE.fullmatch(size_text):
                raise ApiError(Code.MALFORMED_REQUEST, f"body: chunk size {size_text[:20]!r}")
            size = int(size_text, 16)
            if size == 0:
                self._headers()
                return b"".join(chunks)
            total += size
            self._check_size(total)
            chunks.append(self._exactly(size))
            if self._line(Code.MALFORMED_REQUEST):
                raise ApiError(Code.MALFORMED_REQUEST, "body: a chunk is longer than announced")

    def _check_size(self, size: int) -> None:
        if size > self._body_bytes_max:
            raise ApiError(Code.BODY_TOO_LARGE, f"body: more than {self._body_bytes_max} bytes")

    def _exactly(self, count: int) -> bytes:
        data = self._stream.read(count)
        if len(data) != count:
            raise ConnectionError("the client left in the middle of a body")
        return data


def _request(method: str, target: str, headers: list[tuple[str, str]]) -> Request:
    origin = _ORIGIN.match(target)
    if origin:
        target = target[origin.end() :] or "/"
    return Request(method, *split_target(target), headers)


def split_target(target: str) -> tuple[str, str, tuple[str, ...], list[tuple[str, str]]]:
    """Returns the path of a target, its query, and both split into parts."""
    raw_path, _, query_string = target.partition("?")
    if not raw_path.startswith("/") and raw_path != "*":
        raise ApiError(Code.MALFORMED_URL, f"path: {raw_path[:100]!r}")
    try:
        # The path is split first and decoded then: an encoded slash belongs to its segment.
        segments = tuple(
            unquote(part, errors="strict") if "%" in part else part
            for part in raw_path.strip("/").split("/")
        )
        query = parse_qsl(query_string, keep_blank_values=True, max_num_fields=QUERY_FIELDS_MAX)
    except ValueError as error:
        raise ApiError(Code.MALFORMED_URL, f"url: {error}") from error
    return raw_path, query_string, segments, query
