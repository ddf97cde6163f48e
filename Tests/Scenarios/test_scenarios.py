"""Every scenario, through C, C++, Python and Swift."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema_rs
import pytest
from scenario import FOLDER, SCENARIOS, Driver, differences, read, run, wrong_expectations
from server import ScenarioServer

SCHEMA = json.loads((FOLDER / "scenario.schema.json").read_text("utf-8"))
NAMES = [path.stem for path in SCENARIOS]


def test_there_are_enough_scenarios() -> None:
    assert len(SCENARIOS) >= 25


@pytest.mark.parametrize("path", SCENARIOS, ids=NAMES)
def test_a_scenario_has_the_form_of_the_schema(path: Path) -> None:
    jsonschema_rs.validate(SCHEMA, json.loads(path.read_text("utf-8")))


@pytest.mark.parametrize("path", SCENARIOS, ids=NAMES)
def test_a_scenario_is_named_after_its_rows(path: Path) -> None:
    rows = json.loads(path.read_text("utf-8"))["rows"]
    assert path.stem.startswith(rows[0].replace(".", "-"))


@pytest.mark.parametrize("path", SCENARIOS, ids=NAMES)
def test_a_scenario_happens_as_it_says(
    path: Path, make_driver: Callable[[], Driver], server: ScenarioServer, tmp_path: Path
) -> None:
    scenario = read(path, server)
    record = run(scenario, make_driver(), server, tmp_path)
    found = differences(scenario, record)
    assert not found, "\n" + "\n".join(found)
    for wrong in wrong_expectations(scenario):
        assert differences(wrong, record), f"nothing was checked: {wrong}"


def test_a_request_that_was_not_expected_is_reported(
    make_driver: Callable[[], Driver], server: ScenarioServer, tmp_path: Path
) -> None:
    step = {"do": "call", "method": "GET", "path": "things"}
    scenario = {"document": {"restway": 1}, "server": [], "steps": [step]}
    record = run(scenario, make_driver(), server, tmp_path)
    assert len(differences(scenario, record)) == 1


def test_a_request_that_does_not_come_is_reported(
    make_driver: Callable[[], Driver], server: ScenarioServer, tmp_path: Path
) -> None:
    scenario = {
        "document": {"restway": 1}, "server": [{"request": "GET /things"}], "steps": [],
    }
    record = run(scenario, make_driver(), server, tmp_path)
    assert len(differences(scenario, record)) == 1
