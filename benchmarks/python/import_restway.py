"""Imports Restway and makes a client: import_restway.py DOCUMENT"""

from __future__ import annotations

import sys
import time

begun = time.perf_counter()
import restway  # noqa: E402

client = restway.Client(restway.API.load(sys.argv[1]), base_url="http://127.0.0.1:1")
print(f'{{"seconds": {time.perf_counter() - begun}}}')
