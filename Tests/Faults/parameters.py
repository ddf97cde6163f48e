"""Faults as parameters of a test."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet
from fault import Fault


def each(faults: Iterable[Fault]) -> list[ParameterSet]:
    """Returns one test parameter for each fault."""
    return [pytest.param(fault, id=fault.name) for fault in faults]
