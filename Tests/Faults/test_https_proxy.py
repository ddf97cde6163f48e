"""A proxy that is reached with TLS: stunnel in front of tinyproxy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import restway
from certificates import Authority
from conftest import MakeClient
from fault import PATIENCE_SECONDS, TIMEOUT_SECONDS
from health import check_health
from network_peers import PASSWORD, USER, Servers, https_proxy
from restway import TLS, Proxy, Request

BODY_BYTES = 300_000


@pytest.fixture(scope="module")
def stunnel(
    tmp_path_factory: pytest.TempPathFactory, authority: Authority, tinyproxy: str
) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("stunnel")
    with https_proxy(folder, authority.loopback, tinyproxy) as url:
        yield url


@pytest.fixture
def proxy(stunnel: str) -> Proxy:
    return Proxy(stunnel, USER, PASSWORD)


def test_the_proxy_forwards_requests(
    nginx: Servers, proxy: Proxy, tls: TLS, make_client: MakeClient
) -> None:
    client = make_client(nginx.plain_url, timeout=PATIENCE_SECONDS, proxy=proxy, tls=tls)
    with client.get("good") as response:
        assert "tinyproxy" in response.headers["Via"]
    check_health(client)
    # tinyproxy ends each connection without a notice, so a body needs a new connection.
    client = make_client(nginx.plain_url, timeout=PATIENCE_SECONDS, proxy=proxy, tls=tls)
    with client.post("good", body=bytes(BODY_BYTES)) as response:
        assert response.status == 200


def test_the_proxy_connects_to_a_server_with_tls(
    nginx: Servers, proxy: Proxy, tls: TLS, make_client: MakeClient, tmp_path: Path
) -> None:
    client = make_client(nginx.secure_url, timeout=PATIENCE_SECONDS, proxy=proxy, tls=tls)
    with client.get("good") as response:
        assert response.headers["X-Client"] == "CN=client"
        assert response.headers["X-Protocol"] == "HTTP/1.1"
        assert "Via" not in response.headers
        body = response.body
    target = tmp_path / "file"
    client.get("good", save_to=target).close()
    assert target.read_bytes() == body
    with client.stream(Request.path("GET", "good")) as streamed:
        assert streamed.read() == body
    for _ in range(3):
        check_health(client)


def test_a_proxy_that_is_not_trusted_gets_no_password(
    nginx: Servers, proxy: Proxy, make_client: MakeClient
) -> None:
    client = make_client(nginx.plain_url, timeout=PATIENCE_SECONDS, proxy=proxy)
    with pytest.raises(restway.TLSError) as caught:
        client.get("good")
    assert PASSWORD not in str(caught.value)


def test_a_proxy_that_refuses_the_password_is_named(
    nginx: Servers, stunnel: str, tls: TLS, make_client: MakeClient
) -> None:
    for proxy in (Proxy(stunnel, USER, PASSWORD + "?"), Proxy(stunnel)):
        client = make_client(nginx.plain_url, timeout=PATIENCE_SECONDS, proxy=proxy, tls=tls)
        with pytest.raises(restway.HTTPStatusError) as refused:
            client.get("good")
        assert refused.value.http_status in (401, 407)
        client = make_client(nginx.secure_url, timeout=PATIENCE_SECONDS, proxy=proxy, tls=tls)
        with pytest.raises(restway.ConnectError, match="the proxy refused to connect") as caught:
            client.get("good")
        assert PASSWORD not in str(caught.value)


def test_a_proxy_that_does_not_speak_tls_is_an_error(
    nginx: Servers, tinyproxy: str, tls: TLS, make_client: MakeClient
) -> None:
    proxy = Proxy(tinyproxy.replace("http:", "https:"), USER, PASSWORD)
    client = make_client(nginx.plain_url, timeout=TIMEOUT_SECONDS, proxy=proxy, tls=tls)
    with pytest.raises(restway.TransportError) as caught:
        client.get("good")
    assert PASSWORD not in str(caught.value)
