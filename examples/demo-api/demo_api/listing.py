"""List answers: filters, order and pages over a collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Callable

from . import parameters
from .collection import Collection, Row, list_content
from .content import Content, JSONObject
from .errors import invalid_parameter
from .message import Request

PER_PAGE_DEFAULT = 20
PER_PAGE_MAX = 100_000
PAGE_MAX = 1_000_000_000

Predicate = Callable[[JSONObject], bool]
#: Returns the sort key of an object.
SortKey = Callable[[JSONObject], Any]


def fields(*names: str) -> dict[str, SortKey]:
    """Makes sort keys that are fields of the object itself."""
    return {name: itemgetter(name) for name in names}


def list_of(
    collection: Collection,
    request: Request,
    predicates: Sequence[Predicate],
    sort_keys: Mapping[str, SortKey],
) -> Content:
    """Returns the answer to a list request; `total` counts the objects that pass the filters, on
    all pages.

    Without `page` and `per_page` there is one page with everything.
    """
    sort = request.parameter("sort")
    paged = request.parameter("page") is not None or request.parameter("per_page") is not None
    if not predicates and sort is None and not paged:
        return collection.everything()
    rows = [row for row in collection if all(holds(row.value) for holds in predicates)]
    total = len(rows)
    if sort is not None:
        rows = _sorted(rows, sort, sort_keys)
    if paged:
        page = parameters.integer(request, "page", 1, 1, PAGE_MAX)
        per_page = parameters.integer(request, "per_page", PER_PAGE_DEFAULT, 1, PER_PAGE_MAX)
        rows = rows[(page - 1) * per_page : page * per_page]
    return list_content(collection.list_key, rows, total)


def _sorted(rows: Iterable[Row], sort: str, sort_keys: Mapping[str, SortKey]) -> list[Row]:
    key = sort[1:] if sort.startswith("-") else sort
    if key not in sort_keys:
        raise invalid_parameter("sort", f"{key!r} is not one of {', '.join(sort_keys)}")

    read = sort_keys[key]

    def order(row: Row) -> tuple[bool, Any]:
        # Null has no natural order: it comes first, and last when descending.
        value = read(row.value)
        return (value is not None, value)

    # Sorting is stable, also in reverse: equal rows stay in the order of their ids.
    return sorted(rows, key=order, reverse=sort.startswith("-"))
