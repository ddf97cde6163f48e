"""Response headers as a mapping."""

from __future__ import annotations

import pytest

from restway import Headers

pytestmark = pytest.mark.no_library

HEADERS = Headers([("Content-Type", "a/b"), ("Set-Cookie", "a=1"), ("set-cookie", "b=2")])


def test_names_are_found_without_regard_to_case() -> None:
    assert HEADERS["content-TYPE"] == "a/b"
    assert "CONTENT-TYPE" in HEADERS
    assert "Accept" not in HEADERS
    assert HEADERS.get("Accept") is None


def test_lines_of_one_name_are_joined_and_kept() -> None:
    assert HEADERS["Set-Cookie"] == "a=1, b=2"
    assert HEADERS.lines[1:] == (("Set-Cookie", "a=1"), ("set-cookie", "b=2"))
    assert list(HEADERS) == ["Content-Type", "Set-Cookie"]
    assert len(HEADERS) == 2


def test_a_name_that_is_missing_raises_key_error() -> None:
    with pytest.raises(KeyError, match="Accept"):
        HEADERS["Accept"]


def test_repr_keeps_values_to_itself() -> None:
    assert "a=1" not in repr(HEADERS)
