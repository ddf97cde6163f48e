"""The companies of the demo API as a table, then one of them by its number.

    examples/with-demo-api python3 examples/companies.py

The base URL comes from RESTWAY_DEMO_URL or from the first argument; the API document from
RESTWAY_DEMO_DOCUMENT, else from this repository.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

import restway

DOCUMENT = Path(__file__).parent / "demo-api" / "demo.restway.json"


def print_table(title: str, companies: Iterable[restway.Object]) -> None:
    print(f"\n{title}\n{'itemID':>6}  {'name':<32} {'city':<20} {'employees':>9}")
    for company in companies:
        city = company.city or "-"
        print(f"{company.itemID:>6}  {company.name:<32} {city:<20} {company.employeeCount:>9}")


def main() -> int:
    base_url = os.environ.get("RESTWAY_DEMO_URL") or (sys.argv[1] if len(sys.argv) > 1 else None)
    api = restway.API.load(os.environ.get("RESTWAY_DEMO_DOCUMENT", str(DOCUMENT)))
    with restway.Client(api, base_url=base_url) as client:
        page = client.get("enterprises", params={"page": 1, "per_page": 10})
        print_table("GET enterprises", page.objects)
        company = client.get("enterprises/3").object
        if company is not None:
            print_table("GET enterprises/3", [company])
        try:
            client.get("enterprises/99999")
        except restway.HTTPStatusError as error:
            print(f"\nGET enterprises/99999\n{error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
