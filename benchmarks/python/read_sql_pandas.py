"""Makes a DataFrame of all companies of a SQLite file with `pandas.read_sql`, dates and bools
included: read_sql_pandas.py DOCUMENT PATH
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from pathlib import Path

import pandas  # type: ignore[import-not-found,import-untyped,unused-ignore]


def main(document: str, path: str) -> None:
    entity = json.loads(Path(document).read_text(encoding="utf-8"))["entities"]["Company"]
    columns = ", ".join(entity["attributes"])
    with sqlite3.connect(path) as file:
        begun = time.perf_counter()
        frame = pandas.read_sql(f"SELECT {columns} FROM Company ORDER BY _key", file)
        frame["founded"] = pandas.to_datetime(frame["founded"], unit="us", utc=True)
        frame["active"] = frame["active"].astype(bool)
        print(f'{{"seconds": {time.perf_counter() - begun}, "rows": {len(frame)}}}')
    file.close()


main(sys.argv[1], sys.argv[2])
