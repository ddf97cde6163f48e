"""The library that the tests of the schema ask."""

from __future__ import annotations

import pytest
import restway


def pytest_sessionstart() -> None:
    """Its absence is a failure, not a reason to skip."""
    try:
        restway.version()
    except restway.LibraryError as error:
        pytest.exit(f"{error}\nmake stage", returncode=1)
