"""Servers with failures: one fails as its seed says, one asks the client to come back later."""

from __future__ import annotations

import random
import threading
import time
from email.utils import formatdate

from ..errors import ApiError, Code, invalid_parameter
from ..message import Request, Response
from ..parameters import integer
from ..routing import ANY, Route

_STATUSES = {500, 502, 503, 504}
_NAMES_MAX = 10_000


class Flaky:
    """Counts the requests of each name, so that their results are predictable."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, int] = {}

    def routes(self) -> list[Route]:
        return [Route(ANY, "flaky/:name", self.flaky), Route(ANY, "busy/:name", self.busy)]

    def flaky(self, request: Request) -> Response:
        """Fails `percent` of the requests of a name (30); `seed` (1) decides which ones.

        `status` is one of 500, 502, 503 (the default) and 504.
        """
        seed = integer(request, "seed", 1, 0, 2**31)
        percent = integer(request, "percent", 30, 0, 100)
        status = integer(request, "status", 503, 500, 599)
        if status not in _STATUSES:
            raise invalid_parameter("status", f"is not one of {sorted(_STATUSES)}")
        count = self._count(request)
        if random.Random(f"{seed}-{count}").uniform(0, 100) < percent:
            error = ApiError(Code.FLAKY, f"request {count} fails")
            error.code = status * 100
            raise error
        return Response.json({"request": count})

    def busy(self, request: Request) -> Response:
        """Answers the first `times` requests of a name (1) with 429 and Retry-After: `seconds` (1)
        from now, as a number, or with `form=date` as a date."""
        times = integer(request, "times", 1, 0, 1_000)
        seconds = integer(request, "seconds", 1, 0, 86_400)
        count = self._count(request)
        if count > times:
            return Response.json({"request": count})
        is_date = request.parameter("form") == "date"
        after = formatdate(time.time() + seconds, usegmt=True) if is_date else str(seconds)
        raise ApiError(Code.TOO_MANY, f"request {count} is too many", [("Retry-After", after)])

    def _count(self, request: Request) -> int:
        """Returns the number of this request among the requests of its name, from 1."""
        name = request.segments[-2] + "/" + request.variables["name"]
        with self._lock:
            if name not in self._counts and len(self._counts) >= _NAMES_MAX:
                raise invalid_parameter("name", "there are too many names")
            self._counts[name] = self._counts.get(name, 0) + 1
            return self._counts[name]
