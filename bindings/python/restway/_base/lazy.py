"""Modules that are loaded when they are first used: loading them is slow, and many programs do not
use them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any


class LazyModule:
    """Stands for a module, which is loaded when its first attribute is read."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(importlib.import_module(self.__name__), name)
        setattr(self, name, value)  # later uses do not call this function
        return value


if TYPE_CHECKING:
    import asyncio as asyncio
    import base64 as base64
    import inspect as inspect
    import json as json
    import signal as signal
    import traceback as traceback
else:
    asyncio = LazyModule("asyncio")
    base64 = LazyModule("base64")
    inspect = LazyModule("inspect")
    json = LazyModule("json")
    signal = LazyModule("signal")
    traceback = LazyModule("traceback")
