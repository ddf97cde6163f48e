"""The short methods of a batch: one for each HTTP method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

from ._request import Request, request_for, request_without_body

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import BodyOptions, RequestOptions
    from ._verbs import Target

Added = TypeVar("Added")


class BatchVerbs(ABC, Generic[Added]):
    """Requests for a batch. Their keywords are those of `RequestOptions` and `BodyOptions`; each
    returns what `add` does."""

    __slots__ = ()

    @abstractmethod
    def add(self, request: Request) -> Added:
        """Adds a request."""

    def get(self, target: Target, **options: Unpack[RequestOptions]) -> Added:
        """GET a path, or an object anew."""
        return self.add(request_without_body("GET", target, options))

    def head(self, target: Target, **options: Unpack[RequestOptions]) -> Added:
        """HEAD a path or an object."""
        return self.add(request_without_body("HEAD", target, options))

    def delete(self, target: Target, **options: Unpack[RequestOptions]) -> Added:
        """DELETE a path or an object."""
        return self.add(request_without_body("DELETE", target, options))

    def post(self, target: Target, **options: Unpack[BodyOptions]) -> Added:
        """POST to a path, or an object, or a draft."""
        return self.add(request_for("POST", target, options))

    def put(self, target: Target, **options: Unpack[BodyOptions]) -> Added:
        """PUT to a path, or an object."""
        return self.add(request_for("PUT", target, options))

    def patch(self, target: Target, **options: Unpack[BodyOptions]) -> Added:
        """PATCH a path or an object."""
        return self.add(request_for("PATCH", target, options))

    def route(
        self, route: str, method: str | None = None, **options: Unpack[BodyOptions]
    ) -> Added:
        """A named route; `method` is one of the route's, None its first."""
        return self.add(Request.route(route, method, **options))
