"""What reads the bodies in a program of ours."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from .programs import BUILT, DOCUMENT


@dataclass(frozen=True)
class Mapper:
    """A mapper, and what a program of ours is given to use it."""

    #: What stands between the parts of a figure's name: nothing for the built-in one.
    infix: str
    plugins: tuple[str, ...] = ()

    def document(self) -> str:
        """The benchmarks' API document, with this mapper for what the server answers."""
        if not self.plugins:
            return DOCUMENT
        document = json.loads(Path(DOCUMENT).read_text(encoding="utf-8"))
        path = BUILT / f"{self.plugins[0]}.restway.json"
        path.write_text(
            json.dumps({**document, "dataMapper": self.plugins[0]}), encoding="utf-8"
        )
        return str(path)


JANSSON = Mapper("")
SIMDJSON = Mapper(".simdjson", ("simdjson",))
