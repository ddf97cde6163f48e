"""Certificates made for one run of the tests, with openssl."""

from __future__ import annotations

import base64
import hashlib
import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Certificate:
    """The certificate and key of a server."""

    certificate: Path
    key: Path

    def context(self, *protocols: str) -> ssl.SSLContext:
        """Returns the context of a server with these protocols, the preferred one first (ALPN)."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        context.set_alpn_protocols(list(protocols))
        return context


class Authority:
    """An authority that signs certificates for 127.0.0.1 and other hosts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own = self._make("authority", ["-addext", "basicConstraints=critical,CA:TRUE"])
        self.ca_file = str(self._own.certificate)
        self.loopback = self._vouch("loopback", "IP:127.0.0.1")
        self.another_host = self._vouch("another-host", "DNS:another.example")
        self.two_names = self._vouch("two-names", "IP:127.0.0.1,DNS:localhost")
        self.client = self._vouch("client", "DNS:client.example")
        self.other_client = self._vouch("other-client", "DNS:other.example")
        self.self_signed = self._make(
            "self-signed", ["-addext", "subjectAltName=IP:127.0.0.1"]
        )

    def _vouch(self, name: str, host: str) -> Certificate:
        signer = ["-CA", str(self._own.certificate), "-CAkey", str(self._own.key)]
        usage = ["-addext", "basicConstraints=critical,CA:FALSE"]
        return self._make(name, [*signer, *usage, "-addext", f"subjectAltName={host}"])

    def _make(self, name: str, arguments: list[str]) -> Certificate:
        made = Certificate(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        config = self._folder / "openssl.cnf"
        config.write_text("[req]\ndistinguished_name=dn\n[dn]\n")
        command = ["req", "-x509", "-config", str(config), "-subj", f"/CN={name}"]
        keys = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc"]
        files = ["-keyout", str(made.key), "-out", str(made.certificate)]
        openssl(*command, *keys, *files, *arguments)
        return made


def openssl(*arguments: str) -> bytes:
    """Runs openssl and returns its output."""
    run = subprocess.run(["openssl", *arguments], capture_output=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def encrypted_key(given: Certificate, password: str, path: Path) -> Path:
    """Writes the key of `given` into a PEM file with a password."""
    openssl(
        "pkey", "-in", str(given.key), "-aes256", "-passout", f"pass:{password}", "-out", str(path)
    )
    return path


def pkcs12(given: Certificate, password: str, path: Path) -> Path:
    """Writes certificate and key of `given` into a PKCS#12 file with a password."""
    files = ["-in", str(given.certificate), "-inkey", str(given.key), "-out", str(path)]
    openssl("pkcs12", "-export", *files, "-passout", f"pass:{password}")
    return path


def folder_of(ca_file: str, folder: Path) -> Path:
    """Makes a folder of trusted certificates from a PEM file."""
    folder.mkdir()
    (folder / "authority.pem").write_bytes(Path(ca_file).read_bytes())
    openssl("rehash", str(folder))
    return folder


def pin_of(given: Certificate) -> str:
    """Returns the text that pins the public key of `given`."""
    public = openssl("pkey", "-in", str(given.key), "-pubout", "-outform", "DER")
    return "sha256//" + base64.b64encode(hashlib.sha256(public).digest()).decode()
