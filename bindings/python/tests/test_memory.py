"""Memory that has been freed goes back to the system, and mapping needs little beside its objects.

Each program runs in a process of its own, whose heap nobody else has used.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_PRELUDE = """
import gc, json, re, sys
import restway

API = restway.API.from_json({
    "restway": 1, "environments": {"here": {"baseURL": "http://127.0.0.1:1"}},
    "environment": "here",
    "entities": {
        "Line": {"identity": "id", "attributes": {"id": {"type": "int"}, "text": "text"}},
        "Nothing": {"identity": "none", "attributes": {"none": "none"}},
    },
})
COUNT = 60_000
# The objects take 20 MB.
LINES = json.dumps([{"id": at, "text": f"{at:06}" * 50} for at in range(COUNT)]).encode()

def number_of(path, name):
    with open(path) as file:
        return int(re.search(rf"^{name}:\\s+(\\d+) kB", file.read(), re.MULTILINE)[1])

def resident():
    # The pages are counted one by one, because the sums in statm lag behind.
    gc.collect()
    return number_of("/proc/self/smaps_rollup", "Rss")

def restart_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return peak()

def peak():
    return number_of("/proc/self/status", "VmHWM")
"""

#: A response ends while some of its objects stay, so that the heap does not shrink by itself.
_RESPONSE = """
client = restway.Client(API, store_path=sys.argv[1])
client.map("Line", b'[{"id": 0}]')
before = resident()
response = client.map("Line", LINES)
pins = [response.objects[at] for at in range(0, COUNT, 1_000)]
print(resident() - before)
del response
print(resident() - before)
print(len(pins))
"""

#: The entity takes nothing from the body, so what remains is the memory of the reader itself.
_BODY = """
client = restway.Client(API)
element = '{"a":[1,2,3,{"b":"text"}],"c":{"d":0.5}}'
body = ("[" + ",".join([element] * 400_000) + "]").encode()
client.map("Line", b'[{"id": 0}]')
before = restart_peak()
client.map("Nothing", body)
print(peak() - before)
"""


def _numbers(program: str, *arguments: object) -> list[int]:
    done = subprocess.run(
        [sys.executable, "-c", _PRELUDE + program, *map(str, arguments)],
        capture_output=True, text=True, check=False,
    )
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()]


def test_a_large_response_gives_its_memory_back_when_it_ends(tmp_path: Path) -> None:
    full, ended, pins = _numbers(_RESPONSE, tmp_path / "store.db")
    assert full - ended > 15_000, "kB"
    assert pins == 60


def test_a_large_body_needs_little_memory_beside_its_objects() -> None:
    # As one tree, the body takes 200 MB. The program and the library have 16 MB of it each.
    (grown,) = _numbers(_BODY)
    assert grown < 60_000, "kB"
