"""The short methods of a client: one for each HTTP method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Union

from ._draft import Draft
from ._object import Object
from ._request import Request, request_for, request_without_body
from ._response import Response

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import BodyOptions, RequestOptions

Target = Union[str, Object, Draft]
"""A path below the base URL, or an object or a draft that the object router finds a path for."""


class Verbs(ABC):
    """Blocking requests. Their keywords are those of `RequestOptions` and
    `BodyOptions`; each returns the response or raises
    as `Client.perform` does."""

    __slots__ = ()

    @abstractmethod
    def perform(self, request: Request, *, timeout: float | None = None) -> Response:
        """Sends a request and waits for its response."""

    @abstractmethod
    def _plain_get(self, path: str) -> Request:
        """A GET of a path, without anything else."""

    def get(self, target: Target, **options: Unpack[RequestOptions]) -> Response:
        """GET a path, or an object anew."""
        if not options and type(target) is str:
            return self.perform(self._plain_get(target))
        return self.perform(request_without_body("GET", target, options))

    def head(self, target: Target, **options: Unpack[RequestOptions]) -> Response:
        """HEAD a path or an object."""
        return self.perform(request_without_body("HEAD", target, options))

    def delete(self, target: Target, **options: Unpack[RequestOptions]) -> Response:
        """DELETE a path or an object."""
        return self.perform(request_without_body("DELETE", target, options))

    def post(self, target: Target, **options: Unpack[BodyOptions]) -> Response:
        """POST to a path, or an object, or a draft."""
        return self.perform(request_for("POST", target, options))

    def put(self, target: Target, **options: Unpack[BodyOptions]) -> Response:
        """PUT to a path, or an object."""
        return self.perform(request_for("PUT", target, options))

    def patch(self, target: Target, **options: Unpack[BodyOptions]) -> Response:
        """PATCH a path or an object."""
        return self.perform(request_for("PATCH", target, options))

    def route(
        self, route: str, method: str | None = None, **options: Unpack[BodyOptions]
    ) -> Response:
        """Performs a named route; `method` is one of the route's, None its first."""
        return self.perform(Request.route(route, method, **options))
