"""Validators, parsers and encoders of the program, and the mapping of bytes that did not come over
HTTP.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Protocol, TypedDict, TypeVar, Union, cast, overload

from . import _ffi as native
from ._base.interfaces import OneText
from ._base.lazy import asyncio
from ._enums import MapFlag, Status
from ._exceptions import RestwayError
from ._ffi.callbacks import functions, inside
from ._ffi.conversion import JSONValue, encode_attribute, json_bytes, json_value
from ._ffi.trampolines import (
    on_encode_body_function,
    on_map_progress_function,
    on_parse_function,
    on_validate_function,
)
from ._functions import Registering, checked, decorator, fail
from ._handles import check, name, optional_name
from ._handles.waiting import elsewhere, may_be_interrupted
from ._object import Layouts
from ._response import Response
from ._values import IntoOptions, reading_alone
from .progress import Wanted, reporting

if TYPE_CHECKING:
    from typing_extensions import Unpack

ValidatorFunction = Callable[[Response], object]
"""A function that receives an answer, which has no objects yet. If it raises, the answer is
refused.
"""

ParserFunction = Callable[[bytes, str], Any]
"""A function that receives a body and its Content-Type ("" without one), and returns the value of
the response: JSON, a str, bytes or None.
"""

EncoderFunction = Callable[[JSONValue], "bytes | str | tuple[bytes | str, str]"]
"""A function that receives the value of a body and returns the body, or the body and its media
type.
"""

MapProgress = Callable[[int, Optional[int]], object]
"""A function that receives how many objects are mapped, and their total or None."""

Data = Union[bytes, str, Mapping[str, Any], Sequence[Any]]
"""Bytes, a text, or a value that is written as JSON."""

V = TypeVar("V", bound=ValidatorFunction)
P = TypeVar("P", bound=ParserFunction)
E = TypeVar("E", bound=EncoderFunction)
T = TypeVar("T")


def _ask_validator(
    function: ValidatorFunction, response: native.ResponseHandle, answer: native.AnswerHandle
) -> int:
    try:
        # The answer has no objects, so that nobody needs the layouts of their entities.
        function(Response.retained(response, cast(Layouts, None)))
    except BaseException as error:
        return fail(error, answer)
    return Status.OK


def _ask_parser(
    function: ParserFunction,
    body: int,
    length: int,
    media_type: bytes,
    answer: native.AnswerHandle,
) -> int:
    try:
        value = function(native.read(body, length), media_type.decode("utf-8", "replace"))
        encoded = encode_attribute(value)
        check(native.lib.restway_answer_set_value, answer, native.ref(encoded))
    except BaseException as error:
        return fail(error, answer)
    return Status.OK


def _ask_encoder(
    function: EncoderFunction, json: bytes, _length: int, answer: native.AnswerHandle
) -> int:
    try:
        body = function(json_value(json))
        media_type: str | None = None
        if isinstance(body, tuple):
            body, media_type = body
        if not isinstance(body, (bytes, str)):
            raise TypeError(f"an encoder returns bytes or a str, not {type(body).__name__}")
        if media_type is not None:
            check(native.lib.restway_answer_set_media_type, answer, name(media_type))
        encoded = encode_attribute(body)
        check(native.lib.restway_answer_set_value, answer, native.ref(encoded))
    except BaseException as error:
        return fail(error, answer)
    return Status.OK


class Parsing(Registering):
    """The functions of `API` that register validators, parsers and encoders."""

    __slots__ = ()

    def add_validator(self, validator: str, function: ValidatorFunction) -> None:
        """Registers a validator, which `"validate": {"function": ...}` names.

        If the function raises, the answer is refused: the call fails with ValidationError, or with
        the error of this package that the function has raised. The function runs on a thread of the
        library, for different answers at the same time, and must not refer to this api, or neither
        is ever freed. It may be added after the api is frozen. Raises DuplicateError, UsageError.
        """
        checked(function, "a validator")
        self._register(
            native.lib.restway_api_add_validator,
            validator,
            on_validate_function,
            run=lambda response, answer: _ask_validator(function, response, answer),
            callback=function,
        )

    def validator(self, validator: str) -> Callable[[V], V]:
        """Decorates a function as a validator; raises as `add_validator` does.

            @api.validator("envelope")
            def envelope(answer: restway.Response) -> None:
                if not answer.json()["ok"]:
                    raise ValueError("the server says that it is not ok")
        """
        return decorator(self.add_validator, validator)

    def add_parser(self, parser: str, function: ParserFunction) -> None:
        """Registers a parser, which `"parse"` of a route, or `parse` of a request, names.

        If the function raises, the call fails with ParsingError, or with the error of this package
        that the function has raised. For the function, the same holds as for `add_validator`.
        Raises DuplicateError; UsageError, also for the name of a built-in parser.
        """
        checked(function, "a parser")
        self._register(
            native.lib.restway_api_add_parser,
            parser,
            on_parse_function,
            run=lambda *arguments: _ask_parser(function, *arguments),
            callback=function,
        )

    def parser(self, parser: str) -> Callable[[P], P]:
        """Decorates a function as a parser; raises as `add_parser` does.

            @api.parser("csv")
            def table(body: bytes, media_type: str) -> list[list[str]]:
                return [line.split(";") for line in body.decode().splitlines()]
        """
        return decorator(self.add_parser, parser)

    def add_encoder(self, encoder: str, function: EncoderFunction) -> None:
        """Registers an encoder, which `"encode"` of a route names.

        If the function raises, nothing is sent: the call fails with MappingError, or with the error
        of this package that the function has raised. For the function, the same holds as for
        `add_validator`. Raises DuplicateError, UsageError.
        """
        checked(function, "an encoder")
        self._register(
            native.lib.restway_api_add_encoder,
            encoder,
            on_encode_body_function,
            run=lambda *arguments: _ask_encoder(function, *arguments),
            callback=function,
        )

    def encoder(self, encoder: str) -> Callable[[E], E]:
        """Decorates a function as an encoder; raises as `add_encoder` does.

            @api.encoder("csv")
            def rows(value: restway.JSONValue) -> tuple[str, str]:
                return ";".join(value["cells"]), "text/csv"
        """
        return decorator(self.add_encoder, encoder)


class MapOptions(TypedDict, total=False):
    """The keywords of `map`."""

    key_path: str | Sequence[str] | None
    route: str | None
    mapper: str | None
    media_type: str | None
    commit: bool
    progress: Wanted


class MapIntoOptions(IntoOptions, MapOptions, total=False):
    """The keywords that go with `into`, and those of `MapOptions`."""


class _Client(Protocol):
    """The part of a client that maps bytes."""

    _layouts: Layouts

    @property
    def _handle(self) -> native.ClientHandle: ...


def _key_path(path: str | Sequence[str] | None) -> bytes | None:
    if path is None or isinstance(path, str):
        return optional_name(path)
    return json_bytes(list(path))


def _bytes_of(data: Data) -> bytes:
    if isinstance(data, bytes):
        return data
    return data.encode() if isinstance(data, str) else json_bytes(data)


_LARGE_BYTES = 256 * 1024
"""The main thread lets another thread map bytes of this size, so that signals are handled."""


def _map(
    client: _Client,
    entity: str | None,
    data: Data,
    key_path: str | Sequence[str] | None,
    route: str | None,
    mapper: str | None,
    media_type: str | None,
    commit: bool,
    progress: MapProgress | None,
) -> Response:
    """Maps bytes with the library; an exception of `progress` ends the mapping and is raised."""
    content = _bytes_of(data)
    if len(content) < _LARGE_BYTES or inside.depth or not may_be_interrupted():
        return _map_here(
            client, entity, content, key_path, route, mapper, media_type, commit, progress
        )
    is_over = threading.Event()

    def tell(done: int, total: int | None) -> None:
        if progress is not None:
            progress(done, total)
        if is_over.is_set():
            raise asyncio.CancelledError  # nobody sees it: the mapping ends

    return elsewhere(
        lambda: _map_here(
            client, entity, content, key_path, route, mapper, media_type, commit, tell
        ),
        is_over.set,
    )


def _map_here(
    client: _Client,
    entity: str | None,
    content: bytes,
    key_path: str | Sequence[str] | None,
    route: str | None,
    mapper: str | None,
    media_type: str | None,
    commit: bool,
    progress: MapProgress | None,
) -> Response:
    options = native.MapOptions()
    check(native.lib.restway_map_options_init, native.ref(options), native.size_of(options))
    options.key_path = _key_path(key_path)
    options.route = optional_name(route)
    options.mapper = optional_name(mapper)
    options.media_type = optional_name(media_type)
    options.flags = MapFlag(0) if commit else MapFlag.SNAPSHOTS
    raised: list[BaseException] = []
    token = 0

    def run(done: int, total: int) -> int:
        assert progress is not None
        try:
            progress(done, None if total < 0 else total)
        except BaseException as error:
            raised.append(error)
            return 1
        return 0

    if progress is not None:
        token = functions.add(run, progress)
        options.progress, options.context = on_map_progress_function, token
    response, store = native.OwnedResponseHandle(), native.OwnedStoreHandle()
    try:
        check(
            native.lib.restway_client_map,
            client._handle,
            optional_name(entity),
            content,
            len(content),
            native.ref(options),
            native.ref(response),
            native.ref(store),
        )
    except RestwayError:
        if raised:
            raise raised[0] from None
        raise
    finally:
        functions.remove(token)
    return Response(response, client._layouts if commit else client._layouts.of_store(store))


class Maps(OneText, ABC):
    """The function of a client that maps bytes which did not come over HTTP."""

    __slots__ = ()

    @abstractmethod
    def map(self, *arguments: Any, **options: Any) -> Any:
        """Maps bytes by the rules of the api, and stores their objects. The response has the
        objects, their results and the mapping issues, and the status 0. Awaiting it maps the bytes
        on a thread of the loop's executor.

            with open("enterprises.json", "rb") as file:
                response = client.map("Enterprise", file.read(), key_path="data")

        Args:
            entity: The entity of the objects; None with a route.
            key_path: The place of the objects, where something must be; a list of keys if a key
                contains a dot. None maps the whole value.
            route: The name of a route, whose descriptors for status 200 map the bytes.
            mapper: The name of a mapper; None lets the media type choose it.
            media_type: The media type of the bytes; None is JSON.
            commit: False keeps the objects out of the store: they are snapshots in a store of their
                own, in which their relationships lead to each other.
            progress: True shows a bar on a terminal (`restway.progress`). A function is called for
                the first object, after each 256 objects and before the objects are stored. A Client
                calls it on a thread of the library: if it raises, nothing is stored, and this
                function raises the same exception. An AsyncClient calls it in the loop, whose
                exception handler gets what it raises.
            into: The type that the objects are read into, in place of the response.
            reading: The keywords that go with `into`, see `IntoOptions`.

        In the main thread, signals are handled during the mapping of 256 KiB and more: if a handler
        raises (KeyboardInterrupt for Ctrl-C), nothing is stored unless the objects are being stored
        already, and the exception is raised here. Cancelling the task that awaits it ends the
        mapping in the same way. Raises MappingError, whose message says what is wrong and where;
        HTTPStatusError if the bytes hold an error of the API in place of objects;
        UnknownEntityError; UnknownRouteError; TooLargeError; StoreError; ClosedError;
        WouldBlockError inside a callback; UsageError.
        """


class BytesMapping(Maps):
    """The function of a Client that maps bytes which did not come over HTTP."""

    __slots__ = ()

    @overload
    def map(
        self: _Client,
        entity: str | None,
        data: Data,
        *,
        into: type[T],
        **options: Unpack[MapIntoOptions],
    ) -> T: ...
    @overload
    def map(
        self: _Client, entity: str | None, data: Data, **options: Unpack[MapOptions]
    ) -> Response: ...
    def map(
        self: _Client,
        entity: str | None,
        data: Data,
        *,
        key_path: str | Sequence[str] | None = None,
        route: str | None = None,
        mapper: str | None = None,
        media_type: str | None = None,
        commit: bool = True,
        progress: Wanted = None,
        into: Any = None,
        **reading: Unpack[IntoOptions],
    ) -> Any:
        read = reading_alone("map", into, reading)
        with reporting(progress, "mapping", "objects") as tell:
            response = _map(
                self, entity, data, key_path, route, mapper, media_type, commit, tell
            )
        return response if read is None else read.read(response.objects)


class AsyncBytesMapping(Maps):
    """The function of an AsyncClient that maps bytes which did not come over HTTP."""

    __slots__ = ()

    @overload
    async def map(
        self: _Client,
        entity: str | None,
        data: Data,
        *,
        into: type[T],
        **options: Unpack[MapIntoOptions],
    ) -> T: ...
    @overload
    async def map(
        self: _Client, entity: str | None, data: Data, **options: Unpack[MapOptions]
    ) -> Response: ...
    async def map(
        self: _Client,
        entity: str | None,
        data: Data,
        *,
        key_path: str | Sequence[str] | None = None,
        route: str | None = None,
        mapper: str | None = None,
        media_type: str | None = None,
        commit: bool = True,
        progress: Wanted = None,
        into: Any = None,
        **reading: Unpack[IntoOptions],
    ) -> Any:
        read = reading_alone("map", into, reading)
        loop = asyncio.get_running_loop()
        is_cancelled = threading.Event()

        def tell(done: int, total: int | None) -> None:
            if is_cancelled.is_set():
                raise asyncio.CancelledError
            if report is not None:
                loop.call_soon_threadsafe(report, done, total)

        def run() -> Response:
            return _map(self, entity, data, key_path, route, mapper, media_type, commit, tell)

        with reporting(progress, "mapping", "objects") as report:
            try:
                response = await loop.run_in_executor(None, run)
            except asyncio.CancelledError:
                is_cancelled.set()
                raise
        return response if read is None else read.read(response.objects)
