"""A set of objects of one kind that keeps their encoded forms.

A collection is not locked: `Database.lock` guards every access.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .content import Content, JSONObject, encode
from .errors import no_object


class Row:
    """One version of one object. Its value must not be changed: put a new one instead."""

    __slots__ = ("content", "value")

    def __init__(self, value: JSONObject) -> None:
        self.value = value
        self.content = Content(encode(value))


class Collection:
    """Objects by id, in the order of their ids."""

    def __init__(self, kind: str, list_key: str, values: Iterable[JSONObject]) -> None:
        #: The singular noun, used in messages and as the wrapper of request bodies.
        self.kind = kind
        #: The key of the array in a list answer.
        self.list_key = list_key
        self._rows: dict[int, Row] = {value["id"]: Row(value) for value in values}
        self._next_id = max(self._rows, default=0) + 1
        self._everything: Content | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows.values())

    def __contains__(self, identity: int) -> bool:
        return identity in self._rows

    def find(self, identity: str) -> Row:
        """Returns the row for an id of a path; raises 404."""
        # The length limits the work of int() for long numbers.
        if identity.isascii() and identity.isdigit() and len(identity) < 20:
            row = self._rows.get(int(identity))
            if row is not None:
                return row
        raise no_object(self.kind, identity)

    def value(self, identity: Any) -> JSONObject:
        """Returns the object with an id that is known to exist."""
        return self._rows[identity].value

    def new_id(self) -> int:
        """Returns an id that was never used before, not even by a deleted object."""
        identity = self._next_id
        self._next_id += 1
        return identity

    def put(self, value: JSONObject) -> Row:
        """Inserts the object, or replaces the one with its id."""
        row = self._rows[value["id"]] = Row(value)
        self._everything = None
        return row

    def remove(self, row: Row) -> None:
        del self._rows[row.value["id"]]
        self._everything = None

    def everything(self) -> Content:
        """Returns the list answer with all objects, encoded once for every state of the collection.
        """
        if self._everything is None:
            self._everything = list_content(self.list_key, self, len(self))
        return self._everything


def list_content(list_key: str, rows: Iterable[Row], total: int) -> Content:
    """Returns a list answer, joined from the bytes of the rows."""
    items = b",".join([row.content.body for row in rows])
    return Content(b'{"%s":[%s],"total":%d}' % (list_key.encode(), items, total))
