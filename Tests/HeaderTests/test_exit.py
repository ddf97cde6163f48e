"""A program may exit at any time: the library's I/O thread ends before the exit handlers that were
registered earlier, such as the exit handlers of the libraries that it uses.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tree import ROOT, Stage, run

DOCUMENT = ROOT / "examples" / "demo-api" / "demo.restway.json"


@pytest.fixture(name="silent_url")
def _silent_url() -> Iterator[str]:
    """A server that accepts connections and never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture(name="program", scope="module")
def _program(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("exit") / "exiting"
    source = Path(__file__).with_name("exiting.c")
    stage.compile("gcc", "gnu99", source, program, "restway")
    return program


def _lines(program: Path, stage: Stage, url: str, what: str) -> list[str]:
    result = run(program, str(DOCUMENT), url, what, env=stage.environment)
    assert result.returncode == 3, result.stderr
    return result.stdout.splitlines()


@pytest.mark.parametrize("_turn", range(20))
def test_exit_after_the_client_was_released(program: Path, stage: Stage, _turn: int) -> None:
    assert _lines(program, stage, "http://127.0.0.1:9", "closing")[1:] == ["threads: 0"]


@pytest.mark.parametrize("what", ["in flight", "other thread"])
def test_exit_with_a_call_in_flight(
    program: Path, stage: Stage, silent_url: str, what: str
) -> None:
    # The call never completes: the objects that its notice would use may have been freed.
    assert _lines(program, stage, silent_url, what) == ["threads: 0"]


def test_a_client_used_by_a_later_exit_handler_says_so(program: Path, stage: Stage) -> None:
    lines = _lines(program, stage, "http://127.0.0.1:9", "used later")
    assert lines[1] == "threads: 0"
    assert "the process is exiting" in lines[2]
    assert lines[3].startswith("late: ")
    assert lines[3] != "late: 0"
