"""The generator of types, and what type checkers make of the modules that it writes."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import restway
from restway_tools.stubs.__main__ import main
from restway_tools.stubs.model import document_of, variables_of
from tests.conftest import DOCUMENT, ROOT
from tests.peer import Peer

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent
#: The folders of the packages `restway`, which the modules use, and `restway_tools`.
PACKAGE = ROOT / "bindings" / "python"
PACKAGES = os.pathsep.join([str(PACKAGE), str(FOLDER)])
TRACKER = HERE / "stubs" / "tracker.restway.json"
USE = HERE / "stubs" / "use.py"

EMPTY: dict[str, Any] = {"restway": 1}
WITHOUT_ENTITIES = {
    "restway": 1,
    "routes": {"status": {"path": "status"}, "item": {"path": "items/:id", "method": "DELETE"}},
}
WITHOUT_ROUTES = {
    "restway": 1,
    "entities": {
        "Client": {"attributes": {"restway": {"type": "int"}}},
        "client": {"attributes": {"from": "from", "__secret": "x"}},
        "3d-model": {"attributes": {}, "relationships": {"client": {"entity": "Client"}}},
    },
}
WEB_API_CLIENT = {
    "App_webservice_host": "example.com",
    "webservice": {"api": {"photo": {"path": "photos/:id", "method": "GET"}}},
}


def written(folder: Path, document: object, name: str = "made.py", *options: str) -> Path:
    """Writes the module of a document, which is a path or the document itself."""
    source = document if isinstance(document, Path) else folder / "document.json"
    if not isinstance(document, Path):
        source.write_text(json.dumps(document), "utf-8")
    assert main([str(source), "--output", str(folder / name), *options]) == 0
    return folder / name


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def mypy(folder: Path, *files: Path) -> str:
    """Returns the report of mypy."""
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file="]
    return checked([*command, *map(str, files)], folder)


def pyright(folder: Path, *files: Path) -> str:
    """Returns the report of pyright."""
    pytest.importorskip("pyright")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    return checked([*command, *map(str, files)], folder)


def checked(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(PACKAGE), "PYTHONPATH": str(PACKAGE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout


def lines_with_errors(report: str, path: Path) -> set[int]:
    """Returns the numbers of the lines for which a report of mypy or pyright has an error."""
    found = re.findall(rf"{re.escape(path.name)}:(\d+):(?:\d+ -)? error", report)
    return {int(number) for number in found}


CHECKERS = pytest.mark.parametrize("checker", [mypy, pyright])


@CHECKERS
@pytest.mark.parametrize("suffix", [".py", ".pyi"])
def test_a_type_checker_finds_the_errors_of_a_program(
    tmp_path: Path, checker: Any, suffix: str
) -> None:
    """The lines that are marked have errors, and no other line has one."""
    written(tmp_path, TRACKER, f"tracker{suffix}")
    use = Path(shutil.copy(USE, tmp_path))
    marked = {
        number
        for number, line in enumerate(USE.read_text("utf-8").splitlines(), 1)
        if line.endswith("# error")
    }
    report = checker(tmp_path, use)
    assert lines_with_errors(report, use) == marked, report


@CHECKERS
def test_written_modules_have_no_errors(tmp_path: Path, checker: Any) -> None:
    documents = [DOCUMENT, TRACKER, EMPTY, WITHOUT_ENTITIES, WITHOUT_ROUTES, WEB_API_CLIENT]
    files = []
    for number, document in enumerate(documents):
        files.append(written(tmp_path, document, f"module{number}.py"))
        files.append(written(tmp_path, document, f"stub{number}.pyi"))
    report = checker(tmp_path, *files)
    assert "Success" in report or report.startswith("0 errors"), report


def test_written_modules_are_tidy(tmp_path: Path) -> None:
    pytest.importorskip("ruff")
    for number, document in enumerate([DOCUMENT, TRACKER, WITHOUT_ENTITIES, WITHOUT_ROUTES]):
        written(tmp_path, document, f"module{number}.py")
        written(tmp_path, document, f"stub{number}.pyi")
    ruff = [sys.executable, "-m", "ruff"]
    rules = ["--config", str(FOLDER / "pyproject.toml")]
    report = checked([*ruff, "check", *rules, str(tmp_path)], tmp_path)
    assert report == "All checks passed!\n"
    modules = map(str, tmp_path.glob("*.py"))
    report = checked([*ruff, "format", "--check", *rules, *modules], tmp_path)
    assert report == "4 files already formatted\n"


def test_a_written_module_works(tmp_path: Path, demo_url: str) -> None:
    demo = loaded(written(tmp_path, DOCUMENT))
    with demo.Client(restway.API.load(DOCUMENT), base_url=demo_url, timeout=30.0) as client:
        enterprise = client.get("enterprises/:itemID", variables={"itemID": 3}).object
        assert isinstance(enterprise, demo.Enterprise)
        assert isinstance(enterprise, demo.AnyObject)
        assert not isinstance(enterprise, demo.Employee)
        assert not isinstance("enterprise", demo.AnyObject)
        assert client.route("enterprise", variables={"itemID": 3}).object == enterprise
        draft = client.draft("Enterprise", name="Rossi")
        assert isinstance(draft, demo.EnterpriseDraft)
        assert not isinstance(draft, demo.MeetingDraft)
        assert not isinstance(enterprise, demo.EnterpriseDraft)
        assert client.draft(enterprise, name="Rossi").name == "Rossi"


def test_calls_of_a_written_module_are_awaited(tmp_path: Path, demo_url: str) -> None:
    demo = loaded(written(tmp_path, DOCUMENT))
    api = restway.API.load(DOCUMENT)

    async def run() -> None:
        async with demo.AsyncClient(api, base_url=demo_url, timeout=30.0) as client:
            response = await client.route("enterprise", variables={"itemID": 3})
            assert isinstance(response.object, demo.Enterprise)
            assert (await client.get("enterprises/3")).object == response.object
            assert client.draft("Enterprise", name="Rossi").name == "Rossi"

    asyncio.run(run())


def test_a_module_with_a_single_route_passes_everything_on(tmp_path: Path, peer: Peer) -> None:
    document = {
        "restway": 1,
        "environments": {"live": {"baseURL": peer.url}},
        "routes": {"item": {"path": "items/:id{?q}", "method": "PUT"}},
    }
    made = loaded(written(tmp_path, document))
    peer.respond(b"{}")
    with made.Client(restway.API.from_json(document)) as client:
        client.route("item", "PUT", variables={"id": 7, "q": "x"}, json={"a": 1})
    assert peer.requests[0].startswith(b"PUT /items/7?q=x HTTP/1.1\r\n")
    assert peer.requests[0].endswith(b'{"a": 1}')


@pytest.mark.parametrize(
    ("path", "variables"),
    [
        ("items", {}),
        ("items/:id", {"id": True}),
        ("/items/:item.id/:other", {"item.id": True, "other": True}),
        (r"items/:id\.json", {"id": True}),
        (r"items/\:id", {}),
        ("items/a:id", {}),
        ("items/{id}{?page,q*}", {"id": True, "page": False, "q": False}),
        ("items/{id:3}/{x,y}", {"id": True, "x": False, "y": False}),
        ("items{/rest*}{#part}", {"rest": False, "part": False}),
        ("items/:id{?id}", {"id": True}),
    ],
)
def test_the_variables_of_a_path_are_those_of_the_library(
    path: str, variables: dict[str, bool]
) -> None:
    assert dict(variables_of(path)) == variables
    api = restway.API.from_json(
        {
            "restway": 1,
            "environments": {"live": {"baseURL": "http://127.0.0.1:1"}},
            "routes": {"it": {"path": path, "catchAll": True}},
        }
    )
    with restway.Client(api) as client:

        def inspect(given: dict[str, int]) -> None:
            client.inspect(restway.Request.route("it", variables=given))

        inspect(dict.fromkeys(variables, 1))
        inspect({name: 1 for name, required in variables.items() if required})
        for name, required in variables.items():
            if required:
                with pytest.raises(restway.MissingVariableError):
                    inspect(dict.fromkeys(set(variables) - {name}, 1))


def test_the_model_joins_paths_and_descriptors() -> None:
    document = document_of(restway.API.load(TRACKER))
    routes = {route.name: route for route in document.routes}
    assert routes["issues"].path == "repos/{owner}/{repo}/issues{?page}"
    assert routes["issues"].answers == {"GET": ("Issue",), "POST": ("Issue",)}
    assert routes["mixed"].answers == {"GET": ("Issue", "User")}
    assert routes["owner"].answers == {"GET": ("User",), "PUT": ()}
    assert routes["report"].answers == {"GET": ()}
    assert routes["issue"].variables[0].type == "int"
    assert [route.name for route in document.serving("Issue", "POST")] == ["newIssue"]


def test_the_module_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(TRACKER)]) == 0
    module = capsys.readouterr().out
    assert "from __future__ import annotations" in module
    assert main([str(TRACKER), "--pyi"]) == 0
    assert "from __future__ import annotations" not in capsys.readouterr().out


def test_a_document_with_problems_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"restway": 1, "routs": {}}', "utf-8")
    assert main([str(wrong)]) == 1
    said = capsys.readouterr()
    assert said.out == "" and "$.routs" in said.err and str(wrong) in said.err
    assert main([str(tmp_path / "none.json")]) == 1
    assert "none.json" in capsys.readouterr().err
    assert main([str(TRACKER), "-o", str(tmp_path / "none" / "made.py")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_the_command_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "restway_tools.stubs", str(TRACKER)]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": PACKAGES},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "class Issue(TypedObject" in done.stdout
