"""Fixtures of all tests, which are those of the tests of the binding.

The package `tests` is that of the binding: its server, its documents and its check of handles serve
here, too. The modules in this folder import each other by their names alone.
"""

from __future__ import annotations

from tests.conftest import (
    demo_url,
    every_handle_is_gone_at_the_end,
    mypy_cache,
    peer,
    pytest_collection_finish,
    pytest_collection_modifyitems,
    pytest_runtest_makereport,
    pytest_sessionfinish,
)

__all__ = [
    "demo_url",
    "every_handle_is_gone_at_the_end",
    "mypy_cache",
    "peer",
    "pytest_collection_finish",
    "pytest_collection_modifyitems",
    "pytest_runtest_makereport",
    "pytest_sessionfinish",
]
