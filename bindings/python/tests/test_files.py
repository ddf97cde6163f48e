"""The files of stores and outboxes: who may read them, and which files the library leaves
unchanged.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import restway

from .test_outbox import DOCUMENT, Server, flush, store

ADDRESS = "http://127.0.0.1:1"

#: A program that becomes the sender of an outbox, stores a request on demand, and waits to be
#: killed.
SENDER = """
import pathlib, sys, threading
import restway
from tests.test_outbox import DOCUMENT, flush, store
api = restway.API.from_json(DOCUMENT)
path = pathlib.Path(sys.argv[1])
with restway.Client(api, base_url="http://127.0.0.1:1", outbox_path=path) as it:
    assert flush(it).error is None
    print("sender", flush=True)
    sys.stdin.readline()
    store(it, 1)
    print("stored", flush=True)
    sys.stdin.readline()
"""


def open_client(
    path: Path, document: dict[str, Any] = DOCUMENT, **options: Any
) -> restway.Client:
    """Makes a client whose store and outbox are beside `path`."""
    return restway.Client(
        restway.API.from_json(document),
        base_url=ADDRESS,
        store_path=path / "objects.db",
        outbox_path=path / "outbox.db",
        **options,
    )


def modes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("mode", [None, 0o640, 0o666])
def test_new_files_are_the_owners_alone_unless_the_program_says_more(
    tmp_path: Path, mode: int | None
) -> None:
    with open_client(tmp_path, file_mode=mode) as client:
        store(client, 1)
        client.draft("Thing", id=1, name="secret").insert()
        assert flush(client).error is None
        found = modes(tmp_path)
    names = [f"{name}{end}" for name in ("objects.db", "outbox.db") for end in ("", "-shm", "-wal")]
    assert sorted(found) == sorted([*names, "outbox.db-sender"])
    assert set(found.values()) == {mode or 0o600}


def test_the_document_says_the_mode_of_new_files(tmp_path: Path) -> None:
    with open_client(tmp_path, {**DOCUMENT, "fileMode": "0660"}):
        assert modes(tmp_path)["outbox.db"] == 0o660
    (tmp_path / "outbox.db").chmod(0o644)
    with open_client(tmp_path) as client:
        store(client, 1)
        found = modes(tmp_path)
    assert found["outbox.db"] == found["outbox.db-wal"] == 0o644
    with pytest.raises(restway.ConfigError, match="fileMode"):
        restway.API.from_json({**DOCUMENT, "fileMode": 640})


@pytest.mark.parametrize("mode", [0, -1, 0o400, 0o700, 640])
def test_a_mode_that_no_file_can_have_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises((ValueError, restway.UsageError), match="file_mode"):
        open_client(tmp_path, file_mode=mode)
    assert not list(tmp_path.iterdir())


def change(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for statement in statements:
            connection.execute(statement)
    finally:
        connection.close()


@pytest.mark.parametrize("journal", ["delete", "truncate", "persist", "wal"])
@pytest.mark.parametrize("option", ["store_path", "outbox_path"])
def test_a_foreign_file_is_refused_and_keeps_every_byte(
    tmp_path: Path, option: str, journal: str
) -> None:
    path = tmp_path / "mine.db"
    change(path, f"PRAGMA journal_mode = {journal}", "CREATE TABLE mine (a)")
    change(path, "INSERT INTO mine VALUES (1)")
    before = contents(tmp_path)
    options: dict[str, Any] = {option: path}
    api = restway.API.from_json(DOCUMENT)
    with pytest.raises((restway.StoreError, restway.OutboxError), match="of another program"):
        restway.Client(api, base_url=ADDRESS, **options)
    found = contents(tmp_path)
    found.pop("outbox.db", None)
    assert found == before


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_newer_file_is_refused_and_keeps_every_byte(tmp_path: Path, journal: str) -> None:
    with open_client(tmp_path):
        pass
    change(tmp_path / "objects.db", "PRAGMA user_version = 99", f"PRAGMA journal_mode = {journal}")
    before = contents(tmp_path)
    with pytest.raises(restway.StoreError, match="of a later Restway"):
        open_client(tmp_path)
    assert contents(tmp_path) == before


def test_an_entity_with_more_attributes_than_a_table_has_columns_is_named(tmp_path: Path) -> None:
    texts = {f"a{number}": {"type": "string"} for number in range(2_000)}
    attributes = {"id": {"type": "int"}} | texts
    document = {**DOCUMENT, "entities": {"Wide": {"identity": "id", "attributes": attributes}}}
    document["routes"] = {}
    with pytest.raises(restway.StoreError, match=r'"Wide".* 2004 columns.* allows 2000'):
        open_client(tmp_path, document)


@pytest.fixture
def sender(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", SENDER, str(tmp_path / "outbox.db")]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        cwd=Path(__file__).resolve().parents[1], env={**os.environ, "PYTHONPATH": "."},
    )
    with process:
        yield process
        process.kill()


def test_another_process_takes_over_what_a_killed_sender_left_within_five_seconds(
    tmp_path: Path, sender: subprocess.Popen[str]
) -> None:
    assert sender.stdin
    assert sender.stdout
    assert sender.stdout.readline() == "sender\n"
    server = Server()
    api = restway.API.from_json(DOCUMENT)
    try:
        with restway.Client(api, base_url=server.url, outbox_path=tmp_path / "outbox.db") as client:
            error = flush(client).error
            assert isinstance(error, restway.OutboxError)
            sender.stdin.write("\n")
            sender.stdin.flush()
            assert sender.stdout.readline() == "stored\n"
            assert not server.arrived.wait(1), "the sender lives"
            sender.kill()
            start = time.monotonic()
            assert server.arrived.wait(30)
            assert time.monotonic() - start < 5
            assert flush(client).error is None
            assert client.outbox.counts() == (0, 0, 0, 0, 0)
    finally:
        server.close()
