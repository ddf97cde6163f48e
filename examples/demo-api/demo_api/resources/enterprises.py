"""Enterprises, and the employees seen from their enterprise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ..content import JSONObject
from ..database import Database, now
from ..errors import invalid_field
from ..listing import Predicate, SortKey, fields
from ..message import Request, Response
from ..parameters import optional_boolean
from ..routing import Route
from ..schema import (
    Field,
    Schema,
    boolean,
    day,
    integer,
    list_of,
    nonempty_text,
    number,
    reference,
    text,
)
from .crud import Crud

_LOCATION = Schema({"lat": Field(number(-90, 90)), "lon": Field(number(-180, 180))})
_ADDRESS = Schema(
    {
        "street_number": Field(text),
        "street": Field(text),
        "city": Field(text),
        "zip": Field(text),
        "country": Field(text),
        "location": Field(_LOCATION),
    }
)


def _schema(database: Database) -> Schema:
    return Schema(
        {
            "name": Field(nonempty_text, required=True),
            "address": Field(_ADDRESS, default=lambda: _ADDRESS({}, "address")),
            "owner_id": Field(reference("person", database.people.__contains__)),
            "tags": Field(list_of(text), default=list),
            "creation_date": Field(day),
            "employee_count": Field(integer(0), default=int),
            "rating": Field(number(0, 5)),
            "active": Field(boolean, default=lambda: True),
            "website": Field(text),
            "parent_id": Field(reference("enterprise", database.enterprises.__contains__)),
        }
    )


class Enterprises(Crud):
    """Returns an enterprise with `owner` beside `owner_id`; the server sets `updated_at`."""

    sort_keys: ClassVar[Mapping[str, SortKey]] = {
        **fields("id", "name", "creation_date", "updated_at", "employee_count", "rating", "active"),
        "city": lambda value: value["address"]["city"],
    }

    def __init__(self, database: Database) -> None:
        super().__init__(database, database.enterprises, "enterprises", _schema(database))

    def routes(self) -> list[Route]:
        return [
            *super().routes(),
            Route("GET", "enterprises/:id/employees", self.employees),
            Route("GET", "enterprises/:id/chiefs", self.chiefs),
        ]

    def predicates(self, request: Request) -> list[Predicate]:
        found: list[Predicate] = []
        part = request.parameter("q")
        city = request.parameter("city")
        active = optional_boolean(request, "active")
        if part:
            folded_part = part.casefold()
            found.append(lambda value: folded_part in value["name"].casefold())
        if city is not None:
            folded_city = city.casefold()
            found.append(lambda value: (value["address"]["city"] or "").casefold() == folded_city)
        if active is not None:
            found.append(lambda value: value["active"] is active)
        return found

    def writable(self, body: JSONObject) -> JSONObject:
        """Accepts the owner as `owner_id` or as `owner.id`; the names inside are ignored."""
        owner = body.get("owner")
        body = {name: value for name, value in body.items() if name != "owner"}
        if owner is None:
            return body
        if not isinstance(owner, dict):
            raise invalid_field("owner", "an object is expected")
        if "id" in owner and body.setdefault("owner_id", owner["id"]) != owner["id"]:
            raise invalid_field("owner.id", "differs from owner_id")
        return body

    def stored(self, checked: JSONObject, identity: int) -> JSONObject:
        owner_id = checked["owner_id"]
        return {
            "id": identity,
            "name": checked["name"],
            "address": checked["address"],
            "owner": None if owner_id is None else self.database.people.value(owner_id),
            "owner_id": owner_id,
            "tags": checked["tags"],
            "creation_date": checked["creation_date"],
            "updated_at": now(),
            "employee_count": checked["employee_count"],
            "rating": checked["rating"],
            "active": checked["active"],
            "website": checked["website"],
            "parent_id": checked["parent_id"],
        }

    def employees(self, request: Request) -> Response:
        return self._staff(request, "employees", chiefs_only=False)

    def chiefs(self, request: Request) -> Response:
        return self._staff(request, "chiefs", chiefs_only=True)

    def _staff(self, request: Request, key: str, chiefs_only: bool) -> Response:
        with self.database.lock:
            enterprise_id = self.collection.find(request.variables["id"]).value["id"]
            staff = [
                row.value
                for row in self.database.employees
                if row.value["enterprise_id"] == enterprise_id
                and (row.value["chief"] or not chiefs_only)
            ]
        response = Response.json({key: staff})
        response.tagged = True
        return response
