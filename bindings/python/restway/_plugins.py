"""Plugins of this process: loading them, and what is loaded."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass

from . import _native as native
from ._boundary import check, name


@dataclass(frozen=True)
class Plugin:
    """A loaded plugin, as it describes itself; absent texts are empty."""

    name: str
    version: str
    licence: str
    description: str
    path: str


def load_plugin(
    path_or_name: str | os.PathLike[str], options: Mapping[str, object] | None = None
) -> None:
    """Loads a plugin for the rest of the process's life; later clients have its mappers.

    Args:
        path_or_name: An absolute path, or a name that is looked for in the directories of
            `RESTWAY_PLUGIN_PATH`, then beside the library. A plugin is a program: load none that
            you would not run.
        options: What the plugin takes.

    Loading the same one again is fine. Raises PluginError, UsageError.
    """
    text = None if options is None else json.dumps(dict(options)).encode()
    check(native.lib.restway_plugin_load, name(os.fspath(path_or_name)), text)


def plugins() -> list[Plugin]:
    """The plugins of this process, in the order of loading."""
    lib = native.lib
    texts = (
        lib.restway_plugin_name,
        lib.restway_plugin_version,
        lib.restway_plugin_licence,
        lib.restway_plugin_description,
        lib.restway_plugin_path,
    )
    return [
        Plugin(*(native.borrowed(text(index)) or "" for text in texts))
        for index in range(lib.restway_plugin_count())
    ]
