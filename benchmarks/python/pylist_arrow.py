"""Makes a table of Arrow from the bytes of a large list of companies with json.loads and
`pyarrow.Table.from_pylist`: pylist_arrow.py URL OBJECTS
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request

import pyarrow  # type: ignore[import-untyped,import-not-found,unused-ignore]


def main(url: str, objects: int) -> None:
    with urllib.request.urlopen(url) as answer:
        body = answer.read()
    begun = time.perf_counter()
    table = pyarrow.Table.from_pylist(json.loads(body)["companies"])
    seconds = time.perf_counter() - begun
    if table.num_rows != objects:
        raise SystemExit(f"{table.num_rows} rows")
    print(json.dumps({"seconds": seconds}))


main(sys.argv[1], int(sys.argv[2]))
