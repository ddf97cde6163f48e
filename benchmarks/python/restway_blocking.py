"""Restway from Python, one request at a time: restway_blocking.py DOCUMENT BASE-URL REQUESTS"""

from __future__ import annotations

import sys

import load
import restway


def main() -> None:
    document, base, requests = sys.argv[1:]
    with restway.Client(restway.API.load(document), base_url=base) as client:

        def perform() -> None:
            company = client.get("companies/1").object
            if company is None or company.name != "Company 1":
                raise SystemExit(f"not company 1: {company!r}")

        load.measure(perform, int(requests))


main()
