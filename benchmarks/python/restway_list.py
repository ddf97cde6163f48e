"""Maps a large list of companies, and reads it into a class or a table of Arrow, from the bytes on:

    restway_list.py CLASS|arrow DOCUMENT URL OBJECTS [PLUGIN]

CLASS is the name of a class of flat_companies.py.
"""

from __future__ import annotations

import sys
from collections.abc import Sized

import flat_companies
import load
import pyarrow  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: F401
import restway


def main() -> None:
    of, document, url, objects, *plugins = sys.argv[1:]
    for plugin in plugins:
        restway.load_plugin(plugin)
    with restway.Client(restway.API.load(document), base_url="http://127.0.0.1:1") as client:

        def read(body: bytes) -> Sized:
            mapper = plugins[0] if plugins else None
            response = client.map("Company", body, key_path="companies", mapper=mapper)
            if of == "arrow":
                return response.to_arrow()
            companies: list[object] = response.into(list[getattr(flat_companies, of)])
            return companies

        load.measure_reading(read, url, objects)


main()
