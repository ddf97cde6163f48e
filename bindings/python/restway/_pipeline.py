"""Modifiers and interceptors: functions of the program before and after the exchange of a call.

`docs/PIPELINE.md` shows where each of them stands in the journey of a call.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextvars import Context
from typing import TYPE_CHECKING, Any, TypeVar, cast

from . import _ffi as native
from . import _functions as asked
from ._base.hints import require_number
from ._base.lazy import asyncio, inspect
from ._enums import Status
from ._exceptions import ClosedError, RestwayError
from ._ffi import trampolines
from ._ffi.callbacks import contexts, questions
from ._functions import AskedClient, Held, Registering, checked, decorator
from ._handles import check, content, failure, name, optional_name, status_of
from ._request import Request
from ._response import Response
from ._values import json_of

if TYPE_CHECKING:
    from ._object import Layouts


class PipelineContext:
    """The context in which a modifier or an interceptor is called: what it sees of a call, and what
    it decides. It is valid until the function has returned.

        @client.add_interceptor
        def report(context):
            if context.error is not None:
                print(context.route, "failed:", context.error.message)
    """

    __slots__ = ("_handle", "_layouts")

    def __init__(self, handle: native.PipelineContextHandle, layouts: Layouts) -> None:
        """For this package. `handle` is lent, or owned by a function that answers later."""
        self._handle: native.PipelineContextHandle | None = handle
        self._layouts = layouts

    def end(self) -> native.PipelineContextHandle:
        """For this package: the context can no longer be used."""
        handle = self._lent
        self._handle = None
        return handle

    @property
    def _lent(self) -> native.PipelineContextHandle:
        if self._handle is None:
            raise ValueError("a pipeline context cannot be used when its function has returned")
        return self._handle

    def __repr__(self) -> str:
        if self._handle is None:
            return "<PipelineContext, over>"
        answer = self.response or self.error
        what = "a modifier" if answer is None else "an interceptor"
        return f"<PipelineContext of {what}, route {self.route!r}>"

    @property
    def request(self) -> Request:
        """The request. `Request.update` changes it; a change by an interceptor counts only if the
        request is sent again.
        """
        lib = native.lib
        request = lib.restway_pipeline_context_request(self._lent)
        return Request(native.own(lib.restway_request_retain(request)))

    @property
    def route(self) -> str | None:
        """The name of the route; None for a route without a name, and for no route."""
        return native.borrowed(native.lib.restway_pipeline_context_route(self._lent))

    @property
    def sends(self) -> int:
        """How often interceptors have had the request sent again."""
        count: int = native.lib.restway_pipeline_context_sends(self._lent)
        return count

    @property
    def response(self) -> Response | None:
        """A copy of the answer, as the functions before this one have left it. It has no objects,
        because it is mapped later. None for a modifier, and for a call that has failed without an
        answer.
        """
        handle = native.lib.restway_pipeline_context_response(self._lent)
        if not handle:
            return None
        # The context lends it; the copy lives longer.
        return Response.retained(handle, self._layouts)

    @property
    def error(self) -> RestwayError | None:
        """Why the call fails, as the functions before this one have left it; None for a modifier,
        and for a call that succeeds so far.
        """
        lib = native.lib
        handle = lib.restway_pipeline_context_error(self._lent)
        if not handle:
            return None
        owned = native.own(lib.restway_error_retain(handle))
        return failure(lib.restway_error_status(owned), owned, self._layouts)

    def set_answer(
        self,
        status: int = 200,
        body: bytes | str = b"",
        media_type: str | None = None,
        *,
        json: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Gives the call an answer: in a modifier in place of the exchange, in an interceptor in
        place of the answer or the failure.

            context.set_answer(json={"itemID": 7, "name": "from memory"})

        Args:
            status: 200 to 599.
            body: A str is sent as UTF-8.
            json: The body as a value, in place of `body`.

        Raises UsageError, also for a call whose body is saved in a file or streamed; ClosedError
        when the call has ended.
        """
        if json is not None:
            body, media_type = json_of(json, None), media_type or "application/json"
        given = content(body)
        check(
            native.lib.restway_pipeline_context_set_answer,
            self._lent,
            _status(status),
            given,
            len(given),
            optional_name(media_type),
        )
        for header, value in (headers or {}).items():
            self.set_header(header, value)

    def set_status(self, status: int) -> None:
        """Changes the status of the answer. Raises UsageError, also if there is no answer."""
        check(native.lib.restway_pipeline_context_set_status, self._lent, _status(status))

    def set_header(self, header: str, value: str | None) -> None:
        """Sets a header of the answer; None removes it. Raises UsageError, also if there is no
        answer.
        """
        function = native.lib.restway_pipeline_context_set_header
        check(function, self._lent, name(header), optional_name(value))

    def set_body(self, body: bytes | str) -> None:
        """Replaces the body of the answer. Raises UsageError, also if there is no answer in memory.
        """
        given = content(body)
        check(native.lib.restway_pipeline_context_set_body, self._lent, given, len(given))

    def send_again(self) -> None:
        """Has the request sent again when the interceptor has returned, at most ten times for a
        call.

        Raises UsageError in a modifier, after ten times, and for a request that cannot be sent
        again: in a batch, from the outbox, with a resumable upload or a body that cannot be read
        again, and if the body of the answer is saved or streamed.
        """
        check(native.lib.restway_pipeline_context_send_again, self._lent)


def _status(status: int) -> int:
    return require_number(status, "a status", most=2**31 - 1)


StageFunction = Callable[[PipelineContext], object]
"""A modifier or an interceptor. If it raises, the call fails. For an AsyncClient it may be a
coroutine function.
"""


S = TypeVar("S", bound=StageFunction)


class Stage:
    """A modifier or an interceptor of a client.

        stage = client.add_modifier(sign)
        stage.remove()
    """

    __slots__ = ("_handle", "_number", "function")

    def __init__(
        self, handle: native.ClientHandle, number: int, function: StageFunction
    ) -> None:
        """For this package."""
        self._handle = handle
        self._number = number
        self.function = function
        """The function of the program."""

    def remove(self) -> None:
        """Removes the function from its client. Calls that were sent earlier keep it.

        Raises UsageError if it was removed before; ClosedError.
        """
        check(native.lib.restway_client_remove_stage, self._handle, self._number)

    def __repr__(self) -> str:
        return f"<Stage {self._number}, {self.function!r}>"


class ClientPipeline:
    """The modifiers and the interceptors of a client."""

    __slots__ = ()

    def add_modifier(
        self: AskedClient, modifier: StageFunction, routes: Sequence[str] | None = None
    ) -> Stage:
        """Adds a modifier, which is called once for each call before it is sent. It sees the
        `contextvars` of the thread or the task that sends the call.

            @client.add_modifier
            def sign(context):
                context.request.update(headers={"X-Signature": sign_of(context.request)})

        Args:
            modifier: Called with a `PipelineContext`. It may change `context.request`, or answer in
                place of the exchange with `context.set_answer`. It runs on a thread of the library,
                for different calls at the same time; blocking calls raise WouldBlockError there.
                For an AsyncClient it may be a coroutine function, which runs in the client's loop.
                If it raises, the call fails: with an error of the same class for an exception of
                this package, otherwise with CancelledError. The `__cause__` of the error is the
                exception.
            routes: The names of the routes for whose requests it is called; None for all requests.

        Modifiers for all requests are called first, then modifiers for routes, each in the order in
        which they were added. Calls that were sent earlier are not affected. Raises TypeError,
        UnknownRouteError, ClosedError; RuntimeError for a coroutine function outside an event loop.
        """
        return _add(
            self,
            native.lib.restway_client_add_modifier,
            trampolines.on_modify_function,
            modifier,
            routes,
        )

    def add_interceptor(
        self: AskedClient, interceptor: StageFunction, routes: Sequence[str] | None = None
    ) -> Stage:
        """Adds an interceptor, which sees the answer or the failure of each call before the answer
        is mapped.

            @client.add_interceptor
            def retry_once(context):
                if context.error is not None and context.sends == 0:
                    context.send_again()

        Args:
            interceptor: Called with a `PipelineContext`: it sees `context.response` and
                `context.error`, and may change or replace the answer, or call `context.send_again`.
                If it raises, the call fails as with a modifier, and later interceptors see the
                error.
            routes: As for `add_modifier`.

        The rules of `add_modifier` hold.
        """
        return _add(
            self,
            native.lib.restway_client_add_interceptor,
            trampolines.on_intercept_function,
            interceptor,
            routes,
        )


class NamedStages(Registering):
    """The functions of `API` that register modifiers and interceptors."""

    __slots__ = ()

    def add_modifier(self, modifier: str, function: StageFunction) -> None:
        """Registers a modifier, which `"modifiers"` of the document or of a route names.

        The function does what one of `Client.add_modifier` does, for all clients of this api. It is
        a plain function, because an api has no event loop; it must not refer to this api, or
        neither is ever freed. It may be added after the api is frozen. Raises DuplicateError,
        UsageError, TypeError.
        """
        self._add_stage(
            native.lib.restway_api_add_modifier,
            modifier,
            trampolines.on_named_modify_function,
            function,
            "a modifier of an api",
        )

    def modifier(self, modifier: str) -> Callable[[S], S]:
        """Decorates a function as a modifier; raises as `add_modifier` does.

            @api.modifier("sign")
            def sign(context: restway.PipelineContext) -> None:
                context.request.update(headers={"X-Signature": "secret"})
        """
        return decorator(self.add_modifier, modifier)

    def add_interceptor(self, interceptor: str, function: StageFunction) -> None:
        """Registers an interceptor, which `"interceptors"` of the document or of a route names. The
        rules of `add_modifier` hold.
        """
        self._add_stage(
            native.lib.restway_api_add_interceptor,
            interceptor,
            trampolines.on_named_intercept_function,
            function,
            "an interceptor of an api",
        )

    def interceptor(self, interceptor: str) -> Callable[[S], S]:
        """Decorates a function as an interceptor; raises as `add_modifier` does.

            @api.interceptor("try twice")
            def try_twice(context: restway.PipelineContext) -> None:
                if context.error is not None and context.sends == 0:
                    context.send_again()
        """
        return decorator(self.add_interceptor, interceptor)

    def _add_stage(
        self, register: Any, key: str, trampoline: Any, function: StageFunction, what: str
    ) -> None:
        checked(function, what)
        contexts.apis.add(self)
        # Neither the answer nor the error has objects yet, so that nobody needs their layouts.
        run = _runner(function, None, cast("Layouts", None), lambda: None)
        self._register(register, key, trampoline, run=run, callback=function)


def _add(
    client: AskedClient,
    function: Any,
    trampoline: Any,
    stage: StageFunction,
    routes: Sequence[str] | None,
) -> Stage:
    if not callable(stage):
        raise TypeError(f"a modifier or an interceptor is callable, not {type(stage).__name__}")
    if isinstance(routes, str):
        raise TypeError("routes are several names, not one text")
    loop = client._loop() if inspect.iscoroutinefunction(stage) else None
    if inspect.iscoroutinefunction(stage) and loop is None:
        raise TypeError("a coroutine function needs an AsyncClient, in whose event loop it runs")
    names = [name(route) for route in routes or ()]
    holding, layouts = client._holding, client._layouts
    holding.has_stages = True
    run = _runner(stage, loop, layouts, weakref.ref(holding))
    number, token = native.whole_out(), questions.add(run, stage, holding)
    try:
        check(
            function,
            client._handle,
            trampoline,
            native.text_array(names),
            len(names),
            token,
            trampolines.on_question_destroy,
            native.ref(number),
        )
    except BaseException:
        questions.remove(token)
        raise
    return Stage(client._handle, number.value, stage)


def _runner(
    stage: Any, loop: asyncio.AbstractEventLoop | None, layouts: Layouts, held: Held
) -> Callable[[native.PipelineContextHandle], int]:
    """Returns the function that the library asks."""

    def run(handle: native.PipelineContextHandle) -> int:
        context = PipelineContext(handle, layouts)
        try:
            _variables_of(handle).run(stage, context)
        except BaseException as error:
            return _refuse(handle, error, held)
        finally:
            context.end()
        return Status.OK

    def run_in_loop(handle: native.PipelineContextHandle) -> int:
        assert loop is not None
        variables = _variables_of(handle)
        held_handle = native.lib.restway_pipeline_context_hold(handle)
        context = PipelineContext(native.own(held_handle), layouts)
        loop.call_soon_threadsafe(_start, loop, stage, context, held, context=variables)
        return Status.OK

    return run if loop is None else run_in_loop


def _variables_of(handle: native.PipelineContextHandle) -> Context:
    """Returns the context variables of the caller."""
    return contexts.get(native.lib.restway_pipeline_context_call_context(handle))


_running: set[asyncio.Task[None]] = set()
"""The running coroutines: a loop refers to its tasks only weakly."""


def _start(
    loop: asyncio.AbstractEventLoop,
    stage: Callable[[PipelineContext], Coroutine[Any, Any, object]],
    context: PipelineContext,
    held: Held,
) -> None:
    task = loop.create_task(_ask(stage, context, held))
    _running.add(task)
    task.add_done_callback(_running.discard)


async def _ask(
    stage: Callable[[PipelineContext], Coroutine[Any, Any, object]],
    context: PipelineContext,
    held: Held,
) -> None:
    status: int = Status.OK
    try:
        await stage(context)
    except BaseException as error:
        status = _refuse(context._lent, error, held)
    try:
        check(native.lib.restway_pipeline_context_end, context.end(), status)
    except ClosedError:
        return  # the call has ended meanwhile, and waits for no answer


def _refuse(handle: native.PipelineContextHandle, error: BaseException, held: Held) -> int:
    """Says why the function lets the call fail. Returns the status that it returns."""
    reason = asked.reason_of(error)
    asked.fail_with(
        error,
        held(),
        lambda cause, destroy: native.lib.restway_pipeline_context_set_refusal(
            handle, reason, cause, destroy, None
        ),
    )
    return status_of(error, Status.CANCELLED)
