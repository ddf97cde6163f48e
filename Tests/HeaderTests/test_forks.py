"""A forked child may use all of its own handles, and must not use its parent's."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from calling import FORKED, OK
from interface import functions_of_handles
from peer import peer
from tree import Stage, run


@pytest.fixture(name="answers", scope="module")
def _answers(stage: Stage) -> list[dict[str, Any]]:
    """The results in the children of `forked_calls.py`."""
    program = Path(__file__).with_name("forked_calls.py")
    with peer() as url:
        result = run(sys.executable, program, url, env=stage.environment)
    assert result.returncode == 0, result.stdout + result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_every_type_of_handle_was_there(answers: list[dict[str, Any]]) -> None:
    assert answers[-1] == {"never seen": []}
    assert [answer for answer in answers if "died" in answer] == []


def test_a_child_is_refused_every_handle_of_its_parent(answers: list[dict[str, Any]]) -> None:
    """Checks every function that returns a status, for each of its handles."""
    forked = [tuple(pair) for answer in answers for pair in answer.get("forked", [])]
    assert {name: status for name, status in forked if status != FORKED} == {}
    expected = {
        f"{function.name}({parameter.name})"
        for function in functions_of_handles()
        for parameter in function.handle_parameters
    }
    assert len(expected) > 100
    assert expected - {name for name, _ in forked} == set()


def test_other_functions_answer_as_for_null(answers: list[dict[str, Any]]) -> None:
    told = [tuple(pair) for answer in answers for pair in answer.get("ok", [])]
    assert len(told) > 100
    assert {name: status for name, status in told if status != OK} == {}
