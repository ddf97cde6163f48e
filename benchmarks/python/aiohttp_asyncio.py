"""aiohttp and json in one event loop: aiohttp_asyncio.py BASE-URL IN-FLIGHT REQUESTS."""

from __future__ import annotations

import asyncio
import json
import sys

import aiohttp  # type: ignore[import-untyped,import-not-found,unused-ignore]
import load


async def main() -> None:
    base, in_flight, requests = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    url = f"{base}/companies/1"
    connector = aiohttp.TCPConnector(limit=in_flight)
    headers = {"Accept": "application/json"}
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:

        async def perform() -> None:
            async with session.get(url) as response:
                company = json.loads(await response.read())
            if company["name"] != "Company 1":
                raise SystemExit(f"not company 1: {company!r}")

        await load.measure_async(perform, in_flight, requests)


asyncio.run(main())
