"""Where the objects of a body are: the whole, or a member of an envelope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Union

from .kinds import FreeKind, Kind, ListKind, MapKind, ObjectKind, ScalarKind, UnionKind
from .names import plain

Target = Union[ObjectKind, UnionKind]

_ENVELOPE = {
    "count", "cursor", "etag", "first", "hasmore", "hasnext", "hasnextpage", "incompleteresults",
    "itemsperpage", "kind", "last", "limit", "links", "meta", "metadata", "next", "nextcursor",
    "nextpage", "nextpagetoken", "nexttoken", "nexturl", "object", "offset", "page", "pages",
    "pagesize", "pagination", "paging", "perpage", "prev", "previous", "previouspage", "schemas",
    "size", "startindex", "total", "totalcount", "totalitems", "totalpages", "totalresults",
}  # fmt: skip
"""Members of an envelope that say something about the list beside them, without separators."""

_PAGER = {"currentpage", "nextpageurl", "pageable", "totalelements"}
"""Members that only the pages of a list have."""

_BESIDE_PAGER = _PAGER | {
    "currentpagebackwards", "empty", "firstpageurl", "from", "hasprevious", "lastpage",
    "lastpageurl", "number", "numberofelements", "path", "prevpageurl", "sort", "to",
}  # fmt: skip
"""Members that pages have beside those: Spring, Laravel, fastapi-pagination."""


@dataclass(frozen=True)
class Landing:
    """The entity or the value to which a body is mapped."""

    kind: Literal["entity", "value"]
    target: Target | None = None
    key: str | None = None
    """The member of the envelope that holds the objects."""
    envelope: ObjectKind | None = None


def landing_of(kind: Kind) -> Landing:
    """Returns what a JSON body of a kind is mapped to: objects, or a value as a whole."""
    if isinstance(kind, ObjectKind):
        key = _only_member(kind)
        if key is not None:
            inside = target_of(kind.properties[key].kind)
            return Landing("entity", inside, key, kind)
        if kind.name is None and _holds_any_json(kind):
            return Landing("value")
        return Landing("entity", kind)
    target = target_of(kind)
    if target is None or any(isinstance(one, ScalarKind) for one in _variants(kind)):
        return Landing("value")
    return Landing("entity", target)


def _holds_any_json(kind: ObjectKind) -> bool:
    """Returns whether an object is an envelope around JSON: `{"data": {}}`."""
    kinds = [one.kind for one in kind.properties.values()]
    return len(kinds) == 1 and isinstance(kinds[0], FreeKind)


def _only_member(kind: ObjectKind) -> str | None:
    """Returns the member of an envelope that holds its objects."""
    names = {plain(key) for key in kind.properties}
    known = _ENVELOPE | _BESIDE_PAGER if names & _PAGER else _ENVELOPE
    keys = [key for key in kind.properties if plain(key) not in known]
    if len(keys) != 1:
        return None
    inside = kind.properties[keys[0]].kind
    if target_of(inside) is None:
        return None
    is_list = isinstance(inside, ListKind)
    is_alone = len(kind.properties) == 1 and kind.name is None
    return keys[0] if is_list or is_alone else None


def target_of(kind: Kind) -> Target | None:
    """Returns the object, or the union with objects, that a relationship of a kind leads to."""
    if isinstance(kind, ListKind):
        element = kind.element
        return None if isinstance(element, ListKind) else target_of(element)
    if isinstance(kind, ObjectKind):
        return kind
    if isinstance(kind, UnionKind):
        parts = _variants(kind)
        if all(isinstance(part, (ObjectKind, ScalarKind)) for part in parts):
            return kind
    return None


def linked_of(kind: Kind) -> Target | None:
    """Returns the target of a relationship of a kind; the objects of a map have free keys."""
    if isinstance(kind, MapKind):
        target = kind.value if isinstance(kind.value, (ObjectKind, UnionKind)) else None
        return target_of(target) if target is not None else None
    return target_of(kind)


def _variants(kind: Kind) -> list[Kind]:
    """Returns the variants of a union, where a list of objects counts as its objects."""
    if not isinstance(kind, UnionKind):
        return [kind]
    parts: list[Kind] = []
    for variant in kind.variants:
        inner = variant.element if isinstance(variant, ListKind) else variant
        parts += inner.variants if isinstance(inner, UnionKind) else [inner]
    return parts


def objects_of(target: Target) -> list[ObjectKind]:
    """Returns the objects of a target."""
    return [part for part in _variants(target) if isinstance(part, ObjectKind)]


def scalars_of(target: Target) -> list[ScalarKind]:
    """Returns the scalars that may stand in place of an object."""
    return [part for part in _variants(target) if isinstance(part, ScalarKind)]


def is_many(kind: Kind) -> bool:
    """Returns whether a relationship of a kind may lead to several objects."""
    if isinstance(kind, UnionKind):
        return any(isinstance(variant, ListKind) for variant in kind.variants)
    return isinstance(kind, (ListKind, MapKind))
