"""pycurl and json, one request at a time: pycurl_blocking.py BASE-URL REQUESTS."""

from __future__ import annotations

import json
import sys

import load
import pycurl  # type: ignore[import-untyped,import-not-found,unused-ignore]


def main() -> None:
    base, requests = sys.argv[1:]
    curl = pycurl.Curl()
    curl.setopt(pycurl.URL, f"{base}/companies/1")
    curl.setopt(pycurl.HTTPHEADER, ["Accept: application/json"])

    def perform() -> None:
        company = json.loads(curl.perform_rb())
        if company["name"] != "Company 1":
            raise SystemExit(f"not company 1: {company!r}")

    load.measure(perform, int(requests))
    curl.close()


main()
