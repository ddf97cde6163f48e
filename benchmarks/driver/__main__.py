"""Runs the benchmarks: `benchmarks/run [PREFIX...]` runs those whose figures start with a prefix.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType

from . import (
    caches,
    library,
    mapping,
    openapi,
    outbox,
    overlay,
    programs,
    python_reading,
    report,
    server,
    small_requests,
    stores,
    swift_clients,
    tables,
    transfers,
)
from .figure import Figure, SkippedError
from .mappers import JANSSON, SIMDJSON

_SECONDS_MAX = 25 * 60
_RESULTS = programs.BENCHMARKS / "results" / "latest.json"

_GROUPS: dict[str, Callable[[str], Iterator[Figure]]] = {
    "transport.tls.c32": partial(small_requests.in_flight, is_secure=True),
    "transport.tls.c1": partial(small_requests.one_at_a_time, is_secure=True),
    "transport.c32": small_requests.in_flight,
    "transport.c1": small_requests.one_at_a_time,
    "http2.c": small_requests.http2,
    "python.tls.blocking": partial(small_requests.python_blocking, is_secure=True),
    "python.tls.asyncio32": partial(small_requests.python_asyncio, is_secure=True),
    "python.blocking": small_requests.python_blocking,
    "python.asyncio32": small_requests.python_asyncio,
    "http2.python": small_requests.python_http2,
    "python.import": python_reading.importing,
    "python.read.over_pydantic": python_reading.over_pydantic,
    "python.read.simdjson": partial(python_reading.over_pydantic, mapper=SIMDJSON),
    "python.into.simdjson.over_json_loads": python_reading.into_dataclasses,
    "python.into.simdjson.over_msgspec": python_reading.into_structs,
    "python.into.over_json_loads": partial(python_reading.into_dataclasses, mapper=JANSSON),
    "python.into.over_msgspec": partial(python_reading.into_structs, mapper=JANSSON),
    "python.pandas": python_reading.frames,
    "python.arrow.over_from_pylist": python_reading.tables_over_pylist,
    "python.arrow.over_msgspec": python_reading.tables_over_msgspec,
    "swift.c1": swift_clients.awaited,
    "swift.tasks32": swift_clients.in_tasks,
    "swift.structs.simdjson": swift_clients.structs,
    "map.jansson.time": mapping.large_list,
    "map.jansson.relations": mapping.relations,
    "map.simdjson.time": mapping.warm,
    "map.simdjson.speedup_over_jansson": mapping.over_jansson,
    "map.simdjson.speedup_over_msgspec": mapping.over_msgspec,
    "map.live_bytes": mapping.memory,
    "pages": mapping.pages,
    "store.sqlite.commit": stores.commit,
    "store.sqlite.open_1000000": stores.opening,
    "overlay.list_100000": overlay.lists,
    "outbox.enqueue": outbox.enqueue,
    "outbox.flush": outbox.flush,
    "outbox.open_1000000": outbox.opening,
    "cache.memory": caches.memory,
    "cache.sqlite": caches.file,
    "cache.entries_1000000": caches.many,
    "cache.revalidation": caches.validation,
    "cache.python": caches.from_python,
    "upload": transfers.uploads_and_downloads,
    "openapi.import": openapi.importing,
    "openapi.load": openapi.loading,
    "library.bytes": library.size,
    "library.load_and_open": library.load_and_open,
    "client.idle_bytes": library.idle,
}


def main(prefixes: list[str]) -> None:
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGALRM, _end)
    signal.alarm(_SECONDS_MAX)
    programs.build()
    figures: list[Figure] = []
    failed: list[str] = []
    with server.nginx() as base:
        print(report.header(), flush=True)
        for name, measure in _GROUPS.items():
            if prefixes and not any(_is_meant(name, prefix) for prefix in prefixes):
                continue
            try:
                for figure in measure(base):
                    print(report.row(figure), flush=True)
                    figures.append(figure)
            except SkippedError as reason:
                print(f"{name}: skipped: {reason}", flush=True)
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                print(f"{name}: failed: {error}", flush=True)
                failed.append(name)
    if failed:
        raise SystemExit(f"not measured: {', '.join(failed)}; latest.json stays as it was")
    if not figures:
        raise SystemExit("nothing was measured")
    report.write(figures, _RESULTS, keeps_others=bool(prefixes))
    tables.write(_RESULTS)


def _is_meant(group: str, prefix: str) -> bool:
    """Returns whether the names of figures of a group, which begin with its name, may begin so."""
    return group.startswith(prefix) or prefix.startswith(group)


def _end(number: int, _frame: FrameType | None) -> None:
    if number == signal.SIGALRM:
        raise SystemExit(f"the benchmarks took longer than {_SECONDS_MAX} s")
    raise SystemExit(128 + number)


if __name__ == "__main__":
    main(sys.argv[1:])
