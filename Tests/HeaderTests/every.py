"""One test for a claim about many things, in place of a test for each of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

Item = TypeVar("Item")


def for_each(
    items: Iterable[Item], name: Callable[[Item], str] = str
) -> Callable[[Callable[[Item], None]], Callable[[], None]]:
    """Makes a test of a check: the check runs for every item, and the test lists all items that
    fail. There are thousands of pairs of a claim and a function, and a test of its own costs more
    time than the check.
    """
    found = list(items)

    def make(check: Callable[[Item], None]) -> Callable[[], None]:
        def test() -> None:
            assert found, "there is nothing to check"
            failures = [line for item in found for line in _failure(check, item, name(item))]
            if failures:
                pytest.fail("\n".join(failures), pytrace=False)

        functools.update_wrapper(test, check)
        del test.__wrapped__  # type: ignore[attr-defined] # pytest would look for its parameters
        return test

    return make


def _failure(check: Callable[[Item], None], item: Item, name: str) -> list[str]:
    try:
        check(item)
    except AssertionError as error:
        return [f"{name}: {error}"]
    return []
