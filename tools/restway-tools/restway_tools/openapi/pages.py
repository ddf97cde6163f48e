"""Recognises how the pages of an operation follow each other."""

from __future__ import annotations

from typing import Any

from .kinds import ObjectKind, ScalarKind
from .landing import Landing
from .model import Answer, Operation

_CURSOR_PARAMETERS = (
    "cursor", "page_token", "pageToken", "next_token", "nextToken", "after", "starting_after",
    "continuation_token", "continuationToken",
)  # fmt: skip
_CURSORS = (
    "next_cursor", "nextCursor", "next_page_token", "nextPageToken", "next_token", "nextToken",
    "continuation_token", "continuationToken", "cursor", "end_cursor", "endCursor", "after",
    "next_page", "nextPage",
)  # fmt: skip
_URLS = ("next", "next_url", "nextUrl", "next_link", "nextLink", "next_page_url", "@odata.nextLink")
_MORE = ("has_more", "hasMore", "has_next", "hasNext", "has_next_page", "hasNextPage")
_TOTALS = ("total_count", "totalCount", "total", "total_results", "totalResults", "total_items",
           "totalElements")  # fmt: skip
_PAGES = ("page", "page_number", "pageNumber", "page[number]")
_OFFSETS = {"offset": 0, "skip": 0, "startIndex": 1, "start_index": 1, "page[offset]": 0}


def pages_of(
    operation: Operation, answer: Answer, landing: Landing, identity: str | None
) -> dict[str, Any] | None:
    """Returns the section `pages` of a route, or None if it is no list with pages."""
    if operation.method != "GET":
        return None
    names = [one.name for one in operation.parameters if one.where == "query"]
    scalars = _scalars(landing.envelope) if landing.envelope is not None else {}
    pages = _by_answer(answer, scalars, names)
    if pages is None:
        pages = _by_parameter(names, scalars, identity)
    if pages is None:
        return None
    # A count may be that of the page, but not beside the two URLs of Django REST framework.
    is_of_django = {("next",), ("previous",)} <= scalars.keys()
    total = _first(scalars, (*_TOTALS, "count") if is_of_django else _TOTALS)
    if total is not None and scalars[total].type == "int":
        pages["total"] = list(total)
    more = _first(scalars, _MORE)
    if more is not None and scalars[more].type == "bool":
        pages["more"] = list(more)
    # The first page is never such a page, so that a list that does not exist stays an error.
    if "page" in pages and any(one.status == "404" for one in operation.answers):
        pages["endStatus"] = 404
    return {key: _key_path(value) for key, value in pages.items()}


def _by_answer(
    answer: Answer, scalars: dict[tuple[str, ...], ScalarKind], names: list[str]
) -> dict[str, Any] | None:
    """Pages whose answer leads to the next one."""
    if "link" in answer.headers:
        return {"next": "link"}
    for path in scalars:
        is_next = len(path) > 1 and path[0].lower().startswith("next")
        if is_next and path[-1] in names:  # next_page.offset, for the parameter offset
            return {"cursor": list(path), "parameter": path[-1]}
    parameter = next((name for name in _CURSOR_PARAMETERS if name in names), None)
    cursor = _first(scalars, _CURSORS)
    if cursor is not None and parameter is not None:
        return {"cursor": list(cursor), "parameter": parameter}
    url = _first(scalars, _URLS)
    if url is not None and scalars[url].type == "string":
        return {"nextURL": list(url)}
    return None


def _by_parameter(
    names: list[str], scalars: dict[tuple[str, ...], ScalarKind], identity: str | None
) -> dict[str, Any] | None:
    """Pages that the request counts, or that begin behind the last object."""
    more = _first(scalars, _MORE)
    if more is not None and "starting_after" in names and identity is not None:
        return {"last": identity, "parameter": "starting_after"}
    page = next((name for name in _PAGES if name in names), None)
    if page is not None:
        is_of_spring = ("totalElements",) in scalars
        return {"page": page, "first": 0} if is_of_spring else {"page": page}
    offset = next((name for name in _OFFSETS if name in names), None)
    if offset is None:
        return None
    pages: dict[str, Any] = {"offset": offset}
    if _OFFSETS[offset]:
        pages["first"] = _OFFSETS[offset]
    return pages


def _scalars(envelope: ObjectKind) -> dict[tuple[str, ...], ScalarKind]:
    """Returns the scalars of an envelope and of the objects in it, by key path."""
    found: dict[tuple[str, ...], ScalarKind] = {}
    levels: list[tuple[tuple[str, ...], ObjectKind]] = [((), envelope)]
    for path, level in levels:
        for key, one in level.properties.items():
            if isinstance(one.kind, ScalarKind):
                found[(*path, key)] = one.kind
            elif isinstance(one.kind, ObjectKind) and len(path) < 2:
                levels.append(((*path, key), one.kind))
    return found


def _first(
    scalars: dict[tuple[str, ...], ScalarKind], names: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Returns the first key path that ends with one of these names; `next.href` ends with next."""
    for name in names:
        for path in scalars:
            if path[-1] == name or (len(path) > 1 and path[-1] == "href" and path[-2] == name):
                return path
    return None


def _key_path(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return value if any("." in key for key in value) else ".".join(value)
