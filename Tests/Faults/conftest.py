"""Fixtures of all tests of faults and servers: the live-handle check, clients."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest
import restway
from certificates import Authority
from descriptors import check_descriptors, open_descriptors
from network_peers import PASSWORD, USER, Servers, http_proxy, servers
from restway import TLS
from restway._ffi import callbacks

pytest_plugins = ["garbage"]
pytest.register_assert_rewrite("calls", "destinations", "health")

MakeClient = Callable[..., restway.Client]
FAILED = pytest.StashKey[bool]()

#: One route for other origins: `elsewhere/good` at another origin.
DOCUMENT = {
    "restway": 1,
    "routes": {"elsewhere": {"path": ":origin/good", "absolute": True}},
}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    report = (yield).get_result()
    if report.failed:  # its traceback refers to handles
        item.stash[FAILED] = True


@pytest.fixture(autouse=True)
def every_handle_is_gone_at_the_end(request: pytest.FixtureRequest) -> Iterator[None]:
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        sys.__dict__.pop(name, None)  # the traceback of an earlier failed test keeps objects alive
    yield
    if FAILED not in request.node.stash:
        request.node.funcargs.clear()  # pytest keeps the fixtures a little longer than the test
        assert callbacks.completions.wait_until_empty(30)
        if restway.debug_live_handles() != 0:
            gc.collect()
        end = time.monotonic() + 30
        while restway.debug_live_handles() != 0 and time.monotonic() < end:
            os.sched_yield()  # a thread of the library is about to release its last handles
        assert restway.debug_live_handles() == 0


@pytest.fixture(scope="session")
def warm() -> None:
    """Opens the descriptors that the library and Python keep until the process ends."""
    with (
        restway.Client(restway.API.empty(), base_url="http://127.0.0.1:1") as client,
        pytest.raises(restway.ConnectError),
    ):
        client.get("")


@pytest.fixture(autouse=True)
def every_descriptor_is_closed_at_the_end(
    request: pytest.FixtureRequest, warm: None
) -> Iterator[None]:
    before = open_descriptors()
    yield
    if FAILED not in request.node.stash:
        check_descriptors(before)


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def tls(authority: Authority) -> TLS:
    """The settings of a client with a certificate of its own."""
    who = authority.client
    return TLS(ca_file=authority.ca_file, certificate_file=who.certificate, key_file=who.key)


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory, authority: Authority) -> Iterator[Servers]:
    """An nginx that says who connects."""
    with servers(tmp_path_factory.mktemp("servers"), authority) as there:
        yield there


@pytest.fixture(scope="module")
def tinyproxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a proxy that asks for `USER` and `PASSWORD`."""
    with http_proxy(tmp_path_factory.mktemp("proxy"), USER, PASSWORD) as url:
        yield url


@pytest.fixture
def make_client() -> Iterator[MakeClient]:
    """Makes clients of an origin; their keywords are the keywords of `Client`. The clients are
    closed at the end.
    """
    clients: list[restway.Client] = []

    def make(base_url: str, **options: Any) -> restway.Client:
        api = restway.API.from_json(DOCUMENT)
        client = restway.Client(api, base_url=base_url, **options)
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.close()
