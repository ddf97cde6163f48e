"""The same as restway_reading.py with httpx and pydantic: pydantic_reading.py BASE-URL REQUESTS"""

from __future__ import annotations

import sys

import httpx  # type: ignore[import-untyped,import-not-found,unused-ignore]
import load
from company_models import Companies


def main() -> None:
    base, requests = sys.argv[1:]
    with httpx.Client(headers={"Accept": "application/json"}) as client:

        def perform() -> None:
            body = client.get(f"{base}/ninety.json").content
            read = [
                (company.name, company.employee_count, company.owner.first_name)
                for company in Companies.model_validate_json(body).companies
            ]
            if len(read) != 90 or read[0] != ("Company 1", 7, "Bram"):
                raise SystemExit(f"{len(read)} companies, the first is {read[0]}")

        load.measure(perform, int(requests))


main()
