"""Decodes a large list of companies with msgspec into structs with the document's attributes.

python msgspec_decode.py URL OBJECTS
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request

import msgspec
from company_structs import Companies


def main(url: str, objects: int) -> None:
    with urllib.request.urlopen(url) as answer:
        body = answer.read()
    decoder = msgspec.json.Decoder(Companies)
    begun = time.perf_counter()
    decoded = decoder.decode(body)
    seconds = time.perf_counter() - begun
    if len(decoded.companies) != objects:
        raise SystemExit(f"{len(decoded.companies)} objects instead of {objects}")
    print(json.dumps({"bytes": len(body), "map_seconds": seconds, "seconds": seconds}))


main(sys.argv[1], int(sys.argv[2]))
