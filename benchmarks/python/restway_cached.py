"""Hits of Restway's cache in memory from Python, one request at a time:

    restway_cached.py DOCUMENT BASE-URL REQUESTS
"""

from __future__ import annotations

import sys

import load
import restway


def main() -> None:
    document, base, requests = sys.argv[1:]
    api = restway.API.load(document)
    with restway.Client(api, base_url=base, cache=True) as client:

        def perform() -> None:
            company = client.get("companies/1").object
            if company is None or company.name != "Company 1":
                raise SystemExit(f"not company 1: {company!r}")

        load.measure(perform, int(requests))
        if client.cache.statistics.misses != 1:
            raise SystemExit(f"not all answers were hits: {client.cache.statistics}")


main()
