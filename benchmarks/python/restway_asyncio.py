"""Restway in one event loop: restway_asyncio.py DOCUMENT BASE-URL IN-FLIGHT REQUESTS [PLUGIN...]

Prints `{"skipped": ...}` as long as the package has no client for asyncio.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import load
import restway


async def main() -> None:
    document, base, in_flight, requests, *plugins = sys.argv[1:]
    for plugin in plugins:
        restway.load_plugin(plugin)
    # The class is looked up, so that this program can be checked and run without it.
    make_client: Any = getattr(restway, "AsyncClient", None)
    if make_client is None:
        print(json.dumps({"skipped": "the Python package has no client for asyncio yet"}))
        return
    async with make_client(restway.API.load(document), base_url=base) as client:

        async def perform() -> None:
            company = (await client.get("companies/1")).object
            if company is None or company.name != "Company 1":
                raise SystemExit(f"not company 1: {company!r}")

        await load.measure_async(perform, int(in_flight), int(requests))


asyncio.run(main())
