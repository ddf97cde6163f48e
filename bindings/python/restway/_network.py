"""How a client connects: TLS, proxies, sockets, names, versions of HTTP; headers, cookies, and
rates."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, Union

from . import _ffi as native
from ._boundary import check, make, milliseconds, name, optional_name, written_text
from ._ffi.enums import CookieFlag, HttpVersion, IpVersion, TlsFlag, TlsVersion
from ._inspect import Headers

Path = Union[str, "os.PathLike[str]"]
"""The path of a file: a str or a `pathlib.Path`."""

_TLS_VERSIONS = {"1.2": TlsVersion.VERSION_1_2, "1.3": TlsVersion.VERSION_1_3}
_HTTP_VERSIONS = {
    None: HttpVersion.AUTOMATIC,
    "1.1": HttpVersion.VERSION_1_1,
    "2": HttpVersion.VERSION_2,
    "3": HttpVersion.VERSION_3,
}
_IP_VERSIONS = {None: IpVersion.ANY, 4: IpVersion.VERSION_4, 6: IpVersion.VERSION_6}


@dataclass(frozen=True)
class TLS:
    """The TLS settings of an origin, or of all origins.

        tls = restway.TLS(ca_file="authority.pem", certificate_file="me.p12", password=secret)
        client = restway.Client(api, tls=tls)

    The files are checked when the client is made, and read again for each new connection.
    """

    ca_file: Path | None = None
    """A PEM file with the certificates of trusted authorities, in place of the system's."""

    ca_folder: Path | None = None
    """A folder of such certificates that was prepared by `openssl rehash`."""

    certificate_file: Path | None = None
    """The client's certificate: PEM, or PKCS#12, which holds the key, too."""

    key_file: Path | None = None
    """The PEM file of the private key, unless `certificate_file` holds the key."""

    password: str | None = field(default=None, repr=False)
    """The password of the key or of the PKCS#12 file."""

    pinned_public_key: str | None = None
    """The public keys of which the server must have one: "sha256//" and the base64 text of the
    key's SHA-256; several are joined by ";".
    """

    minimum_version: Literal["1.2", "1.3"] = "1.2"
    """The oldest version of TLS that is accepted."""

    insecure_no_verification: bool = False
    """Whether the certificate of the server is not checked, so that anyone on the network path can
    read and change everything. The client writes a warning into the log.
    """

    def _options(self, origin: str | None) -> Any:
        """For this package: returns the settings for the library."""
        if self.minimum_version not in _TLS_VERSIONS:
            raise ValueError(f"no version of TLS: {self.minimum_version!r}")
        options = native.TlsOptions()
        check(
            native.lib.restway_tls_options_init, native.ref(options), native.size_of(options)
        )
        options.origin = optional_name(origin)
        options.ca_file = _path(self.ca_file)
        options.ca_folder = _path(self.ca_folder)
        options.certificate_file = _path(self.certificate_file)
        options.key_file = _path(self.key_file)
        options.password = optional_name(self.password)
        options.pinned_public_key = optional_name(self.pinned_public_key)
        options.minimum_version = _TLS_VERSIONS[self.minimum_version]
        if self.insecure_no_verification:
            options.flags = TlsFlag.INSECURE_NO_VERIFICATION
        return options


@dataclass(frozen=True)
class Proxy:
    """A proxy for all requests of a client.

        client = restway.Client(api, proxy=restway.Proxy("socks5h://127.0.0.1:1080"))
    """

    url: str
    """http, https, socks5 (names are looked up here) or socks5h (the proxy looks them up), with a
    host and a port, without credentials.
    """

    user: str | None = None
    """The user name for the proxy."""

    password: str | None = field(default=None, repr=False)
    """The password for the proxy."""

    exceptions: Sequence[str] = ()
    """Hosts that are reached without the proxy. A name includes its subdomains."""


@dataclass(frozen=True)
class Network:
    """Where a client connects to, and with which version of HTTP.

        client = restway.Client(api, network=restway.Network(unix_socket="/run/api.sock"))
    """

    unix_socket: Path | None = None
    """A Unix-domain socket, to which all connections go; "@name" for an abstract socket."""

    local_interface: str | None = None
    """The network interface ("eth1"), or the address of this machine, from which connections are
    made.
    """

    addresses: Sequence[str] = ()
    """Addresses in place of name lookups, each "host:port:address[,address]..."."""

    doh_url: str | None = None
    """The https URL of a server that looks up names (DNS over HTTPS)."""

    happy_eyeballs: float | None = None
    """How long, in seconds, a connection over IPv6 is awaited before IPv4 is tried, too (default
    0.2).
    """

    ip_version: Literal[4, 6] | None = None
    """4 or 6 connects to addresses of this version alone."""

    http_version: Literal["1.1", "2", "3"] | None = None
    """The version that is asked for: "1.1" alone, "2" also without TLS, or "3" if libcurl has it.
    None takes HTTP/2 over TLS if the server has it, else HTTP/1.1.
    """

    cookie_file: Path | None = None
    """The file in which the client keeps cookies, in the format of curl and browsers; None keeps
    cookies in memory.
    """

    hsts_file: Path | None = None
    """The file in which the client remembers the hosts that may be reached only over TLS (HSTS).
    Requests to http URLs of these hosts go to https. None remembers no hosts.
    """


TLSChoice = Union[TLS, Mapping[Union[str, None], TLS]]
"""The settings of all origins; or the settings by origin, where None is for all other origins."""


def network_options(
    tls: TLSChoice | None, proxy: Proxy | str | None, network: Network | None
) -> Any:
    """For this package: returns a pointer to the settings for the library; None for defaults."""
    if tls is None and proxy is None and network is None:
        return None
    options = native.NetworkOptions()
    check(native.lib.restway_network_options_init, native.ref(options), native.size_of(options))
    by_origin = {None: tls} if isinstance(tls, TLS) else dict(tls or {})
    settings = [each._options(origin) for origin, each in by_origin.items()]
    if settings:
        options.tls = native.struct_array(native.TlsOptions, settings)
        options.tls_count = len(settings)
    if isinstance(proxy, Proxy):
        options.proxy = name(proxy.url)
        options.proxy_user = optional_name(proxy.user)
        options.proxy_password = optional_name(proxy.password)
        if proxy.exceptions:
            options.proxy_exceptions = name(",".join(proxy.exceptions))
    else:
        options.proxy = optional_name(proxy)
    _set_places(options, network or Network())
    return native.struct_at(options)


def _set_places(options: Any, network: Network) -> None:
    if network.ip_version not in _IP_VERSIONS:
        raise ValueError(f"no version of IP: {network.ip_version!r}")
    if network.http_version not in _HTTP_VERSIONS:
        raise ValueError(f"no version of HTTP: {network.http_version!r}")
    options.unix_socket = _path(network.unix_socket)
    options.local_interface = optional_name(network.local_interface)
    if network.addresses:
        options.addresses = native.text_array([name(each) for each in network.addresses])
        options.address_count = len(network.addresses)
    options.doh_url = optional_name(network.doh_url)
    options.happy_eyeballs_milliseconds = milliseconds(network.happy_eyeballs, unbounded=-1)
    options.ip_version = _IP_VERSIONS[network.ip_version]
    options.http_version = _HTTP_VERSIONS[network.http_version]
    options.cookie_file = _path(network.cookie_file)
    options.hsts_file = _path(network.hsts_file)


def _path(path: Path | None) -> bytes | None:
    return None if path is None else name(os.fspath(path))


@dataclass(frozen=True)
class Cookie:
    """A cookie that a client keeps."""

    name: str
    """The name."""
    value: str = field(repr=False)
    """The value, which may be empty."""
    domain: str
    """The host to which the cookie is sent."""
    path: str
    """The path to which the cookie is sent. It is also sent to all paths below this path."""
    expires: int | None
    """The time at which the cookie expires, in seconds since 1970; None for a cookie that does not
    expire.
    """
    subdomains: bool
    """Whether the cookie is also sent to subdomains."""
    secure: bool
    """Whether the cookie is sent only to https servers."""
    http_only: bool
    """Whether scripts in browsers do not see the cookie."""


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
        return f"<Cookies {', '.join(names)}>"  # it shows names only, because values may be secrets

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
            value: The value.
            url: An absolute URL, whose host is the domain; None takes the client's base URL.
            domain: The host to which the cookie is sent, in place of the host of `url`.
            path: The path to which the cookie is sent. It is also sent to all paths below it.
            expires: The time at which the cookie expires, in seconds since 1970; None for a cookie
                that does not expire.
            subdomains: Whether the cookie is also sent to subdomains.
            secure: Whether the cookie is sent only to https servers.
            http_only: Whether scripts in browsers do not see the cookie.

        Raises InvalidURLError; UsageError if the cookie cannot be sent, or if the client keeps no
        cookies; ClosedError.

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


@dataclass(frozen=True)
class Rate:
    """The rate of one origin, as a client knows it."""

    limit: int | None
    """How many requests the server allows in a period, as its last answer says; None if it is not
    known.
    """
    remaining: int | None
    """How many requests are left until the reset; None if it is not known. Requests that are under
    way count as used.
    """
    reset: float | None
    """The time in seconds until the server allows the full number again; None if it is not known.
    """
    under_way: int
    """How many requests of the client are under way."""
    waiting: int
    """How many requests of the client wait."""


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
        check(function, self._client._handle, name(key), name(value))

    def __delitem__(self, key: str) -> None:
        if key not in self._read():
            raise KeyError(key)
        check(native.lib.restway_client_set_header, self._client._handle, name(key), None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return f"<DefaultHeaders {', '.join(self)}>"  # values may be secrets


class ClientNetwork:
    """The functions of a client about headers, cookies and rates."""

    __slots__ = ()

    @property
    def headers(self: _Client) -> DefaultHeaders:
        """The default headers, which requests take when they start. They go where the headers of
        the environment go; a header of the route or the request replaces one of the same name.
        """
        return DefaultHeaders(self)

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
