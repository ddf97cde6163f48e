"""The default headers, the cookies and the rates of a client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, Protocol

from . import _ffi as native
from ._base.headers import Headers
from ._base.hints import require_mapping
from ._base.lazy import json
from ._enums import CookieFlag
from ._handles import check, make, name, optional_name, written_text

if TYPE_CHECKING:
    from ._config import Cookie, Network, Proxy, Rate, TLSChoice


def network_options(
    tls: TLSChoice | None, proxy: Proxy | str | None, network: Network | None
) -> Any:
    """For this package: returns a pointer to the settings for the library; None for defaults."""
    if tls is None and proxy is None and network is None:
        return None
    from ._config import options_of

    return options_of(tls, proxy, network)


class Cookies:
    """The cookies of a client: the cookies that servers have set, and the cookies that the program
    has set.

        for cookie in client.cookies.list("https://api.example.com"):
            print(cookie.name)
    """

    __slots__ = ("_client",)

    def __init__(self, client: _Client) -> None:
        """Use `client.cookies`."""
        self._client = client

    def __repr__(self) -> str:
        names = [cookie.name for cookie in self.list()]
        return f"<Cookies {', '.join(names) or 'none'}>"  # values may be secrets

    def list(self, url: str | None = None) -> list[Cookie]:
        """Returns the cookies that a request to `url` would send. Without a URL, the result has all
        cookies of the client.

        Raises InvalidURLError; UsageError if the client keeps no cookies; ClosedError.

            names = [cookie.name for cookie in client.cookies.list()]
        """
        listed = make(
            native.CookiesHandle,
            native.lib.restway_client_cookies,
            self._client._handle,
            optional_name(url),
        )
        return [_cookie(listed, index) for index in range(native.lib.restway_cookies_count(listed))]

    def set(
        self,
        name: str,
        value: str,
        *,
        url: str | None = None,
        domain: str | None = None,
        path: str = "/",
        expires: int | None = None,
        subdomains: bool = False,
        secure: bool = False,
        http_only: bool = False,
    ) -> None:
        """Sets a cookie. It replaces the cookie with the same name, domain and path.

        Args:
            name: The name.
            value: The value. It has at most 4,096 bytes together with the name.
            url: An absolute URL, whose host is the domain; None takes the client's base URL.
            domain: The host to which the cookie is sent, in place of the host of `url`.
            path: The path to which the cookie is sent. It is also sent to all paths below it. A
                path that ends with a slash is not the path without this slash.
            expires: The time at which the cookie expires, in seconds since 1970; None for a cookie
                that does not expire.
            subdomains: Whether the cookie is also sent to subdomains.
            secure: Whether the cookie is sent only to https servers.
            http_only: Whether scripts in browsers do not see the cookie.

        Raises InvalidURLError; UsageError if the cookie cannot be sent or is too long, or if the
        client keeps no cookies; ClosedError.

            client.cookies.set("session", token, secure=True)
        """
        cookie = native.Cookie()
        check(native.lib.restway_cookie_init, native.ref(cookie), native.size_of(cookie))
        cookie.name = optional_name(name)
        cookie.value = _secret(value)
        cookie.domain = optional_name(domain)
        cookie.path = optional_name(path)
        cookie.expires = 0 if expires is None else expires
        if subdomains:
            cookie.flags |= CookieFlag.SUBDOMAINS
        if secure:
            cookie.flags |= CookieFlag.SECURE
        if http_only:
            cookie.flags |= CookieFlag.HTTP_ONLY
        check(
            native.lib.restway_client_set_cookie,
            self._client._handle,
            optional_name(url),
            native.ref(cookie),
        )

    def clear(self, url: str | None = None, name: str | None = None) -> int:
        """Clears the cookies that match both `url` and `name`. Returns the number of cookies that
        were cleared.

        Args:
            url: Matches the cookies that a request to this URL would send; None matches the cookies
                of all hosts.
            name: The name of the cookies; None matches cookies of any name.

        Raises InvalidURLError; UsageError if the client keeps no cookies; ClosedError.

            client.cookies.clear(name="session")
        """
        count = native.number()
        check(
            native.lib.restway_client_clear_cookies,
            self._client._handle,
            optional_name(url),
            optional_name(name),
            native.ref(count),
        )
        return int(count.value)


def _secret(value: str) -> bytes:
    # The error must not quote the value.
    if "\0" in value:
        raise ValueError("a NUL character in the value of a cookie")
    return value.encode()


def _cookie(listed: native.CookiesHandle, index: int) -> Cookie:
    from ._config import Cookie

    cookie = native.Cookie()
    check(native.lib.restway_cookie_init, native.ref(cookie), native.size_of(cookie))
    check(native.lib.restway_cookies_read, listed, index, native.ref(cookie))
    return Cookie(
        name=cookie.name.decode(),
        value=cookie.value.decode(),
        domain=cookie.domain.decode(),
        path=cookie.path.decode(),
        expires=cookie.expires or None,
        subdomains=bool(cookie.flags & CookieFlag.SUBDOMAINS),
        secure=bool(cookie.flags & CookieFlag.SECURE),
        http_only=bool(cookie.flags & CookieFlag.HTTP_ONLY),
    )


class _Client(Protocol):
    @property
    def _handle(self) -> native.ClientHandle: ...


class DefaultHeaders(MutableMapping[str, str]):
    """The default headers of a client; the case of names does not matter.

        client.headers["X-Tenant"] = "a"
        del client.headers["X-Tenant"]

    Setting and deleting raise UsageError for a wrong name or value, and ClosedError.
    """

    __slots__ = ("_client",)

    def __init__(self, client: _Client) -> None:
        """Use `client.headers`."""
        self._client = client

    def _read(self) -> Headers:
        text = written_text(native.lib.restway_client_headers, self._client._handle)
        found: dict[str, str] = json.loads(text)
        return Headers(found.items())

    def __getitem__(self, key: str) -> str:
        return self._read()[key]

    def __setitem__(self, key: str, value: str) -> None:
        function = native.lib.restway_client_set_header
        text = name(value, f"the value of {key}")
        check(function, self._client._handle, name(key), text)

    def __delitem__(self, key: str) -> None:
        if key not in self._read():
            raise KeyError(key)
        check(native.lib.restway_client_set_header, self._client._handle, name(key), None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return f"<DefaultHeaders {', '.join(self) or 'none'}>"  # values may be secrets


class ClientNetwork:
    """The functions of a client about headers, cookies and rates."""

    __slots__ = ()

    @property
    def headers(self: _Client) -> DefaultHeaders:
        """The default headers, which requests take when they start. They go where the headers of
        the environment go; a header of the route or the request replaces one of the same name.
        Assigning a mapping replaces all of them.
        """
        return DefaultHeaders(self)

    @headers.setter
    def headers(self: _Client, headers: Mapping[str, str]) -> None:
        """Replaces all default headers."""
        require_mapping(headers, "headers")
        present, replacing = DefaultHeaders(self), dict(headers)
        present.clear()
        present.update(replacing)

    @property
    def cookies(self: _Client) -> Cookies:
        """The cookies of the client.

            client.cookies.set("flavour", "vanilla")
        """
        return Cookies(self)

    def set_rate(self: _Client, policy: Mapping[str, Any] | None) -> None:
        """Sets the rate policy, in place of the document's `rate`; with None no request waits.

        Args:
            policy: A policy as under `rate` in a document.

        Requests that wait go as the new policy says. Raises ConfigError with every problem;
        ClosedError.

            client.set_rate({"requests": 10, "perMilliseconds": 1000, "concurrency": 4})
        """
        text = b"" if policy is None else json.dumps(dict(policy)).encode()
        check(native.lib.restway_client_set_rate, self._handle, text if text else None, len(text))

    def rate(self: _Client, url: str | None = None) -> Rate:
        """Returns the rate of the origin of `url`, an absolute URL; None takes the base URL.

        Raises InvalidURLError.

            if client.rate().remaining == 0:
                print(f"the next request goes in {client.rate().reset} s")
        """
        from ._config import Rate

        read = native.Rate()
        check(native.lib.restway_rate_init, native.ref(read), native.size_of(read))
        check(native.lib.restway_client_rate, self._handle, optional_name(url), native.ref(read))
        return Rate(
            limit=_known(read.limit),
            remaining=_known(read.remaining),
            reset=None if read.reset_milliseconds < 0 else read.reset_milliseconds / 1000,
            under_way=read.under_way,
            waiting=read.waiting,
        )


def _known(number: int) -> int | None:
    return None if number < 0 else number
