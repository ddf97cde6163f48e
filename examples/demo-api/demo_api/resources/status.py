"""The state of the service, and the size of its data."""

from __future__ import annotations

from ..database import Database
from ..message import Request, Response
from ..routing import Route


def routes(database: Database) -> list[Route]:
    def status(_: Request) -> Response:
        with database.lock:
            counts = {
                "enterprises": len(database.enterprises),
                "employees": len(database.employees),
                "meetings": len(database.meetings),
                "people": len(database.people),
            }
        return Response.json({"status": "ok", **counts})

    return [Route("GET", "status", status)]
