"""Decodes a large list of companies with json.loads and makes a dataclass of each:

    json_dataclasses.py URL OBJECTS
"""

from __future__ import annotations

import datetime
import json
import sys
import time
import urllib.request
from typing import Any

from flat_companies import CompanyData


def company_of(source: dict[str, Any]) -> CompanyData:
    address, owner = source["address"], source["owner"]
    return CompanyData(
        source["id"],
        source["name"],
        datetime.date.fromisoformat(source["founded"]),
        source["employee_count"],
        source["revenue"],
        source["active"],
        source["about"],
        address["street"],
        address["street_number"],
        address["city"],
        address["country"],
        owner["id"],
        owner["first_name"],
        owner["last_name"],
        owner["email"],
    )


def main(url: str, objects: int) -> None:
    with urllib.request.urlopen(url) as answer:
        body = answer.read()
    begun = time.perf_counter()
    companies = [company_of(source) for source in json.loads(body)["companies"]]
    seconds = time.perf_counter() - begun
    if len(companies) != objects:
        raise SystemExit(f"{len(companies)} companies")
    print(json.dumps({"seconds": seconds}))


main(sys.argv[1], int(sys.argv[2]))
