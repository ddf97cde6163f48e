"""The shapes that the API document can say. Only this module knows which of them the library reads.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from restway import API, LibraryError

_PROBES: dict[str, dict[str, Any]] = {
    "typed_lists": {"type": ["string"]},
    "maps": {"type": {"*": "int"}},
    "values": {"type": "string", "values": ["a"]},
    "defaults": {"type": "string", "default": "a"},
    "read_only": {"type": "string", "readOnly": True},
}
"""For each capability an attribute that only a library with it reads."""


@dataclass(frozen=True)
class Capabilities:
    """The shapes that the API document can say. Any other shape becomes JSON, and is noted."""

    typed_lists: bool = False
    """Attributes whose values are lists of scalars: `"type": ["string"]`."""
    maps: bool = False
    """Attributes whose values are objects with free keys: `"type": {"*": "int"}`."""
    unions: bool = False
    """Relationships and answers whose objects are of several entities."""

    values: bool = False
    """Attributes whose values are listed, in a list that is open: `"values": ["open"]`."""
    defaults: bool = False
    """Attributes with a constant or a default: `"default": 3`."""
    read_only: bool = False
    """Attributes that are never sent, and attributes that a request excludes."""
    extends: bool = False
    """Entities that extend another one, so that their objects have several shapes."""
    object_maps: bool = False
    """Relationships whose objects have free keys: `"map": "key"`."""
    typed_answers: bool = False
    """Response descriptors with a type in place of an entity, and with media types."""

    @classmethod
    def of_library(cls) -> Capabilities:
        """Returns what this version of the library reads; nothing if there is no library."""
        try:
            return _of_library()
        except LibraryError:
            return cls()


@functools.cache
def _of_library() -> Capabilities:
    """Asks the library, which does not change while a program runs. Raises LibraryError."""
    found = {name: _reads(attribute) for name, attribute in _PROBES.items()}
    probe = {"entities": {"Probe": {}}, "unions": {"Any": {"oneOf": ["Probe"]}}}
    shapes = {"entities": {"Probe": {}, "Shape": {"extends": "Probe"}}}
    linked = {"entity": "Probe", "many": True, "map": "key"}
    keyed = {"attributes": {"key": "key"}, "relationships": {"all": linked}}
    maps = {"entities": {"Probe": keyed}}
    answer = {"path": "/", "response": {"type": "int", "mediaType": "a/b"}}
    return Capabilities(
        **found,
        unions=not API.check({"restway": 1, **probe}),
        extends=not API.check({"restway": 1, **shapes}),
        object_maps=not API.check({"restway": 1, **maps}),
        typed_answers=not API.check({"restway": 1, "routes": {"probe": answer}}),
    )


def _reads(attribute: dict[str, Any]) -> bool:
    entities = {"Probe": {"attributes": {"attribute": attribute}}}
    return not API.check({"restway": 1, "entities": entities})
