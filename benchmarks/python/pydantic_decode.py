"""Decodes a large list of companies with pydantic into models: pydantic_decode.py URL OBJECTS"""

from __future__ import annotations

import json
import sys
import time
import urllib.request

from company_models import Companies


def main(url: str, objects: int) -> None:
    with urllib.request.urlopen(url) as answer:
        body = answer.read()
    begun = time.perf_counter()
    companies = Companies.model_validate_json(body).companies
    seconds = time.perf_counter() - begun
    if len(companies) != objects:
        raise SystemExit(f"{len(companies)} companies")
    print(json.dumps({"seconds": seconds}))


main(sys.argv[1], int(sys.argv[2]))
