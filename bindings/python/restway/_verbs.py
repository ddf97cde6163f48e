"""The methods of clients and batches that make a request for an HTTP method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, cast, overload

from ._base.hints import keywords_alone
from ._base.interfaces import Performs, Streams
from ._body import BodyCallOptions, BodyOptions, CallOptions, RequestOptions
from ._request import Request, Target, request_for, request_without_body
from ._response import Response
from ._values import IntoOptions, reading_alone, reading_into

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._values.reading import Reading

T = TypeVar("T")
Given = TypeVar("Given", covariant=True)

Awaited = Coroutine[None, None, T]
"""The results of the methods of asynchronous clients."""


class CallIntoOptions(IntoOptions, CallOptions, total=False):
    """The keywords that go with `into`, and those of `CallOptions`."""


class RequestIntoOptions(CallIntoOptions, RequestOptions, total=False):
    """The keywords that go with `into`, and those of `RequestOptions`."""


class BodyCallIntoOptions(CallIntoOptions, BodyCallOptions, total=False):
    """The keywords that go with `into`, and those of `BodyCallOptions`."""


class BodyIntoOptions(BodyCallIntoOptions, BodyOptions, total=False):
    """The keywords that go with `into`, and those of `BodyOptions`."""


class Verbs(ABC, Generic[Given]):
    """The methods that make a request for an HTTP method and carry it out. Their keywords are the
    keywords of `RequestOptions` and `BodyOptions`.

    Each class returns its own kind of result, and raises as the method in the last column does:

    | class | gives | as |
    | --- | --- | --- |
    | Client | the response | `perform` |
    | AsyncClient | a coroutine of the response | `perform` |
    | Batch | a call | `add` |
    | AsyncBatch | a future of the response | `add` |

    With `into`, a client gives values of the program's own classes in place of the response, as
    `Response.into` does:

        companies = client.get("enterprises", into=list[Company])

    Nothing is sent if the API document says that the answer cannot give the class: the body is
    saved, streamed or read by another parser, the document maps nothing of it or maps it to a
    value, or the entity has no attribute for a field that must have a value. MappingError says
    which.

    The keywords that go with it are those of `IntoOptions`. A batch takes no `into`: its calls and
    futures give responses, which are read with `Response.into`.
    """

    __slots__ = ()

    @abstractmethod
    def _carry_out(self, request: Request) -> Given:
        """Carries out a request in the way of this class."""

    def _carry_out_into(self, request: Request, reading: Reading) -> Any:
        """Carries out a request, and reads the objects of its answer."""
        raise TypeError(f"a {type(self).__name__} takes no into")

    def _expect(self, request: Request, reading: Reading) -> None:
        """Raises MappingError if the answer to a request cannot be read so."""
        raise NotImplementedError

    def _give(self, request: Request, reading: Reading | None) -> Any:
        if reading is None:
            return self._carry_out(request)
        return self._carry_out_into(request, reading)

    @overload
    def get(
        self: Verbs[Response],
        target: Target,
        *,
        into: type[T],
        **options: Unpack[RequestIntoOptions],
    ) -> T: ...
    @overload
    def get(
        self: Verbs[Awaited[Response]],
        target: Target,
        *,
        into: type[T],
        **options: Unpack[RequestIntoOptions],
    ) -> Awaited[T]: ...
    @overload
    def get(self, target: Target, **options: Unpack[RequestOptions]) -> Given: ...
    def get(
        self,
        target: Target,
        *further: NoReturn,
        into: Any = None,
        **options: Unpack[RequestIntoOptions],
    ) -> Any:
        """GETs a path, or an object again."""
        if further:
            raise keywords_alone("get", "params")
        reading = reading_into(into, options)
        return self._give(request_without_body("GET", target, options), reading)

    def head(self, target: Target, **options: Unpack[RequestOptions]) -> Given:
        """Sends a HEAD request to a path, or about an object."""
        return self._carry_out(request_without_body("HEAD", target, options))

    def options(self, target: Target, **options: Unpack[RequestOptions]) -> Given:
        """Asks which options a path or an object has; the answer is not mapped."""
        return self._carry_out(request_without_body("OPTIONS", target, options))

    def delete(self, target: Target, **options: Unpack[BodyOptions]) -> Given:
        """DELETEs a path or an object. Most servers want no body; the `params` go into the query.
        """
        return self._carry_out(request_for("DELETE", target, options))

    @overload
    def post(
        self: Verbs[Response],
        target: Target,
        *,
        into: type[T],
        **options: Unpack[BodyIntoOptions],
    ) -> T: ...
    @overload
    def post(
        self: Verbs[Awaited[Response]],
        target: Target,
        *,
        into: type[T],
        **options: Unpack[BodyIntoOptions],
    ) -> Awaited[T]: ...
    @overload
    def post(self, target: Target, **options: Unpack[BodyOptions]) -> Given: ...
    def post(
        self,
        target: Target,
        *further: NoReturn,
        into: Any = None,
        **options: Unpack[BodyIntoOptions],
    ) -> Any:
        """POSTs to a path, or an object, or a draft."""
        if further:
            raise keywords_alone("post", "json")
        reading = reading_into(into, options)
        return self._give(request_for("POST", target, options), reading)

    @overload
    def put(
        self: Verbs[Response],
        target: Target,
        *,
        into: type[T],
        **options: Unpack[BodyIntoOptions],
    ) -> T: ...
    @overload
    def put(
        self: Verbs[Awaited[Response]],
        target: Target,
        *,
        into: type[T],
        **options: Unpack[BodyIntoOptions],
    ) -> Awaited[T]: ...
    @overload
    def put(self, target: Target, **options: Unpack[BodyOptions]) -> Given: ...
    def put(
        self,
        target: Target,
        *further: NoReturn,
        into: Any = None,
        **options: Unpack[BodyIntoOptions],
    ) -> Any:
        """PUTs to a path, or an object, or a draft."""
        if further:
            raise keywords_alone("put", "json")
        reading = reading_into(into, options)
        return self._give(request_for("PUT", target, options), reading)

    @overload
    def patch(
        self: Verbs[Response],
        target: Target,
        *,
        into: type[T],
        **options: Unpack[BodyIntoOptions],
    ) -> T: ...
    @overload
    def patch(
        self: Verbs[Awaited[Response]],
        target: Target,
        *,
        into: type[T],
        **options: Unpack[BodyIntoOptions],
    ) -> Awaited[T]: ...
    @overload
    def patch(self, target: Target, **options: Unpack[BodyOptions]) -> Given: ...
    def patch(
        self,
        target: Target,
        *further: NoReturn,
        into: Any = None,
        **options: Unpack[BodyIntoOptions],
    ) -> Any:
        """PATCHes a path, an object or a draft."""
        if further:
            raise keywords_alone("patch", "json")
        reading = reading_into(into, options)
        return self._give(request_for("PATCH", target, options), reading)

    @overload
    def route(
        self: Verbs[Response],
        route: str,
        /,
        method: str | None = None,
        *,
        into: type[T],
        **options: Unpack[BodyIntoOptions],
    ) -> T: ...
    @overload
    def route(
        self: Verbs[Awaited[Response]],
        route: str,
        /,
        method: str | None = None,
        *,
        into: type[T],
        **options: Unpack[BodyIntoOptions],
    ) -> Awaited[T]: ...
    @overload
    def route(
        self, route: str, /, method: str | None = None, **options: Unpack[BodyOptions]
    ) -> Given: ...
    def route(
        self,
        route: str,
        /,
        method: str | None = None,
        *,
        into: Any = None,
        **options: Unpack[BodyIntoOptions],
    ) -> Any:
        """Sends a request to a named route; `method` is one of the route's methods, None takes its
        first.
        """
        reading = reading_into(into, options)
        return self._give(Request.route(route, method, **cast(BodyOptions, options)), reading)


class BlockingVerbs(Verbs[Response], Performs, Streams):
    """The methods of clients that block."""

    __slots__ = ()

    @abstractmethod
    def _performed(self, request: Request, timeout: float | None) -> Response:
        """Sends a request and waits for its response, as `perform` does."""

    @overload
    def perform(
        self,
        request: Request,
        *,
        timeout: float | None = None,
        into: type[T],
        **reading: Unpack[IntoOptions],
    ) -> T: ...
    @overload
    def perform(self, request: Request, *, timeout: float | None = None) -> Response: ...
    def perform(
        self,
        request: Request,
        *,
        timeout: float | None = None,
        into: Any = None,
        **reading: Unpack[IntoOptions],
    ) -> Any:
        read = reading_alone("perform", into, reading)
        if read is None:
            return self._performed(request, timeout)
        self._expect(request, read)
        return read.read(self._performed(request, timeout).objects)

    def _carry_out(self, request: Request) -> Response:
        return self.perform(request)

    def _carry_out_into(self, request: Request, reading: Reading) -> Any:
        self._expect(request, reading)
        return reading.read(self._carry_out(request).objects)


class AwaitedVerbs(Verbs[Awaited[Response]], Performs, Streams):
    """The methods of clients whose calls are awaited."""

    __slots__ = ()

    @abstractmethod
    def _performed(self, request: Request) -> Awaited[Response]:
        """Sends a request and waits for its response, as `perform` does."""

    @overload
    async def perform(
        self, request: Request, *, into: type[T], **reading: Unpack[IntoOptions]
    ) -> T: ...
    @overload
    async def perform(self, request: Request) -> Response: ...
    async def perform(
        self, request: Request, *, into: Any = None, **reading: Unpack[IntoOptions]
    ) -> Any:
        read = reading_alone("perform", into, reading)
        if read is None:
            return await self._performed(request)
        self._expect(request, read)
        return read.read((await self._performed(request)).objects)

    def _carry_out(self, request: Request) -> Awaited[Response]:
        return self.perform(request)

    async def _carry_out_into(self, request: Request, reading: Reading) -> Any:
        self._expect(request, reading)
        return reading.read((await self._carry_out(request)).objects)


def make_coroutine_functions(kind: type[Verbs[Awaitable[Any]]]) -> None:
    """Turns the methods of a class into coroutine functions, also for
    `inspect.iscoroutinefunction`.

    Like any coroutine function, they do nothing before they are awaited: an error of the request is
    raised there.
    """
    for verb_name, verb in vars(Verbs).items():
        if not verb_name.startswith("_"):
            setattr(kind, verb_name, _coroutine_function(verb))


def _coroutine_function(verb: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    @wraps(verb)
    async def run(*arguments: Any, **options: Any) -> Any:
        return await verb(*arguments, **options)

    return run
