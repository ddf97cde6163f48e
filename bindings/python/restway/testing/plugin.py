"""A plugin of pytest, which pytest loads if this package is installed.

| fixture | gives |
| --- | --- |
| `restway_client` | a Client on the transport `replay`, closed after the test |
| `restway_make_client` | a function that makes further clients of the same kind |
| `restway_api` | their api: the setting `restway_document`, or what a test module defines instead |
| `restway_options` | further keywords of the clients; {} unless a test module defines it |
| `restway_clock` | a clock to move; the clients of a test that asks for it use it |

A test that uses any of them, or has the mark `restway`, fails if it leaves handles of the library
alive.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, Callable, Union

import pytest

import restway

from . import Match, Mode, live_handles, replaying

MakeClient = Callable[..., Union[restway.Client, restway.AsyncClient]]

_FAILED = pytest.StashKey[bool]()
_BEFORE = pytest.StashKey[int]()
_MARK = """restway(record=False, cassette=None, match="strict", redact=()): how the clients of \
the test replay: `record` is True (record anew), "auto" (record if there is no cassette) or False; \
`cassette` is the path of the cassette, relative to the folder of cassettes; `match` is "strict" \
or "loose"; `redact` are further names that hold secrets."""
_MODES: Mapping[object, Mode] = {False: "play", True: "record", "auto": "auto"}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("restway")
    group.addoption(
        "--restway-record",
        action="store_true",
        help="record the cassettes of all clients of restway anew",
    )
    parser.addini("restway_document", "The path of the API document of `restway_api`.")
    parser.addini(
        "restway_cassettes",
        "The folder of cassettes, relative to the folder of each test module.",
        default="cassettes",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARK)


class _Marked:
    """The settings of the mark `restway` of a test."""

    def __init__(
        self,
        record: bool | str = False,
        cassette: str | None = None,
        match: Match = "strict",
        redact: tuple[str, ...] = (),
    ) -> None:
        if record not in _MODES:
            raise pytest.UsageError(f"record is True, False or 'auto', not {record!r}")
        self.mode = _MODES[record]
        self.cassette = cassette
        self.match: Match = match
        self.redact = redact

    @classmethod
    def of(cls, node: pytest.Item) -> _Marked:
        mark = node.get_closest_marker("restway")
        return cls() if mark is None else cls(*mark.args, **mark.kwargs)


def _cassette(node: pytest.Item, marked: _Marked) -> Path:
    """Returns the path of the cassette of a test."""
    name = marked.cassette
    if name is None:
        test = re.sub(r"[^\w.-]+", "_", node.name).strip("_")
        name = f"{node.path.stem}.{test}.json"
    folder: str = node.config.getini("restway_cassettes")
    return node.path.parent / folder / name


@pytest.fixture
def restway_api(request: pytest.FixtureRequest) -> restway.API:
    """Returns the api of the setting `restway_document`."""
    document: str = request.config.getini("restway_document")
    if not document:
        raise pytest.UsageError(
            "restway_client needs an API document: set restway_document in the configuration of "
            "pytest, or define a fixture restway_api"
        )
    return restway.API.load(request.config.rootpath / document)


@pytest.fixture
def restway_options() -> Mapping[str, Any]:
    """Returns further keywords of the clients; a test module may define it instead."""
    return {}


@pytest.fixture
def restway_clock() -> Iterator[restway.Clock]:
    """Returns a clock that the test moves with `advance`."""
    with restway.Clock() as clock:
        yield clock


@pytest.fixture
def restway_make_client(
    request: pytest.FixtureRequest, restway_api: restway.API, restway_options: Mapping[str, Any]
) -> Iterator[MakeClient]:
    """Returns a function that makes clients on the transport `replay`. Its argument is the class of
    the client, and its keywords are the keywords of the class. An AsyncClient is closed by the
    test, with `async with`.
    """
    marked = _Marked.of(request.node)
    mode: Mode = "record" if request.config.getoption("--restway-record") else marked.mode
    cassette = _cassette(request.node, marked)
    if mode != "play":
        cassette.parent.mkdir(parents=True, exist_ok=True)
    elif not cassette.exists():
        raise pytest.UsageError(
            f"there is no cassette {cassette}: record it with --restway-record, or with "
            "@pytest.mark.restway(record='auto')"
        )
    given = dict(restway_options)
    if "restway_clock" in request.fixturenames:
        given["clock"] = request.getfixturevalue("restway_clock")
    replay = replaying(cassette, mode, marked.match, marked.redact)
    made: list[restway.Client] = []

    def make(
        kind: type[restway.Client | restway.AsyncClient] = restway.Client, **options: Any
    ) -> restway.Client | restway.AsyncClient:
        client = kind(restway_api, **{**given, **replay, **options})
        if isinstance(client, restway.Client):
            made.append(client)
        return client

    yield make
    while made:
        made.pop().close()


@pytest.fixture
def restway_client(restway_make_client: MakeClient) -> restway.Client | restway.AsyncClient:
    """Returns a Client on the transport `replay`; it is closed after the test."""
    return restway_make_client()


def _is_checked(item: pytest.Item) -> bool:
    names: list[str] = getattr(item, "fixturenames", [])
    return item.get_closest_marker("restway") is not None or any(
        name.startswith("restway_") for name in names
    )


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    report = (yield).get_result()
    if report.failed:
        item.stash[_FAILED] = True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if _is_checked(item):
        item.stash[_BEFORE] = live_handles()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, None]:
    outcome = yield
    outcome.get_result()
    before = item.stash.get(_BEFORE, None)
    if before is None or item.stash.get(_FAILED, False):
        return  # the traceback of a failed test keeps its objects alive
    arguments: dict[str, Any] = getattr(item, "funcargs", {})
    arguments.clear()  # pytest keeps the fixtures a little longer than the test
    left = live_handles() - before
    if left > 0:
        pytest.fail(
            f"the test has left {left} handles of restway alive; close its clients, and drop the "
            "objects and responses that live longer than the test",
            pytrace=False,
        )
