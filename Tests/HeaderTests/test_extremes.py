"""No integer that a program can pass ends the process."""

from __future__ import annotations

import sys
from pathlib import Path

from interface import extremes, functions, integer_parameters, structs
from peer import peer
from tree import Stage, run


def test_every_integer_at_the_ends_of_its_type(stage: Stage, tmp_path: Path) -> None:
    program = Path(__file__).with_name("extreme_calls.py")
    with peer() as url:
        # Clients with options of their own put their outbox into the working directory.
        result = run(
            sys.executable, program, url, env=stage.environment, cwd=tmp_path, timeout_seconds=300)
    lines = result.stdout.splitlines()
    assert result.returncode == 0, f"the last call was {lines[-1:]}\n{result.stderr}"
    assert lines[-1].startswith("calls: ")
    called = {line.split(" = ")[0] for line in lines[:-1]}
    expected = {f"{function.name}: {p.name}" for function, p in integer_parameters()}
    assert len(expected) > 100
    assert expected - called == set()
    fields = {
        f"{function.name}: {p.name}.{field.name}"
        for function in functions()
        for p in function.parameters
        for field in structs().get(p.pointee, ())
        if field.integer and p.pointee not in ("restway_value", "restway_event")
    }
    assert len(fields) > 30
    assert fields - called == set()


def test_the_ends_of_a_type() -> None:
    assert extremes("int32_t") == [-(2**31), -1, 0, 1, 2**31 - 1]
    assert {0, 1, -1, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)} <= set(extremes("int64_t"))
    assert {0, 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1} <= set(extremes("size_t"))
