"""Edits that wait in the outbox: what they cost when a large list is mapped."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from .figure import Figure, Target, figure, in_turn
from .payload import LARGE_PATH, RENAMED_PATH
from .programs import DOCUMENT, run_c

_PAIRS = 5
_EDITS = 10_000


def lists(base: str) -> Iterator[Figure]:
    """Maps a list of 100,000 companies, 10,000 of which have an edit that waits, and the same list
    without edits.
    """
    for kind, store in (("memory", None), ("sqlite", {"kind": "sqlite", "path": "store.db"})):
        runs = in_turn(
            _PAIRS, partial(_seconds, base, store, _EDITS), partial(_seconds, base, store, 0)
        )
        yield figure(
            f"overlay.list_100000.{kind}.time", "s", "no edits", Target(1.3), list(runs)
        )


def _seconds(base: str, store: dict[str, str] | None, edits: int) -> float:
    document = json.loads(Path(DOCUMENT).read_text())
    document["outbox"] = {"path": "outbox.db"}
    document["routes"]["company"].update(
        method=["GET", "PATCH"],
        offline=True,
        request={"entity": "Company", "changedOnly": True},
    )
    if store:
        document["store"] = store
    with tempfile.TemporaryDirectory(prefix="restway-bench-") as folder:
        path = Path(folder) / "overlay.restway.json"
        path.write_text(json.dumps(document))
        run = run_c("restway_overlay", path, base, LARGE_PATH, RENAMED_PATH, edits)
        return run["map_seconds"]
