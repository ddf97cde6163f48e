"""Pools of processes, in which each child makes a client of its own."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import restway

from .conftest import DOCUMENT, MakeClient

_client: restway.Client | None = None
"""The client of this process, in a child of a pool."""


def begin(document: str, url: str) -> None:
    """Makes the client of a child."""
    global _client
    _client = restway.Client(document, base_url=url, timeout=30.0)


def name_of(number: int) -> tuple[int, str, int]:
    """Fetches an object in a child; returns values, which can be sent to the parent."""
    assert _client is not None
    found = _client.get(f"enterprises/{number}").object
    assert found is not None
    return found.itemID, found.name, os.getpid()


def names_with(method: str, url: str, numbers: Iterable[int]) -> list[tuple[int, str, int]]:
    with ProcessPoolExecutor(
        2, multiprocessing.get_context(method), begin, (str(DOCUMENT), url)
    ) as pool:
        return list(pool.map(name_of, numbers))


@pytest.mark.parametrize("method", ["spawn", "fork"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # the test has threads
def test_the_children_of_a_pool_have_clients_of_their_own(
    method: str, demo_url: str, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A spawned child imports this module anew.
    folder = Path(__file__).resolve().parents[1]
    places = [str(folder), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(places))
    with make_client() as client:
        expected = [
            (each.itemID, each.name)
            for number in range(1, 9)
            if (each := client.get(f"enterprises/{number}").object) is not None
        ]
        found = names_with(method, demo_url, range(1, 9))
        assert [(number, name) for number, name, _ in found] == expected
        assert os.getpid() not in {process for *_, process in found}
        # The client of the parent works as before.
        assert client.get("enterprises/1").object is not None


def fork_error(url: str) -> str:
    """Uses the client that a forked child has inherited."""
    assert _client is not None
    try:
        _client.get("enterprises/1")
    except restway.ForkedError as error:
        return str(error)
    return "nothing was raised"


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_says_that_a_client_is_its_parents(
    demo_url: str, make_client: MakeClient
) -> None:
    global _client
    with make_client() as client:
        _client = client
        try:
            with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
                told = pool.submit(fork_error, demo_url).result(30)
        finally:
            _client = None
    assert "made before a fork" in told
