"""Starts one demo API for all tests that do not need their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from demo_client import Client, start, stop


@pytest.fixture(scope="session")
def port() -> Iterator[int]:
    process, number = start()
    yield number
    out, errors = stop(process)
    assert (out, errors, process.returncode) == ("", "", 0), "the server was not quiet"


@pytest.fixture
def client(port: int) -> Iterator[Client]:
    """A client of the shared server. Tests write only to objects that they have created."""
    client = Client(port)
    yield client
    client.connection.close()
