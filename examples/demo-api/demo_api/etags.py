"""Entity tags and the conditions that requests put on them.

Tags are strong. The gzip form of the same content is another representation, so its tag carries a
suffix; conditions accept either form, because both name the same version of the object.
"""

from __future__ import annotations

import re

from .errors import ApiError, Code

GZIP_SUFFIX = "-gzip"
_TAG = re.compile(r'(W/)?"([^"]*)"')


def entity_tag(tag: str, gzipped: bool) -> str:
    """Returns the header value for an opaque tag."""
    return f'"{tag}{GZIP_SUFFIX if gzipped else ""}"'


def _names(condition: str, tag: str, weak_counts: bool) -> bool:
    if condition.strip() == "*":
        return True
    for weak, opaque in _TAG.findall(condition):
        if weak and not weak_counts:
            continue
        if opaque == tag or opaque == tag + GZIP_SUFFIX:
            return True
    return False


def not_modified(if_none_match: str | None, tag: str) -> bool:
    """Returns whether a GET may be answered with 304 (weak comparison, RFC 9110, section 13.1.2).
    """
    return if_none_match is not None and _names(if_none_match, tag, weak_counts=True)


def require_match(if_match: str | None, tag: str) -> None:
    """Raises 412 unless If-Match is absent or names `tag` (strong comparison)."""
    if if_match is not None and not _names(if_match, tag, weak_counts=False):
        raise ApiError(
            Code.VERSION_MISMATCH, f'If-Match: {if_match} does not name the current "{tag}"'
        )
