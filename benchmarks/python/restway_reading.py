"""Fetches 90 companies, and reads two attributes of each and one attribute of its owner:

    restway_reading.py DOCUMENT BASE-URL REQUESTS [PLUGIN...]
"""

from __future__ import annotations

import sys

import load
import restway


def main() -> None:
    document, base, requests, *plugins = sys.argv[1:]
    for plugin in plugins:
        restway.load_plugin(plugin)
    with restway.Client(restway.API.load(document), base_url=base) as client:

        def perform() -> None:
            read = [
                (company.name, company.employeeCount, company.owner.firstName)
                for company in client.get("ninety.json").objects
            ]
            if len(read) != 90 or read[0] != ("Company 1", 7, "Bram"):
                raise SystemExit(f"{len(read)} companies, the first is {read[0]}")

        load.measure(perform, int(requests))


main()
