"""Path templates and the table that finds a handler for a request."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .content import Content
from .errors import ApiError, Code
from .message import Handler, Request, Response

#: Stands for every method.
ANY = "*"
_ANY_ALLOW = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


@dataclass(frozen=True)
class Route:
    """One method and template; `:name` takes a segment, a final `*` takes any number of them."""

    method: str
    template: str
    handler: Handler

    def match(self, segments: tuple[str, ...]) -> dict[str, str] | None:
        """Returns the variables of a path that fits the template, otherwise None."""
        parts = self.template.split("/")
        if parts[-1] == "*":
            parts.pop()
            segments = segments[: len(parts)]
        if len(parts) != len(segments):
            return None
        variables: dict[str, str] = {}
        for part, segment in zip(parts, segments):
            if part.startswith(":"):
                variables[part[1:]] = segment
            elif part != segment:
                return None
        return variables

    @property
    def allowed(self) -> tuple[str, ...]:
        if self.method == ANY:
            return _ANY_ALLOW
        return ("GET", "HEAD") if self.method == "GET" else (self.method,)


class RouteTable:
    """Dispatches a request to the first route that fits; answers 404, 405 and OPTIONS itself."""

    def __init__(self, base: str, routes: Iterable[Route]) -> None:
        self._base = base
        self._by_first_segment: dict[str, list[Route]] = {}
        for route in routes:
            first = route.template.partition("/")[0]
            self._by_first_segment.setdefault(first, []).append(route)

    def __call__(self, request: Request) -> Response:
        if request.raw_path == "*":
            return self._options(_ANY_ALLOW)
        base, *rest = request.segments
        segments = tuple(rest)
        candidates = self._by_first_segment.get(rest[0], []) if rest else []
        if base != self._base:
            candidates = []
        allowed: list[str] = []
        for route in candidates:
            variables = route.match(segments)
            if variables is None:
                continue
            if route.method == ANY or request.method in route.allowed:
                request.variables = variables
                return route.handler(request)
            allowed += [method for method in route.allowed if method not in allowed]
        if not allowed:
            raise ApiError(
                Code.NO_ROUTE,
                f"there is no route for {request.raw_path} (paths start with /{self._base})",
            )
        allowed.append("OPTIONS")
        if request.method == "OPTIONS":
            return self._options(allowed)
        raise ApiError(
            Code.METHOD_NOT_ALLOWED,
            f"{request.raw_path} takes {', '.join(allowed)}, not {request.method}",
            [("Allow", ", ".join(allowed))],
        )

    @staticmethod
    def _options(allowed: Iterable[str]) -> Response:
        return Response(204, Content(b""), headers=[("Allow", ", ".join(allowed))])
