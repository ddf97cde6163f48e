"""Several processes share an outbox: all enqueue, one sends, and another one takes over."""

from __future__ import annotations

import random
import subprocess
import threading
from pathlib import Path

from campaign import Campaign
from programs import Programs
from recording_server import Arrival, Moods, RecordingServer


class WatchingServer(RecordingServer):
    """Knows which processes are alive, and checks that no process sends while an earlier sender is
    alive.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed, Moods())
        self.living: dict[str, subprocess.Popen[str]] = {}
        self.senders: list[str] = []
        self.rivals: list[str] = []
        self.arrived = threading.Event()

    def kill(self, name: str) -> subprocess.Popen[str]:
        """The kernel releases the locks of a process a moment before it reports the end of the
        process.
        """
        process = self.living[name]
        with self.lock:
            is_alive = process.poll() is None
            del self.living[name]
            if is_alive:
                process.kill()
        return process

    def apply(self, arrival: Arrival) -> tuple[int, str]:
        with self.lock:
            if arrival.sender not in self.senders:
                for other in self.senders:
                    process = self.living.get(other)
                    if process is not None and process.poll() is None:
                        self.rivals.append(f"{arrival.sender} beside {other}")
                self.senders.append(arrival.sender)
        self.arrived.set()
        return super().apply(arrival)


def test_one_sends_and_another_takes_over_when_it_is_killed(
    programs: Programs, folder: Path, kills: int, seed: int
) -> None:
    chance = random.Random(seed)
    with WatchingServer(seed) as server:
        campaign = Campaign(programs, server, folder)
        for round_ in range(max(2, kills // 12)):
            writers = [campaign.start("enqueue", 20, sender=f"writer{i}") for i in range(2)]
            senders = {f"{round_}.{i}": "" for i in range(3)}
            for name in senders:
                server.living[name] = process = campaign.start("serve", 5, sender=name)
                assert process.stdout
                assert process.stdout.readline() == "R\n"
            for writer in writers:
                assert campaign.finish(writer).queued
            for _ in range(3):
                _let_one_send(server, senders)
                name = server.senders[-1]
                _wait(server.living[name], chance.uniform(0, 0.05))
                campaign.finish(server.kill(name))
                del senders[name]
                if not senders:
                    break
                campaign.run("enqueue", 4)
            for name in senders:
                campaign.finish(server.kill(name))
        campaign.drain()
        campaign.check()
        assert server.rivals == []
        assert len(server.senders) > 2, "no process took over"
        assert not any(name.startswith("writer") for name in server.senders)


def _let_one_send(server: WatchingServer, senders: dict[str, str]) -> None:
    """Waits until one of the living processes is the sender."""
    for _ in range(100):
        if server.senders and server.senders[-1] in senders:
            return
        server.arrived.clear()
        server.arrived.wait(0.1)
    living = {name: process.poll() for name, process in server.living.items()}
    raise AssertionError(f"nobody sends: {server.senders}, {living}")


def _wait(process: subprocess.Popen[str], seconds: float) -> None:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return
