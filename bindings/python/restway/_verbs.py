"""The short methods of clients and batches: one for each HTTP method, for all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Union

from ._draft import Draft
from ._object import Object
from ._request import Request, request_for, request_without_body

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._body import BodyOptions, RequestOptions

Target = Union[str, Object, Draft]
"""A path below the base URL, or an object or a draft that the object router finds a path for."""

Given = TypeVar("Given", covariant=True)


class Verbs(ABC, Generic[Given]):
    """Requests by their HTTP method. Their keywords are those of `RequestOptions` and
    `BodyOptions`.

    Each gives what its class makes of a request, and raises as that does:

    | class | gives | as |
    | --- | --- | --- |
    | Client | the response | `perform` |
    | AsyncClient | a coroutine of the response | `perform` |
    | Batch | a call | `add` |
    | AsyncBatch | a future of the response | `add` |
    """

    __slots__ = ()

    @abstractmethod
    def _carry_out(self, request: Request) -> Given:
        """Does with a request what this class is for."""

    def get(self, target: Target, **options: Unpack[RequestOptions]) -> Given:
        """GET a path, or an object anew."""
        return self._carry_out(request_without_body("GET", target, options))

    def head(self, target: Target, **options: Unpack[RequestOptions]) -> Given:
        """HEAD a path or an object."""
        return self._carry_out(request_without_body("HEAD", target, options))

    def delete(self, target: Target, **options: Unpack[RequestOptions]) -> Given:
        """DELETE a path or an object."""
        return self._carry_out(request_without_body("DELETE", target, options))

    def post(self, target: Target, **options: Unpack[BodyOptions]) -> Given:
        """POST to a path, or an object, or a draft."""
        return self._carry_out(request_for("POST", target, options))

    def put(self, target: Target, **options: Unpack[BodyOptions]) -> Given:
        """PUT to a path, or an object."""
        return self._carry_out(request_for("PUT", target, options))

    def patch(self, target: Target, **options: Unpack[BodyOptions]) -> Given:
        """PATCH a path or an object."""
        return self._carry_out(request_for("PATCH", target, options))

    def route(
        self, route: str, method: str | None = None, **options: Unpack[BodyOptions]
    ) -> Given:
        """A named route; `method` is one of the route's, None its first."""
        return self._carry_out(Request.route(route, method, **options))


def make_coroutine_functions(kind: type[Verbs[Awaitable[Any]]]) -> None:
    """Makes the verbs of a class coroutine functions, also for `inspect.iscoroutinefunction`.

    Like any of these, they do nothing before they are awaited: what is wrong with a request is
    raised there.
    """
    for name, verb in vars(Verbs).items():
        if not name.startswith("_"):
            setattr(kind, name, _coroutine_function(verb))


def _coroutine_function(verb: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    @wraps(verb)
    async def run(*arguments: Any, **options: Any) -> Any:
        return await verb(*arguments, **options)

    return run
