"""A packaged server as a process of its own, on sockets that it inherits.

The sockets listen before the process starts, so no test has to check whether it is up.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

#: The time to start, to answer the requests in flight, and to end.
END_SECONDS = 20.0


def listener() -> socket.socket:
    """Makes a listening socket on a free port of the loopback interface."""
    return socket.create_server(("127.0.0.1", 0), backlog=512)


def port_of(listening: socket.socket) -> int:
    port: int = listening.getsockname()[1]
    return port


@contextlib.contextmanager
def running(
    command: Sequence[str],
    listeners: Sequence[socket.socket],
    log: Path,
    environment: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """Runs `command`, which serves `listeners` by their descriptors, until the block ends."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=[listening.fileno() for listening in listeners],
            env={**os.environ, **(environment or {})},
        )
    for listening in listeners:
        listening.close()  # a server that has ended must refuse clients, not keep them waiting
    try:
        yield process
        assert process.poll() is None, log.read_text()
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
