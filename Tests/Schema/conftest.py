"""Loads the library that the tests of the schema use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import restway

#: The variables that the documents name.
VARIABLES = {
    "RESTWAY_SCHEMA_TESTS": str(Path(__file__).resolve().parent),
    "API_HOST": "api.example.com",
    "API_PORT": "8080",
    "API_VERSION": "v1",
    "API_TOKEN": "abc",
    "API_NAME": "name",
}


def pytest_sessionstart() -> None:
    """If the library is missing, the tests fail rather than skip."""
    os.environ.update(VARIABLES)
    try:
        restway.version()
    except restway.LibraryError as error:
        pytest.exit(f"{error}\nmake stage", returncode=1)
