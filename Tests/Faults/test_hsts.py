"""Hosts that may be reached only over TLS (HTTP Strict Transport Security)."""

from __future__ import annotations

from pathlib import Path

import pytest
import restway
from certificates import Authority
from network_peers import Servers
from restway import TLS


def get(client: restway.Client, origin: str) -> restway.Response:
    """Gets the path "good" of another origin."""
    return client.perform(restway.Request.route("anywhere", variables={"origin": origin}))


def make(nginx: Servers, tls: TLS, path: Path | None) -> restway.Client:
    """Makes a client that would reach the TLS server over plain HTTP."""
    api = restway.API.from_json(
        {"restway": 1, "routes": {"anywhere": {"path": ":origin/good", "absolute": True}}}
    )
    url = f"http://localhost:{nginx.secure_port}"
    return restway.Client(api, base_url=url, tls=tls, network=restway.Network(hsts_file=path))


def test_a_host_that_asks_for_it_is_reached_over_tls(
    nginx: Servers, tls: TLS, tmp_path: Path
) -> None:
    path = tmp_path / "hsts.txt"
    secure = f"https://localhost:{nginx.secure_port}"
    with make(nginx, tls, path) as client:
        # The server refuses a request without TLS.
        with pytest.raises(restway.HTTPStatusError, match="400"):
            client.get("good")
        assert get(client, secure).headers["Strict-Transport-Security"] == "max-age=3600"
        response = client.get("good")
        assert response.status == 200
        assert response.url == f"{secure}/good"
        assert response.headers["X-Client"] == "CN=client"
    assert path.stat().st_mode & 0o777 == 0o600
    assert '\nlocalhost "' in path.read_text()
    with make(nginx, tls, path) as client:
        assert client.get("good").url == f"{secure}/good"
    assert [each.name for each in tmp_path.iterdir()] == ["hsts.txt"]


def test_a_header_without_tls_is_ignored(nginx: Servers, tls: TLS, tmp_path: Path) -> None:
    url = nginx.plain_url.replace("127.0.0.1", "localhost")
    with make(nginx, tls, tmp_path / "hsts.txt") as client:
        for _ in range(2):
            response = get(client, url)
            assert response.headers["Strict-Transport-Security"] == "max-age=3600"
            assert response.url == f"{url}/good"
    assert "localhost" not in (tmp_path / "hsts.txt").read_text()


def test_a_header_of_a_server_that_is_not_verified_is_ignored(
    nginx: Servers, authority: Authority, tmp_path: Path
) -> None:
    who = authority.client
    tls = TLS(
        certificate_file=who.certificate, key_file=who.key, insecure_no_verification=True
    )
    with make(nginx, tls, tmp_path / "hsts.txt") as client:
        get(client, f"https://localhost:{nginx.secure_port}")
    assert "localhost" not in (tmp_path / "hsts.txt").read_text()


def test_without_a_file_nothing_is_remembered(nginx: Servers, tls: TLS) -> None:
    with make(nginx, tls, None) as client:
        get(client, f"https://localhost:{nginx.secure_port}")
        with pytest.raises(restway.HTTPStatusError, match="400"):
            client.get("good")


def test_the_document_may_name_the_file(nginx: Servers, tls: TLS, tmp_path: Path) -> None:
    document = tmp_path / "api.json"
    document.write_text(
        '{"restway": 1, "environments": {"here": {"baseURL": "https://localhost:'
        + str(nginx.secure_port)
        + '", "hstsFile": "hosts.txt"}}}'
    )
    with restway.Client(restway.API.load(document), tls=tls) as client:
        client.get("good")
    assert "localhost" in (tmp_path / "hosts.txt").read_text()


def test_a_file_that_cannot_be_used(nginx: Servers, tls: TLS, tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("hunter2")
    for path in (tmp_path, tmp_path / "none" / "hsts.txt", text):
        with pytest.raises(restway.ConfigError, match=f"hsts_file.*{path}") as caught:
            make(nginx, tls, path)
        assert "hunter2" not in str(caught.value)
    assert text.read_text() == "hunter2"
