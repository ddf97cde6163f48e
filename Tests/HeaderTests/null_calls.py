"""Calls every function that returns a status with NULL for each of its pointers. Prints a line of
JSON for each call: the function, the parameter, the status, and the status of the same call without
the NULL.

    null_calls.py URL
"""

from __future__ import annotations

import json
import sys

from calling import Memory, arguments, call
from extreme_calls import Handles, fresh
from interface import Function, functions
from world import world


def with_null(function: Function, handles: Handles, parameter: str | None) -> int:
    memory = Memory()
    given = arguments(function, fresh(handles, function), memory)
    if parameter is not None:
        given[parameter] = None
    return int(call(function, given))


def every_pointer(handles: Handles, kinds: set[str]) -> None:
    """Calls the functions whose handles all exist, and of which one is of `kinds`."""
    for function in functions():
        needed = {p.handle or p.handles for p in function.handle_parameters}
        is_new = bool(needed & kinds) or (not needed and not kinds)
        if not function.answers_a_status or not needed <= set(handles) or not is_new:
            continue
        for parameter in function.parameters:
            if "*" in parameter.type or parameter.type.endswith("_fn"):
                status = with_null(function, handles, parameter.name)
                usual = with_null(function, handles, None)
                line = [function.name, parameter.name, status, usual]
                print(json.dumps(line), flush=True)


def main(url: str) -> None:
    done: set[str] = set()
    every_pointer({}, set())
    with world(url) as made:
        def act(handles: Handles) -> None:
            known = {kind: handle for kind, handle in handles.items() if handle}
            kinds = set(known) - done
            done.update(kinds)
            every_pointer(known, kinds)

        made.visit(act)


if __name__ == "__main__":
    main(sys.argv[1])
