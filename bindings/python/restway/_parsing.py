"""Validators, parsers and encoders of the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from . import _ffi as native
from ._boundary import Owner, check, name
from ._ffi.callbacks import functions
from ._ffi.conversion import JSONValue, encode_attribute, json_value
from ._ffi.enums import Status
from ._ffi.trampolines import (
    on_encode_body_function,
    on_function_destroy,
    on_parse_function,
    on_validate_function,
)
from ._object import Layouts
from ._questions import checked, fail
from ._response import Response

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

V = TypeVar("V", bound=ValidatorFunction)
P = TypeVar("P", bound=ParserFunction)
E = TypeVar("E", bound=EncoderFunction)


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


class Parsing(Owner[native.ApiHandle]):
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
        self._add(
            native.lib.restway_api_add_validator,
            validator,
            on_validate_function,
            lambda response, answer: _ask_validator(function, response, answer),
            function,
        )

    def validator(self, validator: str) -> Callable[[V], V]:
        """Decorates a function as a validator; raises as `add_validator` does.

            @api.validator("envelope")
            def envelope(answer: restway.Response) -> None:
                if not answer.json()["ok"]:
                    raise ValueError("the server says that it is not ok")
        """

        def add(function: V) -> V:
            self.add_validator(validator, function)
            return function

        return add

    def add_parser(self, parser: str, function: ParserFunction) -> None:
        """Registers a parser, which `"parse"` of a route, or `parse` of a request, names.

        If the function raises, the call fails with ParsingError, or with the error of this package
        that the function has raised. For the function, the same holds as for `add_validator`.
        Raises DuplicateError; UsageError, also for the name of a built-in parser.
        """
        checked(function, "a parser")
        self._add(
            native.lib.restway_api_add_parser,
            parser,
            on_parse_function,
            lambda *arguments: _ask_parser(function, *arguments),
            function,
        )

    def parser(self, parser: str) -> Callable[[P], P]:
        """Decorates a function as a parser; raises as `add_parser` does.

            @api.parser("csv")
            def table(body: bytes, media_type: str) -> list[list[str]]:
                return [line.split(";") for line in body.decode().splitlines()]
        """

        def add(function: P) -> P:
            self.add_parser(parser, function)
            return function

        return add

    def add_encoder(self, encoder: str, function: EncoderFunction) -> None:
        """Registers an encoder, which `"encode"` of a route names.

        If the function raises, nothing is sent: the call fails with MappingError, or with the error
        of this package that the function has raised. For the function, the same holds as for
        `add_validator`. Raises DuplicateError, UsageError.
        """
        checked(function, "an encoder")
        self._add(
            native.lib.restway_api_add_encoder,
            encoder,
            on_encode_body_function,
            lambda *arguments: _ask_encoder(function, *arguments),
            function,
        )

    def encoder(self, encoder: str) -> Callable[[E], E]:
        """Decorates a function as an encoder; raises as `add_encoder` does.

            @api.encoder("csv")
            def rows(value: restway.JSONValue) -> tuple[str, str]:
                return ";".join(value["cells"]), "text/csv"
        """

        def add(function: E) -> E:
            self.add_encoder(encoder, function)
            return function

        return add

    def _add(
        self,
        register: Any,
        key: str,
        trampoline: Any,
        run: Callable[..., int],
        callback: object,
    ) -> None:
        token = functions.add(run, callback)
        try:
            check(register, self._handle, name(key), trampoline, token, on_function_destroy)
        except BaseException:
            functions.remove(token)
            raise
