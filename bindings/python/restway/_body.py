"""The options of requests: bodies that are read while they are sent, files in which the bodies of
answers are saved, time limits and more.
"""

from __future__ import annotations

import io
import os
import threading
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypedDict, Union

from . import _ffi as native
from ._base.hints import require_number
from ._base.lazy import asyncio
from ._enums import AuthMode, CacheMode, Offline, SaveFlag, Status
from ._exceptions import RestwayError
from ._ffi.callbacks import functions
from ._ffi.options import CLIENT_OPTIONS
from ._ffi.trampolines import (
    on_function_destroy,
    on_read_body_function,
    on_rewind_body_function,
)
from ._functions import fail
from ._handles import check, chosen, name, number
from ._resource import DigestHeader, Files, Resource, Resumption
from ._values import Nulls, Parameters, Record
from .progress import Reported

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ._config import Timeouts


class Readable(Protocol):
    """The part of a binary file that a body needs."""

    def read(self, size: int, /) -> bytes:
        """Returns at most `size` bytes; no bytes at the end."""


Content = Union[bytes, str, Resource, Readable, Iterable[bytes], AsyncIterable[bytes], Record]
"""The types of a body. `BodyOptions` says how each is sent."""


class Reading:
    """A body that the library reads piece by piece, on a thread of the library."""

    def __init__(
        self,
        read: Callable[[int], bytes | memoryview],
        rewind: Callable[[], object] | None = None,
        length: int = -1,
    ) -> None:
        self.length = length
        self.rewind = rewind
        self._read = read
        self._context = copy_context()
        self._raised: BaseException | None = None

    needs_loop = False
    """Whether the pieces come from the event loop, which must then not be blocked."""

    def read(self, size: int) -> memoryview:
        """Returns at most `size` bytes, on the library's thread. The pieces are made in the context
        (of `contextvars`) in which the request was given the body.
        """
        piece = self._context.run(self._read, size)
        if not isinstance(piece, (bytes, bytearray, memoryview)):
            raise TypeError(f"a body gives bytes, not {type(piece).__name__}")
        content = memoryview(piece).cast("B")
        if len(content) > size:
            raise ValueError(f"asked for {size} bytes, the body gave {len(content)}")
        return content

    def stop(self) -> None:
        """Called when the call has ended: pieces are no longer needed."""

    def start_again(self) -> None:
        """Goes back to the first byte."""
        assert self.rewind is not None
        self.rewind()

    def failed(self, error: BaseException, answer: native.AnswerHandle) -> int:
        """Tells the library why reading failed, and keeps the error for the error of the call."""
        self._raised = error
        return fail(error, answer, Status.CANCELLED)

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """In this context, an error of the package gets the exception of the body as its cause."""
        self._raised = None
        try:
            yield
        except RestwayError as error:
            if self._raised is not None and error.__cause__ is None:
                error.__cause__ = self._raised
            raise
        finally:
            self._raised = None


class _Pieces:
    """Divides pieces of any size into pieces that fit."""

    def __init__(self, take: Callable[[], Any]) -> None:
        self._take = take
        self._rest = memoryview(b"")

    def read(self, size: int) -> memoryview:
        while not self._rest:
            piece = self._take()
            if piece is None:
                return memoryview(b"")
            if not isinstance(piece, (bytes, bytearray, memoryview)):
                raise TypeError(f"a body gives bytes, not {type(piece).__name__}")
            self._rest = memoryview(piece).cast("B")
        piece, self._rest = self._rest[:size], self._rest[size:]
        return piece


class _AsyncReading(Reading):
    """Reads an async iterator in its event loop."""

    needs_loop = True

    def __init__(self, iterator: AsyncIterator[bytes]) -> None:
        self._iterator = iterator
        self._loop = asyncio.get_running_loop()
        # The loop may call `stop` before the thread that asks knows its future.
        self._asking = threading.Lock()
        self._asked: Future[bytes | None] | None = None
        super().__init__(_Pieces(self._next).read)

    def _next(self) -> bytes | None:
        with self._asking:
            asked = self._asked = asyncio.run_coroutine_threadsafe(self._step(), self._loop)
        return asked.result()

    async def _step(self) -> bytes | None:
        try:
            return await self._iterator.__anext__()
        except StopAsyncIteration:
            return None

    def stop(self) -> None:
        with self._asking:
            asked = self._asked
        if asked is not None:
            asked.cancel()


def reading_of(body: Any) -> Reading:
    """Returns how `body` is read. Raises TypeError if it cannot be read, and RuntimeError for an
    async iterable outside an event loop.
    """
    if isinstance(body, io.TextIOBase):
        raise TypeError("a body is a binary file, not a text file")
    if callable(getattr(body, "read", None)):
        return _file_reading(body)
    if hasattr(body, "__aiter__"):
        return _AsyncReading(body.__aiter__())
    if hasattr(body, "__iter__"):
        iterator = iter(body)
        return Reading(_Pieces(lambda: next(iterator, None)).read)
    raise TypeError(
        "a body is bytes, a str, a binary file, an iterable of bytes or values by name, "
        f"not {type(body).__name__}"
    )


def _file_reading(file: Any) -> Reading:
    seekable = getattr(file, "seekable", None)
    if not callable(seekable) or not seekable():
        return Reading(file.read)
    start = file.tell()
    length = file.seek(0, os.SEEK_END) - start
    file.seek(start)
    return Reading(file.read, lambda: file.seek(start), max(0, length))


def set_body_reading(request: native.RequestHandle, reading: Reading, media_type: str) -> None:
    """Sets a body that is read while it is sent."""
    reader = native.BodyReader()
    check(
        native.lib.restway_body_reader_init, native.ref(reader), native.size_of(reader)
    )
    token = functions.add(lambda: reading, reading)
    reader.context = token
    reader.read = on_read_body_function
    if reading.rewind is not None:
        reader.rewind = on_rewind_body_function
    reader.destroy = on_function_destroy
    try:
        check(
            native.lib.restway_request_set_body_reader,
            request,
            native.ref(reader),
            reading.length,
            name(media_type),
        )
    except BaseException:
        functions.remove(token)
        raise


class SaveTo(NamedTuple):
    """A file in which the body of a 2xx answer is saved, for the keyword `save_to`.

        response = client.get("reports/7", save_to=restway.SaveTo("report.pdf", digest=True))
        print(response.saved.length, response.saved.digest)
    """

    path: str | os.PathLike[str]
    """The path of the file, which the complete body replaces in one step. A device, a FIFO, a
    socket or a folder is never replaced: the call raises FileError before the request is sent.
    """
    keep_part: bool = False
    """Whether the part that was received stays after a failure, a cancel or the end of the program,
    as `path` with ".part" at its end; a later call with the same URL and path goes on from it.
    """
    digest: bool = False
    """Whether the SHA-256 digest of the file is computed."""
    bytes_max: int | None = None
    """The size limit of the file in bytes, in place of the client's `save_bytes_max`. A larger body
    raises TooLargeError and leaves no file.
    """


class Saved(NamedTuple):
    """The file in which the body of an answer was saved."""

    path: str
    """The path as the request gave it."""
    length: int
    """The length of the file in bytes."""
    digest: str | None
    """The SHA-256 digest in 64 hexadecimal digits; None unless the request asked for it."""
    resumed_from: int
    """How many bytes were there before the last exchange, so that it did not send them."""


class Descriptor(Protocol):
    """An object with a descriptor: a file or a socket."""

    def fileno(self) -> int:
        """Returns the descriptor."""


Saving = Union[str, "os.PathLike[str]", SaveTo, int, Descriptor]
"""Where the body of an answer is saved: a path, a path with options (`SaveTo`), a file or a socket
that is open for writing, or the number of a descriptor.
"""


def set_save_to(request: native.RequestHandle, saving: Saving) -> None:
    """For this package: has the body of the answer saved."""
    if isinstance(saving, int):
        require_number(saving, "a descriptor", least=-1, most=2**31 - 1)
        check(native.lib.restway_request_save_to_descriptor, request, saving)
        return
    if not isinstance(saving, (str, os.PathLike, SaveTo)):
        # The bytes that the program has already written to the file come before the body.
        if isinstance(saving, io.IOBase):
            saving.flush()
        elif not callable(getattr(saving, "fileno", None)):
            hint = "a path, a SaveTo, a file, a socket or a descriptor"
            raise TypeError(f"save_to is {hint}, not {type(saving).__name__}")
        check(native.lib.restway_request_save_to_descriptor, request, saving.fileno())
        return
    plan = saving if isinstance(saving, SaveTo) else SaveTo(saving)
    flags = SaveFlag(0)
    if plan.keep_part:
        flags |= SaveFlag.KEEP_PART
    if plan.digest:
        flags |= SaveFlag.DIGEST
    path = name(os.fspath(plan.path))
    check(native.lib.restway_request_save_to, request, path, flags)
    if plan.bytes_max is not None:
        if plan.bytes_max <= 0:
            raise ValueError(f"a size limit is more than 0 bytes, not {plan.bytes_max}")
        most = number("bytes_max", plan.bytes_max, CLIENT_OPTIONS["save_bytes_max"])
        check(native.lib.restway_request_set_save_bytes_max, request, most)


CacheUse = Literal["standard", "reload", "validate", "bypass", "only", "preferred"]
"""How the response cache takes part in a request; `RequestOptions` says what each word means."""

Storing = Literal["first", "failed"] | bool
"""When the outbox stores a request; `RequestOptions` says what each value means."""

_OFFLINE = {
    "first": Offline.FIRST,
    "failed": Offline.FAILED,
    True: Offline.FAILED,
    False: Offline.NEVER,
}

_CACHE_MODES = {mode.name.lower(): mode for mode in CacheMode}


_AUTH_MODES = {mode.name.lower(): mode for mode in AuthMode}


def set_auth_mode(request: native.RequestHandle, auth: str) -> None:
    """For this package: sets whether a request waits for a credential, and has one."""
    if not isinstance(auth, str) or auth not in _AUTH_MODES:
        modes = ", ".join(_AUTH_MODES)  # `auth` may be a secret, so the message does not show it
        error = ValueError if isinstance(auth, str) else TypeError
        raise error(f"auth is one of {modes}; client.set_credential sets a credential")
    check(native.lib.restway_request_set_auth, request, _AUTH_MODES[auth])


def set_offline(request: native.RequestHandle, offline: Storing) -> None:
    """For this package: sets when the outbox stores a request."""
    if not isinstance(offline, str | bool):
        raise TypeError(f"offline is True, False or a text, not {type(offline).__name__}")
    if offline not in _OFFLINE:
        raise ValueError(f'offline is "first", "failed", True or False, not {offline!r}')
    check(native.lib.restway_request_set_offline, request, _OFFLINE[offline])


def set_caching(request: native.RequestHandle, use: CacheUse | None, ttl: float | None) -> None:
    """For this package: sets what the response cache does with a request."""
    if use is not None:
        mode = chosen(_CACHE_MODES, use, "mode of the cache")
        check(native.lib.restway_request_set_cache, request, mode)
    if ttl is not None:
        if not -1 <= ttl < 2**63:
            raise ValueError(f"a cache_ttl is 0 seconds or more, or -1, not {ttl}")
        if ttl != int(ttl):
            raise ValueError(f"a cache_ttl is a whole number of seconds, not {ttl}")
        check(native.lib.restway_request_set_cache_ttl, request, int(ttl))


class CacheFilter(TypedDict, total=False):
    """The keywords that choose entries of the response cache; None or no keyword is no condition.

    Attributes:
        key: The key of one entry (`CacheEntry.key`).
        url: An absolute URL: the entries of all requests for it, whatever their method.
        route: The name of a route.
        discriminator: A discriminator; "" for the entries that were kept without one.
        age: Answers that are at least this old, in seconds.
    """

    key: str | None
    url: str | None
    route: str | None
    discriminator: str | None
    age: float | None


def saved_of(response: native.ResponseHandle) -> Saved | None:
    """For this package: reads the file in which the body was saved."""
    lib = native.lib
    path = native.borrowed(lib.restway_response_saved_path(response))
    if path is None:
        return None
    return Saved(
        path,
        lib.restway_response_saved_length(response),
        native.borrowed(lib.restway_response_saved_digest(response)),
        lib.restway_response_saved_from(response),
    )


class CallOptions(TypedDict, total=False):
    """The keywords of every request but for `variables`, which the clients of `restway.typed`
    declare for each route. None has the same effect as leaving the keyword out.

    Attributes:
        params: Parameters by name (`Record`), or pairs, in which a name may stand several times: it
            then has all these values, in their order, as a list. For GET, HEAD and DELETE they go
            into the query, where None is left out, a list repeats the name and a mapping is
            flattened ("a[b]"). For other methods they form the body, which is JSON unless a
            `serialization` says otherwise, and in which None is null and a dotted name makes nested
            objects. With a `body` or `json` they go into the query.
        headers: Headers in place of the environment's; None removes a header from this request.
        timeout: The time limit of the whole exchange in seconds, including redirects, or the limits
            of its phases. None takes the client's limit; `math.inf` sets no limit.
        priority: When requests wait for a connection, the one with the highest priority is sent
            first. The default is 0.
        auth: "bypass" authorises the request with the present credential; it never waits for a
            refresh and never causes one. "none" sends the request without a credential.
        idempotency_key: Makes it safe to repeat the request, whatever its method. True makes a
            random key for each send.
        lane: The lane of the request, if the outbox stores it. A lane is a queue: its requests are
            sent in order, one after the other.
        offline: When the outbox stores the request, in place of what its route says. "first" stores
            it before it is sent, so that it is not lost if the process is killed; the call then has
            the answer as usual, or `QueuedError` if the request cannot be delivered now. "failed"
            or True stores it when it cannot be sent; for GET and HEAD, True has the response cache
            answer when the server cannot be reached. False never stores it.
        optimistic: True shows the effect of the request in the store before the server has
            answered: the values of its draft, or the end of what a DELETE removes. If the call
            fails or is cancelled, the store takes this back. None does as the route says.
        save_to: The path of a file in which the body of a 2xx answer is saved, in place of memory;
            a `SaveTo` has further options. The body is not mapped; the response has it as `saved`.
            Instead of a path, this may be a file or socket that is open for writing, or the number
            of its descriptor. The library then writes the bytes while they arrive, to a duplicate
            of the descriptor.
        cache: What the response cache does. "standard" (the default) answers if it may, and keeps
            the server's answer. "reload" asks the server, whatever the cache has. "validate" asks
            the server whether the kept answer still holds. "bypass" neither answers nor keeps.
            "only" answers, fresh or stale, and never uses the network: without an answer, the
            response is false (`Response.found`). "preferred" answers, fresh or stale, and asks the
            server if there is nothing.
        cache_ttl: For how many whole seconds the answer is fresh, in place of the `cacheTTL` of
            the route; -1 lets the server's headers decide.
        parse: Who reads the body of a successful answer, in place of the `parse` of the route:
            "objects", "json", "text", "bytes", "headers", "nothing", or the name of a parser of the
            api. The response has the result as `value`.
        nulls: "omit" leaves None out of `json`, `params`, `variables` and a `body` that has values
            by name, at any depth; "keep" is the default.
        route: The name of the route as which a path or a URL is handled and its answer is mapped,
            for links in answers that no template matches. The URL may lead to any origin.
        progress: True shows a bar of the bytes on a terminal; a function receives each `Progress`.
    """

    params: Parameters | None
    headers: Mapping[str, str | None] | None
    timeout: float | Timeouts | None
    priority: int | None
    auth: Literal["default", "bypass", "none"] | None
    idempotency_key: str | Literal[True] | None
    lane: str | None
    offline: Storing | None
    optimistic: bool | None
    save_to: Saving | None
    cache: CacheUse | None
    cache_ttl: float | None
    parse: str | None
    nulls: Nulls | None
    route: str | None
    progress: Reported


class RequestOptions(CallOptions, total=False):
    """The keywords of every request: those of `CallOptions` and its variables.

    Attributes:
        variables: The values of the path's variables (`:itemID`) by name, in a mapping, a
            dataclass, a Struct or a pydantic model (`Record`); see `restway._ffi.conversion`.
    """

    variables: Record | None


class BodyCallOptions(CallOptions, total=False):
    """The keywords of requests that have a body but for `variables`.

    Attributes:
        body: The body as it is sent; a str is sent as UTF-8. Binary files and iterables of bytes
            are read while they are sent, on a thread of the library. A file that can seek is sent
            from its present position to its end, with its length, and is read again if the request
            is sent again. Anything else is sent in chunks, and only once. An async iterable must be
            given inside the loop of an AsyncClient, where it is read. If reading raises, the call
            fails, and the exception is the error's `__cause__`. A mapping, a dataclass, a Struct
            and a pydantic model are written as JSON, as by `json`.
        media_type: The Content-Type of `body`.
        json: A value that is written as the JSON body, instead of `body`. Dataclasses, Structs and
            pydantic models in it are written as objects.
        digest: The headers with a digest that a `Resource` as `body` is sent with: "content-md5",
            "digest" (SHA-256) or "repr-digest" (SHA-256).
        files: Files of a multipart body, by the names of their parts, or as pairs. Parameters, and
            the object or draft, become the parts before them. A file is a `Resource`, bytes, a path
            (a `pathlib.Path`), a binary file, or a tuple of a name, one of these, and possibly a
            media type. The descriptor of a file is read while it is sent, from where the file
            stands now; a file without a descriptor is read at once.
        serialization: How parameters, objects and drafts are written, in place of what the route
            says: "json", "url" (application/x-www-form-urlencoded), "form" (multipart/form-data),
            or "none", which puts them into the query.
        gzip: Whether the body is sent with Content-Encoding: gzip, in place of what the route says.
        expect_continue: Whether the body is announced with Expect: 100-continue, in place of what
            the route says. It is then sent when the server asks for it, or after a second.
        resumable: The protocol of a resumable upload, "tus" or "ietf", in place of the setting of
            the route. After a failure, the upload of the Resource continues after the bytes that
            the server already has. A `Resumable` has further options.
    """

    body: Content | None
    media_type: str | None
    json: Any
    digest: Iterable[DigestHeader] | None
    files: Files | None
    serialization: Literal["json", "url", "form", "none"] | None
    gzip: bool | None
    expect_continue: bool | None
    resumable: Resumption | None


class BodyOptions(BodyCallOptions, RequestOptions, total=False):
    """The keywords of requests that have a body: those of `BodyCallOptions` and `RequestOptions`.
    """
