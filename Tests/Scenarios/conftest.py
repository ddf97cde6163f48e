"""The drivers of all languages, and a server for each scenario."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python"))

from program_driver import ProgramDriver
from python_driver import PythonDriver
from scenario import Driver
from server import ScenarioServer
from swift_driver import SwiftDriver

pytest_plugins = ["garbage"]


@pytest.fixture(params=["c", "cpp", "python", "swift"])
def make_driver(request: pytest.FixtureRequest) -> Callable[[], Driver]:
    """Returns the function that makes a driver, for each language."""
    if request.param == "python":
        return PythonDriver
    program = Path(os.environ["RESTWAY_SCENARIO_DRIVERS"]) / request.param
    kind = SwiftDriver if request.param == "swift" else ProgramDriver
    return lambda: kind(program)


@pytest.fixture
def server() -> Iterator[ScenarioServer]:
    with ScenarioServer() as running:
        yield running
