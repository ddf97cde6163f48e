"""The structs of the Arrow C Data Interface, and the capsules in which Python passes them.

A capsule owns its struct: a struct that no consumer has taken over is released with the capsule.
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, c_char_p, c_int64, c_void_p, py_object
from typing import Any, ClassVar


class _Schema(ctypes.Structure):
    _fields_ = (
        ("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p), ("flags", c_int64),
        ("n_children", c_int64), ("children", c_void_p), ("dictionary", c_void_p),
        ("release", c_void_p), ("private_data", c_void_p),
    )


class _Array(ctypes.Structure):
    _fields_ = (
        ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
        ("n_children", c_int64), ("buffers", c_void_p), ("children", c_void_p),
        ("dictionary", c_void_p), ("release", c_void_p), ("private_data", c_void_p),
    )


class _Stream(ctypes.Structure):
    _fields_ = (
        ("get_schema", c_void_p), ("get_next", c_void_p), ("get_last_error", c_void_p),
        ("release", c_void_p), ("private_data", c_void_p),
    )


_Destructor = ctypes.PYFUNCTYPE(None, c_void_p)
_Release = CFUNCTYPE(None, c_void_p)

_python = ctypes.PyDLL(None)
_new_capsule = _python.PyCapsule_New
_new_capsule.restype = py_object
_new_capsule.argtypes = (c_void_p, c_char_p, _Destructor)
_pointer_of = _python.PyCapsule_GetPointer
_pointer_of.restype = c_void_p
_pointer_of.argtypes = (c_void_p, c_char_p)

_in_capsules: dict[int, Owner] = {}
"""The structs that capsules own, by their addresses."""


class Owner:
    """A struct, which is released when it is freed unless it has been taken over."""

    __slots__ = ("_struct", "out")

    layout: ClassVar[Any]
    name: ClassVar[bytes]
    """The name of the capsules of this struct."""

    def __init__(self) -> None:
        self._struct = self.layout()
        self.out = ctypes.addressof(self._struct)
        """The address of the struct, for the library to fill."""

    # The default argument still exists when the interpreter has cleared this module at its end.
    def __del__(self, function: Any = _Release) -> None:
        # A consumer that takes the content over sets this pointer to NULL.
        if self._struct.release:
            function(self._struct.release)(self.out)

    def capsule(self) -> object:
        """Returns a capsule that owns the struct from now on."""
        made: object = _new_capsule(self.out, self.name, _destructors[self.name])
        _in_capsules[self.out] = self
        return made


class Schema(Owner):
    """The type of a table."""

    __slots__ = ()
    layout = _Schema
    name = b"arrow_schema"


class Array(Owner):
    """The values of a table."""

    __slots__ = ()
    layout = _Array
    name = b"arrow_array"


class Stream(Owner):
    """A stream of tables."""

    __slots__ = ()
    layout = _Stream
    name = b"arrow_array_stream"


def _destructor(name: bytes) -> Any:
    def destroy(capsule: int) -> None:
        _in_capsules.pop(_pointer_of(capsule, name), None)

    return _Destructor(destroy)


_destructors = {kind.name: _destructor(kind.name) for kind in (Schema, Array, Stream)}
