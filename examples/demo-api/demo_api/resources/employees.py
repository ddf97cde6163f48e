"""Employees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from .. import parameters
from ..database import Database
from ..listing import Predicate, SortKey, fields
from ..message import Request
from ..schema import (
    INTEGER_MAX,
    Field,
    Schema,
    boolean,
    email,
    instant,
    instant_key,
    nonempty_text,
    number,
    reference,
)
from .crud import Crud

SALARY_MAX = 1e9


class Employees(Crud):
    sort_keys: ClassVar[Mapping[str, SortKey]] = {
        **fields("id", "first_name", "last_name", "salary", "enterprise_id"),
        "hired_at": instant_key("hired_at"),
    }

    def __init__(self, database: Database) -> None:
        schema = Schema(
            {
                "first_name": Field(nonempty_text, required=True),
                "last_name": Field(nonempty_text, required=True),
                "email": Field(email),
                "salary": Field(number(0, SALARY_MAX)),
                "hired_at": Field(instant),
                "enterprise_id": Field(reference("enterprise", database.enterprises.__contains__)),
                "chief": Field(boolean, default=bool),
            }
        )
        super().__init__(database, database.employees, "employees", schema)

    def predicates(self, request: Request) -> list[Predicate]:
        if request.parameter("enterprise_id") is None:
            return []
        enterprise_id = parameters.integer(request, "enterprise_id", 0, 0, INTEGER_MAX)
        return [lambda value: value["enterprise_id"] == enterprise_id]
