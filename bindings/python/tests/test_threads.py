"""Shared state of the package that several threads use at the same time."""

from __future__ import annotations

import ast
import re
import threading
from collections.abc import Callable, Iterator

import pytest

import restway
from restway._ffi.callbacks import Registry, tokens

from .conftest import DOCUMENT, MakeClient
from .examples import DOCS
from .test_loader import PACKAGE

THREADS = 8


def together(work: Callable[[], object]) -> None:
    """Runs the same work on several threads, which begin at the same time."""
    start = threading.Barrier(THREADS)
    raised: list[BaseException] = []

    def run() -> None:
        start.wait(30)
        try:
            work()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if raised:
        raise raised[0]


@pytest.mark.no_library
def test_no_token_is_given_twice() -> None:
    taken: list[int] = []
    together(lambda: taken.extend([next(tokens) for _ in range(5000)]))
    assert len(set(taken)) == len(taken) == THREADS * 5000


@pytest.mark.no_library
def test_a_registry_keeps_what_all_threads_register() -> None:
    registry = Registry()

    def work() -> None:
        mine = [registry.add(print, print) for _ in range(500)]
        assert all(registry.get(token).run is print for token in mine)
        for token in mine:
            registry.remove(token)

    together(work)
    assert len(registry) == 0
    assert registry.wait_until_empty(0)


def test_threads_share_a_client_and_its_objects(make_client: MakeClient) -> None:
    with make_client() as client:
        shared = client.get("enterprises", params={"per_page": 20}).objects
        names = [each.name for each in shared]

        def work() -> None:
            for number in range(1, 11):
                found = client.get(f"enterprises/{number}").object
                assert found is not None and found.itemID == number
            assert [each.name for each in shared] == names
            draft = client.draft(shared[0])
            draft.name = "mine"
            assert draft.name == "mine"

        together(work)


def test_threads_make_and_close_clients(demo_url: str) -> None:
    api = restway.API.load(DOCUMENT)

    def work() -> None:
        for _ in range(5):
            with restway.Client(api, base_url=demo_url, timeout=30.0) as client:
                assert client.get("status").status == 200

    together(work)


LOCKS = {f"threading.{name}" for name in ("Lock", "RLock", "Condition", "Event", "local")}
UNSHARED = {"LazyModule", "POINTER"}
"""Calls whose result does not change."""


def shared_state(module: ast.Module) -> Iterator[str]:
    """Returns the global variables of a module that hold something that can change, and the locks
    and caches that it uses. Constants have names in capitals.
    """
    for node in module.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            made = node.value
            changes = isinstance(made, (ast.Dict, ast.List, ast.Set)) or (
                isinstance(made, ast.Call)
                and isinstance(made.func, ast.Name)
                and made.func.id not in UNSHARED
            )
            name = target.id if isinstance(target, ast.Name) else ""
            if changes and name.islower() and not name.startswith("__"):
                yield name
    for each in ast.walk(module):
        if isinstance(each, ast.Global):
            yield from each.names
        elif isinstance(each, ast.Name) and each.id == "lru_cache":
            yield each.id
        elif isinstance(each, ast.Attribute) and ast.unparse(each) in LOCKS:
            yield each.attr


@pytest.mark.no_library
def test_the_page_lists_every_module_with_shared_state() -> None:
    page = (DOCS / "CONCURRENCY.md").read_text("utf-8")
    rows = re.findall(r"^\| (`[^|]+`) \|", page, re.M)
    listed = {name for row in rows for name in re.findall(r"`(\w[\w/]*)`", row)}
    found = {
        path.relative_to(PACKAGE).with_suffix("").as_posix(): state
        for path in PACKAGE.rglob("*.py")
        if (state := set(shared_state(ast.parse(path.read_text("utf-8")))))
    }
    missing = {
        name: state
        for name, state in found.items()
        if name not in listed and name.partition("/")[0] not in listed
    }
    assert missing == {}
    assert {name for name in listed if not (PACKAGE / name).exists()} == {
        name for name in listed if (PACKAGE / f"{name}.py").exists()
    }
