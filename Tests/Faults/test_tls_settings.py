"""TLS settings of a client: authorities, client certificates, versions, pinned keys."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
import restway
from certificates import Authority, Certificate, encrypted_key, folder_of, pin_of, pkcs12
from conftest import MakeClient
from fault import PATIENCE_SECONDS
from fault_server import FaultServer
from health import check_health
from network_peers import Servers
from restway import TLS

#: A password that must appear nowhere.
PASSWORD = "hunter2-secret"
WRONG_KEY = 90


def identity(authority: Authority, form: str, folder: Path, who: Certificate) -> TLS:
    """Returns settings that show the certificate of `who` from files of this form."""
    ca_file = authority.ca_file
    if form == "encrypted":
        key = encrypted_key(who, PASSWORD, folder / "encrypted.key")
        return TLS(
            ca_file=ca_file, certificate_file=who.certificate, key_file=key, password=PASSWORD
        )
    if form == "pkcs12":
        archive = pkcs12(who, PASSWORD, folder / "client.p12")
        return TLS(ca_file=ca_file, certificate_file=archive, password=PASSWORD)
    if form == "one file":
        both = folder / "both.pem"
        both.write_bytes(who.certificate.read_bytes() + who.key.read_bytes())
        return TLS(ca_file=ca_file, certificate_file=both)
    return TLS(ca_file=ca_file, certificate_file=who.certificate, key_file=who.key)


@pytest.mark.parametrize("form", ["pem", "one file", "encrypted", "pkcs12"])
def test_a_client_certificate_is_shown(
    form: str, nginx: Servers, authority: Authority, make_client: MakeClient, tmp_path: Path
) -> None:
    tls = identity(authority, form, tmp_path, authority.client)
    client = make_client(nginx.secure_url, timeout=PATIENCE_SECONDS, tls=tls)
    with client.get("good") as response:
        assert response.headers["X-Client"] == "CN=client"
    check_health(client)
    assert PASSWORD not in repr(tls)


def test_a_server_refuses_a_client_without_a_certificate(
    nginx: Servers, authority: Authority, make_client: MakeClient
) -> None:
    client = make_client(nginx.secure_url, tls=TLS(ca_file=authority.ca_file))
    with pytest.raises(restway.HTTPStatusError) as caught:
        client.get("good")
    assert caught.value.http_status == 400


def test_origins_have_settings_of_their_own(
    nginx: Servers, authority: Authority, make_client: MakeClient, tmp_path: Path
) -> None:
    """Both origins are the same server. A connection that shows one certificate is never used for
    an origin with the other certificate, however the requests are mixed.
    """
    elsewhere = f"https://localhost:{nginx.secure_port}"
    tls = {
        None: identity(authority, "pem", tmp_path, authority.client),
        elsewhere: identity(authority, "pkcs12", tmp_path, authority.other_client),
    }
    client = make_client(nginx.secure_url, timeout=PATIENCE_SECONDS, tls=tls)
    for _ in range(4):
        with client.get("good") as response:
            assert response.headers["X-Client"] == "CN=client"
        other = restway.Request.route("elsewhere", variables={"origin": elsewhere})
        with client.perform(other) as response:
            assert response.headers["X-Client"] == "CN=other-client"
    calls = [
        client.send(
            restway.Request.path("GET", "good")
            if number % 2
            else restway.Request.route("elsewhere", variables={"origin": elsewhere})
        )
        for number in range(40)
    ]
    for number, call in enumerate(calls):
        with call.wait() as response:
            shown = "CN=client" if number % 2 else "CN=other-client"
            assert response.headers["X-Client"] == shown


def test_a_folder_of_authorities_is_trusted(
    authority: Authority, make_client: MakeClient, tmp_path: Path
) -> None:
    folder = folder_of(authority.ca_file, tmp_path / "authorities")
    with FaultServer(certificate=authority.loopback) as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS, tls=TLS(ca_folder=folder))
        check_health(client)
        nobody = tmp_path / "nobody"
        nobody.mkdir()
        client = make_client(server.url, timeout=PATIENCE_SECONDS, tls=TLS(ca_folder=nobody))
        with pytest.raises(restway.TLSError):
            client.get("good")


def test_an_older_version_than_allowed_is_refused(
    authority: Authority, make_client: MakeClient
) -> None:
    newest = TLS(ca_file=authority.ca_file, minimum_version="1.3")
    with FaultServer(certificate=authority.loopback) as server:
        check_health(make_client(server.url, timeout=PATIENCE_SECONDS, tls=newest))
    older = ssl.TLSVersion.TLSv1_2
    with FaultServer(certificate=authority.loopback, version_max=older) as server:
        client = make_client(server.url, timeout=PATIENCE_SECONDS, tls=newest)
        with pytest.raises(restway.TLSError):
            client.get("good")
        assert sum(server.requests.values()) == 0


def test_only_a_server_with_a_pinned_key_gets_requests(
    authority: Authority, make_client: MakeClient
) -> None:
    right, wrong = pin_of(authority.loopback), pin_of(authority.client)
    with FaultServer(certificate=authority.loopback) as server:
        for pins in (right, f"{wrong};{right}"):
            tls = TLS(ca_file=authority.ca_file, pinned_public_key=pins)
            check_health(make_client(server.url, timeout=PATIENCE_SECONDS, tls=tls))
        asked = sum(server.requests.values())
        tls = TLS(ca_file=authority.ca_file, pinned_public_key=wrong)
        client = make_client(server.url, timeout=PATIENCE_SECONDS, tls=tls)
        with pytest.raises(restway.TLSError) as caught:
            client.get("good")
        assert caught.value.transport_code == WRONG_KEY
        assert sum(server.requests.values()) == asked


def test_a_pinned_key_counts_without_verification_too(
    authority: Authority, make_client: MakeClient
) -> None:
    with FaultServer(certificate=authority.self_signed) as server:
        for pinned, works in ((authority.self_signed, True), (authority.client, False)):
            tls = TLS(pinned_public_key=pin_of(pinned), insecure_no_verification=True)
            client = make_client(server.url, timeout=PATIENCE_SECONDS, tls=tls)
            if works:
                check_health(client)
                continue
            with pytest.raises(restway.TLSError):
                client.get("good")


def test_a_client_without_verification_says_so_once(
    authority: Authority, make_client: MakeClient, caplog: pytest.LogCaptureFixture
) -> None:
    for shown in (authority.self_signed, authority.another_host):
        with FaultServer(certificate=shown) as server:
            tls = {server.url: TLS(insecure_no_verification=True)}
            client = make_client(server.url, timeout=PATIENCE_SECONDS, tls=tls)
            check_health(client)
            restway.flush_log()
            insecure = [text for text in caplog.messages if "insecure" in text]
            assert insecure == [f"TLS is insecure: certificates are not verified for {server.url}"]
            assert caplog.records[0].levelname == "WARNING"
            caplog.clear()
    make_client("https://127.0.0.1", tls=TLS(ca_file=authority.ca_file))
    restway.flush_log()
    assert caplog.messages == []


def wrong_files(authority: Authority, folder: Path) -> dict[str, tuple[TLS, str]]:
    """Returns wrong settings, and what the error says about each."""
    text = folder / "text.pem"
    text.write_text("This is no certificate.\n")
    missing, certificate = folder / "missing.pem", authority.client.certificate
    encrypted = encrypted_key(authority.client, PASSWORD, folder / "encrypted.key")
    archive = pkcs12(authority.client, PASSWORD, folder / "client.p12")
    broken = folder / "broken.p12"
    broken.write_bytes(archive.read_bytes()[:100])
    other_key = authority.other_client.key
    return {
        "missing CA file": (TLS(ca_file=missing), "missing.pem.*No such file"),
        "CA file that is a folder": (TLS(ca_file=folder), "Is a directory"),
        "CA file that is text": (TLS(ca_file=text), "text.pem.*no certificates"),
        "missing CA folder": (TLS(ca_folder=missing), "CA folder.*No such file"),
        "CA folder that is a file": (TLS(ca_folder=text), "Not a directory"),
        "missing certificate": (TLS(certificate_file=missing), "missing.pem.*No such file"),
        "certificate that is text": (TLS(certificate_file=text), "text.pem.*no certificate"),
        "missing key": (
            TLS(certificate_file=certificate, key_file=missing), "missing.pem.*No such file"
        ),
        "certificate without key": (TLS(certificate_file=certificate), "no private key"),
        "key that is text": (TLS(certificate_file=certificate, key_file=text), "no private key"),
        "key without certificate": (TLS(key_file=encrypted), "needs a certificate"),
        "key of another": (
            TLS(certificate_file=certificate, key_file=other_key), "does not belong to"
        ),
        "no password": (TLS(certificate_file=certificate, key_file=encrypted), "password"),
        "wrong password": (
            TLS(certificate_file=certificate, key_file=encrypted, password=PASSWORD + "?"),
            "password",
        ),
        "PKCS#12 with a wrong password": (
            TLS(certificate_file=archive, password=PASSWORD + "?"), "client.p12.*not the one given"
        ),
        "PKCS#12 without a password": (TLS(certificate_file=archive), "password"),
        "PKCS#12 with a key": (
            TLS(certificate_file=archive, key_file=encrypted, password=PASSWORD), "key itself"
        ),
        "PKCS#12 that is cut off": (
            TLS(certificate_file=broken, password=PASSWORD), "neither in PEM form nor PKCS#12"
        ),
        "pin that is a file": (TLS(pinned_public_key=str(text)), "sha256//"),
        "pin that is too short": (TLS(pinned_public_key="sha256//AAAA"), "base64"),
    }


def test_a_wrong_file_is_an_error_when_the_client_is_made(
    authority: Authority, make_client: MakeClient, tmp_path: Path
) -> None:
    for what, (tls, says) in wrong_files(authority, tmp_path).items():
        for settings in (tls, {"https://api.example.com": tls}):
            with pytest.raises(restway.ConfigError, match=says) as caught:
                make_client("https://127.0.0.1", tls=settings)
            assert PASSWORD not in str(caught.value), what
    with pytest.raises(restway.ConfigError, match=r"^https://api\.example\.com: .*missing"):
        make_client(
            "https://127.0.0.1",
            tls={"https://api.example.com": TLS(ca_file=tmp_path / "missing.pem")},
        )


def test_settings_that_contradict_each_other_are_refused(
    authority: Authority, make_client: MakeClient
) -> None:
    ca_file = authority.ca_file
    with pytest.raises(restway.UsageError, match="ca_file"):
        make_client("https://127.0.0.1", ca_file=ca_file, tls=TLS(ca_file=ca_file))
    with pytest.raises(restway.UsageError, match="has a path"):
        make_client("https://127.0.0.1", tls={"https://127.0.0.1/api": TLS()})
    with pytest.raises(restway.UsageError, match="two settings"):
        make_client(
            "https://127.0.0.1", tls={"https://127.0.0.1": TLS(), "https://127.0.0.1:443": TLS()}
        )


def test_the_document_says_how_an_environment_is_reached(
    nginx: Servers, authority: Authority, tmp_path: Path
) -> None:
    """Files are relative to the document's folder, and settings of the program replace those of
    the document for the same origin.
    """
    for name, path in (
        ("ca.pem", Path(authority.ca_file)),
        ("client.pem", authority.client.certificate),
        ("client.key", authority.client.key),
    ):
        (tmp_path / name).write_bytes(path.read_bytes())
    document = tmp_path / "api.json"
    document.write_text(
        '{"restway": 1, "environments": {"secure": {"baseURL": "' + nginx.secure_url + '", '
        '"tls": {"caFile": "ca.pem", "certificateFile": "client.pem", "keyFile": "client.key", '
        '"minimumVersion": "1.2"}}}}'
    )
    with restway.Client(restway.API.load(document)) as client, client.get("good") as response:
        assert response.headers["X-Client"] == "CN=client"
    own = identity(authority, "pem", tmp_path, authority.other_client)
    api = restway.API.load(document)
    with restway.Client(api, tls=own) as client, client.get("good") as response:
        assert response.headers["X-Client"] == "CN=other-client"
    (tmp_path / "client.key").unlink()
    with pytest.raises(restway.ConfigError, match=r"client\.key.*No such file"):
        restway.Client(restway.API.load(document))
