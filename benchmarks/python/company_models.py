"""Companies as models of pydantic, with the document's attributes."""

from __future__ import annotations

import datetime

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
