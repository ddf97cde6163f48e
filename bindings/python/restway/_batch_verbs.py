"""The short methods of a batch: one for each HTTP method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from ._draft import Draft
from ._object import Object
from ._request import Request, request_for

Added = TypeVar("Added")


class BatchVerbs(ABC, Generic[Added]):
    """Requests for a batch. Their keywords are those of `Request`; each returns what `add` does."""

    __slots__ = ()

    @abstractmethod
    def add(self, request: Request) -> Added:
        """Adds a request."""

    def get(self, target: str | Object | Draft, **keywords: Any) -> Added:
        """GET a path, or an object anew."""
        return self.add(_request("GET", target, keywords))

    def head(self, target: str | Object | Draft, **keywords: Any) -> Added:
        """HEAD a path or an object."""
        return self.add(_request("HEAD", target, keywords))

    def delete(self, target: str | Object | Draft, **keywords: Any) -> Added:
        """DELETE a path or an object."""
        return self.add(_request("DELETE", target, keywords))

    def post(self, target: str | Object | Draft, **keywords: Any) -> Added:
        """POST to a path, or an object, or a draft."""
        return self.add(_request("POST", target, keywords))

    def put(self, target: str | Object | Draft, **keywords: Any) -> Added:
        """PUT to a path, or an object."""
        return self.add(_request("PUT", target, keywords))

    def patch(self, target: str | Object | Draft, **keywords: Any) -> Added:
        """PATCH a path or an object."""
        return self.add(_request("PATCH", target, keywords))

    def route(self, route: str, method: str | None = None, **keywords: Any) -> Added:
        """A named route; `method` is one of the route's, None its first."""
        return self.add(Request.route(route, method, **keywords))


def _request(method: str, target: str | Object | Draft, keywords: dict[str, Any]) -> Request:
    given = {"variables": None, "params": None, "headers": None, "timeout": None, **keywords}
    return request_for(method, target, **given)
