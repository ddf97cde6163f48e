"""The bodies that the server sends: companies with an address and an owner."""

from __future__ import annotations

import json
from pathlib import Path

#: The companies that are sent one at a time, as `companies/1` and so on; the C programs use the
#: same number.
SMALL_COUNT = 32
#: The companies that are sent all at once, as `companies.json`: about 37 MB.
LARGE_COUNT = 100_000
LARGE_PATH = "companies.json"
#: The same companies with longer names.
RENAMED_PATH = "renamed.json"
#: The same companies in pages, as `pages?page=1` and so on.
PAGE_COUNT = 1_000
#: The first of the same companies, about as many as a page of an API has.
NINETY_PATH = "ninety.json"
#: As many companies, whose owners and tags are objects of their own.
RELATED_PATH = "related.json"
_OWNER_COUNT = 1_000

_CITIES = ("Amsterdam", "Bordeaux", "Coimbra", "Dresden", "Espoo", "Firenze", "Göteborg")
_COUNTRIES = ("NL", "FR", "PT", "DE", "FI", "IT", "SE")
_FIRST_NAMES = ("Anna", "Bram", "Chloé", "David", "Elif")
_LAST_NAMES = ("Jansen", "Moreau", "Silva", "Krüger", "Virtanen", "Rossi")
_WORDS = ("steel", "paper", "glass", "grain", "light", "water", "stone", "cloth")


def company(number: int, words: int = 0) -> dict[str, object]:
    """Makes company `number`, always with the same content; `words` makes it longer."""
    place = number % len(_CITIES)
    first = _FIRST_NAMES[number % len(_FIRST_NAMES)]
    last = _LAST_NAMES[number % len(_LAST_NAMES)]
    return {
        "id": number,
        "name": f"Company {number}",
        "founded": f"{1950 + number % 70}-{number % 12 + 1:02}-{number % 28 + 1:02}",
        "employee_count": number * 7 % 5000,
        "revenue": number * 1234.5 + 0.25,
        "active": number % 3 != 0,
        "about": " ".join(_WORDS[(number + word) % len(_WORDS)] for word in range(words)),
        "address": {
            "street": "Main street",
            "street_number": number % 300 + 1,
            "city": _CITIES[place],
            "country": _COUNTRIES[place],
        },
        "owner": {
            "id": number % 9973,
            "first_name": first,
            "last_name": last,
            "email": f"owner{number % 9973}@example.com",
        },
    }


def related_company(number: int) -> dict[str, object]:
    """Makes company `number` with one of 1,000 owners, and three of eight tags."""
    owner = number * 7919 % _OWNER_COUNT
    return {
        **company(number, words=9),
        "owner": {
            "id": owner,
            "first_name": _FIRST_NAMES[owner % len(_FIRST_NAMES)],
            "last_name": _LAST_NAMES[owner % len(_LAST_NAMES)],
            "email": f"owner{owner}@example.com",
        },
        "tags": [_WORDS[(number + step) % len(_WORDS)] for step in (0, 3, 5)],
    }


def write(folder: Path) -> None:
    """Writes all bodies below `folder`; the names are the server's paths."""
    write_small(folder)
    large = {"companies": [company(number, words=9) for number in range(1, LARGE_COUNT + 1)]}
    (folder / LARGE_PATH).write_text(_text(large), encoding="utf-8")
    ninety = {"companies": large["companies"][:90]}
    (folder / NINETY_PATH).write_text(_text(ninety), encoding="utf-8")
    _write_pages(folder, large["companies"])
    for item in large["companies"]:
        item["name"] = f"{item['name']} & Sons"
    (folder / RENAMED_PATH).write_text(_text(large), encoding="utf-8")
    related = {"companies": [related_company(number) for number in range(1, LARGE_COUNT + 1)]}
    (folder / RELATED_PATH).write_text(_text(related), encoding="utf-8")


def _write_pages(folder: Path, companies: list[dict[str, object]]) -> None:
    """Writes the companies in pages, each with the number of the next page."""
    pages, size = folder / "paged", len(companies) // PAGE_COUNT
    pages.mkdir()
    for number in range(1, PAGE_COUNT + 1):
        is_last = number == PAGE_COUNT
        page = {
            "companies": companies[(number - 1) * size : number * size],
            "meta": {"next": None if is_last else number + 1, "total": len(companies)},
            "has_more": not is_last,
        }
        (pages / str(number)).write_text(_text(page), encoding="utf-8")


def write_small(folder: Path) -> None:
    """Writes the companies that are sent one at a time."""
    small = folder / "companies"
    small.mkdir()
    for number in range(1, SMALL_COUNT + 1):
        (small / str(number)).write_text(_text(company(number)), encoding="utf-8")


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
