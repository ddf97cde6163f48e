"""The descriptors of the library are closed in programs that the process starts."""

from __future__ import annotations

import subprocess
import sys

from .peer import Peer

PROGRAM = """
import os, sys, restway

def inherited():
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.get_inheritable(int(name)):
                found.add(int(name))
        except OSError:
            pass  # the descriptor of the folder
    return found

before = inherited()
clients = [restway.Client({"restway": 1}, base_url=sys.argv[1]) for _ in range(3)]
for client in clients:
    client.get("x")
print({number: os.readlink(f"/proc/self/fd/{number}") for number in inherited() - before})
"""


def test_no_socket_of_the_library_is_inherited(peer: Peer) -> None:
    peer.respond(b"{}")
    command = [sys.executable, "-c", PROGRAM, peer.url]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (run.stdout, run.stderr) == ("{}\n", "")
