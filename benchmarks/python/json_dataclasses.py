"""Decodes a large list of companies with json.loads and makes a dataclass of each:

    json_dataclasses.py URL OBJECTS
"""

from __future__ import annotations

import datetime
import json
import sys
from typing import Any

import load
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


load.measure_reading(
    lambda body: [company_of(source) for source in json.loads(body)["companies"]], *sys.argv[1:]
)
