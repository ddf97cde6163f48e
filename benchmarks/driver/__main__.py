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
    documents,
    graphs,
    http2,
    library,
    mapping,
    openapi,
    outbox,
    plugins,
    programs,
    python_clients,
    python_reading,
    report,
    server,
    stores,
    swift_clients,
    transfers,
    transport,
)
from .figure import Figure, SkippedError
from .mappers import JANSSON, SIMDJSON

_SECONDS_MAX = 25 * 60
_RESULTS = programs.BENCHMARKS / "results" / "latest.json"

_GROUPS: dict[str, Callable[[str], Iterator[Figure]]] = {
    "transport.c32": transport.in_flight,
    "transport.c32.simdjson": partial(transport.in_flight, mapper=SIMDJSON),
    "transport.c1": transport.one_at_a_time,
    "transport.c1.simdjson": partial(transport.one_at_a_time, mapper=SIMDJSON),
    "transport.queued10000": transport.queued,
    "upload": transfers.uploads_and_downloads,
    "python.blocking": python_clients.blocking,
    "python.blocking.simdjson": partial(python_clients.blocking, mapper=SIMDJSON),
    "python.blocking.over_httpx": python_clients.over_httpx,
    "python.asyncio32": python_clients.in_event_loop,
    "python.asyncio32.simdjson": partial(python_clients.in_event_loop, mapper=SIMDJSON),
    "python.interrupt": python_clients.interrupted,
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
    "http2.c": http2.from_c,
    "http2.python": http2.from_python,
    "map.jansson.time": mapping.large_list,
    "map.jansson.relations": mapping.relations,
    "events.mapped": mapping.events,
    "pages": mapping.pages,
    "map.simdjson.time": plugins.warm,
    "map.simdjson.speedup_over_jansson": plugins.over_jansson,
    "map.simdjson.speedup_over_msgspec": plugins.over_msgspec,
    "plugin.transport.overhead": plugins.transport_overhead,
    "map.resident_after": mapping.resident,
    "map.again": graphs.again,
    "map.live_bytes": graphs.live,
    "map.cycles": graphs.cycles,
    "store.sqlite.commit": stores.commit,
    "store.sqlite.open_1000000": stores.opening,
    "outbox.enqueue": outbox.enqueue,
    "outbox.flush": outbox.flush,
    "outbox.open_1000000": outbox.opening,
    "pipeline.ten": caches.pipeline,
    "cache.memory": caches.memory,
    "cache.sqlite": caches.file,
    "cache.entries_1000000": caches.many,
    "cache.revalidation": caches.validation,
    "cache.python": caches.from_python,
    "document.load.growth": documents.growth,
    "document.load.slowest": documents.slowest,
    "openapi.import": openapi.importing,
    "openapi.load": openapi.loading,
    "openapi.call_by_name": openapi.calling,
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
            if prefixes and not name.startswith(tuple(prefixes)):
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
    report.write(figures, _RESULTS, keeps_others=bool(prefixes))


def _end(number: int, _frame: FrameType | None) -> None:
    if number == signal.SIGALRM:
        raise SystemExit(f"the benchmarks took longer than {_SECONDS_MAX} s")
    raise SystemExit(128 + number)


if __name__ == "__main__":
    main(sys.argv[1:])
