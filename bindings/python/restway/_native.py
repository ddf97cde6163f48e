"""The way to the library: finding and loading it, owning its handles, reading its memory.

With `_prototypes` and `_structures` the only module that knows ctypes; every other module sees
typed handles, Python values and `lib`. The library is loaded at the first use of `lib`, so that
`import restway` works without it. It is looked for in this order:

1. the path in the environment variable `RESTWAY_LIBRARY`; when that is set, nowhere else
2. bundled beside this file
3. the staged build of the source tree that this file stands in
4. wherever the system's loader finds `librestway.so.0`
"""

from __future__ import annotations

import ctypes
import os
import struct
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ._enums import ABI_VERSION, ValueKind
from ._exceptions import InternalError, LibraryError
from ._prototypes import PROTOTYPES, QUICK
from ._releasing import due, hindrances, release_due
from ._structures import (
    AnswerHandle,
    ApiHandle,
    CallHandle,
    ChangedFn,
    ChangesHandle,
    ClientHandle,
    ClientOptions,
    ClockHandle,
    DestroyFn,
    DoneFn,
    DraftHandle,
    ErrorHandle,
    ExcludeFn,
    Handle,
    HookFn,
    InterceptFn,
    ListHandle,
    LogFn,
    ObjectHandle,
    ObserverHandle,
    QueryHandle,
    RequestHandle,
    ResponseHandle,
    RowsHandle,
    Statistics,
    StoreHandle,
    Timings,
    TransformFn,
    Value,
    ValueAs,
    handle_array,
    index_array,
    keys_out,
    kind_out,
    number,
    row_array,
    rows_out,
    text_out,
    texts_out,
    truth_out,
)
from ._structures_auth import (
    Attempt,
    AttemptFn,
    AuthorizeFn,
    Credential,
    ExchangeHandle,
    FailureHandle,
    PersistFn,
    Progress,
    ProgressFn,
    ReadFailureFn,
    RefreshFn,
    RefreshHandle,
    ShouldReplayFn,
)

__all__ = [
    "CELL",
    "NULL_CHANGED",
    "NULL_DESTROY",
    "NULL_DONE",
    "NULL_EXCLUDE",
    "NULL_INTERCEPT",
    "NULL_LOG",
    "NULL_TRANSFORM",
    "AnswerHandle",
    "ApiHandle",
    "Attempt",
    "AttemptFn",
    "AuthorizeFn",
    "CallHandle",
    "ChangedFn",
    "ChangesHandle",
    "ClientHandle",
    "ClientOptions",
    "ClockHandle",
    "Credential",
    "DestroyFn",
    "DoneFn",
    "DraftHandle",
    "ErrorHandle",
    "ExchangeHandle",
    "ExcludeFn",
    "FailureHandle",
    "Handle",
    "HookFn",
    "InterceptFn",
    "ListHandle",
    "LogFn",
    "ObjectHandle",
    "ObserverHandle",
    "PersistFn",
    "Progress",
    "ProgressFn",
    "QueryHandle",
    "ReadFailureFn",
    "RefreshFn",
    "RefreshHandle",
    "RequestHandle",
    "ResponseHandle",
    "RowsHandle",
    "ShouldReplayFn",
    "Statistics",
    "StoreHandle",
    "Timings",
    "TransformFn",
    "Value",
    "bare",
    "borrowed",
    "bytes_out",
    "candidates",
    "cell_at",
    "cells",
    "handle_array",
    "hindrances",
    "index_array",
    "keys_out",
    "kind_out",
    "lib",
    "list_value",
    "number",
    "object_value",
    "own",
    "read",
    "real_of",
    "ref",
    "release_due",
    "row_array",
    "rows_out",
    "scalar_value",
    "size",
    "size_of",
    "text_at",
    "text_out",
    "text_value",
    "texts_out",
    "token",
    "truth_out",
    "values",
    "whole",
]

H = TypeVar("H", bound=Handle)

SONAME = "librestway.so.0"
VERSION_NUMBER_MIN = 1_000
"""The oldest library that has every function of the prototypes: 0.1.0."""

NULL_CHANGED = ChangedFn()
NULL_DONE = DoneFn()
NULL_DESTROY = DestroyFn()
NULL_EXCLUDE = ExcludeFn()
NULL_INTERCEPT = InterceptFn()
NULL_LOG = LogFn()
NULL_TRANSFORM = TransformFn()

ref, size_of = ctypes.byref, ctypes.sizeof

size, whole, token = ctypes.c_size_t, ctypes.c_int64, ctypes.c_void_p
"""Integers as `bare` functions take them: a `size_t`, an `int64_t`, a context."""


def candidates() -> list[tuple[str, str]]:
    """Where the library is looked for: pairs of what the place is and a path or a soname."""
    chosen = os.environ.get("RESTWAY_LIBRARY")
    if chosen:
        return [("$RESTWAY_LIBRARY", chosen)]
    package = Path(__file__).resolve().parent
    places = [("bundled", str(package / "librestway.so"))]
    if len(package.parents) > 2:
        root = package.parents[2]
        if (root / "Include" / "restway" / "restway.h").is_file():
            places.append(("staged build", str(root / "build/stage/lib/librestway.so")))
    places.append(("system", SONAME))
    return places


def _open(name: str) -> tuple[ctypes.CDLL, ctypes.PyDLL]:
    """Loads one library and gives its functions their prototypes; OSError says why it will not."""
    if os.sep in name and not os.path.exists(name):
        raise OSError("no such file")
    library, holding = ctypes.CDLL(name), ctypes.PyDLL(name)
    for function, (result, arguments) in PROTOTYPES.items():
        try:
            symbol = getattr(library, function)
            if function in QUICK:
                symbol = getattr(holding, function)
                setattr(library, function, symbol)
        except AttributeError:
            raise OSError(f"it has no function {function}") from None
        symbol.restype = result
        symbol.argtypes = arguments
    abi, version = library.restway_abi_version(), library.restway_version_number()
    if abi != ABI_VERSION:
        raise OSError(f"its ABI version is {abi}, not {ABI_VERSION}")
    if version < VERSION_NUMBER_MIN:
        raise OSError(f"its version number is {version}, less than {VERSION_NUMBER_MIN}")
    return library, holding


class Library:
    """The functions of the library, loaded when the first of them is asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._library: tuple[ctypes.CDLL, ctypes.PyDLL] | None = None
        self.path: str | None = None

    def __getattr__(self, name: str) -> Any:
        if name not in PROTOTYPES:
            raise AttributeError(name)
        function = getattr(self._loaded()[0], name)
        setattr(self, name, function)  # the next use comes no more through here
        return function

    def without_prototype(self, name: str) -> Any:
        """A function that takes its arguments as they are; see `Bare`."""
        library, holding = self._loaded()
        function = (holding if name in QUICK else library)[name]
        function.restype = PROTOTYPES[name][0]
        return function

    def _loaded(self) -> tuple[ctypes.CDLL, ctypes.PyDLL]:
        with self._lock:
            if self._library is None:
                tried: list[tuple[str, str]] = []
                for place, name in candidates():
                    try:
                        self._library, self.path = _open(name), name
                        break
                    except OSError as error:
                        tried.append((f"{place}: {name}", str(error)))
                else:
                    raise LibraryError.tried(tried)
            return self._library


lib = Library()


class Bare:
    """The same functions, quicker, for what each request needs: ctypes checks and converts nothing.

    Every argument must be what the prototype says already: a handle, `ref` of something, an array,
    `size`, `whole` or `token` of an integer, or None for NULL. A plain integer would be cut off.
    """

    def __getattr__(self, name: str) -> Any:
        function = lib.without_prototype(name)
        setattr(self, name, function)
        return function


bare = Bare()


class _Releasers(dict[type[Handle], Any]):
    """Of each kind of handle, the function that gives one reference back."""

    def __missing__(self, kind: type[Handle]) -> Any:
        releaser = self[kind] = lib.without_prototype(kind.release)
        return releaser


_releasers = _Releasers()


def own(handle: H) -> H:
    """Makes `handle` the owner of one reference: released when the last use of it is gone.

    The owner is the handle itself, not the object that holds it. So a thread that is inside the
    library keeps its handles alive, whatever other threads close meanwhile.
    """
    if due:
        release_due()
    if not handle:
        raise InternalError(f"the library gave no handle for a {type(handle).__name__}")
    handle.give_back = _releasers[type(handle)]
    return handle


def borrowed(text: bytes | None) -> str | None:
    """A text of the library as a str; what is not UTF-8 in it is replaced."""
    return None if text is None else text.decode("utf-8", "replace")


def read(address: int | None, length: int) -> bytes:
    """A copy of `length` bytes of the library's memory."""
    return ctypes.string_at(address, length) if address and length else b""


def text_at(address: int, length: int) -> str:
    """The text of a value: as `borrowed` of `read`, quicker, for there is a NUL behind it."""
    text = ctypes.c_char_p(address).value or b""
    if len(text) != length:  # there is one inside too
        text = read(address, length)
    return text.decode("utf-8", "replace")


def bytes_out(size: int) -> Any:
    """Room for a text of less than `size` bytes: pass it, read `it.value`."""
    return ctypes.create_string_buffer(size)


def values(count: int) -> Any:
    """Room for `count` values."""
    return (Value * count)()


CELL = struct.Struct("=IIq")
"""Kind, length and the last 8 bytes of a value."""

_unpack = CELL.unpack_from


def cells(source: Any) -> list[tuple[int, int, int]]:
    """Kind, length and the last 8 bytes of each value in `source`: an array, a value or bytes."""
    return list(CELL.iter_unpack(source))


def cell_at(source: bytes | bytearray, position: int) -> tuple[int, int, int]:
    """One of these, of copied values."""
    cell: tuple[int, int, int] = _unpack(source, position * 16)
    return cell


def real_of(word: int) -> float:
    """The last 8 bytes of a value, read as a double."""
    return float(struct.unpack("=d", struct.pack("=q", word))[0])


def scalar_value(kind: ValueKind, content: float = 0) -> Value:
    """A null, bool, int64, double or date."""
    if kind is ValueKind.DOUBLE:
        return Value(kind, 0, ValueAs(real=content))
    return Value(kind, 0, ValueAs(integer=int(content)))


def text_value(kind: ValueKind, content: bytes) -> Value:
    """A string, bytes or JSON; keeps `content` alive."""
    return Value(kind, len(content), ValueAs(text=content))


def object_value(handle: ObjectHandle) -> Value:
    """An object; keeps `handle` alive."""
    return Value(ValueKind.OBJECT, 0, ValueAs(object=handle))


def list_value(items: Iterable[Value]) -> Value:
    """A list; keeps its items alive."""
    content: Sequence[Value] = list(items)
    return Value(ValueKind.LIST, len(content), ValueAs(list=(Value * len(content))(*content)))
