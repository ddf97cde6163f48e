"""The descriptors of this process."""

from __future__ import annotations

import contextlib
import os
import time

from connection import SECONDS_MAX


def open_descriptors() -> dict[int, str]:
    """Returns what each open descriptor refers to."""
    found = {}
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # the descriptor of the folder itself
            found[int(name)] = os.readlink(f"/proc/self/fd/{name}")
    return found


def check_descriptors(before: dict[int, str]) -> None:
    """Checks that no descriptor was left open since `before`.

    A worker may close a file just after its call has ended, so this function waits for the worker.
    """
    until = time.monotonic() + SECONDS_MAX
    while (left := set(open_descriptors().items()) - set(before.items())) and (
        time.monotonic() < until
    ):
        os.sched_yield()
    assert not left
