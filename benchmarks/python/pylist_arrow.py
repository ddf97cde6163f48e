"""Makes a table of Arrow from the bytes of a large list of companies with json.loads and
`pyarrow.Table.from_pylist`: pylist_arrow.py URL OBJECTS
"""

from __future__ import annotations

import json
import sys

import load
import pyarrow  # type: ignore[import-untyped,import-not-found,unused-ignore]

load.measure_reading(
    lambda body: pyarrow.Table.from_pylist(json.loads(body)["companies"]), *sys.argv[1:]
)
