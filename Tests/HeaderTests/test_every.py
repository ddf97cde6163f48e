"""A test that `for_each` makes runs its check for every item, and reports all that fail."""

from __future__ import annotations

import pytest
from every import for_each


def test_every_item_that_fails_is_reported() -> None:
    seen = []

    @for_each([1, 2, 3, 4], lambda number: f"item {number}")
    def check(number: int) -> None:
        seen.append(number)
        assert number % 2 == 1, "even"

    with pytest.raises(pytest.fail.Exception) as raised:
        check()
    assert seen == [1, 2, 3, 4]
    reported = str(raised.value)
    assert "item 2: even" in reported and "item 4: even" in reported
    assert "item 1" not in reported and "item 3" not in reported


def test_no_item_is_a_failure() -> None:
    @for_each([])
    def check(_item: object) -> None:
        """Would pass for every item."""

    with pytest.raises(AssertionError, match="nothing to check"):
        check()
