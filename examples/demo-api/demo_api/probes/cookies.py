"""Cookies: sets some, and shows the ones that come back."""

from __future__ import annotations

import re
from urllib.parse import quote

from ..errors import invalid_parameter
from ..message import Request, Response
from ..routing import ANY, Route

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
#: RFC 6265 cookie-octets that quote() would encode; `%` is left out to stay unambiguous.
_VALUE_CHARACTERS = "!#$&'()*+-./:<=>?@[]^_`{|}~"


def routes() -> list[Route]:
    return [Route(ANY, "cookies", show), Route("GET", "cookies/set", set_cookies)]


def show(request: Request) -> Response:
    """Returns the cookies of the request, as they were sent."""
    cookies: dict[str, str] = {}
    for pair in re.split("[;,]", request.header("cookie") or ""):
        name, equals, value = pair.strip().partition("=")
        if equals:
            cookies[name] = value
    return Response.json({"cookies": cookies})


def set_cookies(request: Request) -> Response:
    """Sets a session cookie for every query parameter."""
    cookies: dict[str, str] = {}
    for name, value in request.query:
        if not _NAME.fullmatch(name):
            raise invalid_parameter(name, "is not a cookie name")
        cookies[name] = quote(value, safe=_VALUE_CHARACTERS)
    response = Response.json({"cookies": cookies})
    response.headers += [
        ("Set-Cookie", f"{name}={value}; Path=/") for name, value in cookies.items()
    ]
    return response
