"""Fixtures of the tests of the headers and of the installed tree."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from abi import report
from tree import ROOT, Stage


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(report())


@pytest.fixture(scope="session")
def stage() -> Stage:
    """The staged install, which `make stage` makes. If it is missing, the tests fail rather than
    skip.
    """
    prefix = Path(os.environ.get("RESTWAY_PREFIX", ROOT / "build" / "stage"))
    if not (prefix / "lib" / "librestway.so").exists():
        pytest.fail(f"{prefix} holds no librestway.so: make stage", pytrace=False)
    return Stage(prefix)


@pytest.fixture(scope="session")
def demo_url() -> str:
    url = os.environ.get("RESTWAY_DEMO_URL")
    if not url:
        pytest.fail("RESTWAY_DEMO_URL is not set: examples/with-demo-api", pytrace=False)
    return url
