"""The package as a whole: its imports, its sizes, its types."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pytest

import restway

pytestmark = pytest.mark.no_library

PACKAGE = Path(restway.__file__).parent
FOLDER = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("wrong", ['{"restway": 1}', b"{}", 0, None, {}])
def test_what_stands_for_a_handle_is_made_of_nothing_else(wrong: Any) -> None:
    """A wrong handle would be used as an address."""
    ways = {
        "API": "API.load, API.from_json or API.empty",
        "Request": "Request.path, Request.route, Request.object or Request.draft",
    }
    makes: list[tuple[str, tuple[Any, ...]]] = [
        ("API", ()),
        ("Request", ()),
        ("Response", ({},)),
        ("Call", (None,)),
    ]
    for kind, others in makes:
        way = ways.get(kind, "the library makes it")
        with pytest.raises(TypeError, match=f"^{kind} is not made of .*: (use )?{way}$"):
            getattr(restway, kind)(wrong, *others)


def test_only_the_ffi_modules_know_ctypes() -> None:
    knowing = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if re.search(r"^\s*(import|from) (ctypes|_ctypes)\b", path.read_text("utf-8"), re.M)
    }
    assert {path for path in knowing if not path.startswith("_ffi" + os.sep)} == set()
    assert knowing


def test_files_and_packages_stay_small() -> None:
    paths = list(PACKAGE.rglob("*.py"))
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in paths}
    assert max(lengths.values()) <= 800
    modules = Counter(path.parent for path in paths)
    assert max(modules.values()) <= 40


def imports_of(path: Path) -> set[str]:
    """Returns the modules of the package that a module imports when it runs, by dotted name."""

    def running(node: ast.AST) -> Iterator[ast.ImportFrom]:
        for child in ast.iter_child_nodes(node):
            is_for_checkers = (
                isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
            )
            # The package loads these modules when their names are first used.
            if is_for_checkers and path.name != "__init__.py":
                continue
            if isinstance(child, ast.ImportFrom) and child.level:
                yield child
            yield from running(child)

    found = set()
    package = path.relative_to(PACKAGE).parent.parts
    for node in running(ast.parse(path.read_text("utf-8"))):
        base = [*package[: len(package) - node.level + 1], *(node.module or "").split(".")]
        start = ".".join(filter(None, base))
        for alias in node.names:
            module = ".".join(filter(None, [start, alias.name]))
            found.add(module if module in MODULES else start)
    return found


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


MODULES = {module_name(path): path for path in PACKAGE.rglob("*.py")}


def test_modules_import_each_other_in_one_direction() -> None:
    """TopologicalSorter raises CycleError, which names the modules of a cycle."""
    graph = {name: imports_of(path) for name, path in MODULES.items()}
    assert "_ffi" in graph["_handles"]
    assert "_exceptions" in graph["_ffi.loader"]
    assert set(TopologicalSorter(graph).static_order()) == set(MODULES)
    assert not any("" in imported for imported in graph.values())  # "" is the package itself


@pytest.mark.parametrize("verb", ["get", "head", "delete", "post", "put", "patch", "route"])
def test_clients_share_their_verbs(verb: str) -> None:
    blocking, awaited = getattr(restway.Client, verb), getattr(restway.AsyncClient, verb)
    assert inspect.signature(awaited) == inspect.signature(blocking)
    assert awaited.__doc__ == blocking.__doc__
    assert inspect.iscoroutinefunction(awaited)
    assert not inspect.iscoroutinefunction(blocking)


#: Classes that do the same in a blocking and in an awaited way.
WAYS = [
    (restway.Client, restway.AsyncClient),
    (restway.Scope, restway.AsyncScope),
    (restway.RoutingClient, restway.AsyncRoutingClient),
    (restway.Batch, restway.AsyncBatch),
    (restway.Cache, restway.AsyncCache),
    (restway.Outbox, restway.AsyncOutbox),
    (restway.PagedList, restway.AsyncPagedList),
    (restway.Pages, restway.AsyncPages),
    (restway.StreamedResponse, restway.AsyncStreamedResponse),
]


@pytest.mark.parametrize(("blocking", "awaited"), WAYS)
def test_both_ways_share_the_texts_of_their_methods(blocking: type, awaited: type) -> None:
    shared = [each for each in dir(blocking) if not each.startswith("_") and hasattr(awaited, each)]
    assert shared
    for name in shared:
        if (blocking, name) != (restway.Cache, "statistics"):  # one is no method
            texts = [inspect.getdoc(getattr(kind, name)) for kind in (blocking, awaited)]
            assert texts[0] == texts[1], name
            assert getattr(awaited, name).__doc__ == getattr(blocking, name).__doc__


def test_all_is_what_the_package_has() -> None:
    assert restway.__all__ == sorted(restway.__all__, key=restway.__all__.index)
    for name in restway.__all__:
        assert hasattr(restway, name)


def _names_of(node: ast.ImportFrom, alias: ast.alias) -> list[str]:
    """Returns what a line of an import makes known: with a star, all that the module exports."""
    if alias.name != "*":
        return [alias.asname or alias.name]
    names: list[str] = importlib.import_module(f"restway.{node.module}").__all__
    return names


def test_names_whose_modules_are_loaded_later_are_known() -> None:
    imported = {
        name: node.module
        for node in ast.walk(ast.parse((PACKAGE / "__init__.py").read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
        for name in _names_of(node, alias)
        if not name.startswith("_")
    }
    assert restway._MODULES.items() <= imported.items()
    assert set(restway._MODULES) <= set(dir(restway))
    assert set(imported) | {"__version__"} == set(restway.__all__)
    with pytest.raises(AttributeError, match="module 'restway' has no attribute 'Clent'"):
        restway.Clent  # type: ignore[attr-defined]  # noqa: B018


def test_everything_public_has_a_docstring() -> None:
    for name in restway.__all__:
        thing = getattr(restway, name)
        if inspect.isclass(thing) and not hasattr(thing, "__args__"):  # no alias
            assert thing.__doc__, name
            for member, value in vars(thing).items():
                if not member.startswith("_") and callable(value):
                    assert value.__doc__, f"{name}.{member}"


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="needs mypy")
def test_inferred_types_are_those_of_the_contract() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file=",
            str(FOLDER / "tests" / "typing_contract.py"),
        ],
        cwd=FOLDER,
        env={**os.environ, "MYPYPATH": str(FOLDER)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(importlib.util.find_spec("pyright") is None, reason="needs pyright")
def test_pyright_infers_the_same_types(tmp_path: Path) -> None:
    contract = str(FOLDER / "tests" / "typing_contract.py")
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, contract],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(FOLDER)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("0 errors"), done.stdout + done.stderr
