"""Sample data from a seed.

Each kind of object has a random generator of its own and uses it in the order of the ids, so that
company 17 is the same whether 20 or 100,000 companies are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeVar

from .content import JSONObject
from .words import (
    CITIES,
    FIRST_NAMES,
    LAST_NAMES,
    MEETING_TITLES,
    NOTE_TEXTS,
    STEMS,
    TAGS,
    TRADES,
)

COMPANIES_PER_OWNER = 3
#: Companies beyond this number have no employees, so that a long list starts quickly.
STAFFED_COMPANIES_MAX = 500
MEETINGS_MAX = 200

Item = TypeVar("Item")


def _generator(seed: int, kind: str) -> Random:
    return Random(f"{seed}/{kind}")


def _pick(random: Random, items: Sequence[Item]) -> Item:
    # This is about four times as fast as choice(), which matters for 100,000 companies.
    return items[int(random.random() * len(items))]


def _below(random: Random, limit: int) -> int:
    return int(random.random() * limit)


def people(seed: int, company_count: int) -> list[JSONObject]:
    """Makes the owners."""
    random = _generator(seed, "people")
    return [
        {
            "id": identity,
            "first_name": _pick(random, FIRST_NAMES),
            "last_name": _pick(random, LAST_NAMES),
        }
        for identity in range(1, company_count // COMPANIES_PER_OWNER + 2)
    ]


def companies(seed: int, count: int, owners: Sequence[JSONObject]) -> Iterator[JSONObject]:
    random = _generator(seed, "companies")
    for identity in range(1, count + 1):
        city = _pick(random, CITIES)
        stem = _pick(random, STEMS)
        owner = owners[(identity - 1) // COMPANIES_PER_OWNER]
        letter = ("", "", "", "a", "b")[_below(random, 5)]
        first_tag = _below(random, len(TAGS))
        has_website = random.random() < 0.4
        has_parent = random.random() < 0.1 and identity > 1
        yield {
            "id": identity,
            "name": f"{stem} {_pick(random, TRADES)} {city.legal_form}",
            "address": {
                "street_number": f"{1 + _below(random, 180)}{letter}",
                "street": _pick(random, city.streets),
                "city": city.name,
                "zip": city.zip_format.format(_below(random, 1000)),
                "country": city.country,
                "location": {
                    "lat": round(city.latitude + random.random() * 0.1, 4),
                    "lon": round(city.longitude + random.random() * 0.1, 4),
                },
            },
            "owner": owner,
            "owner_id": owner["id"],
            "tags": [TAGS[(first_tag + step * 5) % len(TAGS)] for step in range(_below(random, 3))],
            "creation_date": _day(random, 1950, 70),
            "updated_at": (f"{_day(random, 2021, 4)}T{_clock(random)}.{_below(random, 1000):03d}Z"),
            "employee_count": 1 + _below(random, 900),
            "rating": _below(random, 51) / 10,
            "active": random.random() < 0.85,
            "website": f"https://c{identity}.example" if has_website else None,
            "parent_id": 1 + _below(random, identity - 1) if has_parent else None,
        }


def employees(seed: int, company_count: int) -> Iterator[JSONObject]:
    random = _generator(seed, "employees")
    identity = 0
    for enterprise_id in range(1, min(company_count, STAFFED_COMPANIES_MAX) + 1):
        for position in range(3 + _below(random, 4)):
            identity += 1
            offset = ("Z", "+01:00", "+02:00", "-08:00", "+09:00")[_below(random, 5)]
            yield {
                "id": identity,
                "first_name": _pick(random, FIRST_NAMES),
                "last_name": _pick(random, LAST_NAMES),
                "email": f"employee{identity}@companies.example",
                "salary": 28_000 + _below(random, 9_000_000) / 100,
                "hired_at": f"{_day(random, 2005, 19)}T{_clock(random)}{offset}",
                "enterprise_id": enterprise_id,
                "chief": position == 0 or random.random() < 0.1,
            }


def meetings(seed: int, staff: Sequence[JSONObject]) -> Iterator[JSONObject]:
    random = _generator(seed, "meetings")
    by_enterprise: dict[int, list[int]] = {}
    for employee in staff:
        by_enterprise.setdefault(employee["enterprise_id"], []).append(employee["id"])
    note_id = 0
    for identity, (enterprise_id, members) in enumerate(by_enterprise.items(), 1):
        if identity > MEETINGS_MAX:
            return
        notes: list[JSONObject] = []
        for _ in range(_below(random, 4)):
            note_id += 1
            notes.append(
                {
                    "id": note_id,
                    "text": _pick(random, NOTE_TEXTS),
                    "author_id": _pick(random, members),
                }
            )
        yield {
            "id": identity,
            "title": _pick(random, MEETING_TITLES),
            "starts_at": f"{_day(random, 2025, 2)}T{_clock(random)}+01:00",
            "duration_minutes": 15 * (1 + _below(random, 8)),
            "enterprise_id": enterprise_id,
            "attendee_ids": members[: 2 + _below(random, 3)],
            "notes": notes,
        }


def _day(random: Random, first_year: int, years: int) -> str:
    # Days end at 28, so that every month has them.
    year = first_year + _below(random, years)
    return f"{year}-{1 + _below(random, 12):02d}-{1 + _below(random, 28):02d}"


def _clock(random: Random) -> str:
    seconds = _below(random, 86_400)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
