"""httpx, one request at a time: httpx_blocking.py BASE-URL REQUESTS [CA-FILE]"""

from __future__ import annotations

import sys

import httpx  # type: ignore[import-untyped,import-not-found,unused-ignore]
import load


def main() -> None:
    base, requests, *ca_file = sys.argv[1:]
    headers = {"Accept": "application/json"}
    with httpx.Client(verify=load.trusting(*ca_file), headers=headers) as client:

        def perform() -> None:
            company = client.get(f"{base}/companies/1").json()
            if company["name"] != "Company 1":
                raise SystemExit(f"not company 1: {company!r}")

        load.measure(perform, int(requests))


main()
