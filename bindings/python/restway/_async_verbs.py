"""The short methods of an asyncio client: one for each HTTP method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from ._request import Request, request_for, request_without_body
from ._response import Response
from ._verbs import Target

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import BodyOptions, RequestOptions


class AsyncVerbs(ABC):
    """Requests to be awaited. Their keywords are those of `RequestOptions` and
    `BodyOptions`; each gives the response or
    raises as `AsyncClient.perform` does."""

    __slots__ = ()

    @abstractmethod
    async def perform(self, request: Request) -> Response:
        """Sends a request and waits for its response."""

    @abstractmethod
    def _plain_get(self, path: str) -> Request:
        """A GET of a path, without anything else."""

    async def get(self, target: Target, **options: Unpack[RequestOptions]) -> Response:
        """GET a path, or an object anew."""
        if not options and type(target) is str:
            return await self.perform(self._plain_get(target))
        return await self.perform(request_without_body("GET", target, options))

    async def head(self, target: Target, **options: Unpack[RequestOptions]) -> Response:
        """HEAD a path or an object."""
        return await self.perform(request_without_body("HEAD", target, options))

    async def delete(self, target: Target, **options: Unpack[RequestOptions]) -> Response:
        """DELETE a path or an object."""
        return await self.perform(request_without_body("DELETE", target, options))

    async def post(self, target: Target, **options: Unpack[BodyOptions]) -> Response:
        """POST to a path, or an object."""
        return await self.perform(request_for("POST", target, options))

    async def put(self, target: Target, **options: Unpack[BodyOptions]) -> Response:
        """PUT to a path, or an object."""
        return await self.perform(request_for("PUT", target, options))

    async def patch(self, target: Target, **options: Unpack[BodyOptions]) -> Response:
        """PATCH a path or an object."""
        return await self.perform(request_for("PATCH", target, options))

    async def route(
        self, route: str, method: str | None = None, **options: Unpack[BodyOptions]
    ) -> Response:
        """Performs a named route; `method` is one of the route's, None its first."""
        return await self.perform(Request.route(route, method, **options))
