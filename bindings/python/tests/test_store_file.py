"""Stores in files: which objects are found again, by whom, and when."""

from __future__ import annotations

import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import restway

from .peer import Peer

DOCUMENT: dict[str, Any] = {
    "restway": 1,
    "environments": {"test": {"baseURL": "http://127.0.0.1"}},
    "entities": {
        "Note": {
            "identity": "id",
            "attributes": {
                "id": {"type": "int"},
                "round": {"type": "int"},
                "text": {"type": "string"},
                "made": {"type": "date"},
                "any": "any",
            },
            "relationships": {"next": {"entity": "Note", "many": True, "policy": "merge"}},
        }
    },
    "routes": {"notes": {"path": "notes", "response": {"entity": "Note"}}},
}

#: All its objects change in one commit: two numbers in one file would mean half a commit.
WRITER = """
import json, pathlib, sys
import restway
from tests.peer import Peer
from tests.test_store_file import DOCUMENT, OBJECTS
path, first = sys.argv[1], int(sys.argv[2])
with Peer() as peer:
    api = restway.API.from_json(DOCUMENT)
    with restway.Client(api, base_url=peer.url, store_path=path) as client:
        for number in range(first, first + 10_000):
            text = "x" * (number % 7 * 500)
            body = [{"id": id, "round": number, "text": text} for id in range(OBJECTS)]
            peer.respond(json.dumps(body).encode())
            client.perform(restway.Request.path("GET", "notes"))
            print(number, flush=True)
"""
OBJECTS = 50


def open_client(
    path: Path, peer: Peer, document: dict[str, Any] = DOCUMENT
) -> restway.Client:
    api = restway.API.from_json(document)
    return restway.Client(api, base_url=peer.url, store_path=path, timeout=30)


def fetch(client: restway.Client, peer: Peer, notes: Any) -> restway.Response:
    peer.respond(json.dumps(notes).encode())
    return client.perform(restway.Request.path("GET", "notes"))


def test_every_path_is_one_of_a_file(
    tmp_path: Path, peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "file:notes.db?mode=memory"):
        with open_client(Path(name), peer) as client:
            assert fetch(client, peer, [{"id": 1}]).objects[0].identity == 1
        assert (tmp_path / name).exists()
    with pytest.raises(restway.StoreError, match="the path is empty"):
        restway.Client(restway.API.from_json(DOCUMENT), base_url=peer.url, store_path="")


def test_what_was_stored_is_found_after_the_client_was_closed(tmp_path: Path, peer: Peer) -> None:
    path = tmp_path / "notes.db"
    notes = [
        {"id": 1, "text": "é", "made": "2024-05-06T07:08:09Z", "any": True, "next": [2, 3]},
        {"id": 2, "any": {"a": [1]}},
        {"id": 3, "text": None, "any": 0.5},
    ]
    with open_client(path, peer) as client:
        before = [dict(item) for item in fetch(client, peer, notes).objects]
        keys = [item.store_key for item in client.store.all("Note")]
    with open_client(path, peer) as client:
        found = client.store.all("Note")
        assert [dict(item) for item in found] == before
        assert [item.store_key for item in found] == keys
        assert [item["id"] for item in found[0].related("next")] == [2, 3]
        assert client.store.statistics().file_bytes > 0


def test_a_document_names_the_file_beside_itself(tmp_path: Path, peer: Peer) -> None:
    store = {"kind": "sqlite", "path": "objects.db", "cachedObjects": 10}
    document = tmp_path / "api.json"
    document.write_text(json.dumps({**DOCUMENT, "store": store}), encoding="utf-8")
    for _ in range(2):
        with restway.Client(restway.API.load(document), base_url=peer.url) as client:
            fetch(client, peer, [{"id": 5}])
            assert client.store.count() == 1
    assert (tmp_path / "objects.db").exists()


def test_another_process_reads_and_writes_the_same_file(tmp_path: Path, peer: Peer) -> None:
    path = tmp_path / "notes.db"
    with open_client(path, peer) as client:
        fetch(client, peer, [{"id": 1, "text": "ours"}])
        assert client.store.find("Note", 1) is not None
        code = (
            "import sqlite3, sys\n"
            "with sqlite3.connect(sys.argv[1]) as file:\n"
            "    print(file.execute('SELECT text FROM Note').fetchone()[0])\n"
            "    file.execute(\"UPDATE Note SET text = 'theirs'\")\n"
        )
        told = subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
        )
        assert told.stdout.strip() == "ours"
        note = client.store.find("Note", 1)
        assert note is not None and note["text"] == "theirs"
        (merged,) = fetch(client, peer, [{"id": 1, "round": 7}]).objects
        assert (merged["text"], merged["round"]) == ("theirs", 7)


def test_a_killed_process_leaves_its_last_commit_whole(tmp_path: Path, peer: Peer) -> None:
    path = tmp_path / "notes.db"
    package = Path(__file__).resolve().parents[1]
    told = 0
    for kill in range(12):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(told + 1)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(package)},
            text=True,
        ) as writer:
            assert writer.stdout is not None
            for _ in range(3 + kill * 5):
                told = int(writer.stdout.readline())
            writer.send_signal(signal.SIGKILL)
            rest = writer.stdout.read().splitlines()
            told = int(rest[-1]) if rest else told
        with open_client(path, peer) as client:
            rounds = {note["round"] for note in client.store.all("Note")}
            assert client.store.count("Note") == OBJECTS
        assert len(rounds) == 1
        # A change that was reported was committed; a committed change need not have been reported.
        assert rounds <= {told, told + 1}
        told = max(rounds)
        with sqlite3.connect(path) as file:
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        file.close()


def test_a_full_disk_keeps_the_last_commit(tmp_path: Path, peer: Peer) -> None:
    path = tmp_path / "notes.db"
    with open_client(path, peer) as client:
        fetch(client, peer, [{"id": 1, "text": "kept"}])
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        # Python ignores the signal that accompanies the error.
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, hard))
        try:
            with pytest.raises(restway.StoreError) as caught:
                fetch(client, peer, [{"id": 1, "text": "x" * 1_000_000}, {"id": 2}])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert str(path) in str(caught.value)
        assert caught.value.field == str(path)
        note = client.store.find("Note", 1)
        assert note is not None and note["text"] == "kept"
        assert client.store.count("Note") == 1
        fetch(client, peer, [{"id": 1, "text": "again"}])
    with open_client(path, peer) as client:
        note = client.store.find("Note", 1)
        assert note is not None and note["text"] == "again"


def test_a_locked_file_is_busy_and_may_be_tried_again(tmp_path: Path, peer: Peer) -> None:
    path = tmp_path / "notes.db"
    store = {"kind": "sqlite", "path": str(path), "busyTimeoutMilliseconds": 0}
    api = restway.API.from_json({**DOCUMENT, "store": store})
    with restway.Client(api, base_url=peer.url) as client:
        fetch(client, peer, [{"id": 1, "text": "kept"}])
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(restway.StoreError) as caught:
            fetch(client, peer, [{"id": 1, "text": "lost"}])
        assert caught.value.retryable
        note = client.store.find("Note", 1)
        assert note is not None and note["text"] == "kept"
        other.close()
        fetch(client, peer, [{"id": 1, "text": "stored"}])


@pytest.mark.parametrize("content", [b"This is no database. " * 100, b"SQLite format 3\0" * 100])
def test_a_file_that_is_no_store_is_refused_and_left_alone(
    tmp_path: Path, peer: Peer, content: bytes
) -> None:
    path = tmp_path / "notes.db"
    path.write_bytes(content)
    with pytest.raises(restway.StoreError, match=r"notes\.db"):
        open_client(path, peer)
    assert path.read_bytes() == content


def test_a_database_of_somebody_else_is_refused(tmp_path: Path, peer: Peer) -> None:
    path = tmp_path / "notes.db"
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE Note (id)")
    file.close()
    with pytest.raises(restway.StoreError, match="another program"):
        open_client(path, peer)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_directory_is_named(tmp_path: Path, peer: Peer) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(restway.StoreError, match=r"notes\.db"):
            open_client(tmp_path / "notes.db", peer)
    finally:
        tmp_path.chmod(0o700)


def test_a_place_where_nobody_makes_files_is_named(peer: Peer) -> None:
    # Not even root can read it.
    with pytest.raises(restway.StoreError, match=r"/proc/notes\.db"):
        open_client(Path("/proc/notes.db"), peer)


def test_a_missing_directory_is_named(tmp_path: Path, peer: Peer) -> None:
    with pytest.raises(restway.StoreError, match="nowhere"):
        open_client(tmp_path / "nowhere" / "notes.db", peer)


def test_what_the_document_no_longer_knows_is_kept(tmp_path: Path, peer: Peer) -> None:
    path = tmp_path / "notes.db"
    less = json.loads(json.dumps(DOCUMENT))
    del less["entities"]["Note"]["attributes"]["text"]
    less["entities"]["Note"]["attributes"]["more"] = {"type": "double"}
    with open_client(path, peer) as client:
        fetch(client, peer, [{"id": 1, "round": 1, "text": "kept"}])
    with open_client(path, peer, less) as client:
        note = client.store.find("Note", 1)
        assert note is not None and "text" not in note and "more" not in note
        fetch(client, peer, [{"id": 1, "round": 2, "text": "unread", "more": 1.5}])
        with sqlite3.connect(path) as file:
            found = file.execute("SELECT text, round, more FROM Note").fetchall()
        file.close()
        assert found == [("kept", 2, 1.5)]
    with open_client(path, peer) as client:
        note = client.store.find("Note", 1)
        assert note is not None and (note["text"], note["round"]) == ("kept", 2)


def test_a_damaged_page_is_an_error_and_no_crash(tmp_path: Path, peer: Peer) -> None:
    path = tmp_path / "notes.db"
    with open_client(path, peer) as client:
        fetch(client, peer, [{"id": number, "text": "x" * 900} for number in range(200)])
    with sqlite3.connect(path) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file.close()
    content = bytearray(path.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 8192] = b"\xff" * 8192
    path.write_bytes(content)
    with open_client(path, peer) as client, pytest.raises(restway.StoreError) as caught:
        [note["text"] for note in client.store.all("Note")]
    assert caught.value.field == str(path)
    del caught


def test_objects_outlive_the_store_and_its_file(tmp_path: Path, peer: Peer) -> None:
    path = tmp_path / "notes.db"
    with open_client(path, peer) as client:
        (note,) = fetch(client, peer, [{"id": 1, "text": "x"}]).objects
    path.unlink()
    assert note["text"] == "x"
