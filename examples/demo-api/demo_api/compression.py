"""Content codings: codings that a client accepts, and request bodies that are compressed."""

from __future__ import annotations

import zlib

from .errors import ApiError, Code

GZIP_MINIMUM_BYTES = 1024
_GZIP_WINDOW_BITS = 16 + zlib.MAX_WBITS


def accepts_gzip(accept_encoding: str) -> bool:
    """Reads an Accept-Encoding value; an explicit gzip entry wins over `*`."""
    wildcard = False
    for entry in accept_encoding.lower().split(","):
        coding, *parameters = (part.strip() for part in entry.split(";"))
        if coding in ("gzip", "x-gzip"):
            return _weight(parameters) > 0
        if coding == "*":
            wildcard = _weight(parameters) > 0
    return wildcard


def _weight(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0


def decode_body(body: bytes, coding: str, bytes_max: int) -> bytes:
    """Undoes a request's Content-Encoding.

    The limit also applies to the decoded size, so a small upload cannot fill the memory.
    """
    coding = coding.strip().lower()
    if coding in ("", "identity"):
        return body
    if coding not in ("gzip", "x-gzip"):
        raise ApiError(Code.UNSUPPORTED_MEDIA_TYPE, f"Content-Encoding: {coding} is not supported")
    decoder = zlib.decompressobj(_GZIP_WINDOW_BITS)
    try:
        plain = decoder.decompress(body, bytes_max + 1)
    except zlib.error as error:
        raise ApiError(Code.MALFORMED_REQUEST, f"body: broken gzip stream ({error})") from error
    if len(plain) > bytes_max:
        raise ApiError(Code.BODY_TOO_LARGE, f"body: more than {bytes_max} bytes when decoded")
    if not decoder.eof:
        raise ApiError(Code.MALFORMED_REQUEST, "body: the gzip stream ends early")
    return plain
