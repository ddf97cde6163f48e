"""Calls every function with each of its integers at the ends of its type, and with each integer
field of a struct that it reads there. The handles that a call has made or changed are then used: a
request is sent, a query is run, a client performs. Prints a line before each call, so that the last
line says which call ended the process, and at the end the number of calls.

    extreme_calls.py URL
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from calling import BOOL, DATE, FUNCTIONS, INT64, LIBRARY, OK, Memory, arguments, call, make
from interface import Function, Variable, extremes, functions, integer_parameters, structs
from world import world

#: Parameters that give the size of the memory at a pointer. The buffer is small, so they get only
#: numbers that no buffer can match.
OF_MEMORY = {"length", "count", "capacity", "column_count"}
#: More bytes than any address space has.
BEYOND_MEMORY = 1 << 63
#: The longest time of a call whose time limit is tested.
WAIT_MILLISECONDS = 5_000

Handles = dict[str, int]


class Tally:
    """Counts the calls, and the handles that they returned."""

    def __init__(self) -> None:
        self.calls = 0
        self.statuses: dict[int, int] = {}

    def say(self, what: str) -> None:
        self.calls += 1
        print(what, flush=True)

    def heard(self, status: int) -> int:
        self.statuses[status] = self.statuses.get(status, 0) + 1
        return status


def fits(parameter: Variable, number: int) -> bool:
    return parameter.name not in OF_MEMORY or number <= 1 or number >= BEYOND_MEMORY - 1


# Uses of the handles that a call has changed


def perform(handles: Handles) -> None:
    LIBRARY.restway_client_perform(
        handles["restway_client"], handles["restway_request"], WAIT_MILLISECONDS, None, None)


def use_query(handles: Handles) -> None:
    memory = Memory()
    ask = FUNCTIONS["restway_store_query"]
    call(ask, arguments(ask, handles, memory))


def use_draft(handles: Handles) -> None:
    memory = Memory()
    insert = FUNCTIONS["restway_draft_insert"]
    call(insert, arguments(insert, handles, memory))


USES: dict[str, Callable[[Handles], None]] = {
    "restway_request": perform, "restway_query": use_query, "restway_draft": use_draft,
    "restway_client": perform,
}


def use(kind: str, handles: Handles) -> None:
    """Uses a handle of `kind` that a call has changed."""
    if kind in USES:
        USES[kind](handles)


def fresh(handles: Handles, function: Function) -> Handles:
    """Returns `handles`, with new handles in place of those that the function changes."""
    changed = function.parameters[0].handle if function.parameters else ""
    memory = Memory()
    if function.name in (
        "restway_client_send_to", "restway_client_remove_stage", "restway_client_set_credential"
    ):
        # The client of the other calls has no notices to process, so that they never wait for some,
        # and it keeps its modifier and its credential.
        return handles | {changed: make("restway_client_create", handles["restway_api"], None)}
    if changed == "restway_request":
        return handles | {changed: make("restway_request_create", b"GET", b"status")}
    if changed == "restway_query":
        return handles | {changed: make("restway_query_create", handles["restway_store"], b"Note")}
    if changed == "restway_clock":
        return handles | {changed: make("restway_clock_create")}
    if changed == "restway_draft":
        draft = make("restway_draft_create", handles["restway_store"], b"Note")
        LIBRARY.restway_draft_set(draft, b"id", memory.value(INT64, 3), None)
        return handles | {changed: draft}
    return handles


def attempt(
    tally: Tally, function: Function, handles: Handles, memory: Memory, change: dict[str, Any],
    what: str,
) -> None:
    """Makes one call with some arguments of its own, which `memory` keeps."""
    mine = fresh(handles, function)
    tally.say(f"{function.name}: {what}")
    answer = call(function, arguments(function, mine, memory) | change)
    if function.answers_a_status and tally.heard(answer) != OK:
        return
    if function.parameters:
        use(function.parameters[0].handle, mine)


# Parameters


def every_parameter(tally: Tally, handles: Handles, kinds: set[str]) -> None:
    """Returns the functions whose handles all exist, and of which one is of `kinds`."""
    for function, parameter in integer_parameters():
        needed = {p.handle or p.handles for p in function.handle_parameters}
        if not needed <= set(handles) or not (needed & kinds or (not needed and not kinds)):
            continue
        for number in extremes(parameter.integer):
            if fits(parameter, number):
                what = f"{parameter.name} = {number}"
                attempt(tally, function, handles, Memory(), {parameter.name: number}, what)


# Values


def every_value(tally: Tally, handles: Handles, kinds: set[str]) -> None:
    """Tests functions that take a restway_value: each kind of integer, and lengths and kinds."""
    for function in functions():
        place = next((p for p in function.parameters if p.type == "const restway_value *"), None)
        needed = {p.handle or p.handles for p in function.handle_parameters}
        if place is None or not needed <= set(handles) or not needed & kinds:
            continue
        for value in values():
            for name in names(function):
                memory = Memory()
                change = {place.name: memory.value(*value)}
                change |= {key: memory.text(text) for key, text in name.items()}
                what = f"{place.name} = kind {value[0]}, {value[1]}, length {value[2]}, {name}"
                attempt(tally, function, handles, memory, change, what)


def values() -> Iterator[tuple[int, int, int]]:
    """Tests kinds, numbers and lengths."""
    for number in extremes("int64_t"):
        for kind in (BOOL, INT64, DATE):
            yield kind, number, 0
    for kind in extremes("uint32_t"):
        if kind not in (BOOL, INT64):
            yield kind, 0, 0
    # A length without memory is refused, like NULL.
    for length in extremes("uint32_t"):
        for kind in range(10):
            yield kind, 0, length


def names(function: Function) -> list[dict[str, str]]:
    """Uses the attributes of each type, if the function takes the name of one."""
    if function.parameters[0].handle == "restway_request":
        return [{}]
    places = [p.name for p in function.parameters if p.name in ("name", "attribute")]
    return [{places[0]: text} for text in ("id", "text", "at", "any")] if places else [{}]


# Structs that are read


def every_field(tally: Tally, handles: Handles, kinds: set[str]) -> None:
    for function in functions():
        for parameter in function.parameters:
            if parameter.pointee not in structs() or parameter.pointee in (
                "restway_value", "restway_event"
            ):
                continue
            needed = {p.handle for p in function.handle_parameters}
            if not needed <= set(handles) or not (needed & kinds or (not needed and not kinds)):
                continue
            for field in structs()[parameter.pointee]:
                for number in extremes(field.integer) if field.integer else ():
                    one_field(tally, handles, function, parameter, field, number)


def one_field(
    tally: Tally, handles: Handles, function: Function, parameter: Variable, field: Variable,
    number: int,
) -> None:
    memory = Memory()
    mine = fresh(handles, function)
    tally.say(f"{function.name}: {parameter.name}.{field.name} = {number}")
    given = arguments(function, mine, memory)
    given[parameter.name] = memory.struct(parameter.pointee, {field.name: number})
    if tally.heard(call(function, given)) != OK:
        return
    if "out_client" not in given:
        return use(function.parameters[0].handle, mine)
    client = int.from_bytes(Memory.bytes_at(given["out_client"], 8), sys.byteorder)
    perform(mine | {"restway_client": client})
    LIBRARY.restway_client_release(client)


def main(url: str) -> None:
    tally = Tally()
    done: set[str] = set()
    with world(url) as made:
        def act(handles: Handles) -> None:
            handles = {kind: handle for kind, handle in handles.items() if handle}
            kinds = set(handles) - done
            done.update(kinds)
            every_parameter(tally, handles, kinds)
            every_value(tally, handles, kinds)
            every_field(tally, handles, kinds)

        every_parameter(tally, {}, set())
        every_field(tally, {}, set())
        made.visit(act)
    print(f"calls: {tally.calls} statuses: {tally.statuses}")


if __name__ == "__main__":
    main(sys.argv[1])
