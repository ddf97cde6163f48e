"""Makes a table of Arrow from the bytes of a large list of companies with msgspec, and with pyarrow
from a list for each column: msgspec_arrow.py URL OBJECTS
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request

import msgspec
import pyarrow  # type: ignore[import-untyped,import-not-found,unused-ignore]
from company_structs import Companies


def main(url: str, objects: int) -> None:
    with urllib.request.urlopen(url) as answer:
        body = answer.read()
    decoder = msgspec.json.Decoder(Companies)
    begun = time.perf_counter()
    companies = decoder.decode(body).companies
    table = pyarrow.table(
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
    seconds = time.perf_counter() - begun
    if table.num_rows != objects:
        raise SystemExit(f"{table.num_rows} rows")
    print(json.dumps({"seconds": seconds}))


main(sys.argv[1], int(sys.argv[2]))
