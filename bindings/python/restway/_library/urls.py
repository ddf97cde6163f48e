"""The parts of URLs, and queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .. import _ffi as native
from .._handles import make, name, written_text


class SplitURL(NamedTuple):
    """The parts of a URL, as `split_url` returns them."""

    scheme: str
    """"http" or "https"."""
    host: str
    """The host in lower case and in ASCII. An IPv6 address is in brackets."""
    port: int
    """The port. A URL without a port has port 80 (http) or 443 (https)."""
    path: str
    """The path, percent-encoded."""
    params: tuple[tuple[str, str], ...]
    """The decoded names and values of the query, in their order."""
    fragment: str | None
    """The decoded fragment; None for a URL without one."""


def split_url(url: str) -> SplitURL:
    """Splits an absolute http or https URL into its parts.

        page = dict(restway.split_url(link).params)["page"]

    In the query, a `+` is a space. Raises InvalidURLError.
    """
    lib = native.lib
    parts = make(native.UrlHandle, lib.restway_url_split, name(url))
    return SplitURL(
        scheme=native.borrowed(lib.restway_url_scheme(parts)) or "",
        host=native.borrowed(lib.restway_url_host(parts)) or "",
        port=lib.restway_url_port(parts),
        path=native.borrowed(lib.restway_url_path(parts)) or "",
        params=tuple(
            (
                native.borrowed(lib.restway_url_parameter_name(parts, index)) or "",
                native.borrowed(lib.restway_url_parameter_value(parts, index)) or "",
            )
            for index in range(lib.restway_url_parameter_count(parts))
        ),
        fragment=native.borrowed(lib.restway_url_fragment(parts)),
    )


def build_query(params: Mapping[str, str] | Iterable[tuple[str, str]]) -> str:
    """Builds a query of names and values, in their order. All characters except unreserved ones are
    percent-encoded (RFC 3986, section 2.3).

        restway.build_query([("sort", "name"), ("tag", "a b")])  # "sort=name&tag=a%20b"
    """
    if not isinstance(params, Iterable) or isinstance(params, str):
        raise TypeError("params are a mapping, or pairs of a name and a value")
    pairs = list(params.items() if isinstance(params, Mapping) else params)
    names = native.text_array([name(key) for key, _ in pairs])
    values = native.text_array([name(value) for _, value in pairs])
    return written_text(native.lib.restway_url_build_query, names, values, len(pairs))
