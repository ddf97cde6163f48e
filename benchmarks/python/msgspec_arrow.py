"""Makes a table of Arrow from the bytes of a large list of companies with msgspec, and with pyarrow
from a list for each column: msgspec_arrow.py URL OBJECTS
"""

from __future__ import annotations

import sys
from typing import Any

import load
import msgspec
import pyarrow  # type: ignore[import-untyped,import-not-found,unused-ignore]
from company_structs import Companies

decoder = msgspec.json.Decoder(Companies)


def table_of(body: bytes) -> Any:
    companies = decoder.decode(body).companies
    return pyarrow.table(
        {
            "itemID": [each.id for each in companies],
            "name": [each.name for each in companies],
            "founded": [each.founded for each in companies],
            "employeeCount": [each.employee_count for each in companies],
            "revenue": [each.revenue for each in companies],
            "active": [each.active for each in companies],
            "about": [each.about for each in companies],
            "street": [each.address.street for each in companies],
            "streetNumber": [each.address.street_number for each in companies],
            "city": [each.address.city for each in companies],
            "country": [each.address.country for each in companies],
            "ownerID": [each.owner.id for each in companies],
            "ownerFirstName": [each.owner.first_name for each in companies],
            "ownerLastName": [each.owner.last_name for each in companies],
            "ownerEmail": [each.owner.email for each in companies],
        }
    )


load.measure_reading(table_of, *sys.argv[1:])
