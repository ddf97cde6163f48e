"""The same as restway_reading.py with httpx and pydantic: pydantic_reading.py BASE-URL REQUESTS"""

from __future__ import annotations

import datetime
import sys

import httpx  # type: ignore[import-untyped,import-not-found,unused-ignore]
import load
import pydantic  # type: ignore[import-untyped,import-not-found,unused-ignore]


class Address(pydantic.BaseModel):
    street: str
    street_number: int
    city: str
    country: str


class Owner(pydantic.BaseModel):
    id: int
    first_name: str
    last_name: str
    email: str


class Company(pydantic.BaseModel):
    id: int
    name: str
    founded: datetime.date
    employee_count: int
    revenue: float
    active: bool
    about: str
    address: Address
    owner: Owner


class Companies(pydantic.BaseModel):
    companies: list[Company]


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
