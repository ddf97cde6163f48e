"""Decodes a large list of companies with msgspec into structs with the document's attributes.

python msgspec_decode.py URL OBJECTS
"""

from __future__ import annotations

import datetime
import json
import sys
import time
import urllib.request

import msgspec


class Address(msgspec.Struct):
    street: str
    street_number: int
    city: str
    country: str


class Owner(msgspec.Struct):
    id: int
    first_name: str
    last_name: str
    email: str


class Company(msgspec.Struct):
    id: int
    name: str
    founded: datetime.date
    employee_count: int
    revenue: float
    active: bool
    about: str
    address: Address
    owner: Owner


class Companies(msgspec.Struct):
    companies: list[Company]


def main(url: str, objects: int) -> None:
    with urllib.request.urlopen(url) as answer:
        body = answer.read()
    decoder = msgspec.json.Decoder(Companies)
    begun = time.perf_counter()
    decoded = decoder.decode(body)
    seconds = time.perf_counter() - begun
    if len(decoded.companies) != objects:
        raise SystemExit(f"{len(decoded.companies)} objects instead of {objects}")
    print(json.dumps({"bytes": len(body), "map_seconds": seconds}))


main(sys.argv[1], int(sys.argv[2]))
