"""API documents of OpenAPI descriptions.

    python -m restway_tools.openapi petstore.yaml --output petstore.restway.json

writes the API document of a description, and prints everything that it bent, merged or left out.
docs/OPENAPI.md explains what becomes what.
"""

from __future__ import annotations

from .capabilities import Capabilities
from .importer import Imported, import_openapi
from .notes import Note, Report
from .overrides import Overrides, read_overrides
from .reading import ReadError

__all__ = [
    "Capabilities",
    "Imported",
    "Note",
    "Overrides",
    "ReadError",
    "Report",
    "import_openapi",
    "read_overrides",
]
