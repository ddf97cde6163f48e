"""Requests as they go out."""

from __future__ import annotations

from .. import _ffi as native
from .._base.headers import Headers


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
