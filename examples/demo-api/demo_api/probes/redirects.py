"""Redirects: chains of a given length, and to a given place."""

from __future__ import annotations

from urllib.parse import quote

from .. import parameters
from ..content import Content
from ..errors import invalid_parameter
from ..message import Request, Response
from ..resources.crud import BASE
from ..routing import ANY, Route

HOPS_MAX = 1000
REDIRECT_STATUSES = (301, 302, 303, 307, 308)
#: Characters that are allowed in a Location; all others, including line ends, are encoded.
_URL_CHARACTERS = "%:/?#[]@!$&'()*+,;=~-._"


def routes() -> list[Route]:
    return [Route("GET", "redirect/:hops", chain), Route(ANY, "redirect-to", redirect_to)]


def chain(request: Request) -> Response:
    """`/redirect/3` leads to /status in three hops."""
    hops = parameters.integer_text(request.variables["hops"], "hops", 1, HOPS_MAX)
    target = f"redirect/{hops - 1}" if hops > 1 else "status"
    return _redirect(302, f"/{BASE}/{target}")


def redirect_to(request: Request) -> Response:
    """Redirects to `url` with `status` (302)."""
    url = request.parameter("url")
    if not url:
        raise invalid_parameter("url", "is required")
    status = parameters.integer(request, "status", 302, 300, 399)
    if status not in REDIRECT_STATUSES:
        raise invalid_parameter("status", f"{status} is not one of {REDIRECT_STATUSES}")
    return _redirect(status, quote(url, safe=_URL_CHARACTERS))


def _redirect(status: int, location: str) -> Response:
    return Response(status, Content(b""), headers=[("Location", location)])
