"""Companies with all attributes of the document side by side: as a dataclass and as a struct of
msgspec.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import get_type_hints

import msgspec


@dataclass
class CompanyData:
    itemID: int
    name: str
    founded: datetime.date
    employeeCount: int
    revenue: float
    active: bool
    about: str
    street: str
    streetNumber: int
    city: str
    country: str
    ownerID: int
    ownerFirstName: str
    ownerLastName: str
    ownerEmail: str


CompanyStruct = msgspec.defstruct("CompanyStruct", list(get_type_hints(CompanyData).items()))
