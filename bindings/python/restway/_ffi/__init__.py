"""The part of the package that uses ctypes.

The rest of the package uses typed handles, Python values and `lib`. `enums`, `structures`,
`owned` and `prototypes` are generated from the headers.
"""

from __future__ import annotations

from . import owned, structures
from .handles import Handle, hindrances, release_due
from .loader import VERSION_NUMBER_MIN, bare, candidates, lib, own
from .memory import (
    CELL,
    EventBuffer,
    borrowed,
    bytes_out,
    cell_at,
    cell_in,
    cells,
    handle_array,
    index_array,
    keys_out,
    kind_out,
    list_value,
    number,
    object_value,
    read,
    real_of,
    ref,
    row_array,
    rows_out,
    scalar_value,
    size,
    size_of,
    text_at,
    text_out,
    text_value,
    texts_out,
    token,
    truth_out,
    values,
    values_in,
    whole,
    whole_out,
    write,
)
from .owned import *  # noqa: F403
from .structures import *  # noqa: F403

__all__ = [
    "CELL",
    "VERSION_NUMBER_MIN",
    "EventBuffer",
    "Handle",
    "bare",
    "borrowed",
    "bytes_out",
    "candidates",
    "cell_at",
    "cell_in",
    "cells",
    "handle_array",
    "hindrances",
    "index_array",
    "keys_out",
    "kind_out",
    "lib",
    "list_value",
    "number",
    "object_value",
    "own",
    "read",
    "real_of",
    "ref",
    "release_due",
    "row_array",
    "rows_out",
    "scalar_value",
    "size",
    "size_of",
    "text_at",
    "text_out",
    "text_value",
    "texts_out",
    "token",
    "truth_out",
    "values",
    "values_in",
    "whole",
    "whole_out",
    "write",
]
__all__ += structures.__all__ + owned.__all__
