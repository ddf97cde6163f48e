"""The interface as data says all that a binding must know, and the library keeps to it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import contracts
from every import for_each
from interface import Function, callbacks, enums, function_data, functions
from peer import peer
from tree import Stage, run

FUNCTIONS: dict[str, dict[str, Any]] = {f.name: function_data(f) for f in functions()}
STATUSES = set(enums()["restway_status"])
#: The direction and the ownership of parameters that the headers can express.
CONTRACTS = {
    ("in", "value"), ("in", "borrowed"), ("in", "copied"), ("in", "kept"), ("in", "moved"),
    ("in", "function"), ("in", "context"), ("out", "value"), ("out", "borrowed"), ("out", "owned"),
    ("inout", "value"), ("inout", "borrowed"),
}
#: The handles that exist only inside of questions that `null_calls.py` is not asked.
OF_QUESTIONS = {
    "restway_batch_reader", "restway_batch_writer", "restway_exchange", "restway_failure",
    "restway_refresh",
}
#: Words that make a NULL depend on something else: "may be NULL when @p length is 0".
DEPENDS = re.compile(r"\b(when|if|with|together)\b", re.IGNORECASE)


def named(function: Function) -> str:
    return function.name


@for_each(functions(), named)
def test_results_have_an_owner(function: Function) -> None:
    returned = FUNCTIONS[function.name]["returns"]
    allowed = {"static", "owned", "borrowed"} if "*" in function.result else {"value"}
    assert returned["ownership"] in allowed, "the comment does not say who owns the result"
    if returned["ownership"] == "owned":
        assert returned["release"] in FUNCTIONS


@for_each(functions(), named)
def test_parameters_have_an_owner(function: Function) -> None:
    for parameter in FUNCTIONS[function.name]["parameters"]:
        assert (parameter["direction"], parameter["ownership"]) in CONTRACTS
        if parameter["ownership"] == "owned" and parameter["release"] != "release":
            assert parameter["release"] in FUNCTIONS
        is_pointer = re.search(r"\*\*$|struct \w+ \*$", parameter["type"])
        if parameter["direction"] == "out" and is_pointer:
            assert parameter["ownership"] in ("owned", "borrowed"), parameter["name"]


@for_each(functions(), named)
def test_functions_say_when_they_may_be_called(function: Function) -> None:
    data = FUNCTIONS[function.name]
    assert data["threads"] and data["blocks"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", data["since"])
    assert "restway_" not in data["blocks"] or data["blocks"] != f"as {function.name}()"


@for_each(functions(), named)
def test_fallible_functions_list_their_statuses(function: Function) -> None:
    data = FUNCTIONS[function.name]
    fallible = function.answers_a_status and function.name != "restway_error_status"
    assert ("statuses" in data) == fallible
    if fallible:
        assert "RESTWAY_OK" in data["statuses"] or data["completes"]
        assert set(data["statuses"]) <= STATUSES


def test_blocking_calls_are_known() -> None:
    perform = FUNCTIONS["restway_client_perform"]
    assert perform["completes"] and perform["blocks"] != "never"
    assert {"RESTWAY_E_WOULD_BLOCK", "RESTWAY_E_CLOSED"} <= set(perform["statuses"])
    assert FUNCTIONS["restway_response_body"]["blocks"] == "never"


@for_each(callbacks(), named)
def test_callbacks_say_on_which_thread_they_run(callback: Function) -> None:
    kind = contracts.callback_kind(callback.name)
    assert kind, 'the comment says neither "A notice" nor "A question"'
    assert contracts.callback_thread(callback.name)


def test_callbacks_apart_exist() -> None:
    assert set(contracts.CALLBACKS_APART) <= {callback.name for callback in callbacks()}


def test_a_comment_is_taken_apart() -> None:
    comment = contracts.read(
        "/** Finds a thing.\n *\n *  @param name Its name. *Copied*.\n *  @param out_a, out_b As\n"
        " *              in restway_x().\n *  @return RESTWAY_OK,\n *          RESTWAY_E_IO.\n *\n"
        " *  It may change. Since: 0.3.0.\n *\n *  Threads: any. Blocks: on the file. */"
    )
    assert comment.effect.startswith("Finds a thing.")
    assert comment.parameters == {
        "name": "Its name. *Copied*.", "out_a": "As in restway_x().", "out_b": "As in restway_x()."
    }
    assert comment.result == "RESTWAY_OK, RESTWAY_E_IO."
    assert (comment.threads, comment.blocks, comment.since) == ("any", "on the file", "0.3.0")


def test_null_is_taken_where_the_interface_says_so(stage: Stage, tmp_path: Path) -> None:
    """Calls the functions with NULL for one pointer at a time. One that must not be NULL is
    refused. One that may be NULL is refused only if the comment says on what that depends.
    """
    program = Path(__file__).with_name("null_calls.py")
    with peer() as url:
        result = run(
            sys.executable, program, url, env=stage.environment, cwd=tmp_path, timeout_seconds=300
        )
    assert result.returncode == 0, result.stderr
    wrong, called = [], set()
    for line in result.stdout.splitlines():
        function, name, status, usual = json.loads(line)
        called.add((function, name))
        found = {p["name"]: p for p in FUNCTIONS[function]["parameters"]}[name]
        # A call that fails anyway may say something else first.
        if not found["nullable"] and status != 1 and usual == 0:
            wrong.append(f"{function}: {name} may be NULL, but the comment does not say so")
        depends = DEPENDS.search(contracts.described(function, name))
        if found["nullable"] and status == 1 and usual != 1 and not depends:
            wrong.append(f"{function}: {name} must not be NULL, but the comment says that it may")
    assert wrong == []
    expected = {
        (f.name, p.name) for f in functions() for p in f.parameters
        if "statuses" in FUNCTIONS[f.name] and "*" in p.type
        and not OF_QUESTIONS & {each.handle for each in f.handle_parameters}
    }
    assert len(expected) > 900
    assert expected - called == set()
