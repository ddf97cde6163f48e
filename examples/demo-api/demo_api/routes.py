"""The table of all routes. A new topic adds its line here."""

from __future__ import annotations

from .auth.passwords import Passwords
from .auth.realms import Realms
from .batch import Batch
from .database import Database
from .message import Request, Response
from .probes import bad, cookies, echo, redirects
from .probes.flaky import Flaky
from .resources import people, status
from .resources.crud import BASE
from .resources.employees import Employees
from .resources.enterprises import Enterprises
from .resources.inspections import Inspections
from .resources.issues import Issues
from .resources.meetings import Meetings
from .routing import RouteTable


def route_table(database: Database) -> RouteTable:
    table: RouteTable

    def dispatch(request: Request) -> Response:
        return table(request)

    table = RouteTable(
        BASE,
        [
            *status.routes(database),
            *Enterprises(database).routes(),
            *Employees(database).routes(),
            *Meetings(database).routes(),
            *Inspections(database).routes(),
            *Issues().routes(),
            *people.routes(database),
            *echo.routes(),
            *redirects.routes(),
            *cookies.routes(),
            *bad.routes(),
            *Realms().routes(),
            *Passwords().routes(),
            *Flaky().routes(),
            *Batch(BASE, dispatch).routes(),
        ],
    )
    return table
