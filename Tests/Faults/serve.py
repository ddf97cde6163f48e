"""Runs the fault server, nginx in front of another one, and the servers for network settings, for
tests in other languages.

    PYTHONPATH=bindings/python python3 Tests/Faults/serve.py

The first line of the output is a JSON object: the addresses of the servers, and all faults with
their expected results. Each line of the input is then a command, which is answered with a line of
its own, a number or "done" or the reason of a failure:

- `play NAME` plays a fault that is no answer to a request, on new connections, until `rest`;
- `wait` waits until all faults that have begun have ended;
- `count NAME` tells how often the server has been asked for a fault;
- `expect NAME COUNT` waits until the server has been asked for it so many times.

The servers end with the input.
"""

from __future__ import annotations

import base64
import contextlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from certificates import Authority
from fault import Fault
from fault_server import FaultServer
from network_peers import Servers, name_server, servers
from nginx_peer import Nginx, nginx
from table import FAULTS, ORIGIN


def described(fault: Fault) -> dict[str, Any]:
    """Returns what a test of another language needs to know of a fault."""
    outcome = fault.outcome
    assert fault.body is None or not any(fault.body), "bodies of requests are zeros"
    return {
        "name": fault.name,
        "method": fault.method,
        "bodyBytes": None if fault.body is None else len(fault.body),
        "seconds": fault.timeout,
        "isArmed": fault.needs_new_connection,
        "options": fault.options,
        "outcome": {
            "status": outcome.status.name,
            "says": outcome.says,
            "codes": sorted(outcome.codes),
            "isRetryable": outcome.retryable,
            "httpStatus": outcome.http_status,
            "body": None if outcome.body is None else base64.b64encode(outcome.body).decode(),
        },
    }


def greeting(
    server: FaultServer, front: Nginx, there: Servers, doh_url: str, authority: Authority
) -> dict[str, Any]:
    return {
        "url": server.url,
        "faults": [described(fault) for fault in FAULTS],
        "nginx": {
            "url": front.url,
            "secureURL": front.secure_url,
            "files": str(front.files),
            "put": str(front.put),
            "authority": authority.ca_file,
        },
        "network": {
            "securePort": there.secure_port,
            "url": there.plain_url,
            "http2URL": there.http2_url,
            "unixSocket": str(there.unix_socket),
            "dohURL": doh_url,
            "certificate": str(authority.client.certificate),
            "key": str(authority.client.key),
        },
    }


class Commands:
    """Performs the commands of the input."""

    def __init__(self, server: FaultServer) -> None:
        self._server = server
        self._faults = {fault.name: fault for fault in FAULTS}
        self._played = contextlib.ExitStack()

    def perform(self, line: str) -> str:
        try:
            match line.split():
                case ["play", name]:
                    self._played.enter_context(self._server.playing(self._faults[name]))
                case ["rest"]:
                    self._played.close()
                case ["wait"]:
                    self._server.wait_until_played()
                case ["count", name]:
                    return str(self._server.requests[f"/{name}"])
                case ["expect", name, count]:
                    self._server.wait_until_asked(f"/{name}", int(count))
                case _:
                    return f"{line}: there is no such command"
        except Exception as error:
            return f"{line}: {error!r}"
        return "done"


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        FaultServer(FAULTS) as server,
        FaultServer(ORIGIN) as origin,
    ):
        folders = [Path(folder, name) for name in ("certificates", "nginx", "network")]
        for each in folders:
            each.mkdir()
        authority = Authority(folders[0])
        with (
            nginx(folders[1], authority.loopback, origin.place) as front,
            servers(folders[2], authority) as there,
            name_server(authority.loopback) as doh_url,
        ):
            commands = Commands(server)
            print(
                json.dumps(greeting(server, front, there, doh_url, authority)), flush=True
            )
            for line in sys.stdin:
                print(commands.perform(line.strip()), flush=True)


if __name__ == "__main__":
    main()
