"""Loads the library that the tests of the schema use."""

from __future__ import annotations

import pytest
import restway


def pytest_sessionstart() -> None:
    """If the library is missing, the tests fail rather than skip."""
    try:
        restway.version()
    except restway.LibraryError as error:
        pytest.exit(f"{error}\nmake stage", returncode=1)
