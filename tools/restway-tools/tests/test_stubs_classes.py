"""Classes for `into=` that `restway-stubs --classes` writes of a document."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import restway
from restway_tools.stubs.__main__ import main
from restway_tools.stubs.classes import KINDS
from test_stubs import (
    EMPTY,
    FOLDER,
    TRACKER,
    WITHOUT_ENTITIES,
    WITHOUT_ROUTES,
    checked,
    mypy,
    pyright,
    written,
)
from tests.conftest import DOCUMENT
from tests.test_extends import DOCUMENT as EXTENDS

kinds = pytest.mark.parametrize("kind", KINDS)

STRANGE = ["datetime", "list", "int", "json", "model_x", "__secret", "1st", "a-b", "a_b", "Thing"]
"""Names that stand for something else in a class, or that Python does not have."""

NAMES: dict[str, Any] = {
    "restway": 1,
    "environments": {"live": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Thing": {
            "identity": "class",
            "attributes": {
                **{name: {"type": "string"} for name in STRANGE},
                "class": {"type": "int"},
                "state": {"type": "string", "values": ["open", "done"], "closed": True},
                "tags": {"type": ["string"]},
                "days": {"type": {"*": "date"}},
            },
            "relationships": {
                "next": {"entity": "Thing"},
                "parts": {"entity": "Any", "many": True},
            },
        },
        "Part": {"identity": "id", "attributes": {"id": {"type": "int"}, "cost": "cost"}},
        "Whole": {"identity": "id", "attributes": {"id": {"type": "int"}, "size": "size"}},
    },
    "unions": {"Any": {"oneOf": ["Part", "Whole"], "discriminator": "kind"}},
}


OTHER_NAMES: dict[str, Any] = {
    "restway": 1,
    "environments": {"live": {"baseURL": "http://127.0.0.1:1"}},
    "entities": {
        "Text": {"attributes": {name: {"type": "string"} for name in ("kind", "q", "text")}},
        "Number-Output": {"attributes": {name: {"type": "string"} for name in ("kind", "q", "n")}},
        "Number Output": {"extends": "Number-Output", "attributes": {"unit": {"type": "string"}}},
        "Visit": {
            "identity": "id", "attributes": {"id": {"type": "int"}},
            "relationships": {"answers": {"entity": "Answer", "many": True}},
        },
    },
    "unions": {
        "Answer": {
            "oneOf": ["Text", "Number-Output", "Number Output"],
            "discriminator": {
                "keyPath": "kind",
                "values": {"text": "Text", "number": "Number-Output", "unit": "Number Output"},
            },
        },
    },
}
"""A union whose members have names that are no names in Python."""


@pytest.fixture
def module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Any]:
    """Returns a function that writes a module and imports it."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(document: object, kind: str) -> ModuleType:
        path = written(tmp_path, document, "made_classes.py", "--classes", kind)
        sys.modules.pop(path.stem, None)
        importlib.invalidate_caches()
        return importlib.import_module(path.stem)

    yield make
    sys.modules.pop("made_classes", None)


def plain(value: Any) -> Any:
    """Returns an instance as a dict of its fields, without those that are None or empty."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    names = getattr(type(value), "__annotations__", None)
    if names is None or isinstance(value, (str, int, datetime)):
        return value
    own = value if isinstance(value, dict) else {
        name: getattr(value, name)
        for kind in reversed(type(value).__mro__)
        for name in vars(kind).get("__annotations__", {})
        if hasattr(value, name)
    }
    return {name: plain(each) for name, each in own.items() if each not in (None, [])}


@kinds
def test_objects_are_read_into_the_classes(module: Any, kind: str) -> None:
    made = module(TRACKER, kind)
    data = {
        "number": 7, "title": "Crash", "created_at": "2026-01-02T00:00:00Z", "size.cm": 3,
        "user": {"login": "ada", "number": "1"}, "labels": [{"name": "bug"}, {"name": "new"}],
    }
    with restway.Client(TRACKER) as client:
        issue = client.map("Issue", [data], into=made.Issue)
    size = "size.cm" if kind == "typed-dict" else "size_cm"
    assert plain(issue) == {
        "number": 7, "title": "Crash", size: 3,
        "created_at": datetime(2026, 1, 2, tzinfo=timezone.utc),
        "user": {"login": "ada", "number": "1"},
        "labels": [{"name": "bug"}, {"name": "new"}],
    }


@kinds
def test_a_class_extends_the_class_of_its_base(module: Any, kind: str) -> None:
    made = module(EXTENDS, kind)
    data = [{"id": 1, "login": "ada", "plan": "pro", "rights": ["all"]}]
    with restway.Client(EXTENDS) as client:
        admin = client.map("Admin", data, into=made.Admin)
    assert plain(admin) == {"id": 1, "login": "ada", "plan": "pro", "rights": ["all"]}
    assert kind == "typed-dict" or isinstance(admin, made.User)


@kinds
def test_every_name_becomes_a_field(module: Any, kind: str) -> None:
    made = module(NAMES, kind)
    data = {
        "class": 1, **{name: name for name in STRANGE}, "state": "open", "tags": ["x"],
        "days": {"first": "2026-01-02T00:00:00Z"}, "next": {"class": 2},
        "parts": [{"kind": "Part", "id": 1, "cost": 5}, {"kind": "Whole", "id": 1, "size": 6}],
    }
    with restway.Client(NAMES) as client:
        thing = client.map("Thing", [data], into=made.Thing, depth=1)
        read = plain(thing)
        assert {value for value in read.values() if isinstance(value, str)} == {*STRANGE, "open"}
        assert read["next"] in ({"class_": 2}, {"class": 2})
        assert read["parts"] == [{"id": 1, "cost": 5}, {"id": 1, "size": 6}]
        assert read["tags"] == ["x"]
        assert read["days"] == {"first": datetime(2026, 1, 2, tzinfo=timezone.utc)}


@pytest.mark.parametrize("kind", ["dataclass", "model", "typed-dict"])
def test_an_object_of_a_union_is_of_the_class_of_its_entity(module: Any, kind: str) -> None:
    made = module(OTHER_NAMES, kind)
    answers = [
        {"kind": "number", "q": "a", "n": "0.10"}, {"kind": "text", "q": "b", "text": "t"},
        {"kind": "unit", "q": "c", "n": "1", "unit": "m"},
    ]  # fmt: skip
    with restway.Client(OTHER_NAMES) as client:
        visit = client.map("Visit", [{"id": 1, "answers": answers}], into=made.Visit)
    assert plain(visit)["answers"] == answers


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_written_classes_have_no_errors(tmp_path: Path, checker: Any) -> None:
    documents = [DOCUMENT, TRACKER, EMPTY, WITHOUT_ENTITIES, WITHOUT_ROUTES, EXTENDS, NAMES,
                 OTHER_NAMES]
    files = [
        written(tmp_path, document, f"{kind.replace('-', '_')}{number}.py", "--classes", kind)
        for number, document in enumerate(documents)
        for kind in KINDS
    ]
    report = checker(tmp_path, *files)
    assert "Success" in report or report.startswith("0 errors"), report
    ruff = [sys.executable, "-m", "ruff", "check", "--config", str(FOLDER / "pyproject.toml")]
    assert checked([*ruff, str(tmp_path)], tmp_path) == "All checks passed!\n"


def test_wrong_options_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(TRACKER), "--classes", "slots"])
    assert "choose from" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([str(TRACKER), "--classes", "struct", "--swift"])
    assert "are different outputs" in capsys.readouterr().err
