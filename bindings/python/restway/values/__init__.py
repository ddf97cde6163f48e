"""Objects as values of the program's own classes, and the other way round.

    @dataclass
    class Company:
        itemID: int
        name: str
        city: str | None = None

    companies = client.get("enterprises", into=list[Company])

The classes are dataclasses, Structs of msgspec, models of pydantic and subclasses of TypedDict.
Neither msgspec nor pydantic is needed, or imported unless a class is of it.
"""

from __future__ import annotations

from .reading import IntoOptions, Reading, ReadsInto, reading_of

__all__ = ["IntoOptions", "Reading", "ReadsInto", "reading_of"]
