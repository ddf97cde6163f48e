"""A device of `make sync-check`: a process with a client of the library."""

from __future__ import annotations

import json
import os
import select
import subprocess
from pathlib import Path
from typing import Any, ClassVar

PROGRAM = Path(__file__).parents[2] / ".build/debug/SyncCheckClient"


#: A command takes some milliseconds. After this time, the client is stuck.
SECONDS_MAX = float(os.environ.get("RESTWAY_SYNC_SECONDS", "60"))


class Died(Exception):
    """The process has ended at a fault point."""


class Device:
    """A process, which is started again after it was killed, and its files.

    `store` is the file of its store, which another device may share, or "memory".
    """

    #: Processes of devices that have ended, by the rules that they leave out. A new process takes
    #: longer than most steps.
    idle: ClassVar[dict[str, list[subprocess.Popen[str]]]] = {}

    def __init__(
        self, number: int, folder: Path, url: str, store: str, rules_off: str,
        versions: dict[str, Any] | None,
    ) -> None:
        self.number = number
        self.folder = folder / str(number)
        self.folder.mkdir()
        self.url = url
        #: The policies of conflicts, if the API document has versions.
        self.versions = versions
        self.store = store
        self.rules_off = rules_off
        self.process: subprocess.Popen[str] | None = None
        self.open()

    def open(self) -> None:
        if not self.process:
            idle = self.idle.get(self.rules_off)
            self.process = idle.pop() if idle else self.start()
        values: dict[str, Any] = {"store": self.store} if self.store != "memory" else {}
        if self.versions is not None:
            values["versions"] = self.versions
        self.ask(
            "open", device=self.number, outbox=str(self.folder / "outbox.db"), url=self.url,
            **values,
        )

    def start(self) -> subprocess.Popen[str]:
        program = os.environ.get("RESTWAY_SYNC_CLIENT", str(PROGRAM))
        return subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            env={**os.environ, "RESTWAY_SYNC_RULES_OFF": self.rules_off},
        )

    def end(self) -> None:
        """Closes the client, and keeps the process for another device."""
        if self.process:
            self.ask("close")
            self.idle.setdefault(self.rules_off, []).append(self.process)
            self.process = None

    def ask(self, what: str, **values: Any) -> dict[str, Any]:
        """Performs a command. Raises an error if the process ends meanwhile."""
        assert self.process and self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps({"do": what, **values}) + "\n")
        # A client writes one line for each command, so nothing waits in the buffer.
        if not select.select([self.process.stdout], [], [], SECONDS_MAX)[0]:
            self.kill()
            raise RuntimeError(f"the client does not answer to {what} {values}")
        line = self.process.stdout.readline()
        if not line:
            code = self.process.wait()
            self.process = None
            if code != -9:
                raise RuntimeError(f"the client ended with {code} at {what} {values}")
            raise Died
        reply: dict[str, Any] = json.loads(line)
        if "error" in reply:
            raise RuntimeError(f"{what} {values}: {reply['error']}")
        return reply

    def restart(self) -> None:
        self.ask("close")
        self.open()

    def kill(self) -> None:
        """Ends the process at once."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None
