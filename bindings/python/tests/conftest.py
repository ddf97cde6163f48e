"""Fixtures of all tests: the live-handle check, the demo API, clients."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable

import pytest

import restway
from restway._ffi import callbacks as _callbacks

from .peer import Peer

ROOT = Path(__file__).resolve().parents[3]
DEMO = ROOT / "examples" / "demo-api"
DOCUMENT = Path(os.environ.get("RESTWAY_DEMO_DOCUMENT") or DEMO / "demo.restway.json")

MakeClient = Callable[..., restway.Client]


def library_missing() -> str | None:
    try:
        restway.version()
    except restway.LibraryError as error:
        return str(error)
    return None


MISSING = library_missing()
FAILED = pytest.StashKey[bool]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips the tests that need the library if it is missing, unless RESTWAY_LIBRARY names one."""
    if MISSING is None or os.environ.get("RESTWAY_LIBRARY"):
        return
    for item in items:
        if item.get_closest_marker("no_library") is None:
            item.add_marker(pytest.mark.skip(reason=MISSING))


def pytest_collection_finish() -> None:
    """Keeps what has been imported out of the collections at the end of each test, which take a
    tenth of a second otherwise.
    """
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    gc.unfreeze()  # Hypothesis looks for what refers to the objects that it knows


@pytest.fixture(scope="session", autouse=True)
def mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Lets all runs of mypy share what they have found out about the package."""
    os.environ["MYPY_CACHE_DIR"] = str(tmp_path_factory.mktemp("mypy"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    report = (yield).get_result()
    if report.failed:
        item.stash[FAILED] = True


#: What the package keeps while the library may call a function of the program.
REGISTERED = (
    _callbacks.completions, _callbacks.observers, _callbacks.questions, _callbacks.causes,
    _callbacks.functions, _callbacks.receivers,
)


def is_all_gone() -> bool:
    return restway.debug_live_handles() == 0 and all(
        registered.wait_until_empty(0) for registered in REGISTERED
    )


@pytest.fixture(autouse=True)
def every_handle_is_gone_at_the_end(request: pytest.FixtureRequest) -> Iterator[None]:
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        sys.__dict__.pop(name, None)  # the traceback of an earlier failed test keeps objects alive
    yield
    if MISSING is None and FAILED not in request.node.stash:
        request.node.funcargs.clear()  # pytest keeps the fixtures a little longer than the test
        if is_all_gone():
            return  # A collection takes longer than most tests.
        gc.collect()  # clients to which their own functions refer
        assert _callbacks.completions.wait_until_empty(30)
        assert _callbacks.observers.wait_until_empty(30)
        assert _callbacks.questions.wait_until_empty(30)
        gc.collect()
        assert _callbacks.causes.wait_until_empty(30)
        assert _callbacks.functions.wait_until_empty(30)
        assert _callbacks.receivers.wait_until_empty(30)
        gc.collect()  # exceptions that were causes, which refer to themselves through frames
        end = time.monotonic() + 30
        while restway.debug_live_handles() != 0 and time.monotonic() < end:
            os.sched_yield()  # a thread of the library is about to release its last handles
        assert restway.debug_live_handles() == 0


@contextmanager
def demo_api() -> Iterator[str]:
    """Starts a demo API with fresh data, and gives its base URL."""
    with subprocess.Popen(
        [sys.executable, str(DEMO), "--port", "0", "--exit-with-stdin"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None and server.stdin is not None
        yield server.stdout.readline().strip()
        server.stdin.close()


@pytest.fixture(scope="session")
def demo_url() -> Iterator[str]:
    """Returns the base URL of a demo API: one that is already running, or one that is started here.
    """
    given = os.environ.get("RESTWAY_DEMO_URL")
    if given:
        yield given
        return
    with demo_api() as url:
        yield url


@pytest.fixture(scope="session")
def demo_document() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(DOCUMENT.read_text("utf-8"))
    return document


@pytest.fixture
def make_client(demo_url: str) -> MakeClient:
    """Makes clients of the demo API; the keywords are the keywords of `Client`."""

    def make(**options: Any) -> restway.Client:
        api = restway.API.load(DOCUMENT)
        return restway.Client(api, **{"base_url": demo_url, "timeout": 30.0, **options})

    return make


@pytest.fixture
def client(make_client: MakeClient) -> Iterator[restway.Client]:
    with make_client() as client:
        yield client


@pytest.fixture
def peer() -> Iterator[Peer]:
    """A server that answers each connection with bytes given beforehand."""
    with Peer() as peer:
        yield peer
