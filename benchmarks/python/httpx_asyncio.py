"""httpx over one HTTP/2 connection: httpx_asyncio.py BASE-URL IN-FLIGHT REQUESTS CA-FILE"""

from __future__ import annotations

import asyncio
import json
import sys

import httpx  # type: ignore[import-untyped,import-not-found,unused-ignore]
import load


async def main() -> None:
    base, in_flight, requests, ca_file = sys.argv[1:]
    url = f"{base}/companies/1"
    async with httpx.AsyncClient(
        http2=True,
        verify=load.trusting(ca_file),
        limits=httpx.Limits(max_connections=1),
        timeout=60.0,
        headers={"Accept": "application/json"},
    ) as client:

        async def perform() -> None:
            answer = await client.get(url)
            company = json.loads(answer.content)
            if company["name"] != "Company 1" or answer.http_version != "HTTP/2":
                raise SystemExit(f"not company 1 over HTTP/2: {company!r}")

        await load.measure_async(perform, int(in_flight), int(requests))


asyncio.run(main())
