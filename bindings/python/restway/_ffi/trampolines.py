"""The C functions that the library calls: each finds the Python callback of its token and runs it.

No exception leaves one: it goes to `sys.unraisablehook`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from .._enums import Status
from . import structures as native
from .callbacks import (
    causes,
    completions,
    contexts,
    functions,
    inside,
    logs,
    observers,
    questions,
    receivers,
    report,
    running,
)
from .conversion import borrowed, cells, read, write
from .loader import lib, own
from .owned import OwnedRefreshHandle

TRACEPARENT_BYTES = 55
"""The length of a value of the header `traceparent`."""


class Body(Protocol):
    """A body of a request that the library reads; it is registered under `functions`."""

    def read(self, size: int) -> memoryview:
        """At most `size` bytes; no bytes at the end of the body."""

    def start_again(self) -> None:
        """Goes back to the first byte."""

    def failed(self, error: BaseException, answer: native.AnswerHandle) -> int:
        """Tells the answer why the body could not be read; returns a status."""


def _done(
    context: int | None,
    call: native.CallHandle,
    status: int,
    _response: native.ResponseHandle,
    error: native.ErrorHandle,
) -> None:
    entry = None
    try:
        entry = completions.get(context)
        with inside:
            entry.run(own(lib.restway_call_retain(call)), status, error)
    except BaseException:
        report(entry and entry.callback, "a completion callback")


def _done_destroy(context: int | None) -> None:
    try:
        contexts.drop(context)
        completions.remove(context)
    except BaseException:
        report(None, "the end of a completion callback")


def _changed(context: int | None, changes: native.ChangesHandle) -> None:
    entry = None
    try:
        entry = observers.get(context)
        with inside:
            entry.run(own(lib.restway_changes_retain(changes)))
    except BaseException:
        report(entry and entry.callback, "an observer")


def _query_changed(context: int | None, changes: native.QueryChangesHandle) -> None:
    entry = None
    try:
        entry = observers.get(context)
        with inside:
            entry.run(own(lib.restway_query_changes_retain(changes)))
    except BaseException:
        report(entry and entry.callback, "an observer")


def _changed_destroy(context: int | None) -> None:
    try:
        observers.remove(context)
    except BaseException:
        report(None, "the end of an observer")


def _lifecycle(context: int | None, event: native.LifecycleEventHandle) -> None:
    entry = None
    try:
        entry = observers.get(context)
        with inside:
            entry.run(own(lib.restway_lifecycle_event_retain(event)))
    except BaseException:
        report(entry and entry.callback, "an observer of calls")


def _asked_of_client(what: str) -> Callable[..., int]:
    """A trampoline of a function of a client that returns a status."""

    def run(context: int | None, *arguments: Any) -> int:
        entry = None
        try:
            entry = questions.get(context)
            with inside:
                status: int = entry.run(*arguments)
                return status
        except BaseException:
            report(entry and entry.callback, what)
            return Status.CANCELLED

    return run


def _transform(
    context: int | None, value: Any, answer: native.AnswerHandle, *, is_encoding: bool
) -> int:
    entry = None
    token = running.add(_transform, None)
    try:
        entry = functions.get(context)
        with inside:
            status: int = entry.run(is_encoding, cells(value.contents)[0], answer)
            return status
    except BaseException:
        report(entry and entry.callback, "a transform")
        return Status.INTERNAL
    finally:
        running.remove(token)


def _decode(context: int | None, value: Any, answer: native.AnswerHandle) -> int:
    return _transform(context, value, answer, is_encoding=False)


def _encode(context: int | None, value: Any, answer: native.AnswerHandle) -> int:
    return _transform(context, value, answer, is_encoding=True)


def _asked(what: str) -> Callable[..., int]:
    """A trampoline of a function that is registered under `functions` and returns a status."""

    def run(context: int | None, *arguments: Any) -> int:
        entry = None
        token = running.add(run, None)
        try:
            entry = functions.get(context)
            with inside:
                status: int = entry.run(*arguments)
                return status
        except BaseException:
            report(entry and entry.callback, what)
            return Status.INTERNAL
        finally:
            running.remove(token)

    return run


def _function_destroy(context: int | None) -> None:
    try:
        functions.remove(context)
    except BaseException:
        report(None, "the end of a transform or a hook")


def _exclude(context: int | None, *arguments: Any) -> int:
    entry = None
    try:
        entry = questions.get(context)
        *texts, answer = arguments
        with inside:
            choice: int = entry.run([borrowed(text) for text in texts], answer)
            return choice
    except BaseException:
        report(entry and entry.callback, "an exclusion")
        return -1


def _exclude_destroy(context: int | None) -> None:
    try:
        questions.remove(context)
    except BaseException:
        report(None, "the end of an exclusion")


def _log(context: int | None, record: Any) -> None:
    entry = None
    try:
        entry = logs.get(context)
        with inside:
            entry.run(record.contents)
    except KeyError:
        if entry is not None:  # otherwise the function of the parent of a forked child
            report(entry.callback, "a handler of a log")
    except BaseException:
        report(entry and entry.callback, "a handler of a log")


def _log_destroy(context: int | None) -> None:
    try:
        logs.remove(context)
    except BaseException:
        report(None, "the end of a log callback")


def _authorize(context: int | None, exchange: native.ExchangeHandle) -> int:
    entry = None
    try:
        entry = questions.get(context)
        with inside:
            status: int = entry.run(exchange)
            return status
    except BaseException:
        report(entry and entry.callback, "an authorize function")
        return Status.CANCELLED


def _should_replay(context: int | None, error: native.ErrorHandle) -> int:
    entry = None
    try:
        entry = questions.get(context)
        with inside:
            return 1 if entry.run(error) else 0
    except BaseException:
        report(entry and entry.callback, "a should_replay function")
        return -1


def _refresh(context: int | None, refresh: native.RefreshHandle) -> None:
    entry = None
    try:
        handle = OwnedRefreshHandle(refresh.value)
        entry = questions.get(context)
        with inside:
            entry.run(handle)
    except BaseException:
        report(entry and entry.callback, "a refresh function")


def _ask_body(
    context: int | None, answer: native.AnswerHandle, work: Callable[[Body], None]
) -> int:
    entry = None
    token = running.add(_ask_body, None)
    try:
        entry = functions.get(context)
        body: Body = entry.run()
        try:
            with inside:
                work(body)
        except BaseException as error:
            return body.failed(error, answer)
        return Status.OK
    except BaseException:
        report(entry and entry.callback, "a body")
        return Status.INTERNAL
    finally:
        running.remove(token)


def _read_body(
    context: int | None, buffer: int, capacity: int, count: Any, answer: native.AnswerHandle
) -> int:
    def work(body: Body) -> None:
        piece = body.read(capacity)
        write(buffer, piece)
        count[0] = len(piece)

    return _ask_body(context, answer, work)


def _rewind_body(context: int | None, answer: native.AnswerHandle) -> int:
    return _ask_body(context, answer, lambda body: body.start_again())


def _receive_head(
    context: int | None, response: native.ResponseHandle, answer: native.AnswerHandle
) -> int:
    entry = None
    try:
        entry = receivers.get(context)
        with inside:
            entry.run().receive_head(response)
        return Status.OK
    except BaseException:
        report(entry and entry.callback, "a streamed body")
        return Status.INTERNAL


def _receive_body(
    context: int | None, piece: int, length: int, pauses: Any, answer: native.AnswerHandle
) -> int:
    entry = None
    try:
        entry = receivers.get(context)
        with inside:
            pauses[0] = entry.run().receive(read(piece, length))
        return Status.OK
    except BaseException:
        report(entry and entry.callback, "a streamed body")
        return Status.INTERNAL


def _receive_event(
    context: int | None, event: Any, pauses: Any, answer: native.AnswerHandle
) -> int:
    entry = None
    try:
        entry = receivers.get(context)
        with inside:
            pauses[0] = entry.run().receive_event(event.contents)
        return Status.OK
    except BaseException:
        report(entry and entry.callback, "an event stream")
        return Status.INTERNAL


def _receive_destroy(context: int | None) -> None:
    try:
        receivers.get(context).run().end()
        receivers.remove(context)
    except BaseException:
        report(None, "the end of a streamed body")


def _batch_format(
    context: int | None,
    batch: native.BatchWriterHandle | native.BatchReaderHandle,
    answer: native.AnswerHandle,
) -> int:
    entry = None
    try:
        entry = questions.get(context)
        with inside:
            status: int = entry.run(batch, answer)
            return status
    except BaseException:
        report(entry and entry.callback, "a batch format")
        return Status.INTERNAL


def _told(what: str) -> Callable[..., None]:
    """A trampoline of a function that returns nothing; the function is given structures, not
    pointers to them."""

    def run(context: int | None, *arguments: Any) -> None:
        entry = None
        try:
            entry = questions.get(context)
            with inside:
                entry.run(*(getattr(each, "contents", each) for each in arguments))
        except BaseException:
            report(entry and entry.callback, what)

    return run


def _span(context: int | None, span: Any, trace_parent: int | None) -> None:
    entry = None
    try:
        entry = questions.get(context)
        with inside:
            written = entry.run(span.contents, trace_parent is not None)
            if trace_parent is not None:
                text = written.encode()[:TRACEPARENT_BYTES] + b"\0"
                write(trace_parent, memoryview(text))
    except BaseException:
        report(entry and entry.callback, "tracing")


def _question_destroy(context: int | None) -> None:
    try:
        questions.remove(context)
    except BaseException:
        report(None, "the end of a question")


def _cause_destroy(context: int | None) -> None:
    try:
        causes.remove(context)
    except BaseException:
        report(None, "the end of an error")


def _batch_done(
    context: int | None, _batch: native.BatchHandle, _status: int, _error: native.ErrorHandle
) -> None:
    entry = None
    try:
        entry = completions.get(context)
        with inside:
            entry.run()
    except BaseException:
        report(entry and entry.callback, "a completion callback of a batch")


def _flushed(
    context: int | None, items: native.OutboxItemsHandle, status: int, error: native.ErrorHandle
) -> None:
    entry = None
    try:
        entry = completions.get(context)
        with inside:
            entry.run(own(lib.restway_outbox_items_retain(items)), status, error)
    except BaseException:
        report(entry and entry.callback, "a completion callback of a flush")


def _ended_item(
    context: int | None, item: native.OutboxItemHandle, status: int, error: native.ErrorHandle
) -> None:
    entry = None
    try:
        entry = completions.get(context)
        with inside:
            entry.run(item, status, error)
    except BaseException:
        report(entry and entry.callback, "a wait for an item of an outbox")


def _observed_item(
    context: int | None, item: native.OutboxItemHandle, status: int, error: native.ErrorHandle
) -> None:
    entry = None
    try:
        entry = questions.get(context)
        with inside:
            entry.run(item, status, error)
    except BaseException:
        report(entry and entry.callback, "an observer of an outbox")


def _observed_flush(
    context: int | None, items: native.OutboxItemsHandle, status: int, error: native.ErrorHandle
) -> None:
    entry = None
    try:
        entry = questions.get(context)
        with inside:
            entry.run(own(lib.restway_outbox_items_retain(items)), status, error)
    except BaseException:
        report(entry and entry.callback, "an observer of an outbox")


on_done_function = native.DoneFn(_done)
on_done_destroy = native.DestroyFn(_done_destroy)
on_changed_function = native.ChangedFn(_changed)
on_query_changed_function = native.QueryChangedFn(_query_changed)
on_lifecycle_function = native.LifecycleFn(_lifecycle)
on_changed_destroy = native.DestroyFn(_changed_destroy)
on_modify_function = native.ModifyFn(_asked_of_client("a modifier"))
on_intercept_function = native.InterceptFn(_asked_of_client("an interceptor"))
on_resolve_function = native.ResolveFn(_asked_of_client("a resolver"))
on_named_modify_function = native.ModifyFn(_asked("a modifier"))
on_named_intercept_function = native.InterceptFn(_asked("an interceptor"))
on_decode_function = native.TransformFn(_decode)
on_encode_function = native.TransformFn(_encode)
on_hook_function = native.HookFn(_asked("a hook"))
on_validate_function = native.ValidateFn(_asked("a validator"))
on_parse_function = native.ParseFn(_asked("a parser"))
on_encode_body_function = native.EncodeFn(_asked("an encoder"))
on_map_progress_function = native.MapProgressFn(_asked("a progress function"))
on_function_destroy = native.DestroyFn(_function_destroy)
on_exclude_function = native.ExcludeFn(_exclude)
on_exclude_destroy = native.DestroyFn(_exclude_destroy)
on_log_function = native.LogFn(_log)
on_log_destroy = native.DestroyFn(_log_destroy)
on_authorize_function = native.AuthorizeFn(_authorize)
on_should_replay_function = native.ShouldReplayFn(_should_replay)
on_refresh_function = native.RefreshFn(_refresh)
on_persist_function = native.PersistFn(_told("a persist function"))
on_attempt_function = native.AttemptFn(_told("an attempt observer"))
on_progress_function = native.ProgressFn(_told("a progress function"))
on_read_failure_function = native.ReadFailureFn(_told("a failure reader"))
on_read_body_function = native.BodyReadFn(_read_body)
on_rewind_body_function = native.BodyRewindFn(_rewind_body)
on_receive_head_function = native.BodyHeadFn(_receive_head)
on_receive_body_function = native.BodyReceiveFn(_receive_body)
on_receive_event_function = native.StreamEventFn(_receive_event)
on_receive_destroy = native.DestroyFn(_receive_destroy)
on_batch_encode_function = native.BatchEncodeFn(_batch_format)
on_batch_decode_function = native.BatchDecodeFn(_batch_format)
on_span_function = native.SpanFn(_span)
on_question_destroy = native.DestroyFn(_question_destroy)
on_cause_destroy = native.DestroyFn(_cause_destroy)
on_batch_done_function = native.BatchDoneFn(_batch_done)
on_flushed_function = native.OutboxFlushedFn(_flushed)
on_item_function = native.OutboxItemFn(_observed_item)
on_ended_item_function = native.OutboxItemFn(_ended_item)
on_observed_function = native.OutboxFlushedFn(_observed_flush)
"""The trampolines as C functions; they live as long as the process."""
