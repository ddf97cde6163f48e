"""Calls every function that takes a handle and returns a status in a forked child, once for each
handle parameter. This parameter gets the parent's handle; all other parameters get handles of the
child where the child can make them. Prints the results as JSON: ["function(parameter)", status].

    forked_calls.py URL
"""

from __future__ import annotations

import json
import os
import signal
import sys

from calling import FUNCTIONS, LIBRARY, LIST, OBJECT, OK, Memory, Value, arguments, call, make
from interface import functions_of_handles, handle_types
from world import own, world

#: A child that takes longer than this hangs.
PATIENCE_SECONDS = 20


def parameter_by_parameter(parents: dict[str, int], mine: dict[str, int]) -> list[list[object]]:
    answers: list[list[object]] = []
    for function in functions_of_handles():
        for parameter in function.handle_parameters:
            kind = parameter.handle or parameter.handles
            needed = {p.handle or p.handles for p in function.handle_parameters}
            if not needed <= set(parents):
                continue
            memory = Memory()
            given = arguments(function, parents | mine, memory)
            one = parents[kind]
            given[parameter.name] = memory.handles(one) if parameter.handles else one
            if parameter.name == "drafts":
                given["objects"] = None
            answers.append([f"{function.name}({parameter.name})", call(function, given)])
    return answers


def inside_of_structs(parents: dict[str, int], mine: dict[str, int]) -> list[list[object]]:
    """Tests handles in fields: the clock of a client, objects as values."""
    memory = Memory()
    options = memory.struct("restway_client_options", {"clock": parents["restway_clock"]})
    answers: list[list[object]] = []
    create = FUNCTIONS["restway_client_create"]
    given = arguments(create, mine, memory) | {"options": options}
    answers.append(["restway_client_create(options.clock)", call(create, given)])
    single = memory.value(OBJECT, parents["restway_object"])
    element = Value(OBJECT, 0, parents["restway_object"])
    listed = memory.value(LIST, memory.keep(element), 1)
    for function in functions_of_handles():
        if not any(p.type == "const restway_value *" for p in function.parameters):
            continue
        if not all(p.handle in mine for p in function.handle_parameters):
            continue
        for name, value in (("object", single), ("list", listed)):
            place = next(p.name for p in function.parameters if p.type == "const restway_value *")
            given = arguments(function, mine, memory) | {place: value}
            answers.append([f"{function.name}({place} of {name})", call(function, given)])
    return answers


def without_a_status(parents: dict[str, int]) -> list[list[object]]:
    """Functions with other results return, and give the same result as for NULL."""
    answers: list[list[object]] = []
    for function in FUNCTIONS.values():
        words = function.name.split("_")
        if function.answers_a_status or not function.handle_parameters:
            continue
        if words[-1] in ("retain", "release"):
            continue
        kind = function.handle_parameters[0].handle
        if kind not in parents:
            continue
        memory = Memory()
        theirs = call(function, arguments(function, parents, memory))
        nothing = call(function, arguments(function, {}, memory))
        answers.append([f"{function.name} as for NULL", OK if theirs == nothing else theirs])
    return answers


def released(parents: dict[str, int]) -> list[list[object]]:
    """Every handle can be retained and released, and the live-handle count follows."""
    before = LIBRARY.restway_debug_live_handles()
    for kind, handle in parents.items():
        name = kind + "_retain"
        if name in FUNCTIONS:
            assert getattr(LIBRARY, name)(handle) == handle
            getattr(LIBRARY, kind + "_release")(handle)
    return [["live handles", LIBRARY.restway_debug_live_handles() - before]]


def in_child(parents: dict[str, int]) -> None:
    """Runs one child; its output becomes lines of this process."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE_SECONDS)
        mine = own()
        found = {
            "forked": parameter_by_parameter(parents, mine) + inside_of_structs(parents, mine),
            "ok": without_a_status(parents) + released(parents),
        }
        # The child's own handles still work.
        make("restway_request_create", b"GET", b"status")
        with os.fdopen(writing, "w") as pipe:
            json.dump(found, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    print(text or json.dumps({"died": os.waitstatus_to_exitcode(status)}))


if __name__ == "__main__":
    with world(sys.argv[1]) as found_world:
        seen = found_world.visit(in_child)
        print(json.dumps({"never seen": sorted(handle_types() - seen)}))
