"""Calls functions of the library with ctypes, using only the information in the headers."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from typing import Any

from interface import Function, Variable, functions, size_of, structs

OK, INVALID_ARGUMENT, FORKED = 0, 1, 8
#: restway_value_kind
NULL, BOOL, INT64, DATE, OBJECT, LIST = 0, 1, 2, 4, 8, 9
FUNCTIONS = {function.name: function for function in functions()}
#: The size of a buffer for everything that a function writes.
BUFFER_BYTES = 1 << 16

#: Texts that some functions need. Every other text is a name.
TEXTS = {
    "method": "GET", "json": "{}", "entity": "Note", "attribute": "id", "relationship": "others",
    "media_type": "text/plain", "path": "status", "route": "notes", "property": "x-a",
    "path_or_name": "/no/plugin", "name": "id", "target": "Note", "source": "id", "format": None,
    "transform": None,
}

_INTEGERS = {
    "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32, "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64, "size_t": ctypes.c_size_t, "double": ctypes.c_double,
}


class Value(ctypes.Structure):
    """restway_value"""

    _fields_ = [
        ("kind", ctypes.c_uint32), ("length", ctypes.c_uint32), ("integer", ctypes.c_int64)
    ]


def _type(variable_type: str) -> Any:
    if variable_type == "restway_value":
        return Value
    if variable_type == "void":
        return None
    integer = Variable("", variable_type).integer or variable_type
    return _INTEGERS.get(integer, ctypes.c_void_p)


def library() -> ctypes.CDLL:
    """Loads the staged library, with the types of all of its functions."""
    loaded = ctypes.CDLL(os.environ["RESTWAY_LIBRARY"])
    for function in FUNCTIONS.values():
        called = getattr(loaded, function.name)
        called.argtypes = [_type(parameter.type) for parameter in function.parameters]
        called.restype = _type(function.result)
    return loaded


LIBRARY = library()
#: A callback that does nothing and returns 0, whatever its arguments are.
NO_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(lambda _: 0)


class Memory:
    """The memory of a call: buffers, by their addresses."""

    def __init__(self) -> None:
        self._kept: list[Any] = []

    def keep(self, thing: Any) -> int:
        self._kept.append(thing)
        return ctypes.addressof(thing)

    def buffer(self, size: int = BUFFER_BYTES) -> int:
        return self.keep(ctypes.create_string_buffer(size))

    def text(self, text: str) -> int:
        return self.keep(ctypes.create_string_buffer(text.encode()))

    def value(self, kind: int, integer: int, length: int = 0) -> int:
        return self.keep(Value(kind, length, integer))

    @staticmethod
    def bytes_at(address: int, count: int) -> bytes:
        return ctypes.string_at(address, count)

    def handles(self, *handles: int) -> int:
        return self.keep((ctypes.c_void_p * len(handles))(*handles))

    def struct(self, name: str, fields: Mapping[str, int] | None = None) -> int:
        """Makes a struct of zeros, except for its size and `fields`."""
        size = sum(map(size_of, structs()[name]))
        bytes_of = bytearray()
        for field in structs()[name]:
            number = size if field.name == "struct_size" else 0
            number = (fields or {}).get(field.name, number)
            width = size_of(field)
            bytes_of += (number % (1 << (8 * width))).to_bytes(width, "little")
        return self.keep((ctypes.c_char * size).from_buffer(bytes_of))


def argument(parameter: Variable, handles: Mapping[str, int], memory: Memory) -> int | None:
    """Makes a value for a parameter. A missing handle is NULL."""
    name, kind = parameter.name, parameter.type
    if parameter.handle:
        return handles.get(parameter.handle)
    if parameter.handles:
        # A function that needs one of two arrays gets the first array.
        return memory.handles(handles[parameter.handles]) if name == "objects" else None
    if kind == "const char *":
        text = TEXTS.get(name, "a")
        return None if text is None else memory.text(text)
    if kind == "const restway_value *":
        return memory.value(INT64, 1)
    if parameter.pointee in structs() and parameter.pointee not in (
        "restway_value", "restway_event"
    ):
        return memory.struct(parameter.pointee)
    if name == "out_error":
        return None
    if name in ("context", "destroy"):
        return None
    if kind.endswith("_fn"):
        return ctypes.cast(NO_CALLBACK, ctypes.c_void_p).value
    if kind.endswith("*"):
        return memory.buffer()
    return 1 if name in ("count", "length", "capacity", "column_count", "milliseconds") else 0


def arguments(function: Function, handles: Mapping[str, int], memory: Memory) -> dict[str, Any]:
    return {p.name: argument(p, handles, memory) for p in function.parameters}


def call(function: Function, given: Mapping[str, Any]) -> Any:
    return getattr(LIBRARY, function.name)(*given.values())


def make(name: str, *given: Any) -> int:
    """Calls a function with an out_error after `given`; returns the handle that it makes."""
    made = ctypes.c_void_p()
    status = getattr(LIBRARY, name)(*given, ctypes.byref(made), None)
    assert status == OK, f"{name}: {status}"
    assert made.value
    return made.value


def do(name: str, *given: Any) -> None:
    """Calls a function with an out_error after `given`, which must succeed."""
    status = getattr(LIBRARY, name)(*given, None)
    assert status == OK, f"{name}: {status}"
