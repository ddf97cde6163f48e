"""The description of GitHub's API: its import, and the document that comes out.

The description is not in this repository. It is read from `shared/conformance` beside the
repository, or from the folder that `RESTWAY_CONFORMANCE` names; without it, nothing is measured.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .figure import Figure, SkippedError, Target, figure, in_turn
from .programs import ROOT, run_c, run_python

_PAIRS = 5
_IMPORT_SECONDS_MAX = 5.0
_LOAD_MS_MAX = 60.0
_LOAD_BYTES_MAX = 12e6
_CONFORMANCE = Path(os.environ.get("RESTWAY_CONFORMANCE") or ROOT.parent / "shared" / "conformance")


@contextmanager
def _folder() -> Iterator[tuple[Path, Path]]:
    """Gives the description, and a path for the document in a folder of its own."""
    description = _CONFORMANCE / "openapi-github.json"
    if not description.exists():
        raise SkippedError(f"{description} is missing")
    with tempfile.TemporaryDirectory(prefix="restway-bench-") as folder:
        yield description, Path(folder) / "github.restway.json"


def importing(_base: str) -> Iterator[Figure]:
    """Imports the description; the reference is the bound."""
    with _folder() as (description, document):
        runs = in_turn(
            _PAIRS,
            lambda: run_python("openapi_import", description, document)["cpu_seconds"],
            lambda: _IMPORT_SECONDS_MAX,
        )
    yield figure("openapi.import.time", "s", "5 s", Target(1.0), runs)


def loading(_base: str) -> Iterator[Figure]:
    """Loads the document; the references are the bounds."""
    with _folder() as (description, document):
        run_python("openapi_import", description, document)
        runs = [run_c("restway_idle", document) for _ in range(_PAIRS)]
    yield figure(
        "openapi.load.time", "ms", "60 ms", Target(1.0),
        [(run["load_seconds"] * 1e3, _LOAD_MS_MAX) for run in runs],
    )
    yield figure(
        "openapi.load.bytes", "bytes", "12 MB", Target(1.0),
        [(run["api_bytes"], _LOAD_BYTES_MAX) for run in runs],
    )
