"""Performs the steps of a scenario with the program in `swift`, which uses the module `Restway`."""

from __future__ import annotations

import re
from typing import Any

import restway
from program_driver import ProgramDriver

JSON = Any
"""A value that `json.loads` returns."""

_OTHER_NAMES = {"TIMED_OUT": "TIMEOUT", "PROTOCOL_VIOLATION": "PROTOCOL"}


class SwiftDriver(ProgramDriver):
    """The module has kinds of errors in place of the numbers of the C ABI."""

    def perform(self, step: dict[str, JSON]) -> dict[str, JSON]:
        return _numbered(super().perform(_listed(step)))


def _listed(step: dict[str, JSON]) -> dict[str, JSON]:
    """Returns a step with its parameters in a list: the members of an object have no order."""
    listed = dict(step)
    if "parameters" in listed:
        listed["parameters"] = [
            {"name": name, "value": value} for name, value in step["parameters"].items()
        ]
    if "calls" in listed:
        listed["calls"] = [_listed(call) for call in listed["calls"]]
    return listed


def _numbered(outcome: dict[str, JSON]) -> dict[str, JSON]:
    """Returns an outcome with the numbers of statuses and states in place of their names."""
    numbered = dict(outcome)
    if "status" in numbered:
        name = re.sub("(?<=[a-z])(?=[A-Z])", "_", numbered["status"]).upper()
        numbered["status"] = int(restway.Status[_OTHER_NAMES.get(name, name)])
    if "results" in numbered:
        numbered["results"] = [_numbered(result) for result in numbered["results"]]
    if "items" in numbered:
        numbered["items"] = [
            {**item, "state": int(restway.OutboxState[item["state"].upper()])}
            for item in numbered["items"]
        ]
    return numbered
