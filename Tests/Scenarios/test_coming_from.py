"""The page docs/COMING-FROM.md: its examples run in both languages, and its names exist."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import restway
from scenario import SCENARIOS
from server import JSON, Received, ScenarioServer

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "COMING-FROM.md").read_text("utf-8")
ROW = r"[A-E][0-9]+(?:\.[0-9]+)?"


class PageServer(ScenarioServer):
    """Answers as the examples need it: with an enterprise, or with one for each request."""

    def take(self, received: Received) -> dict[str, JSON] | None:
        enterprise = {"id": 1, "name": "Acme"}
        if not received.line.endswith("/batch"):
            return {"body": enterprise}
        count = len(json.loads(received.body)["batch"])
        return {"body": [{"code": 200, "body": json.dumps(enterprise)}] * count}


@pytest.fixture
def page_server() -> Iterator[ScenarioServer]:
    with PageServer() as running:
        yield running


def _snippets(language: str) -> list[str]:
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", PAGE, re.S)
    return found


def _document(server: ScenarioServer) -> dict[str, JSON]:
    (text,) = _snippets("json")
    document: dict[str, JSON] = json.loads(text)
    base = f"http://127.0.0.1:{server.port}"
    return {**document, "environments": {"live": {"baseURL": base}}}


def test_the_python_examples_run(
    page_server: ScenarioServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    api = restway.API.from_json(_document(page_server))
    snippets = _snippets("python")
    assert len(snippets) > 5
    with restway.Client(api) as client:
        names: dict[str, Any] = {"restway": restway, "client": client}
        for snippet in snippets:
            exec(snippet, names)
    printed = capsys.readouterr().out
    assert "stored as item 1" in printed
    assert "Acme Acme" in printed


def test_the_c_examples_run(page_server: ScenarioServer, tmp_path: Path) -> None:
    snippets = _snippets("c")
    assert len(snippets) > 5
    functions = "".join(_function(number, code) for number, code in enumerate(snippets))
    calls = "".join(f"    example_{number}(client, store);\n" for number in range(len(snippets)))
    source = tmp_path / "page.c"
    source.write_text(_PROGRAM.replace("FUNCTIONS", functions).replace("CALLS", calls))
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "restway"],
        check=True, capture_output=True, text=True,
    ).stdout.split()
    options = ["-std=c99", "-Wall", "-Werror", "-Wno-unused-result", "-Wno-unused-variable"]
    program = tmp_path / "page"
    subprocess.run(["cc", *options, str(source), "-o", str(program), *flags], check=True)
    document = tmp_path / "page.restway.json"
    document.write_text(json.dumps(_document(page_server)))
    subprocess.run([program, document], cwd=tmp_path, check=True, timeout=60, env=os.environ)


_PROGRAM = """
#include <restway/restway.h>
#include <stdio.h>
#include <stdlib.h>

static void must(const restway_error *error) {
    if (error != NULL) {
        fprintf(stderr, "%s\\n", restway_error_message(error));
        exit(1);
    }
}

FUNCTIONS

int main(int count, char **arguments) {
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_error *error = NULL;
    (void)count;
    restway_api_load_file(arguments[1], &api, &error);
    must(error);
    restway_client_create(api, NULL, &client, &error);
    must(error);
    restway_store *store = restway_client_store(client);
CALLS
    restway_store_release(store);
    restway_client_release(client);
    restway_api_release(api);
    return 0;
}
"""


def _function(number: int, code: str) -> str:
    """Returns a function with an example, in which every call has to succeed."""
    checked = re.sub(r"&error\)(;)", r"&error); must(error);", code)
    return (
        f"static void example_{number}(restway_client *client, restway_store *store) {{\n"
        "restway_request *request = NULL; restway_response *response = NULL;\n"
        f"restway_error *error = NULL;\n{checked}"
        "restway_request_release(request); restway_response_release(response);\n}\n"
    )


def test_every_function_of_the_page_exists() -> None:
    headers = "".join(path.read_text("utf-8") for path in (ROOT / "Include").rglob("*.h"))
    named = set(re.findall(r"\b(?:restway_\w+|RESTWAY_[A-Z_]+)\b", PAGE))
    assert sorted(name for name in named if not re.search(rf"\b{name}\b", headers)) == []


def test_the_page_marks_the_rows_that_scenarios_show() -> None:
    marked = set(re.findall(rf"\*\*({ROW})\*\*", PAGE))
    shown = {row for path in SCENARIOS for row in json.loads(path.read_text("utf-8"))["rows"]}
    assert sorted(marked ^ shown) == []


def test_the_page_has_a_scenario_for_25_rows() -> None:
    assert len(set(re.findall(rf"\*\*({ROW})\*\*", PAGE))) >= 25
