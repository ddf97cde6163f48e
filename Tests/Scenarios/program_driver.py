"""Performs the steps of a scenario with a program: of `c`, `cpp` or `swift`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

JSON = Any
"""A value that `json.loads` returns."""


class ProgramDriver:
    """A process of the program: a line goes in for each step, and a line comes out."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def perform(self, step: dict[str, JSON]) -> dict[str, JSON]:
        """Performs a step and returns what came of it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(step) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the driver ended in the step {step}"
        outcome: dict[str, JSON] = json.loads(line)
        return outcome

    def close(self) -> None:
        self._process.communicate()
        assert self._process.returncode == 0
