"""The part of the package that uses ctypes.

The rest of the package uses typed handles, Python values and `lib`. `enums`, `structures` and
`prototypes` are generated from the headers.
"""

from __future__ import annotations

from . import structures
from .handles import Handle, hindrances, release_due
from .loader import VERSION_NUMBER_MIN, bare, candidates, lib, own
from .memory import (
    CELL,
    CellBuffer,
    EventBuffer,
    borrowed,
    bytes_out,
    cell_at,
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
    struct_array,
    struct_at,
    text_array,
    text_at,
    text_out,
    text_value,
    texts_out,
    token,
    truth_out,
    values,
    whole,
    write,
)
from .structures import *  # noqa: F403

__all__ = [
    "CELL",
    "VERSION_NUMBER_MIN",
    "CellBuffer",
    "EventBuffer",
    "Handle",
    "bare",
    "borrowed",
    "bytes_out",
    "candidates",
    "cell_at",
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
    "struct_array",
    "struct_at",
    "text_array",
    "text_at",
    "text_out",
    "text_value",
    "texts_out",
    "token",
    "truth_out",
    "values",
    "whole",
    "write",
]
__all__ += structures.__all__
