"""The outbox: storing requests, sending them, and opening a large file."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from .figure import Figure, Target, figure, in_turn
from .programs import run_c, serving

_PAIRS = 7
_OPEN_PAIRS = 21
_MANY = 1_000_000
#: The number of runs: a disk may take some milliseconds for each commit.
_ALONE = 300
_CALLERS = 32
_TOGETHER = 3_200
_FLUSHED = 10_000
_BATCH = 50


@contextmanager
def _document() -> Iterator[Path]:
    """Makes a document with an outbox in a new folder on the disk."""
    with tempfile.TemporaryDirectory(prefix="restway-bench-", dir="/var/tmp") as folder:
        path = Path(folder) / "outbox.restway.json"
        path.write_text(
            json.dumps({
                "restway": 1,
                "routes": {"events": {"method": "POST", "path": "events", "offline": True}},
                "outbox": {"path": "outbox.db"},
                "batch": {"path": "batch", "limit": _BATCH},
            })
        )
        yield path


def _ours(program: str, *arguments: object) -> float:
    """Returns the requests per second of one of our programs with a new outbox."""
    with _document() as document:
        return run_c(program, document, *arguments)["per_second"]


def _theirs(program: str, *arguments: object) -> float:
    with _document() as document:
        return run_c(program, document.with_name("plain.db"), *arguments)["per_second"]


def enqueue(base: str) -> Iterator[Figure]:
    """Compares one caller, 32 callers that wait, and 32 that do not wait with one plain loop."""
    for name, callers, items, waits, ratio in (
        ("outbox.enqueue.per_second", 1, _ALONE, 1, 0.7),
        ("outbox.enqueue32.per_second", _CALLERS, _TOGETHER, 1, 2.2),
        ("outbox.enqueue32async.per_second", _CALLERS, _TOGETHER, 0, 3.5),
    ):
        pairs = in_turn(
            _PAIRS,
            partial(_ours, "restway_outbox_enqueue", callers, items, waits),
            lambda: _theirs("floor_outbox_enqueue", _ALONE),
        )
        reference = "C: prepared INSERTs, one transaction each"
        yield figure(name, "1/s", reference, Target(ratio, is_floor=True), pairs)


def flush(base: str) -> Iterator[Figure]:
    """Sends 10,000 items in batches of 50 to a server that only counts them."""
    with serving("batch_server") as url:
        pairs = in_turn(
            _PAIRS,
            lambda: _ours("restway_outbox_flush", url, _FLUSHED),
            lambda: _theirs("floor_outbox_flush", url, _FLUSHED),
        )
    reference = "C: libcurl, the same bodies, DELETE of each batch"
    yield figure(
        "outbox.flush.per_second", "1/s", reference, Target(0.2, is_floor=True), pairs
    )


def opening(base: str) -> Iterator[Figure]:
    """Opens an outbox with 1,000,000 requests, and an empty one."""
    with _document() as full, _document() as empty:
        for document in (full, empty):
            run_c("restway_outbox_open", document, 0)
        _fill(full.with_name("outbox.db"))
        runs = in_turn(
            _OPEN_PAIRS,
            lambda: run_c("restway_outbox_open", full, 1),
            lambda: run_c("restway_outbox_open", empty, 0),
        )
    for name, unit, key, scale in (
        ("outbox.open_1000000.time", "ms", "seconds", 1e3),
        ("outbox.open_1000000.live_bytes", "bytes", "live_bytes", 1),
    ):
        pairs = [(ours[key] * scale, theirs[key] * scale) for ours, theirs in runs]
        yield figure(name, unit, "an empty outbox", Target(3), pairs)


def _fill(path: Path) -> None:
    """Makes 1,000 lanes of 1,000 requests each; the first request of each lane may be sent."""
    with sqlite3.connect(path) as file:
        file.execute(
            """
            WITH RECURSIVE number(n) AS (
                SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?
            )
            INSERT INTO item (
                id, lane, state, turn, method, path, headers, idempotencyKey, createdAt,
                mayHaveArrived, attempts, nextAttemptAt, askedUntil, context, body)
            SELECT n, 'name:lane ' || (n % 1000), 0, iif(n <= 1000, 0, NULL), 'POST', 'events',
                'Content-Type: application/json' || char(10), 'key ' || n, n, 0, 0, 0, 0, x'',
                CAST('{"number": ' || n || '}' AS BLOB)
            FROM number
            """,
            (_MANY,),
        )
        file.execute("UPDATE outbox SET lastItem = ?1, waiting = ?1", (_MANY,))
        (count,) = file.execute("SELECT count(*) FROM item").fetchone()
    file.close()
    assert count == _MANY
