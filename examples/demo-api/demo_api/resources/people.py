"""People who own enterprises. They are read-only."""

from __future__ import annotations

from ..database import Database
from ..message import Request, Response
from ..routing import Route


def routes(database: Database) -> list[Route]:
    def read(request: Request) -> Response:
        with database.lock:
            row = database.people.find(request.variables["id"])
        return Response(content=row.content, tagged=True)

    return [Route("GET", "people/:id", read)]
