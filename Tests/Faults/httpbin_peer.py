"""httpbin behind gunicorn, both from PyPI."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

from peer_process import listener, port_of, running

THREADS = 8


@contextlib.contextmanager
def httpbin(folder: Path) -> Iterator[str]:
    """Runs httpbin; returns its base URL."""
    listening = listener()
    url = f"http://127.0.0.1:{port_of(listening)}"
    command = [
        sys.executable, "-m", "gunicorn", "httpbin:app", "--bind", f"fd://{listening.fileno()}",
        "--workers", "1", "--threads", str(THREADS), "--worker-class", "gthread",
        "--keep-alive", "5", "--worker-tmp-dir", str(folder), "--no-control-socket",
    ]  # fmt: skip
    with running(command, [listening], folder / "output"):
        yield url
