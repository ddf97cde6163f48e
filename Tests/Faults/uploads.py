"""The ways in which a file is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import restway

Upload = Callable[[Path], Mapping[str, Any]]
UPLOADS: Mapping[str, Upload] = {
    "raw": lambda path: {"body": restway.Resource.file(path)},
    "multipart": lambda path: {"body": None, "files": {"file": path}},
    "gzip": lambda path: {"body": restway.Resource.file(path), "gzip": True},
}
"""Keywords of a request by the names of the ways."""
