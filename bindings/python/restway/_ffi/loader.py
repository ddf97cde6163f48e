"""Finds and loads the library, and lets handles own their references.

The library is loaded at the first use of `lib`, so that `import restway` works without it. It is
looked for in this order:

1. the path in the environment variable `RESTWAY_LIBRARY`; if it is set, no other place is tried
2. bundled in the folder of the package
3. the staged build of the source tree that the package stands in
4. wherever the system's loader finds `librestway.so.0`
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from .._enums import ABI_VERSION
from .._exceptions import InternalError, LibraryError
from .handles import Handle
from .owned import OWNED
from .prototypes import PROTOTYPES, QUICK

H = TypeVar("H", bound=Handle)

SONAME = "librestway.so.0"
VERSION_NUMBER_MIN = 1_000
"""The oldest library that has every function of the prototypes: 0.1.0."""


Libraries = tuple[ctypes.CDLL, ctypes.PyDLL]
"""The library twice: calls of the second one hold the lock of the interpreter."""


def candidates() -> list[tuple[str, str]]:
    """Returns the places where the library is looked for: pairs of a description and a path or a
    soname.
    """
    chosen = os.environ.get("RESTWAY_LIBRARY")
    if chosen:
        return [("$RESTWAY_LIBRARY", chosen)]
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    places = [("bundled", os.path.join(package, "librestway.so"))]
    root = os.path.dirname(os.path.dirname(os.path.dirname(package)))
    if os.path.isfile(os.path.join(root, "Include", "restway", "restway.h")):
        places.append(("staged build", os.path.join(root, "build/stage/lib/librestway.so")))
    places.append(("system", SONAME))
    return places


def _open(name: str) -> Libraries:
    """Loads one library; raises OSError with the reason of a failure."""
    if os.sep in name and not os.path.exists(name):
        raise OSError("no such file")
    libraries = ctypes.CDLL(name), ctypes.PyDLL(name)
    abi = _function(libraries, "restway_abi_version")()
    version = _function(libraries, "restway_version_number")()
    if abi != ABI_VERSION:
        raise OSError(f"its ABI version is {abi}, not {ABI_VERSION}")
    if version < VERSION_NUMBER_MIN:
        raise OSError(f"its version number is {version}, less than {VERSION_NUMBER_MIN}")
    for owned in OWNED.values():
        owned.give_back = _bare(libraries, owned.release)
    return libraries



def _bare(libraries: Libraries, name: str) -> Any:
    """Returns a function that takes its arguments unchanged; see `Bare`. Raises OSError if the
    library does not have it.
    """
    library, holding = libraries
    try:
        function = (holding if name in QUICK else library)[name]
    except AttributeError:
        raise OSError(f"it has no function {name}") from None
    function.restype = PROTOTYPES[name][0]
    return function


def _function(libraries: Libraries, name: str) -> Any:
    """Returns a function that checks and converts its arguments; raises OSError."""
    function = _bare(libraries, name)
    function.argtypes = PROTOTYPES[name][1]
    return function


class Library:
    """The functions of the library. The first use of any of them loads it. Each function gets its
    prototype when it is first used, because the library has hundreds of functions.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._library: Libraries | None = None
        self.path: str | None = None

    def __getattr__(self, name: str) -> Any:
        if name not in PROTOTYPES:
            raise AttributeError(name)
        function = self.function(name, _function)
        setattr(self, name, function)  # later uses do not call this function
        return function

    def function(self, name: str, make: Callable[[Libraries, str], Any]) -> Any:
        """Returns the function that `make` makes; raises LibraryError."""
        libraries = self._loaded()
        try:
            return make(libraries, name)
        except OSError as error:
            raise LibraryError.tried([(str(self.path), str(error))]) from None

    def _loaded(self) -> Libraries:
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
    """The same functions without the checks and conversions of ctypes, which make each request
    faster.

    Every argument must already have the type of the prototype: a handle, `ref` of something, an
    array, `size`, `whole` or `token` of an integer, or None for NULL. A plain integer would be cut
    off.
    """

    def __getattr__(self, name: str) -> Any:
        function = lib.function(name, _bare)
        setattr(self, name, function)
        return function


bare = Bare()


class Addresses:
    """The same functions, whose texts are given as addresses: ctypes ends a text at its first NUL.
    """

    def __getattr__(self, name: str) -> Any:
        function = lib.function(name, _function)
        function.restype = ctypes.c_void_p
        setattr(self, name, function)
        return function


addresses = Addresses()


def own(handle: H) -> H:
    """Returns a handle that owns the reference of `handle`, which is released when the handle is
    freed.
    """
    if not handle:
        raise InternalError(f"the library gave no handle for a {type(handle).__name__}")
    owned: H = OWNED[type(handle)](handle.value)
    return owned
