"""Every fault, while the body of the answer goes into a file or to a function of the program."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from calls import check, perform, request_of
from coded_answers import BOMB_BYTES, BOMBS, CODED, bomb_name, bombs, ends_early
from conftest import MakeClient
from destinations import DESTINATIONS, Destination
from fault import PATIENCE_SECONDS, Fault
from fault_server import FaultServer
from health import check_health
from parameters import each
from table import FAULTS

#: The bound on bodies holds for the ones in memory alone, and the answer to HEAD has no body.
WITH_BODIES = [
    fault
    for fault in FAULTS
    if "body_bytes_max" not in fault.options and fault.method != "HEAD"
]
TRUNCATED = [fault for coding in CODED for fault in ends_early(coding)]
WAYS = pytest.mark.parametrize("way", DESTINATIONS, ids=lambda way: way.__name__)


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer((*FAULTS, *TRUNCATED)) as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in which nothing is left, because no answer of these faults has a validator."""
    yield tmp_path
    assert list(tmp_path.iterdir()) == []


@WAYS
@pytest.mark.parametrize("fault", each(WITH_BODIES))
def test_a_fault_ends_as_expected_and_leaves_nothing(
    fault: Fault, way: Destination, server: FaultServer, make_client: MakeClient, folder: Path
) -> None:
    client = make_client(server.url, timeout=PATIENCE_SECONDS, **fault.options)
    with server.playing(fault):
        check(way(client, fault, folder), fault, server.url)
    server.wait_until_played()
    check_health(client)


@WAYS
def test_a_coding_that_ends_at_any_byte_is_no_whole_body(
    way: Destination, server: FaultServer, make_client: MakeClient, folder: Path
) -> None:
    client = make_client(server.url, timeout=PATIENCE_SECONDS)
    for fault in TRUNCATED:
        check(way(client, fault, folder), fault, server.url)
    check_health(client)


def test_a_coding_that_ends_at_any_byte_is_no_whole_body_in_memory(
    server: FaultServer, make_client: MakeClient
) -> None:
    client = make_client(server.url, timeout=PATIENCE_SECONDS)
    for fault in TRUNCATED:
        check(perform(client, request_of(fault)), fault, server.url)
    check_health(client)


@WAYS
@pytest.mark.parametrize("coding", BOMBS)
def test_a_bomb_never_comes_into_memory(
    coding: str, way: Destination, server: FaultServer, make_client: MakeClient, folder: Path
) -> None:
    fault = next(fault for fault in bombs() if fault.name == bomb_name(coding))
    client = make_client(server.url, timeout=PATIENCE_SECONDS, **fault.options)
    ended = way(client, fault, folder)
    assert ended.error is None
    assert ended.body is not None
    assert len(ended.body) == BOMB_BYTES
    assert len(gzip.compress(ended.body, 1)) < BOMB_BYTES // 100
    check_health(client)
