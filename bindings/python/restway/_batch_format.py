"""Formats of batches: how several requests become one body, and one answer several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Union

from . import _native as native
from ._boundary import check, name
from ._callbacks import inside, questions, report
from ._enums import Status
from ._questions import on_question_destroy
from ._structures_batch import (
    NULL_BATCH_DECODE,
    NULL_BATCH_ENCODE,
    BatchDecodeFn,
    BatchEncodeFn,
    BatchReaderHandle,
    BatchWriterHandle,
)
from ._transform import fail


class BatchRequest(NamedTuple):
    """One request of a batch, on its way into a body."""

    method: str
    uri: str
    """Relative to the base URL, with a leading slash and its query."""
    headers: Mapping[str, str]
    """Its own; what the carrying call says counts for all."""
    body: bytes | None


class BatchAnswer(NamedTuple):
    """The answer to one request of a batch."""

    code: int
    """Its HTTP status, 200 to 599."""
    body: bytes | str = b""
    headers: Mapping[str, str] = {}  # nobody changes it


BatchEncode = Callable[[Sequence[BatchRequest]], Union[bytes, tuple[bytes, str]]]
"""Given the requests of a call; returns its body, alone (JSON) or with its media type."""

BatchDecode = Callable[[bytes, int], Sequence[BatchAnswer]]
"""Given the body of a 2xx answer and the count of requests; returns the answers by position."""


class _Format:
    """The two functions of a format, to be asked."""

    __slots__ = ("_decode", "_encode")

    def __init__(self, encode: BatchEncode, decode: BatchDecode) -> None:
        self._encode = encode
        self._decode = decode

    def encode(self, writer: BatchWriterHandle) -> None:
        count = native.lib.restway_batch_writer_count(writer)
        made = self._encode([_request(writer, index) for index in range(count)])
        body, media_type = (made, "application/json") if isinstance(made, bytes) else made
        check(
            native.lib.restway_batch_writer_set_body, writer, body, len(body), name(media_type)
        )

    def decode(self, reader: BatchReaderHandle) -> None:
        lib, length = native.lib, native.number()
        address = lib.restway_batch_reader_body(reader, native.ref(length))
        count: int = lib.restway_batch_reader_count(reader)
        answers = self._decode(native.read(address, length.value), count)
        if len(answers) != count:
            raise ValueError(f"{len(answers)} answers for {count} requests")
        for index, answer in enumerate(answers):
            body = answer.body.encode() if isinstance(answer.body, str) else answer.body
            check(
                lib.restway_batch_reader_set_answer, reader, index, answer.code, body, len(body)
            )
            for header, value in answer.headers.items():
                check(
                    lib.restway_batch_reader_add_header, reader, index, name(header), name(value)
                )


def _request(writer: BatchWriterHandle, index: int) -> BatchRequest:
    lib, length = native.lib, native.number()
    address = lib.restway_batch_writer_body(writer, index, native.ref(length))
    headers = {
        native.borrowed(lib.restway_batch_writer_header_name(writer, index, header)) or "": (
            native.borrowed(lib.restway_batch_writer_header_value(writer, index, header)) or ""
        )
        for header in range(lib.restway_batch_writer_header_count(writer, index))
    }
    return BatchRequest(
        native.borrowed(lib.restway_batch_writer_method(writer, index)) or "",
        native.borrowed(lib.restway_batch_writer_uri(writer, index)) or "",
        headers,
        native.read(address, length.value) if address else None,
    )


def _encode(context: int | None, writer: BatchWriterHandle, answer: native.AnswerHandle) -> int:
    entry = None
    try:
        entry = questions.get(context)
        with inside:
            entry.run(writer)
    except BaseException as error:
        return _failed(error, answer, entry and entry.callback)
    return Status.OK


def _decode(context: int | None, reader: BatchReaderHandle, answer: native.AnswerHandle) -> int:
    entry = None
    try:
        entry = questions.get(context)
        with inside:
            entry.run(reader)
    except BaseException as error:
        return _failed(error, answer, entry and entry.callback)
    return Status.OK


def _failed(error: BaseException, answer: native.AnswerHandle, callback: object) -> int:
    try:
        return fail(error, answer)
    except BaseException:
        report(callback, "a batch format")
        return Status.INTERNAL


_on_encode = BatchEncodeFn(_encode)
_on_decode = BatchDecodeFn(_decode)


def set_batch_format(
    client: native.ClientHandle, encode: BatchEncode | None, decode: BatchDecode | None
) -> None:
    """Sets the format of a client's batches; None for both takes the built-in one."""
    function = native.lib.restway_client_set_batch_format
    if encode is None and decode is None:
        check(function, client, NULL_BATCH_ENCODE, NULL_BATCH_DECODE, None, native.NULL_DESTROY)
        return
    if not callable(encode) or not callable(decode):
        raise TypeError("a batch format is two functions")
    made = _Format(encode, decode)

    def run(handle: BatchWriterHandle | BatchReaderHandle) -> None:
        if isinstance(handle, BatchWriterHandle):
            made.encode(handle)
        else:
            made.decode(handle)

    token = questions.add(run, made)
    try:
        check(function, client, _on_encode, _on_decode, token, on_question_destroy)
    except BaseException:
        questions.remove(token)
        raise
