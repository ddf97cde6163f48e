"""Companies as structs of msgspec, with the document's attributes."""

from __future__ import annotations

import datetime

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
