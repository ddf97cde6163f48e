"""Makes a table of Arrow from the bytes of a large list of companies:

    restway_arrow.py DOCUMENT URL OBJECTS [PLUGIN...]
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request

import pyarrow  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: F401
import restway


def main() -> None:
    document, url, objects, *plugins = sys.argv[1:]
    for plugin in plugins:
        restway.load_plugin(plugin)
    with urllib.request.urlopen(url) as answer:
        body = answer.read()
    with restway.Client(restway.API.load(document), base_url="http://127.0.0.1:1") as client:
        begun = time.perf_counter()
        mapper = plugins[0] if plugins else None
        response = client.map("Company", body, key_path="companies", mapper=mapper)
        mapped = time.perf_counter()
        table = response.to_arrow()
        seconds = time.perf_counter() - begun
    if table.num_rows != int(objects) or table["name"][0].as_py() != "Company 1":
        raise SystemExit(f"{table.num_rows} rows")
    print(json.dumps({"seconds": seconds, "map_seconds": mapped - begun}))


main()
