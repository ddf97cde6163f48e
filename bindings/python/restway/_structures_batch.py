"""The part of `_structures` that is about batches."""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_void_p

from ._structures import AnswerHandle, ErrorHandle, Handle, c_enum


class BatchHandle(Handle):
    release = "restway_batch_release"


class BatchWriterHandle(Handle):
    """Only ever borrowed."""

    release = ""


class BatchReaderHandle(Handle):
    """Only ever borrowed."""

    release = ""


BatchDoneFn = CFUNCTYPE(None, c_void_p, BatchHandle, c_enum, ErrorHandle)
BatchEncodeFn = CFUNCTYPE(c_enum, c_void_p, BatchWriterHandle, AnswerHandle)
BatchDecodeFn = CFUNCTYPE(c_enum, c_void_p, BatchReaderHandle, AnswerHandle)
NULL_BATCH_DONE = BatchDoneFn()
NULL_BATCH_ENCODE = BatchEncodeFn()
NULL_BATCH_DECODE = BatchDecodeFn()
