"""Maps a large list of companies and reads it into a class, from the bytes to a list of instances:

    restway_into.py CLASS DOCUMENT URL OBJECTS [PLUGIN...]

CLASS is the name of a class of flat_companies.py.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request

import flat_companies
import restway


def main() -> None:
    name, document, url, objects, *plugins = sys.argv[1:]
    of = getattr(flat_companies, name)
    for plugin in plugins:
        restway.load_plugin(plugin)
    with urllib.request.urlopen(url) as answer:
        body = answer.read()
    with restway.Client(restway.API.load(document), base_url="http://127.0.0.1:1") as client:
        begun = time.perf_counter()
        mapper = plugins[0] if plugins else None
        response = client.map("Company", body, key_path="companies", mapper=mapper)
        mapped = time.perf_counter()
        companies = response.into(list[of])
        seconds = time.perf_counter() - begun
    if len(companies) != int(objects) or companies[0].name != "Company 1":
        raise SystemExit(f"{len(companies)} companies, the first is {companies[0]}")
    print(json.dumps({"seconds": seconds, "map_seconds": mapped - begun}))


main()
