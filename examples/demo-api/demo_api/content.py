"""Bytes of an answer, and values that are derived from them at most once."""

from __future__ import annotations

import gzip
import hashlib
import json
from typing import Any

JSONObject = dict[str, Any]

GZIP_LEVEL = 5


def encode(value: object) -> bytes:
    """Compact UTF-8 JSON; the only place that decides how the API writes JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class Content:
    """Immutable bytes whose entity tag and gzip form are computed when first asked for.

    Two threads may compute the same derived value at once; both get the same answer.
    """

    __slots__ = ("_gzipped", "_tag", "body")

    def __init__(self, body: bytes) -> None:
        self.body = body
        self._tag: str | None = None
        self._gzipped: bytes | None = None

    @property
    def tag(self) -> str:
        """The opaque part of the entity tag: a digest, so that equal bytes have equal tags."""
        if self._tag is None:
            self._tag = hashlib.blake2b(self.body, digest_size=8).hexdigest()
        return self._tag

    @property
    def gzipped(self) -> bytes:
        """The gzip form, without a time stamp, so that equal bytes have equal gzip forms."""
        if self._gzipped is None:
            self._gzipped = gzip.compress(self.body, GZIP_LEVEL, mtime=0)
        return self._gzipped
