"""Faults as parameters of a test."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet
from fault import Fault


def each(faults: Iterable[Fault]) -> list[ParameterSet]:
    """One test for each; what is known to be wrong must fail, until it is put right."""
    return [
        pytest.param(
            fault,
            id=fault.name,
            marks=[pytest.mark.xfail(strict=True, reason=fault.known_bug)]
            if fault.known_bug
            else [],
        )
        for fault in faults
    ]
