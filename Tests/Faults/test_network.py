"""Proxies, Unix-domain sockets, names and versions of HTTP, with packaged servers."""

from __future__ import annotations

import http.server
import os
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import restway
from certificates import Authority
from conftest import MakeClient
from fault import PATIENCE_SECONDS
from health import check_health
from network_peers import (
    PASSWORD,
    USER,
    Servers,
    await_end_of_connections,
    name_server,
    socks_proxy,
)
from peer_process import listener, port_of
from restway import TLS, Network, Proxy, Request

REQUESTS = 60


@pytest.fixture(scope="module")
def microsocks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socks_proxy(tmp_path_factory.mktemp("socks"), USER, PASSWORD) as place:
        yield place


@pytest.fixture
def dead_end() -> str:
    """The URL of a proxy that does not exist."""
    with listener() as listening:
        return f"http://127.0.0.1:{port_of(listening)}"


def fails(client: restway.Client, error: type[restway.RestwayError], path: str) -> str:
    """Checks that a request fails once, without the password; returns the message."""
    with pytest.raises(error) as caught:
        client.get(path)
    assert PASSWORD not in str(caught.value)
    return str(caught.value)


# Proxies


def test_a_proxy_forwards_requests(
    nginx: Servers, tinyproxy: str, make_client: MakeClient
) -> None:
    proxy = Proxy(tinyproxy, USER, PASSWORD)
    assert PASSWORD not in repr(proxy)
    client = make_client(nginx.plain_url, timeout=PATIENCE_SECONDS, proxy=proxy)
    with client.get("good") as response:
        assert "tinyproxy" in response.headers["Via"]
    check_health(client)
    # This proxy ends each connection a moment after its answer, which does not say so. A POST that
    # is sent later does not go out on such a connection.
    await_end_of_connections(tinyproxy)
    with client.post("good", body=bytes(300_000)) as response:
        assert response.status == 200


def test_a_proxy_connects_to_a_server_with_tls(
    nginx: Servers, tinyproxy: str, tls: TLS, make_client: MakeClient
) -> None:
    proxy = Proxy(tinyproxy, USER, PASSWORD)
    client = make_client(nginx.secure_url, timeout=PATIENCE_SECONDS, proxy=proxy, tls=tls)
    with client.get("good") as response:
        assert response.headers["X-Client"] == "CN=client"
        assert response.headers["X-Protocol"] == "HTTP/2.0"
        assert "Via" not in response.headers
    check_health(client)


def test_a_proxy_that_refuses_the_password_is_named(
    nginx: Servers, tinyproxy: str, tls: TLS, make_client: MakeClient
) -> None:
    for proxy in (Proxy(tinyproxy, USER, PASSWORD + "?"), Proxy(tinyproxy)):
        client = make_client(nginx.plain_url, timeout=PATIENCE_SECONDS, proxy=proxy)
        with pytest.raises(restway.HTTPStatusError) as caught:
            client.get("good")
        assert caught.value.http_status in (401, 407)
        client = make_client(nginx.secure_url, timeout=PATIENCE_SECONDS, proxy=proxy, tls=tls)
        message = fails(client, restway.ConnectError, "good")
        assert "the proxy refused to connect, with status 4" in message


def test_a_proxy_that_is_not_there_is_an_error(
    nginx: Servers, dead_end: str, make_client: MakeClient
) -> None:
    client = make_client(nginx.plain_url, proxy=Proxy(dead_end, USER, PASSWORD))
    fails(client, restway.ConnectError, "good")


def test_hosts_may_be_reached_without_the_proxy(
    nginx: Servers, dead_end: str, make_client: MakeClient
) -> None:
    proxy = Proxy(dead_end, exceptions=["example.com", "127.0.0.1"])
    check_health(make_client(nginx.plain_url, timeout=PATIENCE_SECONDS, proxy=proxy))


def test_settings_of_the_client_win_over_the_environment(
    nginx: Servers,
    tinyproxy: str,
    dead_end: str,
    make_client: MakeClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("http_proxy", dead_end)
    fails(make_client(nginx.plain_url), restway.ConnectError, "good")
    check_health(make_client(nginx.plain_url, timeout=PATIENCE_SECONDS, proxy=""))
    monkeypatch.setenv("no_proxy", "*")
    proxy = Proxy(tinyproxy, USER, PASSWORD)
    client = make_client(nginx.plain_url, timeout=PATIENCE_SECONDS, proxy=proxy)
    with client.get("good") as response:
        assert "Via" in response.headers


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
@pytest.mark.parametrize("secure", [False, True])
def test_a_socks_proxy_carries_connections(
    scheme: str, secure: bool, nginx: Servers, microsocks: str, tls: TLS, make_client: MakeClient
) -> None:
    proxy = Proxy(f"{scheme}://{microsocks}", USER, PASSWORD)
    url = nginx.secure_url if secure else nginx.plain_url
    check_health(make_client(url, timeout=PATIENCE_SECONDS, proxy=proxy, tls=tls))


def test_a_socks_proxy_that_refuses_the_password_is_an_error(
    nginx: Servers, microsocks: str, make_client: MakeClient
) -> None:
    for proxy in (
        Proxy(f"socks5://{microsocks}", USER, PASSWORD + "?"),
        Proxy(f"socks5://{microsocks}"),
    ):
        client = make_client(nginx.plain_url, timeout=PATIENCE_SECONDS, proxy=proxy)
        fails(client, restway.ConnectError, "good")


def test_the_credentials_of_a_proxy_are_no_part_of_its_url(make_client: MakeClient) -> None:
    with pytest.raises(restway.ConfigError) as caught:
        make_client("http://127.0.0.1", proxy=f"http://{USER}:{PASSWORD}@127.0.0.1:3128")
    assert PASSWORD not in str(caught.value)


def test_the_document_names_a_proxy(nginx: Servers, dead_end: str) -> None:
    environment = {"baseURL": nginx.plain_url, "proxy": dead_end}
    api = restway.API.from_json({"restway": 1, "environments": {"there": environment}})
    with restway.Client(api) as client:
        fails(client, restway.ConnectError, "good")
    with restway.Client(api, proxy="") as client:
        check_health_without_routes(client)


def test_a_base_url_of_the_program_keeps_the_tls_settings_of_the_environment(
    nginx: Servers, authority: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    who = authority.client
    tls = {
        "caFile": str(authority.ca_file),
        "certificateFile": str(who.certificate),
        "keyFile": str(who.key),
    }

    def subject(base_url: str, of: str, **more: object) -> tuple[str | None, list[str]]:
        """Returns the subject of the certificate that the server sees, and the warnings."""
        environment = {"baseURL": of, "tls": tls, "headers": {"X-Secret": "s"}, **more}
        api = restway.API.from_json({"restway": 1, "environments": {"there": environment}})
        caplog.clear()
        shown = None
        with restway.Client(api, base_url=base_url, timeout=PATIENCE_SECONDS) as client:
            try:
                shown = client.get("good").headers["X-Client"]
            except restway.BadRequestError as error:
                assert "No required SSL certificate was sent" in str(error)
        restway.flush_log()
        warnings = [each for each in caplog.records if each.levelname == "WARNING"]
        return shown, [each.getMessage() for each in warnings]

    secure = nginx.secure_url
    assert subject(secure, of=secure) == ("CN=client", [])
    # The authority stays, the certificate goes to the origins of the document alone.
    shown, (note,) = subject(secure, of="https://api.example")
    assert shown is None
    assert "certificate" in note and "X-Secret" in note
    assert subject(secure, of="https://api.example", trustedOrigins=[secure]) == ("CN=client", [])


def check_health_without_routes(client: restway.Client) -> None:
    for _ in range(3):
        with client.get("good") as response:
            assert response.status == 200


# Sockets


def test_a_unix_socket_carries_all_connections(nginx: Servers, make_client: MakeClient) -> None:
    network = Network(unix_socket=nginx.unix_socket)
    client = make_client("http://api.example", timeout=PATIENCE_SECONDS, network=network)
    with client.get("good") as response:
        assert response.headers["X-Peer"] == "unix:"
    check_health(client)


def test_an_abstract_socket_carries_connections(make_client: MakeClient) -> None:
    name = f"restway-test-{os.getpid()}"

    class Server(socketserver.ThreadingUnixStreamServer):
        daemon_threads = True

    with Server("\0" + name, Answering) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        network = Network(unix_socket=f"@{name}")
        client = make_client("http://api.example", timeout=PATIENCE_SECONDS, network=network)
        with client.get("good") as response:
            assert response.body == b"{}"
        client.close()
        server.shutdown()
        thread.join()


class Answering(http.server.BaseHTTPRequestHandler):
    """Answers every request with an empty object."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def address_string(self) -> str:
        return "unix"

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_a_unix_socket_that_is_not_there_is_an_error(
    tmp_path: Path, make_client: MakeClient
) -> None:
    network = Network(unix_socket=tmp_path / "none.sock")
    fails(make_client("http://api.example", network=network), restway.ConnectError, "good")


def test_connections_are_made_from_an_address(nginx: Servers, make_client: MakeClient) -> None:
    network = Network(local_interface="127.0.0.2")
    client = make_client(nginx.plain_url, timeout=PATIENCE_SECONDS, network=network)
    with client.get("good") as response:
        assert response.headers["X-Peer"] == "127.0.0.2"
    client = make_client(nginx.plain_url, network=Network(local_interface="none77"))
    fails(client, restway.ConnectError, "good")


# Names


def test_an_address_replaces_the_lookup_of_a_name(
    nginx: Servers, make_client: MakeClient
) -> None:
    port = nginx.plain_url.rpartition(":")[2]
    network = Network(addresses=[f"api.example:{port}:127.0.0.1"], happy_eyeballs=0.1)
    url = f"http://api.example:{port}"
    check_health(make_client(url, timeout=PATIENCE_SECONDS, network=network))


def test_addresses_of_another_version_are_not_used(
    nginx: Servers, make_client: MakeClient
) -> None:
    port = nginx.plain_url.rpartition(":")[2]
    addresses = [f"api.example:{port}:[::1],127.0.0.1"]
    url = f"http://api.example:{port}"
    only_4 = Network(addresses=addresses, ip_version=4)
    check_health(make_client(url, timeout=PATIENCE_SECONDS, network=only_4))
    only_6 = Network(addresses=[f"api.example:{port}:127.0.0.1"], ip_version=6)
    with pytest.raises(restway.TransportError):
        make_client(url, timeout=PATIENCE_SECONDS, network=only_6).get("good")


def test_names_are_looked_up_over_https(
    nginx: Servers, authority: Authority, make_client: MakeClient
) -> None:
    port = nginx.plain_url.rpartition(":")[2]
    with name_server(authority.loopback) as doh_url:
        client = make_client(
            f"http://api.example:{port}",
            timeout=PATIENCE_SECONDS,
            tls=TLS(ca_file=authority.ca_file),
            network=Network(doh_url=doh_url),
        )
        check_health(client)
        client.close()


# Versions of HTTP


def connections_of(client: restway.Client) -> set[str]:
    """Sends requests at the same time; returns the numbers of their connections."""
    calls = [client.send(Request.path("GET", "good", params={"n": n})) for n in range(REQUESTS)]
    numbers = set()
    for call in calls:
        with call.wait() as response:
            assert response.headers["X-Protocol"] == "HTTP/2.0"
            assert response.http_version == "2"
            numbers.add(response.headers["X-Connection"])
    return numbers


def test_requests_share_one_connection_of_http2(
    nginx: Servers, tls: TLS, make_client: MakeClient
) -> None:
    client = make_client(nginx.secure_url, timeout=PATIENCE_SECONDS, tls=tls)
    assert len(connections_of(client)) == 1


def test_http2_without_tls_is_used_if_the_program_says_so(
    nginx: Servers, make_client: MakeClient
) -> None:
    network = Network(http_version="2")
    client = make_client(nginx.http2_url, timeout=PATIENCE_SECONDS, network=network)
    for _ in range(3):
        connections_of(client)
    check_health(client)


def test_http2_is_found_over_tls_also_if_it_is_known_beforehand(
    nginx: Servers, tls: TLS, make_client: MakeClient
) -> None:
    network = Network(http_version="2")
    client = make_client(nginx.secure_url, timeout=PATIENCE_SECONDS, tls=tls, network=network)
    assert len(connections_of(client)) == 1


def test_a_server_without_http2_is_an_error_if_it_is_asked_for(
    nginx: Servers, make_client: MakeClient
) -> None:
    client = make_client(nginx.plain_url, network=Network(http_version="2"))
    with pytest.raises(restway.TransportError):
        client.get("good")


def test_http1_is_used_alone_if_the_program_says_so(
    nginx: Servers, tls: TLS, make_client: MakeClient
) -> None:
    network = Network(http_version="1.1")
    client = make_client(nginx.secure_url, timeout=PATIENCE_SECONDS, tls=tls, network=network)
    with client.get("good") as response:
        assert response.headers["X-Protocol"] == "HTTP/1.1"
        assert response.http_version == "1.1"
    check_health(client)


def test_http3_needs_a_libcurl_that_has_it(make_client: MakeClient) -> None:
    with pytest.raises(restway.ConfigError, match="HTTP/3"):
        make_client("https://127.0.0.1", network=Network(http_version="3"))


# Methods


def test_options_and_trace_are_sent(nginx: Servers, make_client: MakeClient) -> None:
    client = make_client(nginx.plain_url, timeout=PATIENCE_SECONDS)
    with client.options("good", params={"a": "b"}) as response:
        assert response.json() == {"method": "OPTIONS", "target": "/good?a=b", "bytes": 0}
    with pytest.raises(restway.HTTPStatusError) as caught:
        client.perform(Request.path("TRACE", "good"))
    assert caught.value.http_status == 405  # nginx refuses TRACE
    with pytest.raises(restway.UsageError, match="a TRACE request has no body"):
        client.perform(Request.path("TRACE", "good", body=b"x"))
    with pytest.raises(restway.UsageError, match="CONNECT, which makes a tunnel"):
        Request.path("CONNECT", "good")
    check_health(client)


def test_answers_to_options_are_mapped_only_if_a_descriptor_names_the_method(
    nginx: Servers,
) -> None:
    answer = {"entity": "Answer"}
    api = restway.API.from_json(
        {
            "restway": 1,
            "entities": {"Answer": {"attributes": {"method": "method"}}},
            "routes": {
                "both": {"path": "both", "method": ["GET", "OPTIONS"], "response": answer},
                "only": {"path": "only", "method": "OPTIONS", "response": answer},
            },
            "responses": [
                {"path": "all", "entity": "Answer"},
                {"path": "named", "method": "OPTIONS", "entity": "Answer"},
            ],
        }
    )
    with restway.Client(api, base_url=nginx.plain_url) as client:
        for mapped, request in (
            (1, Request.route("both", "GET")),
            (0, Request.route("both", "OPTIONS")),
            (1, Request.route("only")),
            (0, Request.path("OPTIONS", "all")),
            (1, Request.path("OPTIONS", "named")),
        ):
            with client.perform(request) as response:
                assert len(response.objects) == mapped
