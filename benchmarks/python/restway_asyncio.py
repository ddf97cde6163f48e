"""Restway in one event loop: restway_asyncio.py DOCUMENT BASE-URL IN-FLIGHT REQUESTS"""

from __future__ import annotations

import asyncio
import sys

import load
import restway


async def main() -> None:
    document, base, in_flight, requests = sys.argv[1:]
    async with restway.AsyncClient(restway.API.load(document), base_url=base) as client:

        async def perform() -> None:
            company = (await client.get("companies/1")).object
            if company is None or company.name != "Company 1":
                raise SystemExit(f"not company 1: {company!r}")

        await load.measure_async(perform, int(in_flight), int(requests))


asyncio.run(main())
