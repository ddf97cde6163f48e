"""What all runs of `make sync-check` share: their devices, their files, and their order."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from device import Device
from server import Server, World

Step = dict[str, Any]
Schedule = dict[str, Any]

#: The number of flushes after which nothing may be left, if the server does its best.
FLUSHES_MAX = 12

#: More than the files of all schedules that run at the same time take.
FOLDER_BYTES = 256 << 20


def place() -> str | None:
    """Returns a folder in memory, where a commit waits for no disk; `None` if there is no room."""
    folder = Path("/dev/shm")
    has_room = folder.is_dir() and shutil.disk_usage(folder).free > FOLDER_BYTES
    return str(folder) if has_room and os.access(folder, os.W_OK) else None


class Broken(Exception):
    """A device does not show what it must, or the devices and the server do not agree."""


class Runner:
    """One run of a schedule, with a process for each device."""

    def __init__(
        self, server: Server, world: World, schedule: Schedule, rules_off: str
    ) -> None:
        self.server = server
        server.world = world
        self.folder = Path(tempfile.mkdtemp(prefix="restway-sync-", dir=place()))
        stores: list[str] = schedule["stores"]
        #: The number of each device's store: "shared" is the store of the first device.
        self.store_of = [
            0 if store == "shared" and stores[0] != "memory" else number
            for number, store in enumerate(stores)
        ]
        self.devices = [
            Device(
                number, self.folder, server.url, self.file(number, store), rules_off,
                schedule.get("versions"),
            )
            for number, store in enumerate(stores)
        ]
        self.steps: list[Step] = schedule["steps"]

    def file(self, number: int, store: str) -> str:
        return store if store == "memory" else str(self.folder / f"{self.store_of[number]}.db")

    def ask(self, step: Step, what: str, **values: Any) -> dict[str, Any]:
        return self.devices[step["device"]].ask(what, **values)

    def perform(self) -> None:
        try:
            for number, step in enumerate(self.steps):
                try:
                    self.do(step)
                except Broken as error:
                    raise Broken(f"step {number} {step}: {error}") from None
            try:
                self.settle()
            except Broken as error:
                raise Broken(f"at the end: {error}") from None
            for device in self.devices:
                device.end()
        finally:
            self.server.world.release.set()
            for device in self.devices:
                device.kill()
            shutil.rmtree(self.folder, ignore_errors=True)

    def do(self, step: Step) -> None:
        """Performs a step, unless it makes no sense where it stands."""
        raise NotImplementedError

    def settle(self) -> None:
        """Lets the server do its best, and checks that all agree."""
        raise NotImplementedError
