"""Large files from C: one upload or download after the other, beside the curl tool."""

from __future__ import annotations

import json
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from .figure import Figure, Target, figure, in_turn
from .programs import DOCUMENT, Result, run_c, serving

_PAIRS = 5
_FILE_BYTES = 1 << 30
#: The text that the file repeats. It is far larger than the window of gzip.
_TEXT_BYTES = 16 << 20
_RESIDENT_BYTES_MAX = 32 << 20
_RATIO = 0.9
_RUN_SECONDS_MAX = 120

_CURL = ("curl", "--silent", "--show-error", "--fail", "--output")


def uploads_and_downloads(base: str) -> Iterator[Figure]:
    """Compares each transfer with the curl tool: its throughput, and the library's memory."""
    resident: list[float] = []

    def ours(url: str, mode: str, path: Path) -> float:
        saved.unlink(missing_ok=True)
        begun = time.monotonic()
        result: Result = run_c("restway_transfer", DOCUMENT, url, mode, path)
        resident.append(result["resident_bytes"])
        return _throughput(begun)

    with _folder() as folder, serving("transfer_server", _FILE_BYTES) as url:
        source, saved = folder / "upload.json", folder / "saved"
        _write(source)
        target = f"{url}/file"
        form = f"file=@{source};type=application/json"
        for name, mode, path, theirs in (
            ("upload.raw", "raw", source, (*_CURL, "/dev/null", "-T", str(source), target)),
            ("upload.multipart", "multipart", source, (*_CURL, "/dev/null", "-F", form, target)),
            ("download.file", "download", saved, (*_CURL, str(saved), target)),
        ):
            pairs = in_turn(
                _PAIRS, partial(ours, url, mode, path), partial(_tool, saved, theirs)
            )
            yield _row(name, "curl", pairs)
        pairs = in_turn(
            _PAIRS, partial(ours, url, "gzip", source), partial(_gzip_tool, source, target)
        )
        yield _row("upload.gzip", "gzip -6 | curl -T -", pairs)
    # Each pair is the largest memory of one round of the four transfers.
    rounds = [max(resident[number::_PAIRS]) for number in range(_PAIRS)]
    yield figure(
        "transfers.resident_bytes", "bytes", "32 MiB", Target(1.0),
        [(held, float(_RESIDENT_BYTES_MAX)) for held in rounds],
    )


def _row(name: str, reference: str, pairs: list[tuple[float, float]]) -> Figure:
    return figure(f"{name}.throughput", "MB/s", reference, Target(_RATIO, is_floor=True), pairs)


def _throughput(begun: float) -> float:
    return _FILE_BYTES / 1e6 / (time.monotonic() - begun)


def _tool(saved: Path, arguments: tuple[str, ...]) -> float:
    # Otherwise one side would free the pages of the file that the other side has written.
    saved.unlink(missing_ok=True)
    begun = time.monotonic()
    subprocess.run(arguments, check=True, timeout=_RUN_SECONDS_MAX)
    return _throughput(begun)


def _gzip_tool(source: Path, target: str) -> float:
    begun = time.monotonic()
    gzip = subprocess.Popen(("gzip", "-6", "-c", str(source)), stdout=subprocess.PIPE)
    upload = (*_CURL, "/dev/null", "-T", "-", target)
    with gzip:
        subprocess.run(upload, stdin=gzip.stdout, check=True, timeout=_RUN_SECONDS_MAX)
    return _throughput(begun)


@contextmanager
def _folder() -> Iterator[Path]:
    """Makes a folder in memory if there is room, because disks differ more than programs."""
    memory = Path("/dev/shm")
    has_room = memory.is_dir() and _free_bytes(memory) > 4 * _FILE_BYTES
    with tempfile.TemporaryDirectory(
        prefix="restway-bench-", dir=memory if has_room else None
    ) as name:
        yield Path(name)


def _free_bytes(folder: Path) -> int:
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize


def _write(path: Path) -> None:
    """Writes lines of JSON, which gzip compresses about as well as the bodies of an API."""
    generator = random.Random(1)
    lines: list[str] = []
    length = 0
    while length < _TEXT_BYTES:
        line = json.dumps({
            "id": generator.getrandbits(48),
            "name": "".join(generator.choices("abcdefghijklmnopqrstuvwxyz ", k=24)),
            "active": generator.random() < 0.5,
            "revenue": round(generator.uniform(0, 1e6), 2),
        })
        lines.append(line)
        length += len(line) + 1
    text = ("\n".join(lines) + "\n").encode()[:_TEXT_BYTES]
    with path.open("wb") as file:
        for _ in range(_FILE_BYTES // _TEXT_BYTES):
            file.write(text)
