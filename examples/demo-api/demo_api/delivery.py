"""HTTP responses: from `Response` to bytes, with the conditions and codings of the request."""

from __future__ import annotations

from collections.abc import Iterator
from email.utils import formatdate
from http import HTTPStatus

from .compression import GZIP_MINIMUM_BYTES, accepts_gzip
from .etags import entity_tag, not_modified
from .message import Request, Response

JOINED_BYTES_MAX = 64 * 1024
BODILESS = (204, 304)


def reason(status: int) -> str:
    """Returns the reason phrase of the status line; "Unknown" for a code without a phrase."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def deliver(request: Request | None, response: Response) -> Iterator[bytes]:
    """Returns the bytes of an answer. Without a request the connection is about to be closed."""
    fields = [("Date", formatdate(usegmt=True)), *response.headers]
    body = b""
    length = response.declared_length
    if response.content is not None:
        compress = _compresses(request, response)
        if response.tagged:
            fields.append(("ETag", entity_tag(response.content.tag, compress)))
            if _is_not_modified(request, response, response.content.tag):
                response.status = 304
        if response.status not in BODILESS:
            body = response.content.gzipped if compress else response.content.body
            length = len(body)
            if compress:
                fields.append(("Content-Encoding", "gzip"))
        if len(response.content.body) > GZIP_MINIMUM_BYTES:
            fields.append(("Vary", "Accept-Encoding"))
    status = response.status
    if status not in BODILESS:
        fields.append(("Content-Type", response.media_type))
        fields.append(("Content-Length", str(length)))
    fields.append(("Connection", "keep-alive" if stays_open(request, response) else "close"))
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
    head = f"HTTP/1.1 {status} {reason(status)}\r\n{lines}\r\n".encode("latin-1")
    if status in BODILESS or (request is not None and request.method == "HEAD"):
        yield head
    elif response.stream is not None:
        yield head
        yield from response.stream
    elif len(body) <= JOINED_BYTES_MAX:
        yield head + body
    else:
        yield head
        yield body


def stays_open(request: Request | None, response: Response) -> bool:
    """Returns whether the connection serves another request after this answer."""
    return request is not None and request.keep_alive and not response.close


def _is_not_modified(request: Request | None, response: Response, tag: str) -> bool:
    if request is None or request.method not in ("GET", "HEAD") or response.status != 200:
        return False
    return not_modified(request.header("if-none-match"), tag)


def _compresses(request: Request | None, response: Response) -> bool:
    if request is None or response.content is None or response.status in BODILESS:
        return False
    if len(response.content.body) <= GZIP_MINIMUM_BYTES:
        return False
    if any(name == "Content-Encoding" for name, _ in response.headers):
        return False
    return accepts_gzip(request.header("accept-encoding") or "")
