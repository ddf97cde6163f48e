"""aiohttp and json in one event loop: aiohttp_asyncio.py BASE-URL IN-FLIGHT REQUESTS [CA-FILE]"""

from __future__ import annotations

import asyncio
import json
import sys

import aiohttp  # type: ignore[import-untyped,import-not-found,unused-ignore]
import load


async def main() -> None:
    base, in_flight, requests, *ca_file = sys.argv[1:]
    url = f"{base}/companies/1"
    connector = aiohttp.TCPConnector(limit=int(in_flight), ssl=load.trusting(*ca_file))
    headers = {"Accept": "application/json"}
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:

        async def perform() -> None:
            async with session.get(url) as response:
                company = json.loads(await response.read())
            if company["name"] != "Company 1":
                raise SystemExit(f"not company 1: {company!r}")

        await load.measure_async(perform, int(in_flight), int(requests))


asyncio.run(main())
