"""Settings of clients and requests (connections, time limits, credentials), and what a client knows
of cookies and rates.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Union

from . import _ffi as native
from ._enums import HttpVersion, IpVersion, Phase, TlsFlag, TlsVersion
from ._handles import check, milliseconds, name, optional_name

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


def options_of(
    tls: TLSChoice | None, proxy: Proxy | str | None, network: Network | None
) -> Any:
    """For this package: returns a pointer to the settings for the library."""
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
class Timeouts:
    """The time limits of a request in seconds. None takes the limit of the route or the client;
    `math.inf` sets no limit.

        client.get("reports", timeout=restway.Timeouts(total=60, first_byte=5))
    """

    total: float | None = None
    """The time of the whole exchange, including redirects."""

    connect: float | None = None
    """The time until a connection is ready."""

    first_byte: float | None = None
    """The time from the last byte of the request to the first byte of the answer."""

    idle: float | None = None
    """The time in which no byte is sent or received, in whole seconds."""

    too_slow: float | None = None
    """The age at which observers of calls learn that the call is too slow; the call goes on."""


def set_timeouts(handle: native.RequestHandle, given: Timeouts) -> None:
    """For this package: sets the time limits of a request."""
    if not isinstance(given, Timeouts):
        raise TypeError(
            f"a time limit is a number of seconds or Timeouts, not {type(given).__name__}"
        )
    lib = native.lib
    total = milliseconds(given.total, unbounded=-1)
    check(lib.restway_request_set_timeout, handle, total)
    for phase, limit in (
        (Phase.CONNECT, given.connect),
        (Phase.FIRST_BYTE, given.first_byte),
        (Phase.IDLE, given.idle),
    ):
        if limit is not None:
            check(
                lib.restway_request_set_phase_timeout,
                handle,
                phase,
                milliseconds(limit, unbounded=-1),
            )
    if given.too_slow is not None:
        age = milliseconds(given.too_slow, unbounded=-1)
        check(lib.restway_request_set_too_slow, handle, age)


@dataclass
class Credential:
    """A credential. The scheme of the document's `auth` decides which fields are used. A field that
    is None has no value. In the result of a refresh, None keeps the present value.

        client.set_credential(restway.Credential(user="ada", password="secret"))

    Its repr contains no secret.
    """

    user: str | None = None
    """The user's name; with OAuth 2 the client identifier."""
    password: str | None = None
    """The password; with OAuth 2 the client secret."""
    token: str | None = None
    """The bearer token, the access token or the API key."""
    refresh_token: str | None = None
    """The OAuth 2 refresh token."""
    expires_in: float | None = None
    """How many seconds the token is valid, from now on; the client refreshes it before it expires.
    """

    def __repr__(self) -> str:
        shown = [f"user={self.user!r}"] if self.user is not None else []
        for secret in ("password", "token", "refresh_token"):
            if getattr(self, secret) is not None:
                shown.append(f"{secret}=...")
        return f"Credential({', '.join(shown)})"


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
