"""The response cache: hits from memory and from a file, validation, and a large file."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .figure import Figure, Target, figure, in_turn
from .programs import DOCUMENT, run_c, run_python

_PAIRS = 7
_HITS = 20_000
_REQUESTS = 5_000
_FEW = 1_000
_MANY = 1_000_000
_PYTHON_HITS = 20_000
#: The number of hits with hishel, which takes many times as long for each.
_HISHEL_HITS = 1_000

#: The columns in which the copies of an entry differ, so that no request finds them.
_DIFFERENT = {
    "id": "NULL", "key": "random()", "name": "name || n", "url": "url || n", "urlHash": "random()",
}


def _kept(base: str) -> str:
    """Returns the URL under which nginx gives its answers a lifetime."""
    return f"{base}/kept"


def _latency(base: str, count: int, how: str, *file: Path) -> float:
    """Returns the seconds that one request takes, with the cache as `restway_cached.c` names it."""
    return run_c("restway_cached", DOCUMENT, _kept(base), count, how, *file)["latency_seconds"]


@contextmanager
def _file() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="restway-bench-", dir="/var/tmp") as folder:
        yield Path(folder) / "cache.db"


def memory(base: str) -> Iterator[Figure]:
    """Compares a hit in memory, with its object, with the request that it replaces."""
    runs = in_turn(
        _PAIRS,
        lambda: _latency(base, _HITS, "memory") * 1e6,
        lambda: _latency(base, _REQUESTS, "none") * 1e6,
    )
    yield figure("cache.memory.hit_share", "us", "the request it replaces", Target(0.15), runs)


def file(base: str) -> Iterator[Figure]:
    """Compares a hit in the file with the request that it replaces."""
    with _file() as path:
        runs = in_turn(
            _PAIRS,
            lambda: _latency(base, _HITS, "file", path) * 1e6,
            lambda: _latency(base, _REQUESTS, "none") * 1e6,
        )
    yield figure("cache.sqlite.hit_share", "us", "the request it replaces", Target(0.25), runs)


def many(base: str) -> Iterator[Figure]:
    """Compares a hit in a file with 1,000,000 entries with one in a file with 1,000."""
    with _file() as full, _file() as small:
        for path, count in ((full, _MANY), (small, _FEW)):
            _latency(base, 1, "file", path)
            _fill(path, count)
        runs = in_turn(
            _PAIRS,
            lambda: _latency(base, _HITS, "file", full) * 1e6,
            lambda: _latency(base, _HITS, "file", small) * 1e6,
        )
    yield figure("cache.entries_1000000.cost", "us", "1,000 entries", Target(1.3), runs)


def validation(base: str) -> Iterator[Figure]:
    """Compares a validation with a 304 for which the program sends the ETag itself."""
    runs = in_turn(
        _PAIRS,
        lambda: _latency(base, _REQUESTS, "validate") * 1e6,
        lambda: _latency(base, _REQUESTS, "304") * 1e6,
    )
    yield figure("cache.revalidation.share", "us", "a plain 304", Target(1.6), runs)


def from_python(base: str) -> Iterator[Figure]:
    """Compares the hits per second from Python with those of httpx with hishel."""

    def per_second(program: str, *arguments: object) -> float:
        run = run_python(program, *arguments)
        return run["requests"] / run["seconds"]

    runs = in_turn(
        _PAIRS,
        lambda: per_second("restway_cached", DOCUMENT, _kept(base), _PYTHON_HITS),
        lambda: per_second("hishel_cached", _kept(base), _HISHEL_HITS),
    )
    yield figure(
        "cache.python.over_hishel", "1/s", "httpx with hishel, json.loads",
        Target(20.0, is_floor=True), runs,
    )


def _fill(path: Path, count: int) -> None:
    """Copies an entry of the cache until it has `count` entries."""
    with sqlite3.connect(path) as file:
        columns = [row[1] for row in file.execute("PRAGMA table_info(entry)")]
        (before,) = file.execute("SELECT count(*) FROM entry").fetchone()
        values = ", ".join(_DIFFERENT.get(column, column) for column in columns)
        file.execute(
            f"""
            WITH RECURSIVE number(n) AS (
                SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?
            )
            INSERT INTO entry ({", ".join(columns)})
            SELECT {values} FROM number, (SELECT * FROM entry LIMIT 1)
            """,
            (count - before,),
        )
        (found,) = file.execute("SELECT count(*) FROM entry").fetchone()
    file.close()
    assert found == count
