"""Imports httpx and makes a client."""

from __future__ import annotations

import time

begun = time.perf_counter()
import httpx  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: E402

client = httpx.Client()
print(f'{{"seconds": {time.perf_counter() - begun}}}')
