"""Scenarios as data: how they are read and run, and what differs from what they expect."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import restway
from server import Received, ScenarioServer

JSON = Any
"""A value that `json.loads` returns."""

FOLDER = Path(__file__).resolve().parent
SCENARIOS = sorted((FOLDER / "cases").glob("*.json"))

_STATES = {int(state): state.name.lower() for state in restway.OutboxState}


class Driver(Protocol):
    """What performs the steps, in one language."""

    def perform(self, step: dict[str, JSON]) -> dict[str, JSON]: ...

    def close(self) -> None: ...


class Record(NamedTuple):
    """What happened when a scenario was run."""

    outcomes: list[dict[str, JSON]]
    """What came of each step, the opening of the client first."""
    received: list[Received]
    """The requests at the server, in their order."""


def read(path: Path, server: ScenarioServer) -> dict[str, JSON]:
    """Reads a scenario for a server, whose name and port it may hold."""
    text = path.read_text("utf-8")
    text = text.replace("@SERVER@", f"http://127.0.0.1:{server.port}")
    text = text.replace("@PORT@", str(server.port))
    scenario: dict[str, JSON] = json.loads(text)
    return scenario


def run(
    scenario: dict[str, JSON], driver: Driver, server: ScenarioServer, folder: Path
) -> Record:
    """Runs the steps of a scenario, one after the other."""
    server.give([exchange.get("answer", {}) for exchange in scenario.get("server", [])])
    outcomes = []
    try:
        outcomes.append(driver.perform(_opening(scenario, server, folder)))
        for step in scenario["steps"]:
            outcomes.append(_perform(step, driver, server))
    finally:
        server.released.set()
        driver.close()
    return Record([_named(outcome) for outcome in outcomes], list(server.received))


def _opening(scenario: dict[str, JSON], server: ScenarioServer, folder: Path) -> dict[str, JSON]:
    document = scenario["document"]
    if "restway" in document and "environments" not in document:
        base = f"http://127.0.0.1:{server.port}{scenario.get('basePath', '')}"
        document = {**document, "environments": {"here": {"baseURL": base}}}
    return {
        "do": "open",
        "document": document,
        "folder": str(folder),
        "options": scenario.get("options", {}),
    }


def _perform(step: dict[str, JSON], driver: Driver, server: ScenarioServer) -> dict[str, JSON]:
    if step["do"] == "arrived":
        return {"arrived": server.wait_for(step["count"])}
    if step["do"] == "release":
        server.released.set()
        return {}
    asked = {key: value for key, value in step.items() if key not in ("expect", "about")}
    return driver.perform(asked)


def _named(outcome: dict[str, JSON]) -> dict[str, JSON]:
    """Returns an outcome with the names of statuses and states in place of their numbers."""
    named = dict(outcome)
    if "status" in named:
        named["status"] = restway.Status(named["status"]).name
    if "results" in named:
        named["results"] = [_named(result) for result in named["results"]]
    if "items" in named:
        named["items"] = [
            {**item, "state": _STATES[item["state"]]} for item in named["items"]
        ]
    return named


def differences(scenario: dict[str, JSON], record: Record) -> list[str]:
    """Returns a line for each thing that is not as the scenario expects."""
    found = list(_of("open", {"status": "OK", **scenario.get("opened", {})}, record.outcomes[0]))
    for number, step in enumerate(scenario["steps"], start=1):
        expected = step.get("expect", {})
        if step["do"] == "arrived":
            expected = {"arrived": True}
        found += _of(f"step {number} ({step['do']})", expected, record.outcomes[number])
    exchanges = scenario.get("server", [])
    lines = [received.line for received in record.received]
    expected_lines = [exchange["request"] for exchange in exchanges]
    found += _unequal("requests", expected_lines, lines)
    for exchange, received in zip(exchanges, record.received, strict=False):
        found += _of_request(exchange, received)
    return found


def _of(place: str, expected: dict[str, JSON], outcome: dict[str, JSON]) -> Iterator[str]:
    """Compares the keys that are expected, and no others."""
    for key, value in expected.items():
        if key == "headers":
            headers = outcome.get(key, {})
            yield from _of_headers(place, value, headers)
        elif key == "results":
            results = outcome.get(key, [])
            yield from _unequal(f"{place}: number of results", len(value), len(results))
            for number, (wanted, result) in enumerate(zip(value, results, strict=False), start=1):
                yield from _of(f"{place}, result {number}", wanted, result)
        else:
            yield from _unequal(f"{place}: {key}", value, outcome.get(key))


def _of_request(exchange: dict[str, JSON], received: Received) -> Iterator[str]:
    place = exchange["request"]
    yield from _of_headers(place, exchange.get("headers", {}), received.headers)
    if "text" in exchange:
        yield from _unequal(f"{place}: text", exchange["text"], received.body.decode())
    if "body" in exchange:
        try:
            body = json.loads(received.body)
        except ValueError:
            body = received.body.decode()
        yield from _unequal(f"{place}: body", exchange["body"], body)


def _of_headers(
    place: str, expected: dict[str, JSON], headers: dict[str, str]
) -> Iterator[str]:
    """Compares headers. `true` expects a header with any value, and `null` that it is missing."""
    for name, value in expected.items():
        actual: JSON = headers.get(name.lower())
        if value is True and actual is not None:
            continue
        yield from _unequal(f"{place}: header {name}", value, actual)


def _unequal(place: str, expected: JSON, actual: JSON) -> Iterator[str]:
    # As texts, 1, 1.0 and true differ.
    wanted, found = (json.dumps(value, sort_keys=True) for value in (expected, actual))
    if wanted != found:
        yield f"{place}\n    expected {wanted}\n    found    {found}"


def wrong_expectations(scenario: dict[str, JSON]) -> Iterator[dict[str, JSON]]:
    """Returns copies of a scenario, in each of which one expectation is wrong."""
    text = json.dumps(scenario)
    for number, step in enumerate(scenario["steps"]):
        for path in _paths_of(step.get("expect", {})):
            copy = json.loads(text)
            _spoil(copy["steps"][number]["expect"], path)
            yield copy
    for number, exchange in enumerate(scenario.get("server", [])):
        checks = {key: value for key, value in exchange.items() if key != "answer"}
        for path in _paths_of(checks):
            copy = json.loads(text)
            _spoil(copy["server"][number], path)
            yield copy


def _paths_of(expected: dict[str, JSON]) -> Iterator[list[JSON]]:
    """Returns the paths of the values that are compared each by itself."""
    for key, value in expected.items():
        if key == "headers":
            for name in value:
                yield [key, name]
        elif key == "results":
            for number, result in enumerate(value):
                for path in _paths_of(result):
                    yield [key, number, *path]
        else:
            yield [key]


def _spoil(holder: JSON, path: list[JSON]) -> None:
    for part in path[:-1]:
        holder = holder[part]
    holder[path[-1]] = {"not": [holder[path[-1]]]}
