"""An older Debian in a folder, in which the wheel is installed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

#: The places of the certificates of Debian, of Red Hat (two of them) and of SUSE.
CERTIFICATE_FILES = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/ca-bundle.pem",
]


class OldSystem:
    """Programs run in it as with `chroot`, with the network of this machine."""

    #: The Python environment with the wheel.
    python = "/wheel/bin/python"

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs a command, with no other environment variables than these."""
        variables = [f"{name}={value}" for name, value in environment.items()]
        start = ["chroot", str(self.root), "/usr/bin/env", "-i", "-C", "/tmp"]
        return subprocess.run(
            [*_as_root(), *start, "PATH=/usr/bin:/bin", *variables, *command],
            capture_output=True,
            text=True,
            check=False,
        )

    def expect(self, *command: str, **environment: str) -> str:
        """Runs a command that must succeed, and returns its output."""
        done = self.run(*command, **environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def put(self, path: str, content: bytes) -> None:
        """Writes a file."""
        target = str(self.root) + path
        subprocess.run([*_as_root(), "mkdir", "-p", os.path.dirname(target)], check=True)
        subprocess.run(
            [*_as_root(), "tee", target], input=content, stdout=subprocess.DEVNULL, check=True
        )

    def remove(self, *paths: str) -> None:
        """Removes files or folders."""
        targets = [str(self.root) + path for path in paths]
        subprocess.run([*_as_root(), "rm", "-rf", *targets], check=True)

    def install(self, wheel: Path) -> None:
        """Installs the wheel alone into a new Python environment. No package index is asked."""
        self.remove(os.path.dirname(os.path.dirname(self.python)))
        self.put(f"/tmp/{wheel.name}", wheel.read_bytes())
        self.expect("python3", "-m", "venv", os.path.dirname(os.path.dirname(self.python)))
        self.expect(self.python, "-m", "pip", "install", "--no-index", f"/tmp/{wheel.name}")


def _as_root() -> list[str]:
    return [] if os.getuid() == 0 else ["sudo"]
