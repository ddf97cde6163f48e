"""One outbox is killed many times; the campaign compares what was reported with what was kept."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from programs import Programs
from recording_server import BUSY, LOCAL, Arrival, RecordingServer

PATIENCE_SECONDS = 60.0


@dataclass
class Told:
    """The output of a victim before it ended."""

    queued: list[str] = field(default_factory=list)
    delivered: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    stood: bool = False
    finished: bool = False
    stuck: list[str] = field(default_factory=list)

    @property
    def kept(self) -> list[str]:
        return self.queued + self.delivered

    def hear(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "Q":
            self.queued.append(rest)
        elif word == "D":
            self.delivered.append(rest)
        elif word == "E":
            self.refused.append(rest)
        elif word == "R":
            self.stood = True
        elif word == "F":
            self.finished = True
        elif word == "X":
            self.stuck.append(rest)


def document(folder: Path, *, batch: int) -> dict[str, Any]:
    attributes = {
        name: {"source": name, "type": "int"} for name in ("id", "number", "version")
    }

    def route(method: str, path: str, entity: str) -> dict[str, Any]:
        body = {"entity": entity}
        return {
            "method": method, "path": path, "offline": True, "entity": entity,
            "request": body, "response": body,
        }

    return {
        "restway": 1,
        "entities": {
            "Thing": {
                "identity": "id",
                "attributes": attributes,
                "relationships": {"part": {"entity": "Part"}},
            },
            "Part": {"identity": "id", "attributes": attributes},
        },
        "routes": {
            "events": {"method": "POST", "path": "events", "offline": True},
            "add": route("POST", "things", "Thing"),
            "put": route("PUT", "things/:id", "Thing"),
            "part": route("PUT", "parts/:id", "Part"),
        },
        "outbox": {
            "path": str(folder / "outbox.db"),
            "baseMilliseconds": 1,
            "capMilliseconds": 4,
            "inProgress": [BUSY],
        },
        **({"batch": {"path": "batch", "limit": batch}} if batch else {}),
    }


class Campaign:
    """Runs of one outbox against one server."""

    def __init__(
        self, programs: Programs, server: RecordingServer, folder: Path, *, batch: int = 0
    ) -> None:
        self.programs = programs
        self.server = server
        self.folder = folder
        self.told: list[Told] = []
        self.kills = 0
        #: The number of runs in which the file had delivered items that were not removed yet.
        self.deaths_with_marks = 0
        self._numbers = 0
        self._document = folder / "crash.restway.json"
        self._document.write_text(json.dumps(document(folder, batch=batch)))

    # Runs

    def start(
        self, mode: str, count: int, interrupt: str = "", sender: str = "one"
    ) -> subprocess.Popen[str]:
        first = self._numbers
        self._numbers += count
        environment = dict(os.environ)
        if interrupt:
            environment["LD_PRELOAD"] = str(self.programs.interrupt)
            environment["INTERRUPT"] = interrupt
        command = [
            str(self.programs.victim), str(self._document), self.server.url(sender), mode,
            str(first), str(count), sender,
        ]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)

    def finish(self, process: subprocess.Popen[str]) -> Told:
        """Returns the output of a run, which ends by itself or is killed."""
        output, _ = process.communicate(timeout=PATIENCE_SECONDS)
        told = Told()
        for line in output.splitlines(keepends=True):
            if line.endswith("\n"):
                told.hear(line.rstrip("\n"))
        self.told.append(told)
        assert process.returncode in (0, -signal.SIGKILL, 2), process.returncode
        if process.returncode == -signal.SIGKILL:
            self.kills += 1
        return told

    def run(self, mode: str, count: int, interrupt: str = "") -> Told:
        return self.finish(self.start(mode, count, interrupt))

    def run_and_kill(self, mode: str, count: int, seconds: float) -> Told:
        process = self.start(mode, count)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
        return self.finish(process)

    def drain(self) -> None:
        """Delivers the remaining items; from here on there are no failures."""
        told = self.run("drain", 0)
        assert told.finished, told
        assert not told.stuck

    # Checks

    def check_file(self) -> None:
        """Makes a copy, so that the next process that opens the file finds it as the killed
        process left it.
        """
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            for name in ("outbox.db", "outbox.db-wal"):
                if (self.folder / name).exists():
                    shutil.copy(self.folder / name, folder)
            connection = sqlite3.connect(Path(folder) / "outbox.db")
            try:
                assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
                made = connection.execute(
                    "SELECT 1 FROM sqlite_schema WHERE name = 'delivered'"
                ).fetchone()
                marked = made and connection.execute("SELECT 1 FROM delivered").fetchone()
                self.deaths_with_marks += marked is not None
            finally:
                connection.close()

    @property
    def applied(self) -> list[str]:
        """Returns the requests that the server has applied, in order."""
        return [self._tag(arrival) for arrival in self.server.record.first.values()]

    def check(self, *, stores_first: bool = False) -> None:
        """Checks everything that must hold after the drain.

        If every request was stored before it was sent, every request that the server has seen is
        applied in the end, also when the process was killed before it knew anything about it.
        """
        record = self.server.record
        tags = {key: self._tag(arrival) for key, arrival in record.first.items()}
        applied = self.applied
        assert len(applied) == len(set(applied)), "applied twice under two keys"
        kept = [tag for told in self.told for tag in told.kept]
        assert not set(kept) - set(applied), f"lost: {set(kept) - set(applied)}"
        for arrival in record.arrivals:
            assert arrival.key, arrival
            if arrival.key in tags:
                assert tags[arrival.key] == self._tag(arrival), "one key for two requests"
            else:
                # The sender was killed before it stored the request, while the server was still
                # busy with the request.
                assert not stores_first, f"lost: {arrival}"
                assert self._tag(arrival) not in kept, arrival
            assert LOCAL not in arrival.path + arrival.body, arrival
        self._check_order(applied)
        known = record.identities
        with_part = sorted(number for number in known["thing"].values() if number % 2)
        assert sorted(known["part"].values()) == with_part, "each part is made once, with its thing"

    def _check_order(self, applied: list[str]) -> None:
        last: dict[str, int] = {}
        for tag in applied:
            lane, _, number = tag.partition(":")
            assert int(number) > last.get(lane, -1), f"{tag} after {last.get(lane)}"
            last[lane] = int(number)

    def _tag(self, arrival: Arrival) -> str:
        body = json.loads(arrival.body)
        if arrival.path == "events":
            return f"{body['lane']}:{body['number']}"
        title, _, identity = arrival.path.partition("s/")
        known = self.server.record.identities
        if arrival.method == "POST":
            assert arrival.path == "things"
            title = "thing"
            assert body.get("id") is None
            assert body.get("part", {}).get("id") is None
        else:
            assert known[title][int(identity)] == body["number"], "another object"
            assert body["id"] == int(identity)
            if part := body.get("part"):
                assert known["part"][part["id"]] == body["number"], "another part, or a second"
        return f"{title}{body['number']}:{body['version']}"
