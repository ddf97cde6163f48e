"""A server as a process of its own, which can be stopped and started again at its URL."""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

from peer_process import port_of, running

HERE = Path(__file__).parent


class Server:
    """An application of WSGI behind gunicorn. While it is stopped, connections are refused."""

    def __init__(self, application: str, folder: Path, environment: Mapping[str, str]) -> None:
        self._application = application
        self._folder = folder
        self._environment = environment
        # It never listens. It keeps the port from other programs while the server is stopped.
        self._reserved = socket.socket()
        self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._reserved.bind(("127.0.0.1", 0))
        self._started = contextlib.ExitStack()
        self.url = f"http://127.0.0.1:{port_of(self._reserved)}"

    def start(self) -> None:
        """Starts the server. Clients may connect at once, and wait until it is ready."""
        listening = socket.create_server(("127.0.0.1", port_of(self._reserved)))
        command = [
            sys.executable, "-m", "gunicorn", self._application, "--chdir", str(HERE),
            "--bind", f"fd://{listening.fileno()}", "--workers", "1", "--threads", "4",
            "--worker-class", "gthread", "--worker-tmp-dir", str(self._folder),
            "--keep-alive", "30", "--no-control-socket", "--log-level", "warning",
        ]  # fmt: skip
        log = self._folder / "output"
        self._started.enter_context(running(command, [listening], log, self._environment))

    def stop(self) -> None:
        self._started.close()

    def close(self) -> None:
        self.stop()
        self._reserved.close()
