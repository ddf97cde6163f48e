"""The methods that clients have in common, whether they block or are awaited in the loop of asyncio
or anyio. Each has one docstring here, and the classes that implement it have none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import FunctionType
from typing import Any


class OneText:
    """The base of classes whose methods take their docstrings from the classes that they inherit
    from, as `help` and editors find them. Programs that read `__doc__` find them, too.
    """

    __slots__ = ()

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        for name, member in vars(cls).items():
            is_public = isinstance(member, (FunctionType, property)) and not name.startswith("_")
            if is_public and member.__doc__ is None:
                inherited: Any = (getattr(base, name, None) for base in cls.__mro__[1:])
                member.__doc__ = next(filter(None, (each.__doc__ for each in inherited)), None)


class Performs(OneText, ABC):
    """The method of clients, scopes and routing clients that sends one request."""

    __slots__ = ()

    @abstractmethod
    def perform(self, *arguments: Any, **options: Any) -> Any:
        """Sends a request and waits for its response.

        Args:
            timeout: Seconds to wait at most, after which the call is cancelled. None waits as long
                as the request's own time limits allow. Where calls are awaited, there is no such
                keyword: `asyncio.wait_for`, and with an AnyioClient `anyio.fail_after`, limit the
                wait.
            into: The type that the objects are read into, in place of the response.
            reading: The keywords that go with `into`, see `IntoOptions`.

        Raises HTTPStatusError for a status that is not 2xx, with the answer as its `response`;
        MappingError; a TransportError; a RouteError when no URL can be made of the request;
        ClosedError, also when the client is closed meanwhile. A client that blocks raises
        WouldBlockError inside a callback; an AsyncClient raises UsageError in another event loop
        than the loop of its first await. Other threads run while a thread waits. In the main
        thread, signals are handled during the wait: if a handler raises (KeyboardInterrupt for
        Ctrl-C), the call is cancelled and the exception is raised here.
        """


class Sends(OneText, ABC):
    """The method of clients, scopes and routing clients that does not wait for the response."""

    __slots__ = ()

    @abstractmethod
    def send(self, *arguments: Any, **options: Any) -> Any:
        """Sends a request without waiting. A client that blocks returns the call. An AsyncClient
        returns a future of the response: cancelling it cancels the call, and awaiting it raises
        everything else that `perform` raises.

        Args:
            on_done: Of a Client alone. It is called at most once, with the completed call, where
                the client's delivery mode says: on a thread of the library or inside `process`. It
                never runs at the same time as another `on_done` of this client. Blocking calls
                raise WouldBlockError there. An exception in it goes to `sys.unraisablehook`.
            delivery: Of a Client alone: where the callbacks of this call run, in place of the
                client's `delivery`. Callbacks that run in the same place keep their order and never
                overlap; there is no order between the two places.

        Raises a RouteError when no URL can be made of the request; ClosedError; UsageError;
        ValueError; with an AsyncClient RuntimeError outside an event loop.
        """


class Streams(OneText, ABC):
    """The methods of clients, scopes and routing clients whose answers are read while they arrive.
    """

    __slots__ = ()

    @abstractmethod
    def stream(self, *arguments: Any, **options: Any) -> Any:
        """Sends a request and reads the body of its answer while it arrives.

            request = restway.Request.path("GET", "reports/7")
            with client.stream(request) as response:  # or `async with`, and then `async for`
                for piece in response.iter_bytes():
                    digest.update(piece)

        Entering the context waits for the head of the answer, and raises the errors of `perform`.
        The body is not mapped. If about 2 MiB wait for the program, the server is slowed down.
        Leaving the context before the end of the body cancels the call. The time limit of the
        request holds for the whole body.
        """

    @abstractmethod
    def events(self, *arguments: Any, **options: Any) -> Any:
        """Sends a request and reads its answer as an event stream: Server-Sent Events, JSON lines
        or JSON sequences. The objects of an event are in the store before the program gets the
        event.

            with client.events("orders/changes") as events:  # or `async with`, and `async for`
                for event in events:
                    print(event.name, event.object)

        Args:
            target: A request, or a path for GET.
            options: The keywords of `EventOptions`.

        Entering the context waits for the head of the answer, and raises the errors of `perform`.
        If about 2 MiB wait for the program, the server is slowed down. Leaving the context ends the
        stream. The stream has no time limit, unless the route or the request sets a time limit.
        """


class Opens(OneText, ABC):
    """The methods of clients and scopes that open something."""

    __slots__ = ()

    @abstractmethod
    def pages(self, *arguments: Any, **options: Any) -> Any:
        """Reads a route page by page, as the API document says in its `pages`. Nothing is sent
        before the first page is asked for.

            for issue in client.pages("issues", objects_max=500):  # or `async for`
                print(issue.title)

        Args:
            target: The name of a route, or a request that names one.
            into: The class that each object is read into, in place of objects.
            options: The keywords of `PageOptions`; with `into`, the keywords of `IntoOptions`; and
                for the name of a route, the keywords of `RequestOptions`.

        Raises UsageError if the route has no pages; a RouteError; ClosedError; TypeError for a
        class that cannot be read into.
        """

    @abstractmethod
    def list(self, *arguments: Any, **options: Any) -> Any:
        """Opens the list that the store keeps of a route with pages. Nothing is sent.

            issues = client.list("issues", variables={"owner": "octo"})
            issues.load_more()  # or: await issues.load_more()

        Args:
            target: As for `pages`. Requests with the same route, variables and parameters have the
                same list.
            options: For the name of a route, the keywords of `RequestOptions`.

        Raises what `pages` raises; StoreError.
        """

    @abstractmethod
    def batch(self) -> Any:
        """Makes a batch session: requests that are sent together. Requests of a batch that a scope
        makes have the variables of the scope.

        Raises ConfigError when the API document has no `batch`.
        """


class Scoping(OneText, ABC):
    """The method of clients and scopes that makes scopes."""

    __slots__ = ()

    @abstractmethod
    def scope(self, **variables: Any) -> Any:
        """Makes a scope, which fills path variables for all that is done through it.

            hello = client.scope(owner="octocat", repo="hello")
            hello.route("issues")  # or: await hello.route("issues")

        A scope of a scope has the variables of both; its own win over those of the same name.
        """


class ClientMethods(OneText, ABC):
    """The properties and functions of all clients."""

    __slots__ = ()

    @property
    @abstractmethod
    def outbox(self) -> Any:
        """The stored requests. Its functions need an `outbox` in the document or an outbox path."""

    @abstractmethod
    def close(self) -> Any:
        """Closes the client: new requests, pending calls and pending awaits raise ClosedError.

        Requests in flight that the outbox may keep (`offline` of their routes) are stored, and
        their calls raise QueuedError. They are on the disk when this returns; inside a callback, a
        moment later.

        Awaiting it with an AsyncClient returns when all pending calls have ended; in another event
        loop than the client's it does not wait.
        """


class ObservingMethods(OneText, ABC):
    """The properties of a Client and an AsyncClient. An AnyioClient has them in the client behind
    it.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def cache(self) -> Any:
        """The response cache. Its functions need a `cache` in the document or in the options."""

    @abstractmethod
    def observe(self, *arguments: Any, **options: Any) -> Any:
        """Calls `on_change` once for each later transaction that changes what is observed.

        Args:
            on_change: A plain function, which is called in the order of the transactions. A Client
                calls it where `on_done` of `send` is called, and never at the same time: for the
                changes of a response, before `on_done` of its call. Blocking calls raise
                WouldBlockError there, and an exception in it goes to `sys.unraisablehook`. The
                event loop of an AsyncClient calls it before the await of its call returns, and an
                exception in it goes to the loop's exception handler; `asyncio.Queue.put_nowait` is
                such a function.
            what: The name of an entity, an object (any snapshot of it), a list that the store
                keeps, or None for all objects.

        The observer does not keep the client alive. Raises UnknownEntityError; ClosedError; with an
        AsyncClient RuntimeError outside an event loop.
        """

    @abstractmethod
    def observe_query(self, *arguments: Any, **options: Any) -> Any:
        """Calls `on_change` when the result of a query differs from what was told before.

        It is called where the function of `observe` is called; several transactions may be told at
        once. `objects` of the observer is the first result. Raises ClosedError; StoreError; with an
        AsyncClient RuntimeError outside an event loop.
        """

    @abstractmethod
    def on(self, *arguments: Any, **options: Any) -> Any:
        """Calls `told` with the events of each call that begins from now on.

            client.on(print, events=[LifecycleKind.TOO_SLOW, LifecycleKind.DID_FAIL])

        Args:
            told: A plain function, which is called where the function of `observe` is called. An
                exception in it goes where one of that function goes.
            events: The kinds of events; None is all kinds.
            routes: The names of routes, whose calls are observed; None is all calls.
            progress_interval: The shortest time in seconds between two events of the same kind of
                progress of a call (default 0.1).

        Several observers may be added, and each can be removed. Raises UnknownRouteError;
        ClosedError; ValueError; with an AsyncClient RuntimeError outside an event loop.
        """

    @abstractmethod
    def set_attempt_observer(self, *arguments: Any, **options: Any) -> Any:
        """Sets the function that is called when an attempt has ended and another one follows; None
        removes it.

        Args:
            observer: A plain function. It receives the call's id, the attempt's number, from 1, and
                the attempt. It is called where the function of `observe` is called, and an
                exception in it goes where one of that function goes; the event loop of an
                AsyncClient calls it before the await of its call returns.

        Raises ClosedError; with an AsyncClient RuntimeError outside an event loop.
        """
