"""Objects as values of the program's own classes, and the other way round.

    @dataclass
    class Company:
        itemID: int
        name: str
        city: str | None = None

    companies = client.get("enterprises", into=list[Company])

    client.post("enterprises", json=Company(0, "Rossi"), nulls="omit")

The classes are dataclasses, Structs of msgspec, models of pydantic and subclasses of TypedDict.
Neither msgspec nor pydantic is needed, or imported unless a class is of it.
"""

from __future__ import annotations

from .giving import Nulls, Parameters, Record, by_name, is_record, json_of, pairs_of
from .into import IntoOptions, ReadsInto, reading_alone, reading_into, reading_of_each

__all__ = [
    "IntoOptions",
    "Nulls",
    "Parameters",
    "ReadsInto",
    "Record",
    "by_name",
    "is_record",
    "json_of",
    "pairs_of",
    "reading_alone",
    "reading_into",
    "reading_of_each",
]
