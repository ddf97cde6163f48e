"""The mappers that read the bodies in our programs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from .programs import BUILT, DOCUMENT


@dataclass(frozen=True)
class Mapper:
    """A mapper, and the arguments with which our programs use it."""

    #: The part of a figure's name for the mapper; empty for the built-in one.
    infix: str
    plugins: tuple[str, ...] = ()

    def document(self, name: str = DOCUMENT) -> str:
        """Returns an API document of the benchmarks, with this mapper for the server's answers."""
        if not self.plugins:
            return name
        document = json.loads(Path(name).read_text(encoding="utf-8"))
        path = BUILT / f"{self.plugins[0]}.{Path(name).name}"
        path.write_text(
            json.dumps({**document, "dataMapper": self.plugins[0]}), encoding="utf-8"
        )
        return str(path)


JANSSON = Mapper("")
SIMDJSON = Mapper(".simdjson", ("simdjson",))
