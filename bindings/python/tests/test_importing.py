"""What an import of the package loads."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .conftest import DOCUMENT

#: Modules that are slow to load, and that a blocking client does not need.
SLOW = {
    "asyncio",
    "base64",
    "concurrent.futures",
    "dataclasses",
    "inspect",
    "json",
    "logging",
    "pandas",
    "pathlib",
    "polars",
    "pyarrow",
    "signal",
    "ssl",
    "traceback",
}

_LOADED = "import sys\n{}\nprint(*sorted(sys.modules))"
_CLIENT = """
import restway
restway.Client(restway.API.load({path!r}), base_url="http://127.0.0.1:1")
"""


def loaded(code: str) -> set[str]:
    """Returns the modules that a new process has loaded after `code`."""
    done = subprocess.run(
        [sys.executable, "-c", _LOADED.format(code)], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.no_library
def test_importing_the_package_loads_nothing_slow() -> None:
    assert loaded("import restway") & SLOW == set()


def test_making_a_client_loads_nothing_slow() -> None:
    assert loaded(_CLIENT.format(path=str(DOCUMENT))) & SLOW == set()
