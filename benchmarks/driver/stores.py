"""Stores in a SQLite file: the cost of a commit and of opening."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .figure import Figure, Target, figure, in_turn
from .payload import LARGE_COUNT, LARGE_PATH, RENAMED_PATH
from .programs import DOCUMENT, Result, run_c

_PAIRS = 5
#: The number of runs: each takes a few milliseconds and is easily disturbed.
_OPEN_PAIRS = 21
_MANY = 1_000_000


def commit(base: str) -> Iterator[Figure]:
    """Stores 100,000 new companies, then all of them again with another name, in one transaction
    each.
    """
    runs = in_turn(
        _PAIRS,
        lambda: _in_new_file("restway_store", DOCUMENT, base, LARGE_PATH, RENAMED_PATH),
        lambda: _in_new_file("floor_store", LARGE_COUNT),
    )
    yield figure(
        "store.sqlite.commit.rows_per_second", "1/s", "C: prepared upserts, one transaction",
        Target(0.5, is_floor=True),
        [(_rows_per_second(own), _rows_per_second(plain)) for own, plain in runs],
    )


def _rows_per_second(run: Result) -> float:
    return 2 * LARGE_COUNT / (run["fresh_seconds"] + run["upsert_seconds"])


def opening(base: str) -> Iterator[Figure]:
    """Opens a store of 1,000,000 companies and reads the first one; opens an empty store and reads
    no company.
    """
    with tempfile.TemporaryDirectory(prefix="restway-bench-") as folder:
        full, empty = str(Path(folder) / "full.db"), str(Path(folder) / "empty.db")
        for path in (full, empty):
            run_c("restway_store_open", DOCUMENT, path)
        fill(full)
        runs = in_turn(
            _OPEN_PAIRS,
            lambda: run_c("restway_store_open", DOCUMENT, full)["open_seconds"] * 1e3,
            lambda: run_c("restway_store_open", DOCUMENT, empty)["open_seconds"] * 1e3,
        )
    yield figure(
        "store.sqlite.open_1000000.time", "ms", "an empty store", Target(1.5), list(runs)
    )


def _in_new_file(program: str, *arguments: object) -> Result:
    with tempfile.TemporaryDirectory(prefix="restway-bench-") as folder:
        return run_c(program, Path(folder) / "companies.db", *arguments)


def fill(path: str) -> None:
    """Writes the rows directly, without Restway."""
    with sqlite3.connect(path) as file:
        file.execute(
            """
            WITH RECURSIVE number(n) AS (
                SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?
            )
            INSERT INTO Company (_key, itemID, name, revenue, active, about, street, city)
            SELECT n, n, 'Company ' || n, n * 1234.5, n % 3 <> 0, 'steel paper glass grain light',
                'Main street', 'Coimbra' FROM number
            """,
            (_MANY,),
        )
        (count,) = file.execute("SELECT count(*) FROM Company").fetchone()
    file.close()
    assert count == _MANY
