"""Requests as they go out, headers, classes of statuses, and the parts of URLs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from . import _ffi as native
from ._ffi.enums import StatusClass


class Headers(Mapping[str, str]):
    """A mapping of headers; the case of names does not matter. Several lines with one name are
    joined with ", ".
    """

    __slots__ = ("_by_name", "lines")

    lines: tuple[tuple[str, str], ...]
    """Every header line as it was received: name and value."""

    def __init__(self, lines: Iterable[tuple[str, str]] = ()) -> None:
        self.lines = tuple(lines)
        self._by_name: dict[str, tuple[str, str]] = {}
        for name, value in self.lines:
            key = name.lower()
            first, before = self._by_name.get(key, (name, None))
            self._by_name[key] = first, value if before is None else f"{before}, {value}"

    def __getitem__(self, name: str) -> str:
        if not isinstance(name, str) or name.lower() not in self._by_name:
            raise KeyError(name)
        return self._by_name[name.lower()][1]

    def __iter__(self) -> Iterator[str]:
        return iter([name for name, _ in self._by_name.values()])

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"<Headers {', '.join(self) or 'none'}>"  # values may be secrets


class OutgoingRequest:
    """A request as it goes out, or as it has gone out. It is immutable, usable from any thread, and
    may outlive its client.

    It holds the credential of the request; `str` and `repr` show no secrets.

        print(client.inspect(restway.Request.path("GET", "enterprises/12")))
    """

    __slots__ = ("_handle", "_headers")

    def __init__(self, handle: native.OutgoingHandle) -> None:
        """For this package: `Client.inspect`, responses and errors make them. `handle` is owned."""
        if not isinstance(handle, native.OwnedOutgoingHandle):
            kind = type(handle).__name__
            raise TypeError(f"OutgoingRequest is not made of {kind}: use Client.inspect")
        self._handle = handle
        self._headers: Headers | None = None

    @property
    def method(self) -> str:
        """The method."""
        return native.borrowed(native.lib.restway_outgoing_method(self._handle)) or ""

    @property
    def url(self) -> str:
        """The absolute URL."""
        return native.borrowed(native.lib.restway_outgoing_url(self._handle)) or ""

    @property
    def route(self) -> str | None:
        """The name of the route by which the request was made; methods and path of a route without
        a name (`GET enterprises/:itemID`). None for a request to a path.
        """
        return native.borrowed(native.lib.restway_outgoing_route(self._handle))

    @property
    def headers(self) -> Headers:
        """The headers, except those that the transport adds: `Host`, `Content-Length`, `Cookie`."""
        if self._headers is None:
            handle, lib = self._handle, native.lib
            self._headers = Headers(
                (
                    native.borrowed(lib.restway_outgoing_header_name(handle, index)) or "",
                    native.borrowed(lib.restway_outgoing_header_value(handle, index)) or "",
                )
                for index in range(lib.restway_outgoing_header_count(handle))
            )
        return self._headers

    @property
    def body(self) -> bytes | None:
        """The bytes of the body. None for a request without a body, and for a body that is read
        while it is sent.
        """
        length = native.number()
        start = native.lib.restway_outgoing_body(self._handle, native.ref(length))
        return native.read(start, length.value) if start else None

    def __str__(self) -> str:
        return native.borrowed(native.lib.restway_outgoing_text(self._handle)) or ""

    def __repr__(self) -> str:
        return f"<OutgoingRequest {str(self).partition(chr(10))[0]}>"

    def __reduce__(self) -> str:
        raise TypeError("an OutgoingRequest can be neither copied nor pickled")


def request_of(handle: native.OutgoingHandle) -> OutgoingRequest | None:
    """For this package: returns the request of a handle that the caller owns; None for NULL."""
    return OutgoingRequest(native.own(handle)) if handle else None


def status_class(http_status: int) -> StatusClass:
    """Returns the class of an HTTP status.

        if restway.status_class(error.http_status) is restway.StatusClass.SERVER_ERROR:
            try_later()

    Raises OverflowError for a number of more than 32 bits.
    """
    if not isinstance(http_status, int):
        raise TypeError(f"a status is an int, not {type(http_status).__name__}")
    if not -(2**31) <= http_status < 2**31:
        raise OverflowError(f"a status has 32 bits, which {http_status} exceeds")
    return StatusClass(native.lib.restway_http_class_of(http_status))


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
