"""Makes a DataFrame of all companies of a store in a file: restway_pandas.py DOCUMENT PATH"""

from __future__ import annotations

import sys
import time

import pandas  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: F401
import pyarrow  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: F401
import restway


def main(document: str, path: str) -> None:
    api = restway.API.load(document)
    with restway.Client(api, base_url="http://127.0.0.1:1", store_path=path) as client:
        begun = time.perf_counter()
        frame = client.store.query("Company").to_pandas()
        print(f'{{"seconds": {time.perf_counter() - begun}, "rows": {len(frame)}}}')


main(sys.argv[1], sys.argv[2])
