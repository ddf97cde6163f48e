"""Tests of programs that use Restway: clients that replay recorded answers, and a check for handles
that are still alive. `restway.testing.plugin` is a plugin of pytest that does both.

    def test_the_first_page(restway_client):
        assert len(restway_client.route("issues").objects) == 30
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .._ffi.callbacks import causes, completions, functions, observers, questions, receivers
from .._library import debug_live_handles, load_plugin, plugins

__all__ = ["Match", "Mode", "live_handles", "replaying"]

Mode = Literal["play", "record", "auto"]
"""Whether a cassette is played, recorded anew, or recorded if there is none."""

Match = Literal["strict", "loose"]
"""Whether requests must come in the recorded order, each once, or in any order."""

_WAIT_SECONDS = 30.0


def replaying(
    cassette: str | os.PathLike[str],
    mode: Mode = "play",
    match: Match = "strict",
    redact: Sequence[str] = (),
) -> Mapping[str, Any]:
    """Returns the keywords of a client whose exchanges are recorded in a file, or played from it.

        client = restway.Client(api, **restway.testing.replaying("issues.json", "auto"))

    Args:
        cassette: The path of the file.
        mode: "play", "record" or "auto".
        match: "strict" or "loose".
        redact: Further names of headers, parameters and members of bodies that hold secrets.

    The plugin `replay` is loaded if it was not. Raises PluginError if it cannot be found.
    """
    if all(plugin.name != "replay" for plugin in plugins()):
        load_plugin("replay")
    options: dict[str, Any] = {"cassette": os.fspath(cassette), "mode": mode, "match": match}
    if redact:
        options["redact"] = list(redact)
    return {"transport": "replay", "transport_options": options}


def live_handles() -> int:
    """Returns how many handles of the library are alive, when the garbage collector has run and
    all callbacks of closed clients have ended.

        before = restway.testing.live_handles()
        run()
        assert restway.testing.live_handles() == before
    """
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        sys.__dict__.pop(name, None)  # the traceback of a failed test keeps its objects alive
    gc.collect()
    for registry in (completions, observers, questions):
        registry.wait_until_empty(_WAIT_SECONDS)
    gc.collect()
    for registry in (causes, functions, receivers):
        registry.wait_until_empty(_WAIT_SECONDS)
    return debug_live_handles()
