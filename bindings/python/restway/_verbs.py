"""The short methods of a client: one for each HTTP method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Union

from ._body import Content
from ._draft import Draft
from ._object import Object
from ._request import Request, request_for
from ._response import Response

Target = Union[str, Object, Draft]
"""A path below the base URL, or an object or a draft that the object router finds a path for."""


class Verbs(ABC):
    """Blocking requests. Their keywords are those of `Request`; each returns the response or raises
    as `Client.perform` does."""

    __slots__ = ()

    @abstractmethod
    def perform(self, request: Request, *, timeout: float | None = None) -> Response:
        """Sends a request and waits for its response."""

    @abstractmethod
    def _plain_get(self, path: str) -> Request:
        """A GET of a path, without anything else."""

    def get(
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
            return self.perform(self._plain_get(target))
        return self.perform(request_for("GET", target, variables, params, headers, timeout))

    def head(
        self,
        target: Target,
        *,
        variables: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        timeout: float | None = None,
    ) -> Response:
        """HEAD a path or an object."""
        return self.perform(request_for("HEAD", target, variables, params, headers, timeout))

    def delete(
        self,
        target: Target,
        *,
        variables: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        timeout: float | None = None,
    ) -> Response:
        """DELETE a path or an object."""
        return self.perform(request_for("DELETE", target, variables, params, headers, timeout))

    def post(
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
        """POST to a path, or an object, or a draft."""
        return self.perform(
            request_for("POST", target, variables, params, headers, timeout, body, media_type, json)
        )

    def put(
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
        return self.perform(
            request_for("PUT", target, variables, params, headers, timeout, body, media_type, json)
        )

    def patch(
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
        return self.perform(
            request_for(
                "PATCH", target, variables, params, headers, timeout, body, media_type, json
            )
        )

    def route(
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
        return self.perform(request)
