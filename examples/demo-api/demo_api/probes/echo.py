"""Shows a request as it arrived."""

from __future__ import annotations

from ..message import Request, Response
from ..routing import ANY, Route


def routes() -> list[Route]:
    return [Route(ANY, "echo", echo), Route(ANY, "echo/*", echo)]


def echo(request: Request) -> Response:
    """Returns method, raw path, query, headers and the body as text, with its content coding
    removed.
    """
    body = request.plain_body()
    return Response.json(
        {
            "method": request.method,
            "path": request.raw_path,
            "query": _by_name(request.query),
            "query_string": request.query_string,
            "headers": _by_name(request.headers),
            "body": body.decode(errors="replace"),
            "body_bytes": len(body),
        }
    )


def _by_name(pairs: list[tuple[str, str]]) -> dict[str, str | list[str]]:
    """Returns a string for each name, or an array of strings for a repeated name."""
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return {name: found[0] if len(found) == 1 else found for name, found in values.items()}
