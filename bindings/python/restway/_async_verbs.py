"""The short methods of an asyncio client: one for each HTTP method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from ._body import Content
from ._request import Request, request_for
from ._response import Response
from ._verbs import Target


class AsyncVerbs(ABC):
    """Requests to be awaited. Their keywords are those of `Request`; each gives the response or
    raises as `AsyncClient.perform` does."""

    __slots__ = ()

    @abstractmethod
    async def perform(self, request: Request) -> Response:
        """Sends a request and waits for its response."""

    @abstractmethod
    def _plain_get(self, path: str) -> Request:
        """A GET of a path, without anything else."""

    async def get(
        self,
        target: Target,
        *,
        variables: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        timeout: float | None = None,
    ) -> Response:
        """GET a path, or an object anew."""
        if type(target) is str and not (variables or params or headers) and timeout is None:
            return await self.perform(self._plain_get(target))
        return await self.perform(request_for("GET", target, variables, params, headers, timeout))

    async def head(
        self,
        target: Target,
        *,
        variables: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        timeout: float | None = None,
    ) -> Response:
        """HEAD a path or an object."""
        return await self.perform(request_for("HEAD", target, variables, params, headers, timeout))

    async def delete(
        self,
        target: Target,
        *,
        variables: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        timeout: float | None = None,
    ) -> Response:
        """DELETE a path or an object."""
        return await self.perform(
            request_for("DELETE", target, variables, params, headers, timeout)
        )

    async def post(
        self,
        target: Target,
        *,
        variables: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: Content | None = None,
        media_type: str | None = None,
        json: Any = None,
        timeout: float | None = None,
    ) -> Response:
        """POST to a path, or an object."""
        return await self.perform(
            request_for("POST", target, variables, params, headers, timeout, body, media_type, json)
        )

    async def put(
        self,
        target: Target,
        *,
        variables: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: Content | None = None,
        media_type: str | None = None,
        json: Any = None,
        timeout: float | None = None,
    ) -> Response:
        """PUT to a path, or an object."""
        return await self.perform(
            request_for("PUT", target, variables, params, headers, timeout, body, media_type, json)
        )

    async def patch(
        self,
        target: Target,
        *,
        variables: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: Content | None = None,
        media_type: str | None = None,
        json: Any = None,
        timeout: float | None = None,
    ) -> Response:
        """PATCH a path or an object."""
        return await self.perform(
            request_for(
                "PATCH", target, variables, params, headers, timeout, body, media_type, json
            )
        )

    async def route(
        self,
        route: str,
        method: str | None = None,
        *,
        variables: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: Content | None = None,
        media_type: str | None = None,
        json: Any = None,
        timeout: float | None = None,
    ) -> Response:
        """Performs a named route; `method` is one of the route's, None its first."""
        request = Request.route(
            route,
            method,
            variables=variables,
            params=params,
            headers=headers,
            body=body,
            media_type=media_type,
            json=json,
            timeout=timeout,
        )
        return await self.perform(request)
