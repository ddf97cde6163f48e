"""Fixtures of the crash suite: its programs, and a folder for each outbox."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import Programs, compile_programs


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    return compile_programs(tmp_path_factory.mktemp("programs"))


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory if possible, because a process is killed here, not the machine."""
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    path = Path(tempfile.mkdtemp(prefix="restway-crash-", dir=parent))
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="session")
def kills() -> int:
    """The number of kills in each of the two suites that kill; `make crash` sets more."""
    return int(os.environ.get("RESTWAY_CRASH_KILLS", "12"))


@pytest.fixture(scope="session")
def seed() -> int:
    return int(os.environ.get("RESTWAY_CRASH_SEED", "1"))
