"""Hits of httpx with hishel, whose cache is a SQLite database in memory, one request at a time:

    hishel_cached.py BASE-URL REQUESTS
"""

from __future__ import annotations

import sqlite3
import sys

import hishel  # type: ignore[import-untyped,import-not-found,unused-ignore]
import hishel.httpx  # type: ignore[import-untyped,import-not-found,unused-ignore]
import load


def main() -> None:
    base, requests = sys.argv[1:]
    storage = hishel.SqliteStorage(
        connection=sqlite3.connect(":memory:", check_same_thread=False)
    )
    headers = {"Accept": "application/json"}
    with hishel.httpx.CacheClient(storage=storage, rfc=True, headers=headers) as client:

        def perform() -> None:
            answer = client.get(f"{base}/companies/1")
            if answer.json()["name"] != "Company 1":
                raise SystemExit(f"not company 1: {answer.text!r}")

        perform()
        load.measure(perform, int(requests))
        if not client.get(f"{base}/companies/1").extensions["caching"]["from_cache"]:
            raise SystemExit("the answer is no hit")


main()
